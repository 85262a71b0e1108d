"""The table of kinds of formula that RIF-Core does not have.

A module that adds a kind (negation here, metric operators elsewhere) describes it as a
`FormulaKind` and registers it here. The parsers, the writers and every walk over formulas take it
from this table, so that none of them imports the module. RIF-Core's own kinds are not in the table.

`FormulaSource` and `FormulaSink` are what a kind needs of a parser and of a writer, so that a kind
does not import those either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NoReturn, Protocol, TypeVar, cast

from rif.errors.base import RuleError, Span
from rif.syntax.ast import Formula
from rif.syntax.lexical import RESERVED_WORDS

F = TypeVar("F", bound=Formula)

R4_RIF: Final = "urn:r4:rif#"
"""The XML namespace of what RIF does not have."""


@dataclass(frozen=True, slots=True)
class XmlForm(Generic[F]):
    """How a kind of formula is written in RIF/XML.

    It is an element named by the keyword. In it stand ``id`` and ``meta``, then a ``formula`` for
    each part.

    Attributes:
        attributes: The names of its attributes; all are due.
        count: How many parts it has.
        read: The node with these values of attributes and these parts; the span is that of the
            element. Raises the `RuleError` of a value that is wrong.
        write: The values of its attributes.
        standard: Whether the element is one of RIF's own namespace, not of `R4_RIF`.
    """

    attributes: tuple[str, ...]
    count: int
    read: Callable[[Mapping[str, str], tuple[Formula, ...], Span], F]
    write: Callable[[F], Mapping[str, str]]
    standard: bool = False


def _none(_: Formula) -> tuple[Formula, ...]:
    return ()


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

    def open(self) -> int:
        """Take ``(``; the result is for `close`."""

    def close(self, opened: int) -> None:
        """Take the bracket that belongs to the one at token ``opened``."""

    def needed_formula(self, what: str = "a formula") -> Formula:
        """A formula, which must come next."""

    def one_formula(self) -> Formula:
        """``( FORMULA )``, brackets and all."""

    def duration(self) -> tuple[str, str]:
        """A non-negative decimal as written, and its unit or ``""``."""

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


@dataclass(frozen=True, slots=True)
class FormulaKind(Generic[F]):
    """A kind of formula that RIF-Core does not have.

    Attributes:
        keyword: The word it begins with; none of `RESERVED_WORDS`.
        node: Its class, a frozen dataclass below `Formula`.
        parse: Reads one, the parser standing behind the keyword; span and annotation are added.
        write: Its lines, keyword and all, without its annotation.
        parts: Its direct sub-formulas. It has no terms or variables outside of these.
        rebuild: The same node with other sub-formulas, as many in the same order.
        binding: The sub-formulas that bind variables for the conjunction in which the node stands:
            a variable bound in one of them is bound there. None of them for a negation. What else
            occurs in the node must be bound by other members of the conjunction.
        head: May it be concluded? Then its parts are atoms, frames and such kinds.
        operands: The sub-formulas that are evaluated by themselves, at other times: each must bind
            its free variables itself, whatever the rest of the conjunction binds.
        existential: The sub-formulas that are true if some value exists for a variable that occurs
            nowhere else.
        xml: How it is written in RIF/XML; None: it cannot be.
    """

    keyword: str
    node: type[F]
    parse: Callable[[FormulaSource], F]
    write: Callable[[F, FormulaSink], list[str]]
    parts: Callable[[F], tuple[Formula, ...]]
    rebuild: Callable[[F, tuple[Formula, ...]], F]
    binding: Callable[[F], tuple[Formula, ...]]
    head: bool = False
    operands: Callable[[F], tuple[Formula, ...]] = _none
    existential: Callable[[F], tuple[Formula, ...]] = _none
    xml: XmlForm[F] | None = None


BY_KEYWORD: dict[str, FormulaKind[Formula]] = {}
BY_NODE: dict[type[Formula], FormulaKind[Formula]] = {}


def register(kind: FormulaKind[F]) -> None:
    """Add a kind to the language, for the whole process. Adding the same one again is nothing.

    Raises:
        ValueError: its keyword or its class is taken.
    """
    general = cast("FormulaKind[Formula]", kind)
    if BY_KEYWORD.get(kind.keyword) == general:
        return
    if kind.keyword in RESERVED_WORDS or kind.keyword in BY_KEYWORD or kind.node in BY_NODE:
        message = f"{kind.keyword} or {kind.node.__name__} is a kind of formula already"
        raise ValueError(message)
    BY_KEYWORD[kind.keyword] = general
    BY_NODE[kind.node] = general
