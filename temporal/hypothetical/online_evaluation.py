"""Hypothetical answers online: slices of facts in, lines out [CruzFilipe22, section 4].

One network for all schematic answers of the preprocessing; its tables hold entries. A batch of
slices runs through it once, as the valid time of a row is arrival. Each change of an entry has its
moment, so it does not matter where batches are cut. A `Hypothesiser` follows a query from Python:
text in, reports of answers out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rete.arrays.delta import POS_INF
from rete.arrays.term_columns import Ids
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from rete.whole_calls import WholeCalls
from rif.errors.base import RuleError
from temporal.hypothetical.arrival.intake import ArrivalIntake, ArrivalSlices
from temporal.hypothetical.arrival.lateness import (
    ArrivalProspects,
    Chances,
    DelayBounds,
    parse_chances,
    parse_delays,
)
from temporal.hypothetical.arrival.line_columns import RefusedLines
from temporal.hypothetical.evidence.entry_table import EntryTable, LeastFactTable
from temporal.hypothetical.evidence.hypothesis_masks import lower, relation_of
from temporal.hypothetical.output.answer_reports import AnswerReports
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.ast import SchematicAnswer, TemporalAtom
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query


class OnlineEvaluation:
    """The entries of a query, and the ``reports`` of what was pushed so far."""

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        answers: Sequence[SchematicAnswer],
        query: TemporalAtom,
        delays: DelayBounds,
        terms: Dictionary,
        chances: Chances | None = None,
        *,
        most: int | None = None,
    ) -> None:
        """Begin, with the result of the resolution of ``query``.

        With chances, lines have confidences. ``most`` sets of hypotheses are kept; the least
        probable are dropped.

        Raises:
            TooManyHypotheses: an answer needs more than can be followed.
        """
        self._terms = terms
        lowered = lower(answers, delays)
        self._object_columns = lowered.object_columns

        least = {relation: needed for (*_, needed), relation in lowered.least.items()}

        def make_table(relation: Relation) -> FactTable:
            if relation in least:
                return LeastFactTable(relation, least[relation], terms)
            position, binding = lowered.bindings[relation]
            return EntryTable(relation, answers[position], binding.names, delays, terms)

        self._inference = InferenceEngine(lowered.emits, terms, table=make_table)
        tables = self._inference.network.tables
        self._entry_tables = [table for table in tables if isinstance(table, EntryTable)]
        prospects = ArrivalProspects(chances, delays)
        self.reports = AnswerReports(query, self._entry_tables, terms, prospects, most)

    def push(self, slices: ArrivalSlices) -> list[str]:
        """Take in whole slices, later than all before: the lines of what they change.

        The cost is that of the facts, of what they meet, and of what ends.
        """
        frontier = slices.frontier
        for predicate, rows in slices.facts.items():
            relation = relation_of(predicate, rows.shape[1] - 3)
            if self._inference.network.reads(relation):
                self._inference.assert_facts(relation, rows)
        self._inference.settle(frontier)
        changes = [entries.settle(frontier) for entries in self._entry_tables]
        return self.reports.report(changes, frontier)

    @property
    def held(self) -> int:
        """How many sets of hypotheses are kept, of all answers. Costs O(entries)."""
        return self.reports.held

    def sweep(self, keep: Iterable[Ids] = ()) -> None:
        """Forget the ids that no row has any more, if many are new; but ``keep`` some.

        Costs constant time for each that was added.
        """
        if not self._terms.due:
            return
        self._inference.expire()
        self._terms.sweep(POS_INF, [*keep, *self._ids()])

    def _ids(self) -> Iterable[Ids]:
        for plan, stream in self._inference.network.streams.items():
            if stream.stem is not None:
                yield stream.stem.content()[:, list(self._object_columns[plan])]
        for table in self._inference.network.tables:
            if isinstance(table, EntryTable | LeastFactTable):
                yield table.object_ids()
        yield self.reports.object_ids


@dataclass(frozen=True, slots=True)
class Told:
    """A line about an answer.

    Attributes:
        status: ``supported``, ``answer`` or ``withdrawn``.
        answer: variable of the query -> constant, or time.
        because: of what is withdrawn, the fact that did not arrive.
        confidence: how probable the answer is, if chances are given: rounded as lines have it.
    """

    tau: int
    status: str
    answer: Mapping[str, str | int]
    evidence: Sequence[str]
    hypotheses: Sequence[str]
    because: str | None
    confidence: Fraction | None = None


class Hypothesiser:
    """A query over a program, with delays and chances of facts, all as texts."""

    def __init__(
        self,
        program: str,
        query: str,
        delays: Sequence[str] = (),
        chances: Sequence[str] = (),
        *,
        most: int | None = None,
    ) -> None:
        """Begin, with delays such as ``Temp(wt2,_)=3`` and chances such as ``Temp=0.8,0.95``.

        ``most`` entries are kept, 1 or more; the least probable are dropped.

        Raises:
            RuleErrors, RuleError: one of them has faults, or the query cannot be followed.
        """
        rules, atom, terms = parse_program(program), parse_query(query), Dictionary()
        delay_bounds = parse_delays(delays, rules)
        self._intake = ArrivalIntake(rules, delay_bounds, terms)
        arrival_chances = parse_chances(chances, rules, delay_bounds) if chances else None
        answers = resolve(rules, atom).answers
        self._evaluation = OnlineEvaluation(
            answers, atom, delay_bounds, terms, arrival_chances, most=most
        )
        self._whole = WholeCalls(RuleError)

    @property
    def _online(self) -> OnlineEvaluation:
        self._whole.check()
        return self._evaluation

    @property
    def warning(self) -> RuleError | None:
        """About sets told although less is enough (`TimeNotKnown`); None: there are none."""
        return self._online.reports.warning

    @property
    def refused(self) -> RefusedLines:
        """The lines that were not taken in."""
        return self._intake.refused

    @property
    def dropped(self) -> int:
        """How many entries were dropped, as there were more than are kept."""
        return self._online.reports.dropped

    def ranked(self) -> list[Told]:
        """The sets that are kept, as they are supported now: the most probable first, then by text.

        Confidences are exact; 1 if no chances are given. Costs O(entries).
        """
        found = self._online.reports.ranked()
        told = _parse_lines(line for _, line in found)
        return [
            replace(each, confidence=confidence)
            for (confidence, _), each in zip(found, told, strict=True)
        ]

    def follow(self, text: str | Iterable[str], *, drain: bool = False) -> Iterator[Told]:
        """The reports as lines ``@ARRIVAL FACT`` come in; all of a moment once a later one comes.

        Text may come in pieces, cut anywhere: 0.3 ms a piece, 4 µs a line. ``drain`` ends at the
        end of them what is still open then.

        Raises:
            EngineBroken: a call was cut short, as by a ``KeyboardInterrupt``; so do all others.
        """
        pieces = [text] if isinstance(text, str) else text
        with self._whole:
            for slices in self._intake.read(piece.encode() for piece in pieces):
                yield from _parse_lines(self._online.push(slices))
                self._online.sweep(self._intake.pending_ids)
            if drain:
                yield from _parse_lines(self._online.reports.drain())


def _parse_lines(lines: Iterable[str]) -> Iterator[Told]:
    for line in lines:
        told = Told(**json.loads(line, parse_float=Fraction))
        if told.confidence is not None:
            told = replace(told, confidence=Fraction(told.confidence))
        yield told
