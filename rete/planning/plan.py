"""Plans as values: what a rule computes, without names, ids or state.

Two equal plans are one node of the network, so sharing between rules is equality of values.
Columns are positions, constants canonical texts; variables have no names here. The ``keep`` of an
operator is its projection: the network never carries a column that nothing later needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

Operand: TypeAlias = int | str
"""A column of the source, or the canonical text of a constant."""
Cells: TypeAlias = tuple[int, int]
"""The range of a metric operator, half-open in cells: distances, so from 0 on."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What facts belong to: the triples, or the atoms of one predicate and arity.

    Attributes:
        op: canonical text of the predicate; empty for the triples, whose arity is 3.
    """

    op: str
    arity: int

    @property
    def routing(self) -> tuple[int, int]:
        """The two places by whose constants patterns are found.

        Predicate and object of a triple, the first two arguments of an atom; the same place twice
        where there is no second.
        """
        if not self.op:
            return 1, 2
        return 0, max(0, min(1, self.arity - 1))

    @property
    def undivided(self) -> Relation:
        """The relation of all facts that it has a part of: itself."""
        return self


@dataclass(frozen=True, slots=True)
class Part(Relation):
    """Some facts of a relation: those whose term at a place has a hash that decides who has them.

    It is another relation than the undivided one, and than the part by another place, so a network
    can have both.

    Attributes:
        by: the place.
    """

    by: int

    @property
    def undivided(self) -> Relation:
        """The relation that it is a part of."""
        return Relation(self.op, self.arity)


TRIPLES: Final = Relation("", 3)


@dataclass(frozen=True)
class Scan:
    """Facts of a relation that match a pattern: an alpha node [Forgy82].

    Attributes:
        constants: (position, text) of the constants, by position.
        equal: pairs of positions that hold the same variable.
        keep: the positions that become columns.
    """

    relation: Relation
    constants: tuple[tuple[int, str], ...]
    equal: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep)

    @property
    def sources(self) -> tuple[Plan, ...]:
        """A scan reads facts, not plans."""
        return ()

    @property
    def key(self) -> tuple[str | None, ...]:
        """The constants, None at other places."""
        found = dict(self.constants)
        return tuple(map(found.get, range(self.relation.arity)))


@dataclass(frozen=True)
class Unit:
    """One row without columns that always holds: the body of a rule that has no condition."""

    width: int = 0
    sources: tuple[Plan, ...] = ()


@dataclass(frozen=True)
class Join:
    """Pairs that agree on a key and overlap in valid time: a beta node [Forgy82].

    Attributes:
        on: pairs (column of left, column of right); empty for a Cartesian product.
        keep: columns of the result: c of the left row, ~c of the right one.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep)

    @cached_property
    def sources(self) -> tuple[Plan, ...]:
        """Left and right."""
        return (self.left, self.right)

    @cached_property
    def _hash(self) -> int:
        return hash((self.left, self.right, self.on, self.keep))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class AntiJoin:
    """Left rows less the time at which a right row agrees with them: a negated condition.

    What is left of a row is its valid time without the union of those of the right rows that match
    it on the key. Sound where the right side is complete before the left row is judged [Ceri89].

    Attributes:
        on: pairs (column of left, column of right), each column of right once; empty: any right
            row matches.
        keep: columns of left that stay.
        correlated: whether the right side is made of the rows of the left one, and of what is
            negated: its formula has variables that it does not bind itself. For a left row such a
            right side is complete once that very row has passed through it; so only what it reads
            beside `base` must be of a lower stratum.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    correlated: bool = False

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep)

    @cached_property
    def sources(self) -> tuple[Plan, ...]:
        """Left and right."""
        return (self.left, self.right)

    @cached_property
    def base(self) -> Plan:
        """The positive part of the body: of several negations they stand on the same one."""
        return self.left.base if isinstance(self.left, AntiJoin) else self.left

    @cached_property
    def _hash(self) -> int:
        return hash((self.left, self.right, self.on, self.keep, self.correlated))

    def __hash__(self) -> int:
        return self._hash


class NonPointwise:
    """A plan whose rows hold at other times than those of its source, or have other numbers."""


class _OfOneSource:
    """A plan that reads one other."""

    source: Plan

    @property
    def sources(self) -> tuple[Plan, ...]:
        """The source."""
        return (self.source,)


@dataclass(frozen=True)
class Filter(_OfOneSource):
    """Rows of which a built-in predicate is true.

    Attributes:
        test: IRI of the predicate, `EQUAL` or `SAME_TERM`.
    """

    source: Plan
    test: str
    args: tuple[Operand, ...]
    keep: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep)


EQUAL: Final = "="
"""The test of RIF equality: the values are the same."""
SAME_TERM: Final = "same term"
"""The test of a pattern: the terms are the same."""


@dataclass(frozen=True)
class Apply(_OfOneSource):
    """Rows with the value of a built-in function as a new last column; without value, no row.

    Attributes:
        function: IRI of the function, or `COPY`.
        keep: columns of the source that stay; the value comes after them.
    """

    source: Plan
    function: str
    args: tuple[Operand, ...]
    keep: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep) + 1


COPY: Final = "copy"
"""The function that gives its argument."""


@dataclass(frozen=True)
class Solve(_OfOneSource):
    """Rows with each value for which a built-in predicate is true, as a new last column.

    Attributes:
        args: None at the place that is solved for.
        keep: columns of the source that stay; the value comes after them.
    """

    source: Plan
    predicate: str
    args: tuple[Operand | None, ...]
    keep: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep) + 1


@dataclass(frozen=True)
class Dilate(_OfOneSource, NonPointwise):
    """When a row of the source held at some distance in ``rho``: a diamond [Brandt18].

    A head under a box is one too: what is concluded at all distances in ``rho`` *after* the body
    (BoxPlus) holds where the body held at some distance *before*, which is the past one.

    Attributes:
        future: whether the distance is to times after now: DiamondPlus, or a head under BoxMinus.
    """

    source: Plan
    rho: Cells
    future: bool = False

    @property
    def width(self) -> int:
        """Number of columns: those of the source."""
        return self.source.width


@dataclass(frozen=True)
class Erode(_OfOneSource, NonPointwise):
    """When a row of the source held at every distance in ``rho``: a box [Brandt18].

    Attributes:
        future: whether the distance is to times after now: BoxPlus.
    """

    source: Plan
    rho: Cells
    future: bool = False

    @property
    def width(self) -> int:
        """Number of columns: those of the source."""
        return self.source.width


@dataclass(frozen=True)
class Since(NonPointwise):
    """When a right row held at a distance in ``rho``, and a left one ever since [Brandt18].

    For a pair that agrees on the key, and a maximal interval of the left row: at a time of its
    closure, if the right row held at some distance in ``rho`` before, within the closure too; for
    then the left row held at every point strictly between. With 0 in the range the right row is
    enough by itself, whatever is left.

    Attributes:
        left, right: phi and psi.
        on: pairs (column of left, column of right).
        keep: columns of the result: c of the left row, ~c of the right one. With 0 in ``rho`` of
            the right one only, and the other columns of left, not in ``on``, may be any.
        future: whether it is Until: the distance is to times after now.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    rho: Cells
    future: bool = False

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.keep)

    @cached_property
    def sources(self) -> tuple[Plan, ...]:
        """Left and right."""
        return (self.left, self.right)

    @cached_property
    def _hash(self) -> int:
        return hash((self.left, self.right, self.on, self.keep, self.rho, self.future))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Shift(_OfOneSource, NonPointwise):
    """Rows in which a column of plain numbers, which are no ids, is moved by a constant.

    Attributes:
        column: the one that is moved.
        by: what is added to it.
        least, most: between which numbers, both inclusive, a sum must lie; else there is no row.
        lasts: how many cells after the sum, as an instant, a row ends, if not before; None: its end
            is not touched.
    """

    source: Plan
    column: int
    by: int
    least: int
    most: int
    lasts: int | None = None

    @property
    def width(self) -> int:
        """Number of columns: those of the source."""
        return self.source.width


Plan: TypeAlias = (
    Scan | Unit | Join | AntiJoin | Filter | Apply | Solve | Dilate | Erode | Since | Shift
)
METRIC: Final = Dilate | Erode | Since
"""The operators that move rows in time; only where facts are kept by maximal interval."""


@dataclass(frozen=True, slots=True)
class Head:
    """A fact to derive: where each argument comes from."""

    relation: Relation
    args: tuple[Operand, ...]

    @property
    def key(self) -> tuple[str | None, ...]:
        """The constants, None at other places."""
        return tuple(arg if isinstance(arg, str) else None for arg in self.args)

    def unifies(self, other: Head) -> bool:
        """Whether both can derive the same fact."""
        return self.relation == other.relation and all(
            a == b or isinstance(a, int) or isinstance(b, int)
            for a, b in zip(self.args, other.args, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Emit:
    """The end of one body of a rule: for each row of ``source`` the facts of ``heads`` hold."""

    source: Plan
    rule: int
    heads: tuple[Head, ...]
