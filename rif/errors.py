"""What can be wrong with a rule document: one class per code.

``RIF10x`` and ``RIF11x`` the text is not RIF-Core syntax, ``RIF15x`` it is that of another dialect,
``RIF2xx`` it is not well-formed, ``RIF3xx`` a rule is not safe.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal, TypeAlias

from rif.ast import NOWHERE, Span
from rif.report import report

Severity: TypeAlias = Literal["error", "warning"]

MAX_FAULTS = 100
"""So many faults of a file are listed; whoever has more mends these first."""


class RuleError(Exception):
    """One fault of a rule document.

    Attributes:
        code: ``RIF`` and three digits, one per class.
        message: What is wrong, in one line.
        span: Where; `NOWHERE` for a node that was not read from a text.
        hint: What to do about it; ``""`` when the message says it.
        severity: A warning refuses nothing.
    """

    code: ClassVar[str] = "RIF100"
    default_hint: ClassVar[str] = ""
    default_severity: ClassVar[Severity] = "error"

    def __init__(
        self,
        message: str,
        span: Span = NOWHERE,
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = self.default_hint if hint is None else hint
        self.severity: Severity = severity or self.default_severity

    def __str__(self) -> str:
        where = f"{self.span.line}:{self.span.column}: " if self.span != NOWHERE else ""
        return f"{where}{self.code} {self.message}"

    def as_warning(self) -> RuleError:
        """The same fault, refusing nothing."""
        return type(self)(self.message, self.span, self.hint, "warning")


class RuleErrors(Exception):
    """All faults of one document, errors and warnings, in the order of their places.

    Attributes:
        errors: The faults; at most `MAX_FAULTS` errors and as many warnings.
        more: How many were left out for that.
        source: The text they were found in, for quoting; ``""`` if there is none.
        name: What the text is called in a report.
    """

    def __init__(self, errors: Iterable[RuleError], source: str = "", name: str = "<text>") -> None:
        found = sorted({_identity(error): error for error in errors}.values(), key=_place)
        self.errors: tuple[RuleError, ...] = tuple(first_of(found))
        self.more = len(found) - len(self.errors)
        self.source = source
        self.name = name
        super().__init__("\n".join(map(str, self.errors)))

    def report(self, path: str | None = None) -> str:
        """``file:line:col: CODE message``, the source line with a caret, the hint; per fault."""
        text = report(self.errors, self.source, self.name if path is None else path)
        return f"{text}\n{self.more} more faults are not listed" if self.more else text


def first_of(faults: Iterable[RuleError]) -> Iterable[RuleError]:
    """``faults`` without the errors, and the warnings, beyond the first `MAX_FAULTS`."""
    counts = {"error": 0, "warning": 0}
    for fault in faults:
        counts[fault.severity] += 1
        if counts[fault.severity] <= MAX_FAULTS:
            yield fault


def _identity(fault: RuleError) -> tuple[str, Span, str, Severity]:
    """A clause that is read again, from another place, has its faults told once."""
    return fault.code, fault.span, fault.message, fault.severity


def _place(fault: RuleError) -> tuple[int, int]:
    return fault.span.line, fault.span.column


# Syntax.


class UnexpectedToken(RuleError):
    """Something else was expected here [RIF-Core, grammar]."""

    code = "RIF101"
    default_hint = ""


class BadCharacter(RuleError):
    """A character that begins nothing."""

    code = "RIF102"
    default_hint = "outside of strings and <IRIs> only names, numbers, brackets and -> :- = # occur"


class UnterminatedString(RuleError):
    """A string without its closing quote on the line."""

    code = "RIF103"
    default_hint = 'close it with ", and write a line end inside it as \\n'


class BadEscape(RuleError):
    """A backslash followed by what is no escape [SPARQL, ECHAR]."""

    code = "RIF104"
    default_hint = r"""escapes are \t \n \r \b \f \" \' \\ \uXXXX \UXXXXXXXX"""


