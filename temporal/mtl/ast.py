"""The abstract syntax of metric rules: `rif.syntax.ast` with six operators more.

An atom is a `rif.syntax.ast.Atom` whose predicate is a local constant; its arguments are variables
and plain literals, as constants of DatalogMTL compare as text. TOP is the empty conjunction, and
``not`` is `rif.syntax.negation.Naf`. So DatalogMTL and RIF with metric operators have the same
syntax tree; a `Comparison` DatalogMTL alone has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self, TypeAlias

from rif.syntax.ast import And, Atom, Constant, Formula, Implies, Node, Term, Var
from rif.syntax.terms import Literal, Local, Variable
from temporal.intervals.durations import VariableRange
from temporal.intervals.interval import Interval


@dataclass(frozen=True, slots=True)
class MetricFormula(Formula):
    """An operator with a range; the base class of all.

    Attributes:
        is_past: Does it look at the past?
        rho: The distances it looks at: not empty, not negative.
    """

    is_past: ClassVar[bool]

    rho: Interval

    @property
    def operands(self) -> tuple[Formula, ...]:
        """All parts: each is about other times."""
        return self.parts

    @property
    def terms(self) -> tuple[Term, ...]:
        """The right end of its range, if that is a variable."""
        return (self.rho.variable,) if isinstance(self.rho, VariableRange) else ()

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same operator up to another variable."""
        if not isinstance(self.rho, VariableRange):
            return self
        end = of(self.rho.variable)
        # Constants are put into what binds the variable: the range says itself which ends it has.
        return replace(self, rho=replace(self.rho, variable=end)) if isinstance(end, Var) else self


@dataclass(frozen=True, slots=True)
class UnaryOperator(MetricFormula):
    """``Operator rho body``.

    Attributes:
        body: What is to hold there.
    """

    body: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The body."""
        return (self.body,)

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same operator over another body."""
        return replace(self, body=parts[0])

    @property
    def binding(self) -> tuple[Formula, ...]:
        """The body."""
        return (self.body,)


@dataclass(frozen=True, slots=True)
class DiamondMinus(UnaryOperator):
    """At some distance in `rho` before now [Brandt18]."""

    is_past: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DiamondPlus(UnaryOperator):
    """At some distance in `rho` after now [Brandt18]."""

    is_past: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Box(UnaryOperator):
    """At every distance in `rho`; may be concluded."""

    is_head: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class BoxMinus(Box):
    """At every distance in `rho` before now [Brandt18]; may be concluded."""

    is_past: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class BoxPlus(Box):
    """At every distance in `rho` after now [Brandt18]; may be concluded."""

    is_past: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class BinaryOperator(MetricFormula):
    """``phi Operator rho psi``: `psi` at a distance in the range, and `phi` strictly between.

    Attributes:
        phi: What is to hold at every point strictly between.
        psi: What is to hold at one distance.
    """

    phi: Formula
    psi: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Both sides."""
        return self.phi, self.psi

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same operator between other formulas."""
        phi, psi = parts
        return replace(self, phi=phi, psi=psi)

    @property
    def binding(self) -> tuple[Formula, ...]:
        """Both sides; with 0 in the range the right side alone may do."""
        return (self.psi,) if 0 in self.rho else (self.phi, self.psi)

    def binders(self, operand: Formula) -> tuple[Formula, ...]:
        """The right side, in the left one: that is asked with the values from which it holds on."""
        return (self.psi,) if operand is self.phi else ()

    @property
    def existential(self) -> tuple[Formula, ...]:
        """The left side, where the right side alone may do."""
        return (self.phi,) if 0 in self.rho else ()


@dataclass(frozen=True, slots=True)
class Since(BinaryOperator):
    """`psi` at some distance in `rho` before now, and `phi` ever since [Brandt18]."""

    is_past: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Until(BinaryOperator):
    """`psi` at some distance in `rho` after now, and `phi` up to then [Brandt18]."""

    is_past: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Comparison(Formula):
    """``left sign right``: constants that are numbers compare by value, all others as text.

    Attributes:
        sign: one of ``< <= > >= = !=``.
        left, right: constants, or variables that atoms of the body bind.
    """

    sign: str
    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """Both sides."""
        return self.left, self.right

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """A comparison of other terms."""
        return replace(self, left=of(self.left), right=of(self.right))


BODY_DIAMOND: Final[Mapping[type[Box], type[DiamondMinus | DiamondPlus]]] = {
    BoxPlus: DiamondMinus,
    BoxMinus: DiamondPlus,
}
"""A head under a box is concluded where the head holds by this diamond of the same range."""

TOP: Final = And(())
"""The formula that always holds."""


PredicateKey: TypeAlias = tuple[str, int]
"""A predicate and its number of arguments."""

BOTTOM_NAME: Final = "⊥"
"""The predicate of inconsistency; no text can name it otherwise than by its word or sign."""
BOTTOM_KEY: Final[PredicateKey] = (BOTTOM_NAME, 0)
"""The relation in which a network has the times of inconsistency."""


@dataclass(frozen=True, slots=True)
class MetricProgram(Node):
    """Rules, each with one head; their variables are universally quantified."""

    rules: tuple[Implies, ...]


@dataclass(frozen=True, slots=True)
class MetricFact:
    """``predicate(args)@interval``: an explicit fact, of constants only."""

    predicate: str
    args: tuple[str, ...]
    interval: Interval

    @property
    def atom(self) -> Atom:
        """Its atom as a formula."""
        return atom(self.predicate, *map(constant, self.args))


def atom(predicate: str, *args: Constant | Var) -> Atom:
    """An atom of DatalogMTL."""
    return Atom(Local(predicate), args)


def is_bottom(formula: Formula) -> bool:
    """Is it BOTTOM, which holds at no time of a model?"""
    return isinstance(formula, Atom) and formula.op == Local(BOTTOM_NAME)


def constant(text: str) -> Constant:
    """A constant of DatalogMTL."""
    return Constant(Literal(text))


def variable(name: str) -> Var:
    """A variable of DatalogMTL."""
    return Var(Variable(name))
