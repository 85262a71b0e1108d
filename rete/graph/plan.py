"""Plans as values: what a rule computes, without names, ids or state.

Two equal plans are one node of the network, so sharing between rules is equality of values.
Columns are positions, constants canonical texts; variables have no names here. The ``keep`` of an
operator is its projection: the network never carries a column that nothing later needs.

All that other parts ask of a kind of node is an attribute of `Plan`, or a method of
`rete.graph.streams.PlanNode`; each has a default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, reduce
from itertools import accumulate
from typing import ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias

from rete.arrays.delta import POS_INF, Cells, Rows
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    dilate,
    intersect_sets,
    interval_at,
)
from rete.storage.row_algebra import coalesce, project
from rete.terms.relations import Head, Operand, Relation, map_operands

Shape: TypeAlias = Literal[
    "pattern", "true", "join", "antijoin", "filter", "function", "solve", "metric"
]
"""How an operator is drawn: what it does to rows."""


@dataclass(frozen=True, slots=True)
class Call:
    """In a label: a built-in of operands; a column is an input, None the value that it gives."""

    builtin: str
    args: tuple[Operand | None, ...]


LabelPart: TypeAlias = str | int | Call | Relation
"""A text, an input by its place, a built-in, or a pattern of a relation that has all inputs."""
Label: TypeAlias = tuple[LabelPart | tuple[LabelPart, ...], ...]
"""Words with blanks between them; parts of a word stand together."""


class Plan(ABC):
    """An operator over the rows of other plans: a frozen dataclass, one class a kind of node.

    Its *inputs* are the columns of its sources, side by side, and after them the value that it
    computes, if any; those of a scan are the arguments of its relation. Its own columns are some
    of them. A pointwise operator makes a row of rows of its sources that hold at the same time.

    Attributes:
        shape: how it is drawn.
        pointwise: whether a row is made of rows that hold at the same time.
        computes: whether it adds an input: a value.
        monotone: whether more rows of the sources that it joins never make fewer.
        negated: the number of the source whose rows take some away, the last one; None: there is
            none. It joins all the others.
        correlated: whether the negated source is made of the rows of the first one.
        touching: how many cells after its end a row of a source may still be continued by another,
            which changes what is made of it.
    """

    shape: ClassVar[Shape] = "join"
    pointwise: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    negated: ClassVar[int | None] = None
    correlated: bool = False
    touching: ClassVar[int] = 0

    @cached_property
    def sources(self) -> tuple[Plan, ...]:
        """The plans that it reads: its fields of the type `Plan`, in their order."""
        return tuple(getattr(self, name) for name in _source_fields(type(self)))

    def with_sources(self, *sources: Plan) -> Self:
        """The same operator over other plans, as many as its `sources`."""
        changed = dict(zip(_source_fields(type(self)), sources, strict=True))
        return replace(self, **changed) if changed else self  # type: ignore[type-var]

    def with_constants(self, text_of: Callable[[str], str]) -> Self:  # noqa: ARG002 - most have none
        """The same operator, each constant replaced by what ``text_of`` gives for it."""
        return self

    @property
    def parameters(self) -> dict[str, object]:
        """Its other fields by name, in their order."""
        others = {"sources", *_source_fields(type(self))}
        names = (field.name for field in fields(self))  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names if name not in others}

    @cached_property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """Per column the place of its input."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def inputs(self) -> int:
        """Number of inputs, without those of a negated source."""
        return sum(each.width for each in self.joined) + self.computes

    @property
    def joined(self) -> tuple[Plan, ...]:
        """The sources of whose rows a row is made: all but the negated one."""
        return self.sources[: self.negated]

    @property
    def begins(self) -> list[int]:
        """Per source the place of its first column among the inputs."""
        return [0, *accumulate(each.width for each in self.sources)][: len(self.sources)]

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        """Pairs of places that hold the same term; a negated source has its places, too."""
        return ()

    @property
    def computed(self) -> tuple[int, ...]:
        """The columns whose values are none of its sources."""
        return (self.width - 1,) if self.computes else ()

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """Per source the columns by which its rows belong together; None: each acts on its own.

        What is computed of a group is right only where all rows of the group are.
        """
        return (None,) * len(self.sources)

    @property
    def base(self) -> Plan:
        """The positive part of a body; of several negations they stand on the same one."""
        return self if self.negated is None else self.sources[0].base

    @property
    def is_injective(self) -> bool:
        """Whether a row tells of which rows of its sources it is made."""
        if not self.pointwise or any(each is not None for each in self.groups):
            return False
        told = {place for i, place in enumerate(self.columns) if i not in self.computed}
        for _ in self.equated:
            for pair in self.equated:
                told |= {*pair} if told & {*pair} else set()
        return len(told) == self.inputs - self.computes

    @property
    def evidence(self) -> tuple[int, ...] | None:
        """The places of the inputs that explain a row; None: there is nothing to add."""
        return None

    @property
    def label(self) -> Label:
        """What it does, for pictures."""
        return ()

    @property
    def condition(self) -> Label:
        """What is true of its rows, besides what is true of its sources; (): nothing to say."""
        return self.label

    def lateness(self, late: Sequence[int]) -> int:
        """How many cells before the frontier its rows may begin, if those of its sources may so."""
        return max(late)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:  # noqa: ARG002 - of some
        """Per source how many cells its rows are needed, if its own are needed ``own`` cells.

        ``retracts``: whether facts may be lost, so that it is asked for other derivations.
        """
        return (own,) * len(self.sources)