class BadIri(RuleError):
    """Between ``<`` and ``>`` stands no IRI, or it is relative and there is no Base."""

    code = "RIF105"
    default_hint = "write an absolute IRI, or give a Base"


class UnknownPrefix(RuleError):
    """A prefixed name whose prefix is not declared."""

    code = "RIF106"
    default_hint = "declare it: Prefix(name <IRI>)"


class PrefixTwice(RuleError):
    """A prefix that is declared twice with different IRIs."""

    code = "RIF107"
    default_hint = "keep one of the two"


class BareWord(RuleError):
    """A word without prefix, underscore or brackets, which is no constant."""

    code = "RIF108"
    default_hint = "give it a prefix, or an underscore for a local constant"


class BadLexicalForm(RuleError):
    """A constant whose text is outside the lexical space of its datatype [RIF-DTB 2.1]."""

    code = "RIF109"
    default_hint = "write a value of the datatype, or name another datatype"


class UnknownDatatype(RuleError):
    """A symbol space that is not known here [RIF-DTB 2.1]."""

    code = "RIF110"
    default_hint = "name a datatype of XML Schema or RDF, rif:iri or rif:local"


class TooDeep(RuleError):
    """Nesting beyond what is read."""

    code = "RIF111"
    default_hint = "And, Or and Exists may be flattened; split the rule"


class TooLong(RuleError):
    """A literal, name or number beyond what is read."""

    code = "RIF112"
    default_hint = "split it, or keep it in the data"


class BadAnnotation(RuleError):
    """An annotation of the wrong shape or at a place that has none [RIF-Core, IRIMETA]."""

    code = "RIF113"
    default_hint = "an annotation is (* <iri>? frame? *) or (* <iri>? And( frame … ) *)"


class CommaBetween(RuleError):
    """A comma, where RIF separates by blanks."""

    code = "RIF114"
    default_hint = "arguments, variables and slots are separated by blanks"


class BadDuration(RuleError):
    """A window or range that is no number with a unit of time."""

    code = "RIF115"
    default_hint = "write Window(5 s); units are ns us ms s m h d"


class Misplaced(RuleError):
    """A directive out of order, or given twice [RIF-Core, Document]."""

    code = "RIF116"
    default_hint = "the order is Base, Prefix, Import, Window, Group"


class TooManyTokens(RuleError):
    """A text that is longer than what is read."""

    code = "RIF117"
    default_hint = "split the document"


# Syntax of other dialects.


class Subclass(RuleError):
    """``a ## b`` is RIF-BLD."""

    code = "RIF151"
    default_hint = "RIF-Core has no subclass formulas; use a[rdfs:subClassOf -> b]"


class NamedArguments(RuleError):
    """``p(name -> value)`` is RIF-BLD."""

    code = "RIF152"
    default_hint = "RIF-Core has positional arguments p(v w) and frames o[name -> v]"


class Negation(RuleError):
    """Negation is not in RIF-Core."""

    code = "RIF153"
    default_hint = "write Naf( … ) for what does not follow, or a predicate for the opposite"


class EqualityInHead(RuleError):
    """``t = s`` is concluded: RIF-BLD."""

    code = "RIF154"
    default_hint = "equality stands in bodies only; conclude an atom or a frame"


class MembershipInHead(RuleError):
    """``o # c`` is concluded: RIF-BLD."""

    code = "RIF155"
    default_hint = "membership stands in bodies only; conclude o[rdf:type -> c]"


class FunctionTerm(RuleError):
    """``f(t)`` as a term, not External: RIF-BLD."""

    code = "RIF156"
    default_hint = "RIF-Core has built-in functions only, written External( func:f(t) )"


class NotAHead(RuleError):
    """A formula that cannot be concluded: External, Or, Exists, a nested And."""

    code = "RIF157"
    default_hint = "a head is an atom, a frame, or And( … ) of these"


