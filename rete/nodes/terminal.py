"""Terminal nodes: the facts that rules derive, as a set, and where they go from there."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Protocol, Self

from rete.delta import NEG_INF, Rows, columns, concat
from rete.dictionary import Dictionary
from rete.nodes.base import Stream, constant
from rete.nodes.held import Held
from rete.nodes.ticks import AtTicks
from rete.plan import Head, Relation
from rete.saved import Given, Mask, State
from rete.stem import UNKNOWN, Stem

if TYPE_CHECKING:
    from rete.components import Component


class Outlet(Protocol):
    """Is told what a table gains and loses, exactly; see `rete.nodes.terminal.FactTable`."""

    def gain(self, rows: Rows) -> None:
        """Facts that it holds now."""

    def lose(self, rows: Rows) -> None:
        """Facts that it holds no longer."""


class FactTable(Held):
    """All that a group of heads that may derive the same fact has derived.

    It holds derived intervals only: what is asserted is not in here.

    Attributes:
        rank: its place on the agenda.
        feeds: whether some scan may match its facts.
        leveled: the component in which its facts have their levels; None: none, or restored.
        pending: rows that wait for their turn, with the number of their rule.
        minus: facts that lost a derivation, with its rule, which wait for theirs.
        feeders: the heads that feed it, with the streams of their bodies.
        orphaned: whether some of what it holds may be of a rule that is no longer there.
        ticks: what answers are read from instead, see `read_at_ticks`; None: nothing.
        parked: per rule what waits until the horizon is widened; see `rete.horizon`.
        outlet: is told what it gains and loses; None: nobody asks.
        component, exact, late: as of a stream.
    """

    __slots__ = (
        "component",
        "exact",
        "feeders",
        "feeds",
        "late",
        "leveled",
        "minus",
        "orphaned",
        "outlet",
        "parked",
        "pending",
        "rank",
        "ticks",
    )

    component: Component

    def __init__(self, relation: Relation, *, instances: bool, answers: bool = True) -> None:
        super().__init__(relation, instances=instances, answers=answers)
        self.leveled: Component | None = None
        self.rank = 0
        self.feeds = False
        self.pending: list[tuple[int, Rows]] = []
        self.minus: list[tuple[int, Rows]] = []
        self.feeders: list[tuple[Stream, Terminal]] = []
        self.orphaned = False
        self.exact = False
        self.late = 0
        self.parked: dict[int, Stem] = {}
        self.ticks: AtTicks | None = None
        self.outlet: Outlet | None = None

    @property
    def told(self) -> Held:
        """What answers are read from."""
        table = self.whole
        return table if table.ticks is None else table.ticks

    def read_at_ticks(self) -> AtTicks:
        """From now on answers are read at ticks."""
        if self.ticks is None:
            self.ticks = AtTicks(self)
        return self.ticks

    def add(self, heads: Iterable[tuple[int, Head]]) -> None:
        """These heads feed it too; each with its rule, that of no head before."""
        heads = list(heads)
        super().add(heads)
        if self.ticks is not None:
            self.ticks.add(heads)

    def take(self, other: Self) -> None:
        """Hold what ``other`` holds, too: no fact of both. From then on it stands for it."""
        if self.ticks is not None or other.ticks is not None:
            self.read_at_ticks().take(other.read_at_ticks())
        self.feeders += other.feeders
        self.feeds |= other.feeds
        self.orphaned |= other.orphaned
        self.leveled = self.facts.levels = None
        super().take(other)
        for rule, stem in other.parked.items():
            mine = self.parked.setdefault(rule, stem)
            if mine is not stem:
                mine.absorb(stem.content(), NEG_INF)

    def absorb(self, bound: int, level: int = UNKNOWN) -> Rows:
        """Take in what is pending; what the set of facts gains, in disjoint pieces.

        ``level`` is the level of what is new, if levels are kept.
        """
        pending, self.pending = self.pending, []
        if self.by_rule:
            given = [(rule, self.by_rule[rule].absorb(rows, bound - 1)) for rule, rows in pending]
            parts = [rows for _, rows in given]
            if self.ticks is not None:
                for rule, rows in given:
                    self.ticks.give(rule, rows, bound)
            elif self.watch is not None:
                self.watch(self, concat(parts))
        else:
            parts = [rows for _, rows in pending]
        # A row that ends at the frontier stays until its end is printed, and to be gone on.
        return self.facts.absorb(concat(parts), bound - 1, level)

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` gives ``rows`` no longer; they are kept by rule."""
        super().drop(rule, rows, bound)
        if self.ticks is not None:
            self.ticks.drop(rule, rows, bound)

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        super().expire(bound)
        if self.ticks is not None:
            self.ticks.expire(bound)

    @property
    def stems(self) -> list[Stem]:
        """All that it remembers."""
        own = [*super().stems, *self.parked.values()]
        return own if self.ticks is None else own + self.ticks.stems

    def saved(self) -> State:
        """What it holds, and what is parked; nothing is pending."""
        state = super().saved()
        if self.parked:
            state["parked"] = [{"rule": r, **stem.saved()} for r, stem in self.parked.items()]
        if self.ticks is not None:
            state["ticks"] = self.ticks.saved()
        return state

    def restore(self, given: Given, alive: Mask) -> None:
        """Hold what was saved of a table with the same heads."""
        self.leveled = None
        super().restore(given, alive)
        self.parked = {}
        for part in given.parts("parked") if "parked" in given else ():
            rule = part.whole("rule")
            if rule not in self.rules:
                part.refuse("rule", "is no rule of the table")
            stem = self.parked[rule] = Stem(self.relation.arity, instances=False)
            stem.restore(part, alive)
        if self.ticks is not None:
            self.ticks.restore(given.part("ticks"), alive)