class TwoSided(Plan):
    """A plan whose sources agree on a key. Its hash is kept, as it is that of a tree.

    Attributes:
        on: pairs (column of left, column of right).
        keep: columns of the result: c of the left row, ~c of the right one.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that ``keep`` names; columns of left come first, then columns of right."""
        width = self.left.width
        return tuple(c if c >= 0 else width + ~c for c in self.keep)

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        """The pairs of `on`."""
        width = self.left.width
        return tuple((mine, width + theirs) for mine, theirs in self.on)

    @cached_property
    def _hash(self) -> int:
        return hash((*self.sources, *self.parameters.values()))

    def __hash__(self) -> int:
        return self._hash


@cache
def _source_fields(kind: type[Plan]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.type in {"Plan", Plan})  # type: ignore[arg-type]


class OperandTimes(Protocol):
    """When an operand of an operator is true."""

    @property
    def true(self) -> IntervalSet:
        """All these times."""
        ...

    def latest(self, there: CellInterval) -> CellInterval | None:
        """The last cell of ``there`` at which it is true, and until when one reason lasts."""
        ...


class Witness(NamedTuple):
    """Why an operator is true from a cell on.

    Attributes:
        hi: until when.
        needs: the number of each operand that it needs, and when that must be true.
    """

    hi: int
    needs: tuple[tuple[int, CellInterval], ...]


