"""The tracker of a run: it follows evidence and answers, and reports what is possible.

The network keeps evidence as rows. A row belongs to an *entry*, a fact with its hypotheses, until
it is retracted or what is missing can come no more. Entries of one fact are compared with each
other, and with the answers that are certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rete.arrays.delta import NEG_INF, Column, Rows, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Relation
from temporal.hypothetical.live_entries import BITS, LiveEntries
from temporal.hypothetical.ranking.top_k import END_OF_INPUT, dropped_reason
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness, UnitProspects
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask
from temporal.hypothetical.rif_rules.entries.evidence_store import (
    ENTRY,
    HELD,
    EvidenceStore,
    FactEvidence,
)
from temporal.hypothetical.rif_rules.entries.fact_entries import (
    CertainAnswers,
    CertainInstances,
    EntryRanking,
    FactEntries,
    RankedEntry,
)
from temporal.hypothetical.rif_rules.entries.hypothesis_sets import HypothesisSets
from temporal.hypothetical.rif_rules.entries.subsumption import Comparison
from temporal.hypothetical.rif_rules.reports.report_writer import (
    FactChanges,
    ReportWriter,
    StampChanges,
)
from temporal.hypothetical.rif_rules.reports.row_lists import RowLister
from temporal.hypothetical.rif_rules.reports.status_reports import (
    NEEDLESS,
    NO_REASON,
    TEXT,
    Status,
    StatusReport,
    StatusReports,
)
from temporal.hypothetical.rif_rules.rewriting.program_rewriting import (
    EvidenceRules,
    HypothesisOptions,
)


class PossibleAnswerTracker:
    """Follows possible answers; it is the observer of a core.

    Its reports say of a fact that it is supported by evidence, confirmed, or withdrawn. They are
    made once for all that arrives while one stamp is the largest; many stamps are written at once,
    if there is more input already. The state that is reported is that before the element with which
    the largest stamp, ``at``, grows.
    """

    def __init__(
        self,
        evidence_rules: EvidenceRules,
        terms: Dictionary,
        delays: UnitLateness,
        labels: Sequence[str | int],
        options: HypothesisOptions,
    ) -> None:
        """Begin, with the rules that were added to the program, and the labels of all rules."""
        self._prefixes = evidence_rules.prefixes
        self._terms = terms
        self._labels = labels
        prospects = UnitProspects(options.chances, delays)
        readers, hypothetical = (
            [EvidenceReader(*each, terms, prospects) for each in enumerate(shapes)]
            for shapes in (evidence_rules.shapes.values(), evidence_rules.hypothetical)
        )
        self._store = EvidenceStore(readers, delays, terms)
        self._facts = self._store.facts
        self._hypothetical = HypothesisSets(hypothetical, self._store)
        self._comparison = Comparison(self._store)
        self._ranking = EntryRanking(self._store, prospects, options.most)
        self._open = LiveEntries(self._facts.width)
        self._none = np.empty((0, self._facts.width), np.int64)
        self._touched: list[Rows] = []
        self._gained: list[Rows] = []
        self._retracted: list[Rows] = [np.empty((0, 3), np.int64)]
        self._stamps: list[StampChanges] = []
        self._late_before: Sequence[int] = ()
        self.at = NEG_INF
        self._entries = 0

    def attach(self, layers: Layers) -> None:
        """Attach to ``layers``; once, before all else."""
        self._certain = CertainAnswers(layers, self._store)
        self._hypothetical.attach(layers)
        lister = RowLister(self._store, layers, self._prefixes)
        self._writer = ReportWriter(lister, self._ranking, self._labels)

    def reads(self, relation: Relation) -> bool:
        """Are facts of the relation evidence, and no answers?"""
        return self._store.reads(relation) or self._hypothetical.reads(relation)

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table gained ``rows``: of evidence, or of answers."""
        number = self._note(table, rows)
        if number is not None and len(self._schematic(number)):
            facts = self._facts.rows(number, rows[:, :-2])
            self._gained.append(np.column_stack([facts, rows[:, -2:]]))

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table lost ``rows``."""
        self._note(table, rows)

    def take_back(self, relation: Relation, rows: Rows) -> None:
        """Facts are asserted no longer."""
        if relation == TRIPLES:
            self._retracted.append(rows[:, :3])

    def _note(self, table: FactTable, rows: Rows) -> int | None:
        """Note what came or went; of facts that may be possible the number of their relation."""
        if self._store.reads(table.relation):
            self._store.note(table, rows)
            return None
        if self._hypothetical.reads(table.relation):
            self._hypothetical.note(table.relation, rows)
            return None
        number = self._facts.number(table.relation)
        if number is not None:
            self._touched.append(self._facts.rows(number, rows[:, :-2]))
        return number

    def _schematic(self, number: int) -> Rows:
        """The open facts with free variables of a relation, by its number."""
        facts = self._open.rows[:, : self._facts.width]
        return facts.compress((facts < 0).any(axis=1) & (facts[:, 0] == number), axis=0)

    def reach(self, last: int, late_bounds: Sequence[int]) -> None:
        """An element comes and the largest stamp is ``last``: the stamp before ends.

        Elements were late below ``late_bounds``, in ticks, so far; the frontier is the last.
        """
        if last <= self.at:
            return
        if self.at > NEG_INF:
            self._late_before = late_bounds
        self.close()
        self.at = last

    def completed(self, late_bounds: Sequence[int]) -> None:
        """An element is complete; others are late below ``late_bounds`` from now on."""
        self._late_before = late_bounds

    def close(self) -> None:
        """Note the reports on all input so far, for the next `take`.

        Costs a few operations if no fact changed, otherwise some hundreds, and those of each fact.
        """
        if self.at == NEG_INF:
            return
        self._settle()
        self._report()
        self._store.forget()
        self._hypothetical.forget()
        self._touched.clear()
        self._gained.clear()
        del self._retracted[1:]

    def _settle(self) -> None:
        """Apply what came and went."""
        self._store.settle(self._late_before)
        self._hypothetical.settle()
        self._certain.frontier = int(self._store.late_bounds[-1])
        self._touched += self._certain.ended()

    def take(self) -> StatusReports | None:
        """The reports of the stamps since the last call, in order; None: there are none."""
        if not self._stamps:
            return None
        kept = self._ranking.kept
        text = "" if kept is None else dropped_reason(kept.most)
        reports = self._writer.reports(self._stamps, text)
        self._stamps.clear()
        return reports

    def _report(self) -> None:
        """Note what is to be reported on the facts that may have changed."""
        evidence, opened = self._changed()
        facts = evidence.facts
        if not len(facts):
            return
        found = self._entries_of(evidence)
        held, excess = self._held(found)
        new = held & ~found.was_held
        found.numbers[new] = self._numbered(found.numbers[new])
        is_open = opened >= 0
        instances = self._certain_instances(found, is_open)
        confirmed = np.zeros(len(facts), np.bool_)
        confirmed[instances.fact] = True
        ended = is_open & ~confirmed & ~found.have(held)
        unheld = opened[:0]
        if self._ranking.kept is not None:
            dropped = ended & found.have(found.minimal)
            unheld, ended = (
                np.append(opened[dropped], self._unheld(excess, facts)),
                ended & ~dropped,
            )
        withdrawn = np.concatenate([opened[ended], unheld])
        parts: list[FactChanges] = []
        if np.count_nonzero(new):
            parts.append(self._supported(found, new))
        if len(instances.fact):
            parts.append(self._confirmed(opened, confirmed, instances))
        if len(withdrawn):
            parts.append(self._withdrawn(found, ended, withdrawn))
        found.mark(self._store, held)
        if not parts:
            return
        stamp = self._writer.changes(self.at, parts, np.concatenate(self._retracted))
        self._stamps.append(stamp)
        self._open.kill(np.concatenate([opened[confirmed], withdrawn]))
        self._show(self._writer.supported(stamp.changes))

    def drain(self) -> StatusReports:
        """The reports at the end of the input: what is open is withdrawn. Call `take` before."""
        opened = self._open.find(self._open.rows[:, : self._facts.width])
        left = self._bare(Status.WITHDRAWN, opened)
        stamp = self._writer.changes(self.at, [left], self._retracted[0])
        reports = self._writer.reports([stamp], END_OF_INPUT)
        self._open.kill(opened)
        return reports

    def possible(self) -> list[StatusReport]:
        """The minimal entries by all input so far, by the texts of facts and of what they wait for.

        With a cap those that would be held if the largest stamp ended here.
        """
        if self._late_before:
            self._settle()
        rows = (self._store.live.rows, *self._store.lost)
        facts = self._distinct(map(self._store.facts_of, rows))
        found = self._entries_of(self._store.of_facts(facts))
        held = found.minimal
        if self._ranking.kept is not None:
            held = np.zeros_like(held)
            held[self._ranking.best(self._ranked(found), self.at)] = True
        stamp = self._writer.changes(self.at, [self._supported(found, held)], self._retracted[0])
        return [*self._writer.reports([stamp], "")]

    @property
    def waiting(self) -> int:
        """The number of stamps whose reports were not taken."""
        return len(self._stamps)

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped, as there were too many."""
        return 0 if self._ranking.kept is None else self._ranking.kept.dropped

    @property
    def held(self) -> Column:
        """The ids of what is held."""
        facts = [self._open.rows[:, : self._facts.width], *self._touched]
        others = [*self._retracted]
        for each in self._stamps:
            facts.append(each.changes.facts)
            others += np.maximum(self._store.values(each.changes.rows), 0), each.retracted
        parts = map(self._facts.ids, facts)
        ids = self._store.object_ids, self._hypothetical.object_ids
        return np.concatenate([*ids, *parts, *map(np.ravel, others)])

    def _distinct(self, parts: Iterable[Rows]) -> Rows:
        facts = concat([*parts, self._none])
        if len(facts) > 1:
            facts = facts.take(self._terms.distinct(facts)[0], axis=0)
        return facts

    def _changed(self) -> tuple[FactEvidence, Column]:
        """The facts that may have changed since the last report.

        And per fact its position among the open ones, or -1.
        """
        changed, noted = self._store.changed, [*self._touched, *self._hypothetical.changed]
        numbers = {int(each[0, 0]) for each in self._gained if len(each)}
        facts = concat([*changed, *noted, *map(self._schematic, numbers), self._none])
        firsts = self._terms.distinct(facts)[0]
        if len(firsts) < len(facts):
            facts = facts.take(firsts, axis=0)
        evidence, opened = self._store.of_facts(facts), self._open.find(facts)
        # An answer that came or went is of no interest if it was never possible.
        known = (firsts < sum(map(len, changed))) | (opened >= 0)
        known[evidence.fact] = True
        if np.count_nonzero(known) < len(known):
            evidence, opened = evidence.only(known), opened[known]
        return evidence, opened

    def _entries_of(self, evidence: FactEvidence) -> FactEntries:
        compared = self._certain, self._comparison, self._hypothetical
        return FactEntries.of(evidence, self._store, *compared)

    def _held(self, found: FactEntries) -> tuple[Mask, list[Rows]]:
        """Which entries are held; and facts that lose another one for that."""
        if self._ranking.kept is None:
            return found.minimal, []
        eligible = found.eligible
        found.numbers[eligible] = self._numbered(found.numbers[eligible])
        left = found.numbers[found.was_held].tolist()
        excess = self._ranking.settle(self._ranked(found), left, self.at)
        return eligible & self._ranking.holds(found.numbers), excess

    def _ranked(self, found: FactEntries) -> list[RankedEntry]:
        """The entries that compete for a place under the cap."""
        some = found.live(found.eligible)
        return self._writer.ranked(found.rows.take(some, axis=0), found.entry[some], found.numbers)

    def _numbered(self, numbers: Column) -> Column:
        """Numbers for the entries that have none."""
        new = numbers == 0
        count = int(np.count_nonzero(new))
        numbers[new] = np.arange(self._entries + 1, self._entries + count + 1)
        self._entries += count
        return numbers

    def _certain_instances(self, found: FactEntries, is_open: Mask) -> CertainInstances:
        """The instances, of open facts that are certain now, that are certain; if any are."""
        ground = np.flatnonzero(is_open & found.certain)
        facts = found.facts
        if not self._gained:
            return CertainInstances(ground, facts[ground])
        schematic = np.flatnonzero(is_open & (facts < 0).any(axis=1))
        gained = np.concatenate(self._gained)
        more = self._certain.instances(facts[schematic], gained)
        return CertainInstances(
            np.append(ground, schematic[more.fact]),
            np.concatenate([facts[ground], more.instances]),
        )

    def _confirmed(
        self, opened: Column, confirmed: Mask, instances: CertainInstances
    ) -> FactChanges:
        """The facts that are certain now, with the derivations that came."""
        bare = self._bare(Status.CONFIRMED, opened[confirmed])
        rows = np.concatenate([self._store.nothing[:0], *self._store.complete])
        fact, place = instances.among(self._store.facts_of(rows))
        rules = np.zeros(len(opened), np.int64)
        for number in {*instances.fact.tolist()} - {*fact.tolist()}:
            own = instances.instances[instances.fact == number]
            rules[number] = min(self._certain.rule(own[[each]]) for each in range(len(own)))
        of = (confirmed.cumsum() - 1)[fact]
        return replace(bare, rules=rules[confirmed], rows=rows.take(place, axis=0), of=of, entry=of)

    def _bare(self, status: Status, opened: Column) -> FactChanges:
        """Open facts that come to a status, without evidence; the reason is the text of reports."""
        rows, none = self._open.at(opened), opened[:0]
        facts, zeros = rows[:, : self._facts.width], np.zeros(len(rows), np.int64)
        kinds = zeros + (TEXT if status == Status.WITHDRAWN else NO_REASON)
        given = facts, rows[:, BITS], zeros, kinds, self._store.nothing[:0]
        return FactChanges(zeros + status, *given, none, none)

    def _supported(self, found: FactEntries, entries: Mask) -> FactChanges:
        """The facts of some entries, with the live rows of these."""
        some = found.live(entries)
        firsts, of = self._terms.distinct(found.entry[some][:, None])
        facts, zeros = found.facts[found.fact[some[firsts]]], np.zeros(len(firsts), np.int64)
        statuses = zeros + Status.SUPPORTED
        kinds = zeros + NO_REASON
        rows = found.rows.take(some, axis=0)
        return FactChanges(statuses, facts, zeros, zeros, kinds, rows, of, of)

    def _withdrawn(self, found: FactEntries, ended: Mask, opened: Column) -> FactChanges:
        """Facts without an entry: first those that have ``ended``, with the rows that went.

        If rows are left, a set without evidence makes them needless.
        """
        left = len(found.positions)
        some = left + ended[found.fact[left:]].nonzero()[0]
        of, bare = (ended.cumsum() - 1)[found.fact[some]], self._bare(Status.WITHDRAWN, opened)
        bare.kinds[: np.count_nonzero(ended)][found.have(np.ones_like(found.minimal))[ended]] = (
            NEEDLESS
        )
        return replace(bare, rows=found.rows.take(some, axis=0), of=of, entry=found.entry[some])

    def _unheld(self, facts: Sequence[Rows], changed: Rows) -> Column:
        """The facts without entries, of those that lost one to others; no ``changed`` ones."""
        found: list[Rows] = []
        for fact in self._distinct(facts)[:, None]:
            if (changed == fact).all(axis=1).any():
                continue
            positions = self._store.of_facts(fact).positions
            rows = self._store.live.at(positions)
            held = (rows[:, BITS] & HELD > 0) & self._ranking.holds(rows[:, ENTRY])
            bits = np.where(held, rows[:, BITS], rows[:, BITS] & ~HELD)
            self._store.live.mark(positions, bits, rows[:, ENTRY])
            if not held.any():
                found.append(fact)
        opened = self._open.find(self._distinct(found))
        # A fact with free variables that an instance confirmed has entries, but is not open.
        return opened[opened >= 0]

    def _show(self, rows: Rows) -> None:
        """Facts are open, as they were supported by ``rows``, of new entries in their order."""
        if not len(rows):
            return
        facts, last = self._store.facts_of(rows), rows[:, 0]
        if len(rows) > 1:
            firsts, which = self._terms.distinct(facts)
            facts, last = facts[firsts], np.zeros(len(firsts), np.int64)
            np.maximum.at(last, which, rows[:, 0])
        self._open.put(self._open.find(facts), facts, last, 0, 1)
