"""Derived facts: a fact set that absorbs what rules derive, with what is pending or parked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, Self

from rete.arrays.delta import NEG_INF, UNKNOWN_LEVEL, Rows, concat
from rete.arrays.state_codec import Mask, State, StateReader
from rete.kernels import concatenate
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import begin_at
from rete.storage.stem import Stem
from rete.terms.relations import Head, Relation


class TickFacts(FactSet):
    """The facts of a table at ticks, kept as long as answers about them are not final.

    Metric operators may derive facts that begin and end between ticks; the table keeps them so, to
    derive more of them. It may change in the past, on which operators look back; but what is final
    does not change any more, whatever the table gains and loses.

    Attributes:
        lag: answers are final up to so many cells before the frontier.
        final: answers before this cell are final besides, as they were when ``lag`` grew.
        begin: of what is gained from now on only what holds from this cell on is an answer.
    """

    __slots__ = ("begin", "final", "lag")

    def __init__(self, table: FactSet) -> None:
        super().__init__(table.relation, instances=False, answers=True)
        self.lag = 0
        self.final = self.begin = NEG_INF
        self.add(table.heads)
        self.facts.absorb(round_to_ticks(table.facts.content()), NEG_INF)
        for rule, stem in self.by_rule.items():
            stem.absorb(round_to_ticks(table.of_rule(rule)), NEG_INF)
        self.listener, table.listener = table.listener, None

    def merge(self, other: Self) -> None:
        """Take over the facts of ``other``, and keep facts as long as both did."""
        self.lag = max(self.lag, other.lag)
        super().merge(other)

    def gain(self, rows: Rows, bound: int) -> Rows:
        """What is gained at ticks with ``rows``, which the table gains."""
        return self.facts.absorb(self._open(rows, bound), bound - self.lag - 1)

    def lose(self, rows: Rows, bound: int) -> Rows:
        """What is lost at ticks with ``rows``, which the table loses."""
        lost = self._open(rows, bound)
        self.facts.remove(lost, bound - self.lag)
        return lost

    def give(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows``, which the table has absorbed, or will."""
        gains = self.by_rule[rule].absorb(self._open(rows, bound), bound - self.lag - 1)
        if self.listener is not None:
            self.listener(self, gains)

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows`` of the table no longer."""
        super().drop(rule, self._open(rows, bound), bound - self.lag)

    def _open(self, rows: Rows, bound: int) -> Rows:
        """The ticks in ``rows`` about which answers are not final."""
        return begin_at(round_to_ticks(rows), max(bound - self.lag, self.final, self.begin))

    def not_derived(self, table: FactSet) -> tuple[list[tuple[int, Rows]], Rows]:
        """What it has, by rule and at all, that ``table`` has not, and that is not final."""
        by_rule = [
            (rule, self._beyond(stem, table.of_rule(rule))) for rule, stem in self.by_rule.items()
        ]
        return by_rule, self._beyond(self.facts, table.facts.content())

    def _beyond(self, stem: Stem, rows: Rows) -> Rows:
        derived = Stem(stem.width, instances=False)
        derived.absorb(round_to_ticks(rows), NEG_INF)
        return derived.missing(begin_at(stem.content(), self.final))

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``, and is final."""
        super().expire(bound - self.lag)


def round_to_ticks(rows: Rows) -> Rows:
    """The ticks in each of ``rows``: from the first one, to the first one that is no longer in it.

    Rows without a tick are left out.
    """
    ends = rows[:, -2:] & 1
    if not ends.any():
        return rows
    rounded = rows.copy()
    rounded[:, -2:] += ends
    found: Rows = rounded[rounded[:, -2] < rounded[:, -1]]
    return found


class TableObserver(Protocol):
    """Is notified of exactly what a table gains and loses; see `DerivedFacts.observer`."""

    def gain(self, rows: Rows) -> None:
        """Facts that the table has from now on."""

    def lose(self, rows: Rows) -> None:
        """Facts that the table has no longer."""


