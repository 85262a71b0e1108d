"""The base table: what is asserted, by the element that asserts it.

It is read when facts are retracted, when added rules are to see what was asserted before, when an
answer is explained, and where negation depends on asserted facts. Until it is first read, what is
asserted waits in a queue, without an index.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.kernels.single.interface import AssertedQueue
from rete.storage.heirs import Heirs
from rete.storage.row_algebra import (
    all_columns,
    always,
    append_term,
    coalesce,
    probed_columns,
    project,
)
from rete.storage.stem import Stem
from rete.terms.equality_classes import EqualityClasses
from rete.terms.relations import ABOUT_ELEMENTS, TRIPLES, Part, Relation


@dataclass(frozen=True, slots=True)
class FactRetention:
    """How many cells facts of a relation are kept after they ended, by one of their terms.

    Attributes:
        place: of this term, such as the predicate of a triple.
        terms: (n,) those for which patterns have a constant, ascending.
        cells: (n,) of facts with these terms.
        other: of all other facts.
    """

    place: int
    terms: Column
    cells: Column
    other: int

    @classmethod
    def by_term(cls, place: int, cells: Mapping[int, int], other: int) -> FactRetention:
        """Of the ``cells`` that patterns with a constant need, and those without one."""
        terms = sorted(cells)
        return cls(place, columns(terms), columns([max(cells[t], other) for t in terms]), other)

    def of(self, facts: Rows) -> Column:
        """Of each of ``facts``, (n, arity + 2) or more columns. O(n log of the constants)."""
        found = np.full(len(facts), self.other)
        if len(self.terms):
            asked = facts[:, self.place]
            places = np.minimum(np.searchsorted(self.terms, asked), len(self.terms) - 1)
            known = self.terms[places] == asked
            found[known] = self.cells[places[known]]
        return found


class _UnindexedFacts(NamedTuple):
    """Facts with their names that wait to be indexed, packed where they are many.

    ``least`` is the first bound at which one may be dropped.
    """

    relation: Relation
    held: Rows | kernels.FactStore
    least: int

    @property
    def rows(self) -> Rows:
        """The facts, each with the name of its element as a last term."""
        held = self.held
        return held.rows(0, held.end) if isinstance(held, kernels.FactStore) else held

    @property
    def size(self) -> int:
        """How many there are."""
        held = self.held
        return held.count if isinstance(held, kernels.FactStore) else len(held)


class BaseTable:
    """Facts with the name of their element as a last term; 0 where there is none.

    The same fact in two elements is two assertions: to retract one leaves the other.

    Attributes:
        instances: whether facts are kept by start instead of by maximal interval.
        retention: the most cells that facts are kept after they ended; see
            `rete.network.lookback`.
        by_relation: how many those of a relation are kept; none are named that are kept the most.
        kept: how many cells all are kept at least, for rules that are added; 0: there will be none.
        renamed: per relation and name the rows that `retract` asserted in it instead, with the
            names that they had, for who explains answers; None: nobody does.
        retractable: for how many cells after they begin facts may be retracted; None: any.
        heirs: the names in which facts are asserted that are to be retracted later.
        latest: triples that were asserted one by one, as long as nobody reads them; None: none are.
        whole: whether facts are retracted whole, as something may look back on what lies before
            the frontier; else they are cut there.
    """

    __slots__ = (
        "_bound",
        "_indexed",
        "_version",
        "_waiting",
        "by_relation",
        "heirs",
        "instances",
        "kept",
        "latest",
        "renamed",
        "retention",
        "retractable",
        "whole",
    )

    def __init__(self, *, instances: bool) -> None:
        self.instances = instances
        self._indexed: dict[Relation, Stem] = {}
        self._waiting: deque[_UnindexedFacts] = deque()
        self.latest: AssertedQueue | None = None
        self._bound = NEG_INF
        self._version = 0
        self.retention = self.kept = 0
        self.retractable: int | None = None
        self.by_relation: Mapping[Relation, FactRetention] = {}
        self.whole = False
        self.renamed: dict[tuple[Relation, int], list[Rows]] | None = None
        self.heirs = Heirs()

    @property
    def _unindexed(self) -> deque[_UnindexedFacts]:
        """What waits to be indexed, the oldest first."""
        if self.latest is not None and len(self.latest):
            self._queue(TRIPLES, self.latest.take())
        return self._waiting

    def add(self, relation: Relation, facts: Rows, names: Column | None, bound: int) -> None:
        """Note ``facts`` (n, arity + 2) and the names (n,) of their elements; None: no names.

        What ended before ``bound`` may be dropped on the way.
        """
        self._bound = bound
        self._queue(relation, _with_names(facts, names))
        for _ in range(min(2, len(self._unindexed))):  # so each part is looked at now and then
            self._drop_ended()

    def _queue(self, relation: Relation, rows: Rows) -> None:
        if len(rows):
            least = int(self._droppable(relation, rows).min())
            self._unindexed.append(_UnindexedFacts(relation, _packed(rows), least))

    def _droppable(self, relation: Relation, facts: Rows) -> Column:
        """At which bound each of ``facts``, with or without names, may be dropped."""
        if self.kept:  # rules that are added may read any
            return _after_ends(facts, max(self.retention, self.kept))
        return self._needed_until(relation, facts)

    def _needed_until(self, relation: Relation, facts: Rows) -> Column:
        """At which bound the rules that there are need each of ``facts`` no longer."""
        by = self.by_relation.get(relation)
        return _after_ends(facts, self.retention if by is None else by.of(facts))

    def matter(self, relation: Relation, facts: Rows, bound: int) -> Mask:
        """Which of ``facts``, (n, arity + 2), the rules still read at ``bound`` or later."""
        return self._needed_until(relation, facts) > bound

    def _drop_ended(self) -> None:
        """Drop what ended of the part of the queue that has waited longest."""
        part = self._unindexed.popleft()
        if part.least > self._bound:
            self._unindexed.append(part)
            return
        rows = part.rows
        self._queue(part.relation, rows[self._droppable(part.relation, rows) > self._bound])

    @property
    def _stems(self) -> dict[Relation, Stem]:
        if self._unindexed:
            self.index()
        return self._indexed

    @property
    def version(self) -> int:
        """Another number whenever the SteM of a relation is another one, or there is none."""
        if self._unindexed:
            self.index()
        return self._version

    def index(self) -> None:
        """Index what waits, so that SteMs that were given before have it, too."""
        while self._unindexed:
            part = self._unindexed.popleft()
            self._stem(part.relation).absorb(part.rows, self._bound)

    def _stem(self, relation: Relation) -> Stem:
        if relation not in self._indexed:
            self._version += 1
            stem = self._indexed[relation] = Stem(relation.arity + 1, instances=self.instances)
            stem.keep_ended = lambda rows: self._droppable(relation, rows) > self._bound
        return self._indexed[relation]

    def known(self, names: Column, bound: int) -> int:
        """How many of ``names``, each once, assert a fact that matters at ``bound`` or later.

        And that is not older than what may be retracted then.
        """
        found: npt.NDArray[np.bool_] = np.zeros(len(names), np.bool_)
        for relation, stem in self._stems.items():
            found |= self._matter(relation, stem, names.reshape(-1, 1), (relation.arity,), bound)
        return int(np.count_nonzero(found))

    def known_rows(self, relation: Relation, rows: Rows, bound: int) -> int:
        """The same of facts with the names of their elements, (n, arity + 1), each once."""
        stem = self._stems.get(relation)
        if stem is None:
            return 0
        key = tuple(range(relation.arity + 1))
        return int(np.count_nonzero(self._matter(relation, stem, rows, key, bound)))

    def oldest(self, bound: int) -> int:
        """Where a fact begins, at the earliest, that may be retracted at ``bound``."""
        return NEG_INF if self.retractable is None else bound - self.retractable

    def _matter(
        self, relation: Relation, stem: Stem, rows: Rows, key: tuple[int, ...], bound: int
    ) -> npt.NDArray[np.bool_]:
        """For each row of terms whether facts with them are still read at ``bound``."""
        asked = always(rows, np.arange(len(rows)))
        keep = columns([*(~c for c in range(stem.width)), len(key)])
        found = stem.probe(asked, columns(range(len(key))), stem.end, stem.index(key), keep)
        facts = np.ascontiguousarray(np.delete(found, stem.width, axis=1))
        mattering = found[
            (self._needed_until(relation, facts) > bound) & (facts[:, -2] >= self.oldest(bound)),
            stem.width,
        ]
        matters: npt.NDArray[np.bool_] = np.zeros(len(rows), np.bool_)
        matters[mattering] = True
        return matters

    def retract(
        self, names: Column, since: int, to: int | None = None, oldest: int = NEG_INF
    ) -> Iterator[tuple[Relation, Rows]]:
        """Retract all that elements of these names assert from the cell ``since`` on, or `whole`.

        Per relation the facts that are asserted no longer, (n, arity + 2), cut at ``since`` where
        facts are kept by interval and not retracted whole. With ``to``, they are asserted in that
        name instead. What begins before the cell ``oldest`` stays.
        """
        asked = always(names)
        for relation, stem in self._stems.items():
            arity = relation.arity
            keep = probed_columns(arity + 1)
            rows = stem.probe(asked, columns([0]), stem.end, stem.index((arity,)), keep)
            yield relation, self._retract(relation, rows[rows[:, -2] >= oldest], since, to)

    def retract_rows(  # noqa: PLR0913 - what, from when on, and but for what
        self,
        relation: Relation,
        rows: Rows,
        since: int,
        to: int | None = None,
        *,
        but: Rows | None = None,
        oldest: int = NEG_INF,
    ) -> Rows:
        """Retract single facts with the names of their elements, (n, arity + 1); see `retract`.

        All but the pieces ``but`` of such facts, (m, arity + 3), which their elements assert in
        another spelling, too.
        """
        found = self.named(relation, rows)
        if but is not None and len(but):
            others = Stem(relation.arity + 1, instances=self.instances)
            others.absorb(but, NEG_INF)
            found = others.missing(found)
        return self._retract(relation, found[found[:, -2] >= oldest], since, to)

    def named(self, relation: Relation, rows: Rows) -> Rows:
        """The stored rows of facts with the names of their elements, (n, arity + 1).

        Of relations whose facts say more of a triple of an element, triples with names do, (n, 4).
        """
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity + 1)
        asked = coalesce(always(rows))
        key = tuple(range(relation.arity + 1))
        kept = probed_columns(len(key))
        if relation.undivided in ABOUT_ELEMENTS:
            key = (0, 1, 2, relation.arity)
        return stem.probe(asked, all_columns(len(key)), stem.end, stem.index(key), kept)

    def _retract(self, relation: Relation, rows: Rows, since: int, to: int | None) -> Rows:
        if not self.whole:
            rows = rows[rows[:, -1] > since]
            if not self.instances:
                np.maximum(rows[:, -2], since, out=rows[:, -2])
        facts = self._removed(relation, rows, since)
        if to is not None and len(rows):
            if self.renamed is not None:
                self.renamed.setdefault((relation, to), []).append(rows.copy())
            rows[:, relation.arity] = to
            self._stems[relation].absorb(rows, self._bound)
        return facts

    def cut(self, relation: Relation, facts: Rows, name: int, since: int) -> Rows:
        """Remove pieces of facts, (n, arity + 2), from what one element asserts.

        Returns what is asserted no longer, (n, arity + 2). Of instances all that begins as they do,
        but what ended before ``since``.
        """
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity)
        return self._removed(relation, stem.meet(append_term(facts, name), since), since)

    def end(self, relation: Relation, rows: Rows, cells: Column, since: int) -> Rows:
        """End single facts of elements, (n, arity + 1) with the names, in these ``cells``, (n,).

        Returns what is asserted no longer, (n, arity + 2); of instances see `shortened`.
        """
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity)
        if relation.undivided in ABOUT_ELEMENTS:
            found, rest = self.shortened(relation, rows, cells)
            np.maximum(found[:, -2], rest[:, -1], out=found[:, -2])
            return self._removed(relation, found, since)
        after = np.column_stack([rows, cells, np.full(len(rows), POS_INF)])
        return self._removed(relation, stem.meet(coalesce(after), since), since)

    def shortened(self, relation: Relation, rows: Rows, cells: Column) -> tuple[Rows, Rows]:
        """The stored instances that `end` is about, (n, arity + 3), and what is left of each.

        What is left of one that has not begun is empty.
        """
        until = {tuple(row): cell for row, cell in zip(rows.tolist(), cells.tolist(), strict=True)}
        found = self.named(relation, rows)
        key = (
            (0, 1, 2, relation.arity)
            if relation.undivided in ABOUT_ELEMENTS
            else range(relation.arity + 1)
        )
        ends = np.array([until[tuple(row)] for row in found[:, [*key]].tolist()], np.int64)
        longer = found[:, -1] > ends
        found, rest = found[longer], found[longer]
        rest[:, -1] = ends[longer]
        return found, rest

    def extend(self, relation: Relation, facts: Rows, name: int) -> Rows:
        """Let one element assert facts, (n, arity + 2), now; which pieces of them it did not yet.

        They are kept by interval.
        """
        self.index()
        gains = self._stem(relation).absorb(append_term(facts, name), self._bound)
        return project(gains, range(relation.arity))

    def _removed(self, relation: Relation, rows: Rows, since: int) -> Rows:
        """Remove stored rows; returns what of their facts no other element asserts."""
        if not len(rows):
            return empty(relation.arity)
        stem, arity = self._stems[relation], relation.arity
        stem.remove(rows, since)
        facts = project(rows, range(arity))
        if self.instances:
            return facts
        key = tuple(range(arity))
        return stem.uncovered(facts, all_columns(arity), stem.index(key))

    def not_asserted(self, relation: Relation, facts: Rows) -> Rows:
        """The pieces of ``facts`` that are not asserted."""
        stem = self.stem(relation)
        if stem is None or self.instances or not len(facts):
            return facts
        key = tuple(range(relation.arity))
        return stem.uncovered(facts, all_columns(relation.arity), stem.index(key))

    @property
    def relations(self) -> list[Relation]:
        """Those of which something was asserted."""
        return list(self._stems)

    def stem(self, relation: Relation) -> Stem | None:
        """The facts of ``relation``, each with the name of its element as a last term."""
        if self._unindexed:
            self.index()
        return self._indexed.get(relation)

    def matching(self, relation: Relation, asked: Rows, places: tuple[int, ...]) -> Rows:
        """The facts, (n, arity + 2), that agree with some of ``asked`` at ``places``."""
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity)
        key, keep = all_columns(len(places)), probed_columns(relation.arity)
        return stem.probe(asked, key, stem.end, stem.index(places), keep)

    def elements(self, relation: Relation, facts: Rows) -> Rows:
        """Those of ``facts`` (n, arity) that are asserted, with the names of their elements.

        (m, arity + 3): what is the same in two elements comes twice, each with its whole time.
        """
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity + 1)
        key = tuple(range(relation.arity))
        keep = probed_columns(relation.arity + 1)
        found = stem.probe(always(facts), columns(key), stem.end, stem.index(key), keep)
        if self.renamed:
            found = concat([found[:0], *(self._as_named(relation, row) for row in found)])
        return found

    def _as_named(self, relation: Relation, row: Column) -> Rows:
        """The rows that one is of, (n, arity + 3), in the names that they had."""
        assert self.renamed is not None
        renamed = self.renamed.get((relation, int(row[relation.arity])))
        if renamed is None:
            return row.reshape(1, -1)
        rows: Rows = concat(renamed)
        alike = (rows[:, : relation.arity] == row[: relation.arity]).all(axis=1)
        rows = rows[alike & (rows[:, -2] < row[-1]) & (row[-2] < rows[:, -1])]
        rows[:, -2] = np.maximum(rows[:, -2], row[-2])
        rows[:, -1] = np.minimum(rows[:, -1], row[-1])
        return rows

    def content(self) -> Iterator[tuple[Relation, Rows]]:
        """All stored facts, per relation (n, arity + 2), each once for each of its elements."""
        for relation, stem in self._stems.items():
            yield relation, _without_names(stem.content())[0]

    def translate(self, relation: Relation, same: EqualityClasses) -> None:
        """Replace the terms of the facts of ``relation`` by their representatives."""
        self._waiting = deque(
            part._replace(held=_packed(same.of(part.rows, relation.arity)))
            if part.relation == relation
            else part
            for part in self._unindexed
        )
        stem = self._indexed.pop(relation, None)
        if stem is not None:
            self._version += 1
            facts, names = _without_names(stem.content())
            self.add(relation, same.of(facts), names, self._bound)

    def saved(self) -> State:
        """All of it; of what is not indexed yet one part for each relation."""
        waiting: dict[Relation, list[Rows]] = {}
        for part in self._unindexed:
            waiting.setdefault(part.relation, []).append(part.rows)
        indexed = []
        for relation, stem in self._indexed.items():
            state = stem.saved()
            state["rows"] = self.heirs.saved(stem.content())
            indexed.append(of_relation(relation, state))
        return {
            "bound": self._bound,
            "indexed": indexed,
            "waiting": [
                of_relation(relation, {"rows": concat(rows)}) for relation, rows in waiting.items()
            ],
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Hold what was saved, and nothing else."""
        self._bound = given.integer("bound", NEG_INF, POS_INF)
        self._version += 1
        self._indexed.clear()
        self._unindexed.clear()
        for part in given.parts("indexed"):
            relation = saved_relation(part)
            self._stem(relation).restore(part, alive, self.heirs.restored)
        for part in given.parts("waiting"):
            relation = saved_relation(part)
            rows = self.heirs.restored(part.rows("rows", relation.arity + 1, alive, named=True))
            self._queue(relation, rows)

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        self._bound = bound
        for stem in self._indexed.values():
            stem.expire(bound)
        for _ in range(len(self._unindexed)):
            self._drop_ended()

    @property
    def held(self) -> int:
        """How many rows it has; what waits to be indexed may be there twice."""
        waiting = sum(part.size for part in self._unindexed)
        return waiting + sum(stem.n for stem in self._indexed.values())

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays and indexes."""
        waiting = sum(part.held.nbytes for part in self._unindexed)
        return waiting + sum(stem.nbytes for stem in self._indexed.values())

    def rows(self) -> Iterator[Rows]:
        """All rows with the names of their elements, (n, arity + 3), as they lie."""
        for part in self._unindexed:
            yield part.rows
        for stem in self._indexed.values():
            yield stem.content()


_MOST_TERMS: Final = 1 << 16
"""No atom has more arguments."""


def _after_ends(facts: Rows, cells: Column | int) -> Column:
    most = POS_INF - 1
    ends: Column = facts[:, -1] + (
        min(cells, most) if isinstance(cells, int) else np.minimum(cells, most)
    )
    return ends


def _without_names(rows: Rows) -> tuple[Rows, Column]:
    facts = np.ascontiguousarray(np.delete(rows, -3, axis=1))
    return facts, np.ascontiguousarray(rows[:, -3])


_MANY: Final = 1024
"""So many rows are worth a store of their own, in which they take a third or half of the bytes."""


def _packed(rows: Rows) -> Rows | kernels.FactStore:
    if len(rows) < _MANY:
        return rows
    store = kernels.FactStore(rows.shape[1] - 2)
    try:
        store.fill(rows)
    except OverflowError:
        return rows
    return store


def _with_names(facts: Rows, names: Column | None) -> Rows:
    return append_term(facts, 0 if names is None else names)


def of_relation(relation: Relation, state: State) -> State:
    """A state that says of which relation it is."""
    by: State = {"by": relation.by} if isinstance(relation, Part) else {}
    return {"op": relation.op, "arity": relation.arity, **by, **state}


def saved_relation(given: StateReader) -> Relation:
    """The relation that a state says."""
    op, arity = given.text("op"), given.integer("arity", 0, _MOST_TERMS)
    return (
        Part(op, arity, given.integer("by", 0, arity - 1)) if "by" in given else Relation(op, arity)
    )
