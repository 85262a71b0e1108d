"""The text is not RIF-Core syntax: ``RIF10x`` and ``RIF11x``; some of these XML has, too."""

from __future__ import annotations

from rif.errors.base import RuleError


class UnexpectedToken(RuleError):
    """The text goes on with something else than the grammar has there [RIF-Core, grammar]."""

    code = "RIF101"


class BadCharacter(RuleError):
    """No word of the language begins with this character."""

    code = "RIF102"
    default_hint = "outside of strings and <IRIs> only names, numbers, brackets and -> :- = # occur"


class UnterminatedString(RuleError):
    """A string is not closed on its line."""

    code = "RIF103"
    default_hint = 'close it with ", and write a line end inside it as \\n'


class BadEscape(RuleError):
    """A backslash is followed by something that is no escape [SPARQL, ECHAR]."""

    code = "RIF104"
    default_hint = r"""escapes are \t \n \r \b \f \" \' \\ \uXXXX \UXXXXXXXX"""


class BadIri(RuleError):
    """The text between ``<`` and ``>`` is no IRI, or it is relative and there is no Base."""

    code = "RIF105"
    default_hint = "write an absolute IRI, or give a Base"


class UnknownPrefix(RuleError):
    """The prefix of a name is not declared."""

    code = "RIF106"
    default_hint = "declare it: Prefix(name <IRI>)"


class PrefixTwice(RuleError):
    """A prefix is declared twice with different IRIs."""

    code = "RIF107"
    default_hint = "keep one of the two"


class BareWord(RuleError):
    """A word has no prefix, underscore or brackets, so it is no constant."""

    code = "RIF108"
    default_hint = "give it a prefix, or an underscore for a local constant"


class BadLexicalForm(RuleError):
    """The text of a constant is no value of its datatype [RIF-DTB 2.1]."""

    code = "RIF109"
    default_hint = "write a value of the datatype, or name another datatype"


class UnknownDatatype(RuleError):
    """R4 does not know the datatype of a constant [RIF-DTB 2.1]."""

    code = "RIF110"
    default_hint = "name a datatype of XML Schema or RDF, rif:iri or rif:local"


class TooDeep(RuleError):
    """Formulas are nested deeper than R4 reads."""

    code = "RIF111"
    default_hint = "And, Or and Exists may be flattened; split the rule"


class TooLong(RuleError):
    """A literal, a name or a number is longer than R4 reads."""

    code = "RIF112"
    default_hint = "split it, or keep it in the data"


class BadAnnotation(RuleError):
    """An annotation has another shape, or stands where none is read [RIF-Core, IRIMETA]."""

    code = "RIF113"
    default_hint = "an annotation is (* <iri>? frame? *) or (* <iri>? And( frame … ) *)"


class CommaBetween(RuleError):
    """A comma stands where RIF separates by blanks."""

    code = "RIF114"
    default_hint = "arguments, variables and slots are separated by blanks"


class BadDuration(RuleError):
    """A window or a range is no number with a unit of time."""

    code = "RIF115"
    default_hint = "write Window(5 s); units are ns us ms s m h d, and m is a minute"


class Misplaced(RuleError):
    """A directive is out of order, or given twice [RIF-Core, Document]."""

    code = "RIF116"
    default_hint = "the order is Base, Prefix, Import, Window, Group"


class TooManyTokens(RuleError):
    """A document is longer than R4 reads."""

    code = "RIF117"
    default_hint = "split the document"


class GraphInstead(RuleError):
    """The text is a graph, and rules are due."""

    code = "RIF118"
    default_hint = "the rules come first, and the data after them"


class OpenComment(RuleError):
    """A comment has no end."""

    code = "RIF119"
    default_hint = "close it with *)"


class Shorthand(RuleError):
    """The text has what is short for plain RIF, and ``--strict-syntax`` wants that."""

    code = "RIF120"
    default_hint = "r4 convert --to ps writes plain RIF"