class _Placed(Protocol):
    def __getitem__(self, place: int, /) -> Container[int]: ...


class Terminal:
    """One head of one body: turns rows into facts of its table.

    Attributes:
        columns: pairs of a place and the column that gives it.
        constants: pairs of a place and the id that is always there.
    """

    __slots__ = ("_taken", "columns", "constants", "rule", "table")

    def __init__(self, rule: int, head: Head, table: FactTable, terms: Dictionary) -> None:
        self.rule = rule
        self.table = table
        places = list(enumerate(head.args))
        self.columns = [(place, arg) for place, arg in places if isinstance(arg, int)]
        self.constants = [
            (place, constant(arg, terms)) for place, arg in places if isinstance(arg, str)
        ]
        # A constant takes the place of what is taken for it first: the end of the row.
        self._taken = columns([*(arg if isinstance(arg, int) else -1 for arg in head.args), -2, -1])

    def fits(self, terms: _Placed) -> bool:
        """Whether its constants are among the ``terms`` of some facts, place by place."""
        return all(term in terms[place] for place, term in self.constants)

    def asks(self, facts: Rows) -> tuple[tuple[int, ...], list[int], Rows]:
        """What ``facts`` it may have derived tell of the rows: known columns, and their places.

        Last come the facts that are left, as its constants and repeated columns agree with them.
        """
        for place, term in self.constants:
            facts = facts[facts[:, place] == term]
        places: dict[int, int] = {}
        for place, column in self.columns:
            first = places.setdefault(column, place)
            if first != place:
                facts = facts[facts[:, first] == facts[:, place]]
        return tuple(places), list(places.values()), facts

    def tells_apart(self, width: int) -> bool:
        """Whether different rows of ``width`` terms derive different facts."""
        return len({column for _, column in self.columns}) == width

    def facts(self, rows: Rows) -> Rows:
        """The facts that ``rows`` derive, (n, arity + 2), in order."""
        out = rows.take(self._taken, axis=1)
        for place, term in self.constants:
            out[:, place] = term
        return out
