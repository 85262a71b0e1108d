"""What can be wrong with a rule document as a file, and as XML: ``RIF12x`` and ``RIF13x``."""

from __future__ import annotations

from rif.errors.base import RuleError


class NotWellFormed(RuleError):
    """The text is no XML [XML10, 2.1]; nothing behind the place is read."""

    code = "RIF121"
    default_hint = "an XML editor shows what is open there"


class BadEncoding(RuleError):
    """The bytes of a file are no characters of its encoding [XML10, 4.3.3]."""

    code = "RIF122"
    default_hint = "save it as UTF-8"


class ExternalEntity(RuleError):
    """A DOCTYPE names another file; R4 opens the document alone."""

    code = "RIF123"
    default_hint = 'only entities with their text are read: <!ENTITY xs "http://…#">'


class BadDeclaration(RuleError):
    """A declaration of the DOCTYPE is no entity of plain text [XML10, 4.2]."""

    code = "RIF124"
    default_hint = 'only entities with their text are read: <!ENTITY xs "http://…#">'


class TooMuchExpansion(RuleError):
    """Entities make the document many times longer than it is."""

    code = "RIF125"
    default_hint = "entities are for the beginnings of IRIs; write long texts in full"


class NotRif(RuleError):
    """The root of an XML document is none of RIF."""

    code = "RIF126"
    default_hint = 'the root is <Document xmlns="http://www.w3.org/2007/rif#">'


class UnknownElement(RuleError):
    """RIF-Core has no such element [RIF-Core 4, XML schema]."""

    code = "RIF127"
    default_hint = "names are case-sensitive, and in the namespace http://www.w3.org/2007/rif#"


class MisplacedElement(RuleError):
    """An element stands where it cannot, or once too often [RIF-Core 4, XML schema]."""

    code = "RIF128"
    default_hint = "classes (Atom) and roles (args) take turns"


class MissingElement(RuleError):
    """An element lacks one of the parts that it must have [RIF-Core 4, XML schema]."""

    code = "RIF129"
    default_hint = "classes (Atom) and roles (args) take turns"


class BadAttribute(RuleError):
    """An attribute is missing, not known, or has a wrong value [RIF-Core 4, XML schema]."""

    code = "RIF130"
    default_hint = 'there are type="IRI" of Const, and ordered="yes" of args, items and slot'


class StrayText(RuleError):
    """Characters stand between elements."""

    code = "RIF131"
    default_hint = "only Const, Var, location and profile have text"


class NotInXml(RuleError):
    """RIF/XML cannot write blank nodes and most control characters."""

    code = "RIF132"
    default_hint = "the presentation syntax can write such characters, as \\uXXXX"
