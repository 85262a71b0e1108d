"""The tracker of a run: it follows evidence and answers, and reports what is possible.

The network keeps evidence as rows. A row belongs to an entry, a fact with its hypotheses, until it
is retracted or what is missing can come no more. Entries of one fact are compared with each other,
and with the answers that are certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain

from r4.possible.arrival_chances import UnitLateness, UnitProspects
from r4.possible.rewriting.program_rewriting import EvidenceRules, HypothesisOptions
from r4.possible.tracking.answer_writer import AnswerWriter
from r4.possible.tracking.certain_answers import CertainAnswers
from r4.possible.tracking.evidence_reader import EvidenceReader, last_ticks
from r4.possible.tracking.evidence_store import EvidenceStore
from r4.possible.tracking.live_entries import EntryGroup, EvidenceRow, LiveEntry, SchematicFact
from r4.possible.tracking.possible_answers import END_OF_INPUT, PossibleAnswer, Status, StatusReport
from r4.possible.tracking.subsumption import Values
from r4.possible.tracking.top_k import EntryTopK, likeliest
from r4.possible.tracking.withdrawals import WithdrawalReasons
from r4.time.ticks import Tick
from rete.arrays.delta import Column, Rows
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Relation
from temporal.ranking.top_k import dropped_reason


class PossibleAnswerTracker:
    """Follows possible answers; it is the observer of a core.

    Its reports say of a fact that it is supported by evidence, confirmed, or withdrawn.
    """

    def __init__(
        self,
        evidence_rules: EvidenceRules,
        terms: Dictionary,
        delays: UnitLateness,
        labels: Sequence[str | int],
        options: HypothesisOptions,
    ) -> None:
        """Begin.

        Args:
            evidence_rules: the rules that were added to the program.
            terms: the dictionary of all ids.
            delays: how late units may come.
            labels: of all rules.
            options: what is requested.
        """
        self._evidence_rules = evidence_rules
        self._terms = terms
        self._delays = delays
        self._labels = labels
        self._options = options
        self._prospects = prospects = UnitProspects(options.chances, delays)
        readers = [
            EvidenceReader(number, shape, terms, delays, prospects)
            for number, shape in enumerate(evidence_rules.shapes.values())
        ]
        self._store = EvidenceStore(readers, len(delays.levels))
        self._retracted: set[Values] = set()

    def attach(self, layers: Layers) -> None:
        """Attach to ``layers``; once, before all else."""
        prefixes = self._evidence_rules.prefixes
        self._certain = CertainAnswers(layers)
        self._writer = AnswerWriter(layers, self._terms, self._delays, self._labels, prefixes)
        self._reasons = WithdrawalReasons(self._writer)
        most = self._options.most
        self._top_k = None if most is None else EntryTopK(most, self._prospects, self._writer)

    def reads(self, relation: Relation) -> bool:
        """Are facts of the relation evidence, and no answers?"""
        return self._store.reads(relation)

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table gained ``rows``: of evidence, or of answers."""
        if self.reads(table.relation):
            self._store.gain(table, rows)
        else:
            self._note_answers(table.relation, rows)
            self._note_instances(table.relation, rows)

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table lost ``rows``."""
        if self.reads(table.relation):
            self._store.lose(table, rows)
        else:
            self._note_answers(table.relation, rows)

    def take_back(self, relation: Relation, rows: Rows) -> None:
        """Facts are asserted no longer."""
        if relation == TRIPLES:
            self._retracted.update(map(tuple, rows[:, :3].tolist()))

    def _note_answers(self, relation: Relation, rows: Rows) -> None:
        """Note that answers came or went: groups of these facts have changed."""
        store = self._store
        if not store.groups:
            return
        for args in map(tuple, rows[:, :-2].tolist()):
            group = store.groups.get(SchematicFact(relation, args))
            if group is not None:
                store.changed[group] = None

    def _note_instances(self, relation: Relation, rows: Rows) -> None:
        """Note the answers that came and are instances of supported facts with free variables."""
        store = self._store
        open_groups = [group for group in store.schematic.get(relation, ()) if group.is_open]
        if not open_groups:
            return
        for args, last in zip(rows[:, :-2].tolist(), last_ticks(rows).tolist(), strict=True):
            for group in open_groups:
                if group.fact.matches(tuple(args)):
                    group.note(tuple(args), last)
                    store.changed[group] = None

    def settle(self, late_bounds: Sequence[Tick]) -> None:
        """Apply what came and went; elements are late below ``late_bounds``, the frontier last."""
        store = self._store
        store.settle(late_bounds)
        self._certain.reach(int(store.late_bounds[-1]))
        self._writer.forget()
        for fact in self._certain.ended():
            if fact in store.groups:
                store.changed[store.groups[fact]] = None

    def report(self, at: Tick) -> list[StatusReport]:
        """The reports on all that was settled while ``at`` was the largest stamp."""
        minimal = self._minimal(self._store.changed)
        held = minimal if self._top_k is None else self._top_k.drop_excess(minimal, at)
        new = (entry for group, some in held.items() for entry in some if entry not in group.held)
        self._writer.look_up(chain(*(e.rows for e in new), *self._store.complete.values()))
        reports = (
            self._report(group, minimal.get(group, group.minimal), some, at)
            for group, some in held.items()
        )
        found = _sorted(chain.from_iterable(reports))
        self._store.forget()
        self._retracted.clear()
        return found

    def _report(
        self, group: EntryGroup, minimal: Iterable[LiveEntry], held: Sequence[LiveEntry], at: Tick
    ) -> Iterator[StatusReport]:
        """The reports on a group with these minimal entries, of which some are held."""
        confirmed = self._confirming(group) if group.is_open else None
        if confirmed is not None:
            group.is_open = False
            yield StatusReport(Status.CONFIRMED, at, confirmed)
        elif group.is_open and not held:
            group.is_open = False
            yield self._withdrawn(group, at, is_dropped=any(True for _ in minimal))
        before, group.minimal = group.held, dict.fromkeys(minimal)
        all_held = len(held) == len(group.minimal)
        group.held = group.minimal if all_held else dict.fromkeys(held)
        for entry in held:
            if entry not in before:
                group.is_open = True
                possible, group.row = self._possible(group, entry, at)
                yield StatusReport(Status.SUPPORTED, at, possible)

    def _withdrawn(self, group: EntryGroup, at: Tick, *, is_dropped: bool) -> StatusReport:
        """The report that no entry of a group is held: all were dropped, or none is possible."""
        if is_dropped:
            assert self._options.most is not None
            return StatusReport(
                Status.WITHDRAWN, at, self._bare(group, 0), dropped_reason(self._options.most)
            )
        reason, rule = self._reasons.of(group, self._store.late_bounds, self._retracted)
        return StatusReport(Status.WITHDRAWN, at, self._bare(group, 0, rule), reason)

    def _possible(
        self, group: EntryGroup, entry: LiveEntry, at: Tick
    ) -> tuple[PossibleAnswer, EvidenceRow]:
        """An entry with its best evidence, and the row of that."""
        rows, confidence = likeliest(self._prospects, entry.rows, at)
        row, last = self._writer.best(rows)
        return self._writer.possible(group.fact, row, last, confidence), row

    def drain(self, at: Tick) -> list[StatusReport]:
        """The reports at the end of the input: what is still open is withdrawn."""
        open_ones = [group for group in self._store.groups.values() if group.is_open]
        for group in open_ones:
            group.is_open = False
        return _sorted(
            StatusReport(Status.WITHDRAWN, at, self._bare(group, 0), END_OF_INPUT)
            for group in open_ones
        )

    def possible(self, at: Tick) -> list[PossibleAnswer]:
        """The minimal entries, by the texts of their facts and of what they wait for.

        With a cap those that would be held if what comes with the stamp ``at`` were all in.
        """
        minimal = self._minimal(self._store.groups.values())
        held = minimal if self._top_k is None else self._top_k.best(minimal, at)
        self._writer.look_up(chain(*(entry.rows for some in held.values() for entry in some)))
        found = (
            self._possible(group, entry, at)[0] for group, some in held.items() for entry in some
        )
        return [
            reports.possible
            for reports in _sorted(StatusReport(Status.SUPPORTED, 0, p) for p in found)
        ]

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped, as there were too many."""
        return 0 if self._top_k is None else self._top_k.dropped

    @property
    def held(self) -> Column:
        """The ids of what is held."""
        return self._store.held

    def _minimal(self, groups: Iterable[EntryGroup]) -> dict[EntryGroup, list[LiveEntry]]:
        """The minimal entries of groups: none of a fact that is certain."""
        queried = list(groups)
        self._certain.look_up(group.fact for group in queried if not group.fact.free_count)
        return {
            group: [] if self._is_certain(group.fact) else group.possible() for group in queried
        }

    def _is_certain(self, fact: SchematicFact) -> bool:
        """Is a fact without free variables certain?"""
        return not fact.free_count and self._certain.holds(fact)

    def _confirming(self, group: EntryGroup) -> PossibleAnswer | None:
        """The derivation by which a fact is certain now; None: it is not.

        Of a fact with free variables it is a derivation of an instance, for a time for which the
        instance was not derived at the last report.
        """
        fact = group.fact
        queried = [fact]
        if fact.free_count:
            queried = [
                SchematicFact(fact.relation, args) for args in group.derived(self._certain.frontier)
            ]
        certain = [each for each in queried if self._certain.holds(each)]
        if not certain:
            return None
        complete = self._store.complete
        rows = [row for each in certain for row in complete.get(each, ())]
        if not rows:  # by a rule that is not followed
            return self._bare(group, 1, min(map(self._certain.rule, certain)))
        row = self._writer.least(rows)
        return self._bare(group, 1, row[0].shape.rule, row)

    def _bare(
        self,
        group: EntryGroup,
        confidence: int,
        rule: int | None = None,
        row: EvidenceRow | None = None,
    ) -> PossibleAnswer:
        """A fact that was reported, with nothing missing; by default with the rule of that."""
        assert group.row is not None
        shape = group.row[0].shape
        fact = self._writer.fact(group.fact, shape.free)
        evidence = () if row is None else self._writer.evidence(row)
        reports = Fraction(confidence) if self._prospects.has_chances else None
        return PossibleAnswer(
            fact, evidence, (), (), None, self._writer.rule(rule or shape.rule), reports
        )


def _sorted(found: Iterable[StatusReport]) -> list[StatusReport]:
    return sorted(found, key=lambda each: each.key)