class ListNotGround(RuleError):
    """A list with a variable or with a tail: RIF-BLD."""

    code = "RIF158"
    default_hint = "lists are closed and ground; use External( func:make-list(…) )"


class NotAPredicate(RuleError):
    """A variable, literal or list where the name of a predicate or function is due."""

    code = "RIF159"
    default_hint = "predicates and functions are named by IRIs or local constants"


class OtherDialect(RuleError):
    """A construct of another RIF dialect."""

    code = "RIF160"
    default_hint = "RIF-Core has conditions, External built-ins and plain facts only"


class NegationAsFailure(RuleError):
    """``Naf( … )`` is RIF-FLD; it is evaluated, but other systems may refuse the document."""

    code = "RIF161"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "the rules must be stratified: no fact may hang on its own absence"


# Well-formedness.


class UndeclaredVariable(RuleError):
    """A free variable of a clause that its Forall does not declare."""

    code = "RIF201"
    default_hint = "add it to the Forall"


class VariableTwice(RuleError):
    """The same name twice in one quantifier."""

    code = "RIF202"
    default_hint = "name it once"


class RoleClash(RuleError):
    """A constant in two contexts [RIF-Core 2.2, well-formed formulas]."""

    code = "RIF203"
    default_hint = "a constant is an individual, a predicate, or an external, in all of a document"


class UnknownBuiltin(RuleError):
    """External with a name that is no built-in [RIF-DTB 3]."""

    code = "RIF204"
    default_hint = "External takes the functions func:… and predicates pred:… of RIF-DTB"


class WrongArity(RuleError):
    """A built-in with the wrong number of arguments."""

    code = "RIF205"
    default_hint = "RIF-DTB says how many it takes"


class UnsupportedBuiltin(RuleError):
    """A built-in of RIF-DTB that is not evaluated here yet."""

    code = "RIF206"
    default_hint = "docs/reference-rif.md lists those that are"


class BuiltinOutsideExternal(RuleError):
    """The name of a built-in as an ordinary predicate."""

    code = "RIF207"
    default_hint = "write External( … ) around it"


class WrongKindOfBuiltin(RuleError):
    """A built-in function as a formula, or a built-in predicate as a term."""

    code = "RIF208"
    default_hint = "functions stand in terms, predicates are conditions"


class TooManyDisjuncts(RuleError):
    """A body whose disjunctive normal form is out of bounds."""

    code = "RIF209"
    default_hint = "give the disjunctions predicates of their own, with one rule per disjunct"


class NotOfRif(RuleError):
    """A predicate in the namespace of RIF that RIF does not have, or with other arguments."""

    code = "RIF210"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = (
        "rif:error() says that the state is inconsistent; this is a predicate like others"
    )


class BadRegularExpression(RuleError):
    """A constant pattern, or what goes with it, that is not in the language of XPath."""

    code = "RIF211"
    default_hint = "patterns are those of XPath: a special character is written with a backslash"


class RegularExpressionNotLinear(RuleError):
    """A constant pattern that has no automaton of bounded size."""

    code = "RIF212"
    default_hint = "spell out what a back-reference repeats; take + for a great number of times"


# Safeness.


class UnsafeVariable(RuleError):
    """A head variable that is not safe in the body [RIF-Core 6.1]."""

    code = "RIF301"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class UnboundVariable(RuleError):
    """A body variable that nothing binds [RIF-Core 6.1]."""

    code = "RIF302"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class VariableInFact(RuleError):
    """A fact that is not ground [RIF-Core 6.1]."""

    code = "RIF303"
    default_hint = "a fact has no variables; give it a body that binds them"


class NotStronglySafe(RuleError):
    """A cycle through which values may be computed without end [RIF-Core 6.2]."""

    code = "RIF304"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "forward chaining may not end; bound the value in the body"


class BoundOutside(RuleError):
    """A variable under an operator that is bound only outside of it."""

    code = "RIF305"
    default_hint = "what stands under it is evaluated by itself, at other times: bind it there too"
