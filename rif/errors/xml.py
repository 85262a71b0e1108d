"""What can be wrong with a rule document as a file, and as XML: ``RIF12x`` and ``RIF13x``."""

from __future__ import annotations

from rif.errors.base import RuleError


class NotWellFormed(RuleError):
    """A text that is no XML [XML10, 2.1]; nothing behind the place is read."""

    code = "RIF121"
    default_hint = "an XML editor shows what is open there"


class BadEncoding(RuleError):
    """Bytes that are not the characters they should be [XML10, 4.3.3]."""

    code = "RIF122"
    default_hint = "save it as UTF-8"


class ExternalEntity(RuleError):
    """A DOCTYPE that wants another file: nothing but the document itself is opened."""

    code = "RIF123"
    default_hint = 'only entities with their text are read: <!ENTITY xs "http://…#">'


class BadDeclaration(RuleError):
    """A declaration of the DOCTYPE that is not an entity of plain text [XML10, 4.2]."""

    code = "RIF124"
    default_hint = 'only entities with their text are read: <!ENTITY xs "http://…#">'


class TooMuchExpansion(RuleError):
    """Entities that make the document many times longer than it is."""

    code = "RIF125"
    default_hint = "entities are for the beginnings of IRIs; write long texts in full"


class NotRif(RuleError):
    """An XML document whose root is not what is to be read."""

    code = "RIF126"
    default_hint = 'the root is <Document xmlns="http://www.w3.org/2007/rif#">'


class UnknownElement(RuleError):
    """An element that RIF-Core does not have [RIF-Core 4, XML schema]."""

    code = "RIF127"
    default_hint = "names are case-sensitive, and in the namespace http://www.w3.org/2007/rif#"


class MisplacedElement(RuleError):
    """An element where it cannot stand, or once too often [RIF-Core 4, XML schema]."""

    code = "RIF128"
    default_hint = "classes (Atom) and roles (args) take turns"


class MissingElement(RuleError):
    """An element without one of the parts that it must have [RIF-Core 4, XML schema]."""

    code = "RIF129"
    default_hint = "classes (Atom) and roles (args) take turns"


class BadAttribute(RuleError):
    """An attribute that is missing, not known, or has a wrong value [RIF-Core 4, XML schema]."""

    code = "RIF130"
    default_hint = 'there are type="IRI" of Const, and ordered="yes" of args, items and slot'


class StrayText(RuleError):
    """Characters between elements."""

    code = "RIF131"
    default_hint = "only Const, Var, location and profile have text"


class NotInXml(RuleError):
    """What RIF/XML has no way to write: most control characters, and blank nodes."""

    code = "RIF132"
    default_hint = "the presentation syntax can write such characters, as \\uXXXX"
