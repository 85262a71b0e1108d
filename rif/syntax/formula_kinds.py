"""How a kind of formula that RIF-Core does not have is read and written: a value, `FormulaKind`.

`Naf( F )` and `DiamondMinus [0 s, 5 s] ( F )` are two. Parsers and writers take the kinds from a
`rif.language.Language`, so that none of them imports the module of a kind. RIF-Core's own kinds
are in no table.

`FormulaSource` and `FormulaSink` are what a kind needs of a parser and of a writer, so that a kind
does not import those either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NoReturn, Protocol, TypeVar

from rif.errors.base import RuleError, Span
from rif.syntax.ast import Formula, Term
from rif.syntax.terms import Variable

F = TypeVar("F", bound=Formula)

R4_RIF: Final = "urn:r4:rif#"
"""The XML namespace of what RIF does not have."""


@dataclass(frozen=True, slots=True)
class XmlForm(Generic[F]):
    """How a kind of formula is written in RIF/XML.

    It is an element named by the keyword. In it stand ``id`` and ``meta``, then its own terms, each
    in an element with a name, then a ``formula`` for each part.

    Attributes:
        attributes: The names of its attributes; all are due but those that are ``optional``.
        count: How many parts it has.
        read: The node with these values of attributes and these parts; the span is that of the
            element. Terms that are there are among the values, too. Raises the `RuleError` of a
            value that is wrong.
        write: The values of its attributes.
        standard: Whether the element is one of RIF's own namespace, not of `R4_RIF`.
        terms: The names of the elements of its terms; ``read`` gives it any terms, for which those
            of the elements stand in, in this order.
        optional: The attributes and terms that may be missing; without a term, it has none.
    """

    attributes: tuple[str, ...]
    count: int
    read: Callable[[Mapping[str, str], tuple[Formula, ...], Span], F]
    write: Callable[[F], Mapping[str, str]]
    standard: bool = False
    terms: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()


class FormulaSource(Protocol):
    """A parser of the presentation syntax, standing behind the keyword of a kind.

    Attributes:
        at: Index of the next token; its kind is ``kinds[at]``, its text ``values[at]``.
    """

    at: int
    kinds: list[str]
    values: list[str]

    @property
    def kind(self) -> str:
        """The kind of the next token."""

    def accept(self, kind: str) -> bool:
        """Take the next token if it is of this kind."""

    def expect(self, kind: str, why: str = "") -> str:
        """Take the next token, which must be of this kind, and give its text."""

    def open(self, bracket: str = "(") -> int:
        """Take an opening bracket; the result is for `close`."""

    def close(self, opened: int) -> None:
        """Take the bracket that belongs to the one at token ``opened``."""

    def needed_formula(self, what: str = "a formula") -> Formula:
        """A formula, which must come next."""

    def conjunction(self, what: str = "a formula") -> Formula:
        """A formula, or several with commas between them, which must come next."""

    def one_formula(self) -> Formula:
        """``( FORMULA )``, brackets and all."""

    def needed_term(self) -> Term:
        """A term, which must come next."""

    def duration(self) -> tuple[str, str]:
        """A non-negative decimal as written, and its unit or ``""``."""

    def variable_name(self, at: int) -> Variable:
        """The variable that the token ``at`` is."""

    def here(self) -> Span:
        """The span of the next token."""

    def since(self, first: int) -> Span:
        """From token ``first`` up to the last one taken."""

    def note(self, fault: RuleError) -> None:
        """Record a fault, and read on."""

    def fail(self, fault: RuleError) -> NoReturn:
        """Record a fault, and give the clause up."""


class FormulaSink(Protocol):
    """A writer of the presentation syntax, as the ``write`` of a kind needs it."""

    def call(self, opening: str, items: Sequence[list[str]]) -> list[str]:
        """``opening( items )``, on one line if it fits."""

    def formula(self, formula: Formula) -> list[str]:
        """The lines of a formula, with its annotation."""

    def term(self, term: Term) -> str:
        """A term with its annotation, on one line."""


@dataclass(frozen=True, slots=True)
class FormulaKind(Generic[F]):
    """A kind of formula that RIF-Core does not have: a row of a `rif.language.Language`.

    What its formulas are made of says their class (`rif.syntax.ast.Formula`); the row says how they
    are read and written.

    Attributes:
        keyword: The word it begins with; none of `rif.syntax.lexical.RESERVED_WORDS`.
        node: Its class, a frozen dataclass below `Formula`.
        parse: Reads one, the parser standing behind the keyword; span and annotation are added.
        write: Its lines, keyword and all, without its annotation.
        xml: How it is written in RIF/XML; None: it cannot be.
    """

    keyword: str
    node: type[F]
    parse: Callable[[FormulaSource], F]
    write: Callable[[F, FormulaSink], list[str]]
    xml: XmlForm[F] | None = None
