"""Terminal nodes: the facts that rules derive, as a set, and where they go from there."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.delta import NEG_INF, Column, Rows, concat
from rete.dictionary import Dictionary
from rete.nodes.base import Stream, constant
from rete.plan import Head, Relation
from rete.saved import Given, Mask, State
from rete.stem import UNKNOWN, Stem

if TYPE_CHECKING:
    from rete.components import Component


class FactTable:
    """All that a group of heads that may derive the same fact has derived.

    It holds, for each fact, its maximal intervals (or one row for each start), derived intervals
    only: what is asserted is not in here. Where several rules may derive the same fact, it holds
    the same for each rule as well, so that an answer can name the least rule that gives it.

    Attributes:
        relation: that of the facts.
        answers: whether its facts are answers; else they are not kept by rule.
        heads: the heads that feed it, with their rules.
        rank: its place on the agenda.
        feeds: whether some scan may match its facts.
        into: the table that took over what it held; see `whole`.
        leveled: the component in which its facts have their levels; None: none, or restored.
        pending: rows that wait for their turn, with the number of their rule.
        minus: facts that lost a derivation, with its rule, which wait for theirs.
        feeders: the heads that feed it, with the streams of their bodies.
        by_rule: per rule what it gave, if that is kept.
        watch: is told the facts that a rule gives, or gives no longer; None: nobody asks.
        ticks: the same facts as they hold at ticks, see `read_at_ticks`; None: they are the same.
        lag: so many cells before the frontier answers are final.
        parked: per rule what waits until the horizon is widened; see `rete.horizon`.
        component, exact, late: as of a stream.
    """

    __slots__ = (
        "_instances",
        "answers",
        "by_rule",
        "component",
        "exact",
        "facts",
        "feeders",
        "feeds",
        "heads",
        "into",
        "lag",
        "late",
        "leveled",
        "minus",
        "parked",
        "pending",
        "rank",
        "relation",
        "ticks",
        "watch",
    )

    component: Component

    def __init__(self, relation: Relation, *, instances: bool, answers: bool = True) -> None:
        self.relation = relation
        self.answers = answers
        self.heads: list[tuple[int, Head]] = []
        self.into: FactTable | None = None
        self.leveled: Component | None = None
        self.facts = Stem(relation.arity, instances=instances)
        self.rank = 0
        self.feeds = False
        self.pending: list[tuple[int, Rows]] = []
        self.minus: list[tuple[int, Rows]] = []
        self.feeders: list[tuple[Stream, Terminal]] = []
        self.exact = False
        self.late = 0
        self.parked: dict[int, Stem] = {}
        self._instances = instances
        self.by_rule: dict[int, Stem] = {}
        self.watch: Callable[[FactTable, Rows], None] | None = None
        self.ticks: FactTable | None = None
        self.lag = 0

    @property
    def rules(self) -> list[int]:
        """Numbers of the rules that feed it, ascending."""
        return sorted({rule for rule, _ in self.heads})

    @property
    def whole(self) -> FactTable:
        """The table that stands for it: itself, or what took it over."""
        table = self
        while table.into is not None:
            table = table.into
        return table

    @property
    def told(self) -> FactTable:
        """The table that answers are read from."""
        table = self.whole
        return table if table.ticks is None else table.ticks

    def read_at_ticks(self, lag: int = 0) -> None:
        """From now on answers are read at ticks: what operators make may begin and end between."""
        if self.ticks is None:
            ticks = self.ticks = FactTable(self.relation, instances=False)
            ticks.add(self.heads)
            ticks.facts.absorb(at_ticks(self.facts.content()), NEG_INF)
            for rule, stem in ticks.by_rule.items():
                stem.absorb(at_ticks(self.of_rule(rule)), NEG_INF)
        self.ticks.lag = lag

    def add(self, heads: Iterable[tuple[int, Head]]) -> None:
        """These heads feed it too; each with its rule, that of no head before."""
        heads = list(heads)
        if self.ticks is not None:
            self.ticks.add(heads)
        before = self.rules
        self.heads += heads
        rules = self.rules
        if len(rules) < 2 or not self.answers:  # noqa: PLR2004 - nothing to be told apart
            return
        for rule in rules:
            if rule not in self.by_rule:
                self.by_rule[rule] = self._stem_of_rule()
                if [rule] == before:  # what it holds so far is of the one rule it had
                    self.by_rule[rule].absorb(self.facts.content(), NEG_INF)

    def may_hold(self, heads: Iterable[Head]) -> bool:
        """Whether it may derive what one of ``heads`` does."""
        return any(head.unifies(own) for head in heads for _, own in self.heads)

    def take(self, other: FactTable) -> None:
        """Hold what ``other`` holds, too: no fact of both. From then on it stands for it."""
        rules = {rule: other.of_rule(rule) for rule in other.rules}
        if self.ticks is not None or other.ticks is not None:
            self.read_at_ticks(self.lag)
            other.read_at_ticks(other.lag)
        ticks, self.ticks = self.ticks, None
        if ticks is not None and other.ticks is not None:
            ticks.take(other.ticks)
        self.add(other.heads)
        self.ticks = ticks
        self.feeders += other.feeders
        self.feeds |= other.feeds
        self.leveled = self.facts.levels = None
        self.facts.absorb(other.facts.content(), NEG_INF)
        for rule, rows in rules.items():
            if rule in self.by_rule:  # not if both are fed by the same one rule
                self.by_rule[rule].absorb(rows, NEG_INF)
        for rule, stem in other.parked.items():
            mine = self.parked.setdefault(rule, stem)
            if mine is not stem:
                mine.absorb(stem.content(), NEG_INF)
        other.into = self

    def of_rule(self, rule: int) -> Rows:
        """What ``rule`` gave."""
        return self.by_rule.get(rule, self.facts).content()

    def _stem_of_rule(self) -> Stem:
        stem = Stem(self.relation.arity, instances=self._instances)
        stem.spare = self._gives_an_open_answer
        return stem

    def _gives_an_open_answer(self, rows: Rows) -> npt.NDArray[np.bool_]:
        # The end of an answer is printed with the rule of its start, whose own row may have ended.
        found = self.facts.find(
            np.ascontiguousarray(rows[:, :-1]),
            kernels.BEGINS_AT if self._instances else kernels.COVERS,
        )
        starts = self.facts.rows[found, -2]
        gives: npt.NDArray[np.bool_] = (rows[:, -2] <= starts) & (starts < rows[:, -1])
        return gives & (found >= 0)

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
                    self.ticks.give(rule, at_ticks(rows), bound)
            elif self.watch is not None:
                self.watch(self, concat(parts))
        else:
            parts = [rows for _, rows in pending]
        # A row that ends at the frontier stays until its end is printed, and to be gone on.
        return self.facts.absorb(concat(parts), bound - 1, level)

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` gives ``rows`` no longer; they are kept by rule."""
        self.by_rule[rule].remove(rows, bound - self.lag)
        if self.ticks is not None:
            self.ticks.drop(rule, at_ticks(rows), bound)
        elif self.watch is not None:
            self.watch(self, rows)

    def give(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` gives ``rows``, which have gone into the table, or will."""
        gains = self.by_rule[rule].absorb(rows, bound - self.lag - 1)
        if self.watch is not None:
            self.watch(self, gains)

    def gain(self, rows: Rows, bound: int) -> Rows:
        """What is gained by ``rows``, which rules have given."""
        return self.facts.absorb(rows, bound - self.lag - 1)

    def lose(self, rows: Rows, bound: int) -> None:
        """``rows``, which it holds, are lost."""
        self.facts.remove(rows, bound - self.lag)

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        if self.ticks is not None:
            self.ticks.expire(bound)
        bound -= self.lag
        # What the rules gave is judged by the facts still held.
        for stem in (self.facts, *self.by_rule.values()):
            stem.expire(bound - 1)

    def rule_at(self, queries: Rows) -> Column:
        """Per query (terms, start of an answer) the least rule that gives it then."""
        rules = self.rules
        if not self.by_rule:
            return np.full(len(queries), rules[0], np.int64)
        least = np.zeros(len(queries), np.int64)
        mode = kernels.BEGINS_AT if self._instances else kernels.COVERS
        for rule in rules:
            found = self.by_rule[rule].find(queries, mode) >= 0
            least[found & (least == 0)] = rule
        return least

    @property
    def stems(self) -> list[Stem]:
        """All that it remembers."""
        own = [self.facts, *self.by_rule.values(), *self.parked.values()]
        return own if self.ticks is None else own + self.ticks.stems

    def saved(self) -> State:
        """What it holds, and what is parked; nothing is pending."""
        rules = [{"rule": rule, **stem.saved()} for rule, stem in self.by_rule.items()]
        state: State = {"facts": self.facts.saved(), "rules": rules}
        if self.parked:
            state["parked"] = [{"rule": r, **stem.saved()} for r, stem in self.parked.items()]
        if self.ticks is not None:
            state["ticks"] = self.ticks.saved()
        return state

    def restore(self, given: Given, alive: Mask) -> None:
        """Hold what was saved of a table with the same heads."""
        self.leveled = None
        self.facts.restore(given.part("facts"), alive)
        parts = given.parts("rules", len(self.by_rule))
        for part, (rule, stem) in zip(parts, self.by_rule.items(), strict=True):
            part.whole("rule", rule, rule)
            stem.restore(part, alive)
        self.parked = {}
        for part in given.parts("parked") if "parked" in given else ():
            rule = part.whole("rule")
            if rule not in self.rules:
                part.refuse("rule", "is no rule of the table")
            stem = self.parked[rule] = Stem(self.relation.arity, instances=False)
            stem.restore(part, alive)
        if self.ticks is not None:
            self.ticks.restore(given.part("ticks"), alive)


def at_ticks(rows: Rows) -> Rows:
    """The ticks of ``rows``, from the first of each to the one that is the first no more.

    Rows without a tick are none.
    """
    ends = rows[:, -2:] & 1
    if not ends.any():
        return rows
    rounded = rows.copy()
    rounded[:, -2:] += ends
    found: Rows = rounded[rounded[:, -2] < rounded[:, -1]]
    return found


class _Placed(Protocol):
    def __getitem__(self, place: int, /) -> Container[int]: ...


class Terminal:
    """One head of one body: turns rows into facts of its table."""

    __slots__ = ("_columns", "_constants", "rule", "table")

    def __init__(self, rule: int, head: Head, table: FactTable, terms: Dictionary) -> None:
        self.rule = rule
        self.table = table
        places = list(enumerate(head.args))
        self._columns = [(place, arg) for place, arg in places if isinstance(arg, int)]
        self._constants = [
            (place, constant(arg, terms)) for place, arg in places if isinstance(arg, str)
        ]

    def fits(self, terms: _Placed) -> bool:
        """Whether its constants are among the ``terms`` of some facts, place by place."""
        return all(term in terms[place] for place, term in self._constants)

    def asks(self, facts: Rows) -> tuple[tuple[int, ...], list[int], Rows]:
        """What ``facts`` it may have derived tell of the rows: known columns, and their places.

        Last come the facts that are left, as its constants and repeated columns agree with them.
        """
        for place, term in self._constants:
            facts = facts[facts[:, place] == term]
        places: dict[int, int] = {}
        for place, column in self._columns:
            first = places.setdefault(column, place)
            if first != place:
                facts = facts[facts[:, first] == facts[:, place]]
        return tuple(places), list(places.values()), facts

    def tells_apart(self, width: int) -> bool:
        """Whether different rows of ``width`` terms derive different facts."""
        return len({column for _, column in self._columns}) == width

    def facts(self, rows: Rows) -> Rows:
        """The facts that ``rows`` derive, (n, arity + 2), in order."""
        arity = self.table.relation.arity
        out = np.empty((len(rows), arity + 2), np.int64)
        for place, column in self._columns:
            out[:, place] = rows[:, column]
        for place, term in self._constants:
            out[:, place] = term
        out[:, arity:] = rows[:, -2:]
        return out
