"""Assertions: facts enter the network and the base table, and are retracted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from r4.program.program import INPUT, SPELLED, Program
from r4.stream.batch import Batch
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, distinct
from rete.inference.inference_engine import InferenceEngine
from rete.network.network import Network
from rete.storage.base_table import BaseTable
from rete.storage.row_algebra import append_term, begin_at
from rete.terms.equality_classes import StaticTriples
from rete.terms.relations import ABOUT_ELEMENTS, NAMED, STAMPED, TRIPLES, Relation

RetractionListener: TypeAlias = Callable[[Relation, Rows], None]
"""Called with the facts of a relation that are asserted no longer."""
Validity: TypeAlias = tuple[Column, Column]
"""Of facts, (n,) each: the cells in which they begin to hold and cease to hold."""


class PermanentEquality(ValueError):
    """A static triple cannot end: its owl:sameAs has made two terms one for ever."""

    code: ClassVar[str] = "R4602"

    def __init__(self, triple: Sequence[str]) -> None:
        super().__init__(
            f"{self.code} {' '.join(triple)}: static data say that a term of it is equal to"
            " another, which cannot end; add such equality as an element, not as static data"
        )


class Assertions:
    """Asserts facts and retracts them.

    Attributes:
        without_effect: names and triples to be retracted that were not there.
        withdrawn: how much was retracted since terms were last swept; at least 1 where facts hold
            for ever, as terms computed from them on the way may stand in no row.
        looks_back: whether rules have metric operators, so that facts are lost whole, the part
            before the frontier included.
        lag: how many cells after an instant its answers are final. What is retracted counts for
            the instants before the frontier, so it waits until these are.
        waits: whether it does.
        retracted_early: how many facts did not wait, though earlier answers were not final.
        waiting: the frontiers, (n,) cells, from which on facts are retracted that wait.
        stamped, named: whether rules read the times of elements, or their names.
    """

    def __init__(
        self,
        inference: InferenceEngine,
        on_retraction: RetractionListener | None = None,
        *,
        state: bool,
    ) -> None:
        """Start with no facts; with ``state`` triples are facts of `INPUT` as well."""
        self._inference = inference
        self._layers = inference.layers
        self._terms = inference.terms
        self._on_retraction = on_retraction
        self._state = state
        self.without_effect = 0
        self.withdrawn = 0
        self.looks_back = False
        self.lag = 0
        self.waits = True
        self.retracted_early = 0
        self.stamped = self.named = False
        self.waiting: Column = np.empty(0, np.int64)

    @property
    def base(self) -> BaseTable:
        """The base table; only where facts may be retracted."""
        assert self._layers.base_table is not None
        return self._layers.base_table

    def enter(self, relation: Relation, facts: Rows, names: Column | None = None) -> None:
        """Assert facts, (n, arity + 2), of elements with these names, (n,)."""
        if self._layers.base_table is not None:
            self._note(relation, facts, names)
        if not self.withdrawn and np.count_nonzero(facts[:, -1] == POS_INF):
            self.withdrawn = 1
        self._inference.push(relation, facts)

    def _note(self, relation: Relation, facts: Rows, names: Column | None) -> None:
        known, same, bound = facts, self._layers.classes, self._inference.bound
        if relation == TRIPLES and same:
            known = same.of(facts)
            if names is not None:
                several = same.are_equal_to_others(facts[:, :3])
                self.base.add(SPELLED, facts[several], names[several], bound)
        self.base.add(relation, known, names, bound)

    def triples(self, rows: Rows, lo: Column, hi: Column, names: Column | None = None) -> None:
        """Assert triples, (n, 3), that hold from ``lo`` to ``hi``, of elements with these names."""
        if len(rows):
            facts = np.empty((len(rows), 5), np.int64)
            facts[:, :3] = rows
            facts[:, 3] = lo
            facts[:, 4] = hi
            self.enter(TRIPLES, facts, names)
            if self._state:
                self.enter(INPUT, facts, names)
            if names is not None and (self.stamped or self.named):
                self._enter_events(facts, names)

    def _enter_events(self, facts: Rows, names: Column) -> None:
        """Assert what elements say once more, with its time and with the name of its element."""
        some = names != 0
        if not some.all():
            facts, names = facts[some], names[some]
        if self.named and len(facts):
            self.enter(NAMED, append_term(facts, names), names)
        if self.stamped and len(facts):
            cells = np.ascontiguousarray(facts[:, -2:-1])
            firsts, places = self._terms.distinct(cells)
            term = self._terms.clock.term
            instants = (cells[firsts, 0] // 2).tolist()
            stamps = self._terms.encode_many([term(instant) for instant in instants])
            stamped = append_term(facts, stamps[places])
            self._terms.touch(stamped[:, 3:4], np.ascontiguousarray(stamped[:, -1]))
            self.enter(STAMPED, stamped, names)

    def arrive(self, relation: Relation, facts: Rows, name: int) -> None:
        """Assert facts, (n, arity + 2), derived by another shard, for which ``name`` stands."""
        self._terms.touch(facts[:, :-2], facts[:, -1].copy())
        self.enter(relation, facts, np.full(len(facts), name))

    def depart(self, relation: Relation, facts: Rows, name: int) -> None:
        """Retract facts of such a shard, in exactly these cells; of instances all that begin so."""
        self._lose([(relation, self.base.cut(relation, facts, name, self._inference.bound))])

    def facts_of(self, program: Program, since: int, *, keep: bool = False) -> None:
        """Assert the facts among the rules of ``program``, from the cell ``since`` on.

        With ``keep`` they stand in the base table from the first on.
        """
        for relation, texts, number in program.facts:
            ids = self._terms.encode_many(texts)
            self._terms.pin(ids)
            fact = np.array([[*ids.tolist(), since, POS_INF]], np.int64)
            names = np.array([-number])
            self.enter(relation, fact, names)
            if keep:
                fact[0, -2] = NEG_INF
                self._note(relation, fact, names)

    def raise_statics(self, statics: StaticTriples) -> None:
        """Pass static data, closed under the background, to all rules of the user."""
        for network in self._layers.user_networks:
            self._inference.start(network)
        for part in statics.seal():
            facts = self._layers.classes.expand(part)
            for network in self._layers.user_networks:
                self._inference.repeat(network, TRIPLES, facts)

    def repeat(self, network: Network, since: int = NEG_INF) -> None:
        """Pass to ``network``, which was added, what is asserted or derived already.

        Of that what holds at the cell ``since`` or later; no fact begins before it.
        """
        for relation, found in [*self.base.content(), *self._layers.facts()]:
            rows = found[found[:, -1] > since]
            if since > NEG_INF and not self.base.instances:
                rows = begin_at(rows, since)
            same = self._layers.classes
            facts = same.expand(same.of(rows)) if relation == TRIPLES else rows
            self._inference.repeat(network, relation, facts)

    def end_static(self, rows: Rows) -> int:
        """Let triples, (n, 3), that no element asserts hold up to the frontier, and no longer.

        Returns how many of them, each once, were there. What holds before the frontier stays, so
        nothing waits: no answer that is final depends on what holds after that.

        Raises:
            PermanentEquality: one has a term that is equal to another for ever.
        """
        bound, base = self._inference.bound, self.base
        rows = np.unique(rows, axis=0)
        equal = rows[self._layers.classes.are_equal_to_others(rows)]
        if len(equal):
            raise PermanentEquality(self._terms.decode_many(equal[0]))
        ended, lost = 0, []
        for relation in base.relations:
            if relation.undivided not in {TRIPLES, INPUT}:
                continue
            known = self._layers.classes.of(rows) if relation == TRIPLES else rows
            named = np.insert(known, 3, 0, axis=1)
            stored = base.named(relation, named)
            stored = stored[stored[:, -1] == POS_INF]
            if relation == TRIPLES:
                ended = len(stored)
            if base.instances:
                lost.append((relation, base.retract_rows(relation, named, bound)))
            else:
                facts = np.delete(stored, 3, axis=1)
                np.maximum(facts[:, -2], bound, out=facts[:, -2])
                lost.append((relation, base.cut(relation, facts, 0, bound)))
        self._lose(lost)
        return ended

    def retract_batch(self, batch: Batch) -> None:
        """Retract what a batch retracts, and count what is not there."""
        names = distinct(batch.retracted_names)
        self.without_effect += len(names) - self.known(names)
        self.retract(names)
        if len(batch.retracted_rows):
            rows = np.unique(batch.retracted_rows, axis=0)
            self.without_effect += len(rows) - self.known_rows(rows)
            self.retract_rows(rows)
        if len(batch.ended_rows):
            self.end_rows(batch.ended_rows)

    def end_rows(self, rows: Rows) -> None:
        """End triples of elements, (n, 5): s, p, o, the name and the tick; what was before stays.

        No tick is before the frontier, so no answer that is final depends on what is lost.
        """
        self._inference.run()
        base, bound = self.base, self._inference.bound
        for relation in base.relations:
            if relation.undivided not in {TRIPLES, INPUT, SPELLED, *ABOUT_ELEMENTS}:
                continue
            known = self._layers.classes.of(rows, 3) if relation == TRIPLES else rows
            known, cells = np.ascontiguousarray(known[:, :-1]), 2 * known[:, -1]
            if not base.instances:
                self._lose([(relation, base.end(relation, known, cells, bound))])
                continue
            found, rest = base.shortened(relation, known, cells)
            rest = rest[rest[:, -2] < rest[:, -1]]
            self._lose([(relation, base.retract_rows(relation, found[:, :-2], bound))])
            facts, names = np.delete(rest, -3, axis=1), np.ascontiguousarray(rest[:, -3])
            if relation == SPELLED:
                base.add(relation, facts, names, bound)
            else:
                self.enter(relation, facts, names)

    def known(self, names: Column) -> int:
        """How many of ``names``, each once, assert something."""
        return self.base.known(names, self._inference.bound)

    def known_rows(self, rows: Rows) -> int:
        """The same of single triples with the names of their elements, (n, 4), each once."""
        several = self._layers.classes.are_equal_to_others(rows[:, :3])
        bound = self._inference.bound
        known = self.base.known_rows(TRIPLES, rows[~several], bound)
        return known + self.base.known_rows(SPELLED, rows[several], bound)

    def has_rows(self, rows: Rows) -> bool:
        """Whether any of these triples of elements, (n, 4), is asserted."""
        return self.known_rows(np.unique(rows, axis=0)) > 0

    def retract(self, names: Column) -> int:
        """Retract what elements of these names assert; how many facts that were.

        What has no name (0) is never retracted: static data, facts of rules.
        """
        bound = self._inference.bound
        oldest = self.base.oldest(bound)
        return self._withdraw(self.base.retract(names[names != 0], bound, self._heir, oldest))

    def retract_rows(self, rows: Rows) -> int:
        """Retract single triples with the names of their elements, (n, 4); how many facts."""
        bound, base, heir = self._inference.bound, self.base, self._heir
        oldest = base.oldest(bound)
        base.retract_rows(SPELLED, rows, bound, heir, oldest=oldest)
        lost = []
        for relation in base.relations:
            if relation == TRIPLES:
                known = self._layers.classes.of(rows, 3)
                found = base.retract_rows(
                    *(relation, known, bound, heir), but=self._spelled(known), oldest=oldest
                )
                lost.append((relation, found))
            elif relation.undivided in {TRIPLES, INPUT, *ABOUT_ELEMENTS}:
                found = base.retract_rows(relation, rows, bound, heir, oldest=oldest)
                lost.append((relation, found))
        return self._withdraw(lost)

    @property
    def _heir(self) -> int | None:
        """In whose name facts are asserted that are to be retracted later; None: now.

        By the frontier.
        """
        return self.base.heirs.name(self._inference.bound) if self.waits and self.is_early else None

    @property
    def is_early(self) -> bool:
        """Whether answers before the frontier are not final."""
        return self.lag > 0 and self._inference.bound > NEG_INF

    def retract_waiting(self) -> None:
        """Retract what has waited longest, as all before its frontier is final."""
        since, self.waiting = int(self.waiting[0]), self.waiting[1:]
        self._lose(self.base.retract(np.array([self.base.heirs.take(since)]), since))

    def retract_facts_of(self, rules: Iterable[int]) -> None:
        """Retract the facts among the rules of these numbers."""
        names = np.array([-rule for rule in rules], np.int64)
        self._lose(self.base.retract(names, self._inference.bound))

    def _spelled(self, known: Rows) -> Rows:
        """The triples, (m, 6), asserted with other terms of the classes of ``known``, (n, 4)."""
        same = self._layers.classes
        return same.of(self.base.named(SPELLED, same.expand(known, 3)), 3)

    def _withdraw(self, lost: Iterable[tuple[Relation, Rows]]) -> int:
        """Lose facts, or let them wait if they have an heir; how many."""
        if self._heir is None:
            count = self._lose(lost)
            self.retracted_early += count if self.is_early else 0
            return count
        self.waiting = np.union1d(self.waiting, self._inference.bound)
        return self._number(lost)

    def _lose(self, lost: Iterable[tuple[Relation, Rows]]) -> int:
        """Lose facts that are asserted no longer, from the frontier on; how many."""
        self._inference.run()
        self.withdrawn += 1  # what is asserted by others still, too, loses a name at least
        cut = self.base.whole and not self.looks_back
        lost = list(lost)
        for relation, whole in lost:
            facts = begin_at(whole, self._inference.bound) if cut else whole
            if len(facts) and relation != SPELLED:
                self.withdrawn += len(facts)
                if self._on_retraction is not None:
                    self._on_retraction(relation, facts)
                self._inference.withdraw(relation, facts)
        self._inference.run()
        return self._number(lost)

    def _number(self, lost: Iterable[tuple[Relation, Rows]]) -> int:
        """How many triples are lost that rules still read at the frontier or later, each once."""
        some = [
            facts[self.base.matter(relation, facts, self._inference.bound), :-2]
            for relation, facts in lost
            if relation.undivided == TRIPLES and len(facts)
        ]
        first, _ = self._terms.distinct(np.concatenate(some)) if some else ((), ())
        return len(first)


def always_valid(count: int) -> Validity:
    """The validity of ``count`` facts that always hold."""
    return np.full(count, NEG_INF), np.full(count, POS_INF)


def valid_cells(program: Program, start: Column, end: Column) -> Validity:
    """The validity of facts from ``start`` to ``end``, in ticks; without an end the window's."""
    window, lo = program.window, 2 * start
    if window is not None:
        unended = np.minimum(lo + 2 * window, POS_INF)
    else:
        unended = lo + 1 if program.metric else np.full(len(end), POS_INF)
    given = end != NO_END
    if not np.count_nonzero(given):
        return lo, unended
    return lo, np.where(given, 2 * np.minimum(end, POS_INF // 2), unended)