class DerivedFacts(FactSet):
    """What rules have derived of the facts of some heads, and what is pending or parked.

    Derived intervals only: what is asserted is not in here.

    Attributes:
        pending: rows that are not absorbed yet, with the number of their rule.
        ticks: what answers are read from instead, see `read_at_ticks`; None: nothing.
        parked: per rule what lies beyond the horizon, until that is widened; see
            `rete.network.horizon`.
        observer: is notified of what it gains and loses; None: nobody is.
    """

    __slots__ = ("observer", "parked", "pending", "ticks")

    def __init__(self, relation: Relation, *, instances: bool, answers: bool = True) -> None:
        super().__init__(relation, instances=instances, answers=answers)
        self.pending: list[tuple[int, Rows]] = []
        self.parked: dict[int, Stem] = {}
        self.ticks: TickFacts | None = None
        self.observer: TableObserver | None = None

    @property
    def answer_facts(self) -> FactSet:
        """What answers are read from."""
        table = self.survivor
        return table if table.ticks is None else table.ticks

    def read_at_ticks(self) -> TickFacts:
        """From now on answers are read at ticks."""
        if self.ticks is None:
            self.ticks = TickFacts(self)
        return self.ticks

    def add(self, heads: Iterable[tuple[int, Head]]) -> None:
        """These heads feed it too; each with its rule, that of no head before."""
        heads = list(heads)
        super().add(heads)
        if self.ticks is not None:
            self.ticks.add(heads)

    def merge(self, other: Self) -> None:
        """Take over the facts of ``other``, none of which it has, and be used in its place."""
        if self.ticks is not None or other.ticks is not None:
            self.read_at_ticks().merge(other.read_at_ticks())
        super().merge(other)
        for rule, stem in other.parked.items():
            mine = self.parked.setdefault(rule, stem)
            if mine is not stem:
                mine.absorb(stem.content(), NEG_INF)

    def absorb(self, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        """Absorb what is pending; returns what the set of facts gains, in disjoint pieces.

        ``level`` is the level of what is new, if levels are kept.
        """
        pending, self.pending = self.pending, []
        if self.by_rule:
            given = [(rule, self.by_rule[rule].absorb(rows, bound - 1)) for rule, rows in pending]
            parts = [rows for _, rows in given]
            if self.ticks is not None:
                for rule, rows in given:
                    self.ticks.give(rule, rows, bound)
            elif self.listener is not None:
                self.listener(self, concat(parts))
        else:
            parts = [rows for _, rows in pending]
        # A row that ends at the frontier stays until its end is printed, and to be gone on.
        return self.facts.absorb(concatenate(parts), bound - 1, level)

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows`` no longer; facts are kept by rule."""
        super().drop(rule, rows, bound)
        if self.ticks is not None:
            self.ticks.drop(rule, rows, bound)

    def clear(self) -> None:
        """Forget all facts, but not what answers are read from."""
        for stem in (self.facts, *self.by_rule.values()):
            stem.clear()
        self.parked = {}

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        super().expire(bound)
        if self.ticks is not None:
            self.ticks.expire(bound)

    @property
    def stems(self) -> list[Stem]:
        """All its SteMs."""
        own = [*super().stems, *self.parked.values()]
        return own if self.ticks is None else own + self.ticks.stems

    def saved(self) -> State:
        """Its facts, and what is parked; nothing is pending."""
        state = super().saved()
        if self.parked:
            state["parked"] = [{"rule": r, **stem.saved()} for r, stem in self.parked.items()]
        if self.ticks is not None:
            state["ticks"] = self.ticks.saved()
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Have what was saved of a table with the same heads, and nothing else."""
        super().restore(given, alive)
        self.parked = {}
        for part in given.parts("parked") if "parked" in given else ():
            rule = part.integer("rule")
            if rule not in self.rules:
                part.refuse("rule", "is no rule of the table")
            stem = self.parked[rule] = Stem(self.relation.arity, instances=False)
            stem.restore(part, alive)
        if self.ticks is not None:
            self.ticks.restore(given.part("ticks"), alive)
