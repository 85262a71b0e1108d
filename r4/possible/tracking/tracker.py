"""Foresight: what is possible in a run, and what is to be said of it.

The network keeps evidence as rows. A row belongs to an entry, a fact with what it waits for, until
it is taken back or what is missing can come no more; entries of one fact are compared with each
other, and with what is certain.
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
from rete.network.layers import Layers
from rete.nodes.graph import FactTable
from rete.planning.plan import TRIPLES, Relation
from rete.terms.dictionary import Dictionary
from temporal.ranking.top_k import dropped_reason


class PossibleAnswerTracker:
    """Follows what becomes of possible answers."""

    def __init__(
        self,
        foreseen: EvidenceRules,
        terms: Dictionary,
        delays: UnitLateness,
        labels: Sequence[str | int],
        wish: HypothesisOptions,
    ) -> None:
        """Begin.

        Args:
            foreseen: the rules that were added to the program.
            terms: the dictionary of all ids.
            delays: how late units may come.
            labels: of all rules.
            wish: what is asked for.
        """
        self._foreseen = foreseen
        self._terms = terms
        self._delays = delays
        self._labels = labels
        self._wish = wish
        self._prospects = prospects = UnitProspects(wish.chances, delays)
        readers = [
            EvidenceReader(number, shape, terms, delays, prospects)
            for number, shape in enumerate(foreseen.shapes.values())
        ]
        self._holding = EvidenceStore(readers, len(delays.levels))
        self._taken: set[Values] = set()

    def attach(self, layers: Layers) -> None:
        """See what holds in ``layers``; once, before all else."""
        prefixes = self._foreseen.prefixes
        self._certainty = CertainAnswers(layers)
        self._scribe = AnswerWriter(layers, self._terms, self._delays, self._labels, prefixes)
        self._reasons = WithdrawalReasons(self._scribe)
        most = self._wish.most
        self._most = None if most is None else EntryTopK(most, self._prospects, self._scribe)

    def reads(self, relation: Relation) -> bool:
        """Are facts of the relation evidence, and no answers?"""
        return self._holding.reads(relation)

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table gained ``rows``: of evidence, or of answers."""
        if self.reads(table.relation):
            self._holding.gain(table, rows)
        else:
            self._answered(table.relation, rows)
            self._instances(table.relation, rows)

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table lost ``rows``."""
        if self.reads(table.relation):
            self._holding.lose(table, rows)
        else:
            self._answered(table.relation, rows)

    def take_back(self, relation: Relation, rows: Rows) -> None:
        """Facts are asserted no longer."""
        if relation == TRIPLES:
            self._taken.update(map(tuple, rows[:, :3].tolist()))

    def _answered(self, relation: Relation, rows: Rows) -> None:
        """Answers came or went."""
        holding = self._holding
        if not holding.groups:
            return
        for args in map(tuple, rows[:, :-2].tolist()):
            group = holding.groups.get(SchematicFact(relation, args))
            if group is not None:
                holding.changed[group] = None

    def _instances(self, relation: Relation, rows: Rows) -> None:
        """Answers came: those are noted that are instances of what was said to be supported."""
        holding = self._holding
        loose = [group for group in holding.schematic.get(relation, ()) if group.is_open]
        if not loose:
            return
        for args, last in zip(rows[:, :-2].tolist(), last_ticks(rows).tolist(), strict=True):
            for group in loose:
                if group.fact.matches(tuple(args)):
                    group.note(tuple(args), last)
                    holding.changed[group] = None

    def settle(self, lines: Sequence[Tick]) -> None:
        """Take in what came and went; elements are late below ``lines``, the frontier last."""
        holding = self._holding
        holding.settle(lines)
        self._certainty.reach(int(holding.lines[-1]))
        self._scribe.forget()
        for fact in self._certainty.ended():
            if fact in holding.groups:
                holding.changed[holding.groups[fact]] = None

    def tell(self, at: Tick) -> list[StatusReport]:
        """What is to be said of all that was settled while ``at`` was the largest stamp."""
        minimal = self._minimal(self._holding.changed)
        held = minimal if self._most is None else self._most.cut(minimal, at)
        new = (entry for group, some in held.items() for entry in some if entry not in group.held)
        self._scribe.look_up(chain(*(e.rows for e in new), *self._holding.complete.values()))
        told = (
            self._tell(group, minimal.get(group, group.minimal), some, at)
            for group, some in held.items()
        )
        found = _sorted(chain.from_iterable(told))
        self._holding.forget()
        self._taken.clear()
        return found

    def _tell(
        self, group: EntryGroup, minimal: Iterable[LiveEntry], held: Sequence[LiveEntry], at: Tick
    ) -> Iterator[StatusReport]:
        """What is to be said of a group with these minimal entries, of which some are held."""
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
        """That nothing is held of a group: as it was dropped, or is possible no more."""
        if is_dropped:
            assert self._wish.most is not None
            return StatusReport(
                Status.WITHDRAWN, at, self._bare(group, 0), dropped_reason(self._wish.most)
            )
        because, rule = self._reasons.of(group, self._holding.lines, self._taken)
        return StatusReport(Status.WITHDRAWN, at, self._bare(group, 0, rule), because)

    def _possible(
        self, group: EntryGroup, entry: LiveEntry, at: Tick
    ) -> tuple[PossibleAnswer, EvidenceRow]:
        """An entry by its best evidence, and that."""
        rows, confidence = likeliest(self._prospects, entry.rows, at)
        row, last = self._scribe.best(rows)
        return self._scribe.possible(group.fact, row, last, confidence), row

    def drain(self, at: Tick) -> list[StatusReport]:
        """The input has ended: what is still open is withdrawn."""
        open_ones = [group for group in self._holding.groups.values() if group.is_open]
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
        minimal = self._minimal(self._holding.groups.values())
        held = minimal if self._most is None else self._most.chosen(minimal, at)
        self._scribe.look_up(chain(*(entry.rows for some in held.values() for entry in some)))
        found = (
            self._possible(group, entry, at)[0] for group, some in held.items() for entry in some
        )
        return [
            told.possible for told in _sorted(StatusReport(Status.SUPPORTED, 0, p) for p in found)
        ]

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were, as there were too many."""
        return 0 if self._most is None else self._most.dropped

    @property
    def held(self) -> Column:
        """The ids of what is held."""
        return self._holding.held

    def _minimal(self, groups: Iterable[EntryGroup]) -> dict[EntryGroup, list[LiveEntry]]:
        """The minimal entries of groups: none of a fact that is certain."""
        asked = list(groups)
        self._certainty.look_up(group.fact for group in asked if not group.fact.fixed)
        return {group: [] if self._is_certain(group.fact) else group.possible() for group in asked}

    def _is_certain(self, fact: SchematicFact) -> bool:
        """Is a fact without free variables certain?"""
        return not fact.fixed and self._certainty.holds(fact)

    def _confirming(self, group: EntryGroup) -> PossibleAnswer | None:
        """The derivation by which a fact is certain now; None: it is not.

        Of a fact with free variables one by which an instance is, for a time for which it was not
        when that was last told.
        """
        fact = group.fact
        asked = [fact]
        if fact.fixed:
            asked = [
                SchematicFact(fact.relation, args)
                for args in group.derived(self._certainty.frontier)
            ]
        certain = [each for each in asked if self._certainty.holds(each)]
        if not certain:
            return None
        complete = self._holding.complete
        rows = [row for each in certain for row in complete.get(each, ())]
        if not rows:  # by a rule that is not followed
            return self._bare(group, 1, min(map(self._certainty.rule, certain)))
        row = self._scribe.least(rows)
        return self._bare(group, 1, row[0].shape.rule, row)

    def _bare(
        self,
        group: EntryGroup,
        confidence: int,
        rule: int | None = None,
        row: EvidenceRow | None = None,
    ) -> PossibleAnswer:
        """A fact that was told, with nothing missing; by default by the rule of that."""
        assert group.row is not None
        shape = group.row[0].shape
        fact = self._scribe.fact(group.fact, shape.free)
        evidence = () if row is None else self._scribe.evidence(row)
        told = Fraction(confidence) if self._prospects.are_told else None
        return PossibleAnswer(
            fact, evidence, (), (), None, self._scribe.rule(rule or shape.rule), told
        )


def _sorted(found: Iterable[StatusReport]) -> list[StatusReport]:
    return sorted(found, key=lambda each: each.key)