class NonPointwise(Plan):
    """A plan whose rows hold at other times than those of its sources, or are about many of them.

    What is here describes an operator whose row is about all rows that agree with it and hold at
    once, as an aggregate; `MetricOperator` describes the others.

    Attributes:
        collective: whether that is so; else a row is about one *operand* of each source.
        throughout: per operand whether it is needed all the time, or at some time.
    """

    shape: ClassVar[Shape] = "function"
    pointwise: ClassVar[bool] = False
    collective: ClassVar[bool] = True
    throughout: ClassVar[tuple[bool, ...]] = (True,)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """All columns of the first source."""
        return tuple(range(self.sources[0].width))

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the operator."""

    @property
    def distances(self) -> Cells | None:
        """The distances in time that it looks at, if it moves rows in time."""
        return None

    @property
    def operands(self) -> tuple[int, ...]:
        """The numbers of its sources; each agrees with those before it."""
        return tuple(range(len(self.sources)))

    def reach(self, pair: CellInterval) -> Sequence[CellInterval]:
        """Per source of `operands` when its rows matter to what holds in ``pair``."""
        return (pair,) * len(self.sources)

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        """When it is true, given when its operands are; there may be only the first."""
        return reduce(intersect_sets, operands)

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        """Why it is true at the cell ``at``, and on before ``end``, if these rows are the reason.

        There may be only the first operand.
        """
        run = interval_at(self.holds(*(each.true for each in operands)), at)
        if run is not None:
            hi = min(run[1], end)
            yield Witness(hi, tuple((number, (at, hi)) for number in range(len(operands))))


class MetricOperator(NonPointwise):
    """An operator that moves rows in time; only where facts are kept by maximal interval.

    Attributes:
        rho: the range of distances.
        future: whether they lead to times after now.
    """

    shape: ClassVar[Shape] = "metric"
    collective: ClassVar[bool] = False
    throughout: ClassVar[tuple[bool, ...]] = (False,)

    rho: Cells
    future: bool

    @property
    def distances(self) -> Cells:
        """Its range."""
        return self.rho

    @property
    def farthest(self) -> int:
        """By how many cells its range moves the ends of a row at most."""
        return POS_INF if self.rho[1] >= POS_INF else self.rho[1] & ~1

    def nearer(self, late: int) -> int:
        """What is left of a lateness, if its range leads to the past."""
        return late if late >= POS_INF else max(0, late - (self.rho[0] & ~1))

    def lateness(self, late: Sequence[int]) -> int:
        """Its rows lie on the side to which the range leads."""
        return late[0] + self.farthest if self.future else self.nearer(late[0])

    def reach(self, pair: CellInterval) -> Sequence[CellInterval]:
        """Where what makes it true in ``pair`` may lie."""
        return (dilate(pair, self.rho, future=not self.future),)


@dataclass(frozen=True, slots=True)
class Emit:
    """The end of one body of a rule: for each row of ``source`` the facts of ``heads`` hold."""

    source: Plan
    rule: int
    heads: tuple[Head, ...]


def below(*plans: Plan) -> Iterator[Plan]:
    """``plans`` and all that they read, each once, sources first: in the order of building."""
    seen: set[Plan] = set()
    stack = [(plan, False) for plan in reversed(plans)]
    while stack:
        found, ready = stack.pop()
        if ready:
            yield found
        elif found not in seen:
            seen.add(found)
            stack.append((found, True))
            stack += [(source, False) for source in reversed(found.sources)]


def map_constants(emits: Iterable[Emit], text_of: Callable[[str], str]) -> list[Emit]:
    """The same plans with other constants; shared parts stay shared."""
    known: dict[Plan, Plan] = {}

    def mapped(plan: Plan) -> Plan:
        if plan not in known:
            sources = map(mapped, plan.sources)
            known[plan] = plan.with_sources(*sources).with_constants(text_of)
        return known[plan]

    return [
        Emit(
            mapped(emit.source),
            emit.rule,
            tuple(Head(head.relation, map_operands(head.args, text_of)) for head in emit.heads),
        )
        for emit in emits
    ]


def hash_lines(lines: Iterable[str]) -> str:
    """The SHA-256 of lines, in hexadecimal."""
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL

    digest = sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def plan_lines(emits: Sequence[Emit]) -> Iterator[str]:
    """A line for each plan and each head; linear, as a plan refers to its sources by number."""
    places: dict[Plan, int] = {}
    for plan in below(*(emit.source for emit in emits)):
        own = list(plan.parameters.values())
        sources = [places[source] for source in plan.sources]
        places[plan] = len(places)
        # ascii, as what repr takes for printable is not the same in all versions of Python
        yield f"{type(plan).__name__} {own!a} {sources}"
    for emit in emits:
        yield f"emit {emit.rule} {places[emit.source]} {emit.heads!a}"


KnownColumns: TypeAlias = tuple[int, ...]
"""The known columns of a stream, in the order of the columns of the questions.

Questions about rows are rows themselves, of the values of known columns and of times; a `RowSearch`
of `rete.graph.streams` answers them."""


def questions_about_source(
    plan: Plan, asked: Rows, known: KnownColumns
) -> tuple[Rows, KnownColumns]:
    """Questions about the rows of ``plan`` as questions about those of its first source."""
    places: dict[int, int] = {}
    for place, column in enumerate(known):
        if column not in plan.computed:
            places.setdefault(plan.columns[column], place)
    return coalesce(project(asked, list(places.values()))), tuple(places)
