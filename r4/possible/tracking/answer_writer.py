"""Possible answers from rows of evidence: ids and cells as texts and ticks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from r4.possible.arrival_chances import UnitLateness
from r4.possible.rewriting.patterns import apply_to_formula
from r4.possible.tracking.evidence_reader import AwaitedUnit, EvidenceReader
from r4.possible.tracking.live_entries import EvidenceRow, SchematicFact
from r4.possible.tracking.possible_answers import (
    AnswerFact,
    EvidenceTriple,
    MissingTriple,
    PossibleAnswer,
    Triple,
)
from r4.possible.tracking.subsumption import Values
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF, Rows, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from rif.syntax import ast
from rif.syntax.terms import BlankNode, GroundTerm, Variable
from rif.text.writer import TextWriter


class AnswerWriter:
    """Writes possible answers from rows of evidence.

    Args:
        layers: what holds.
        terms: the dictionary of all ids.
        delays: how late units may come.
        labels: of the rules.
        prefixes: with which tests are written.
    """

    def __init__(
        self,
        layers: Layers,
        terms: Dictionary,
        delays: UnitLateness,
        labels: Sequence[str | int],
        prefixes: Mapping[str, str],
    ) -> None:
        self._layers = layers
        self._terms = terms
        self._delays = delays
        self._labels = labels
        self._writer = _TestWriter(dict(prefixes))
        self._known: dict[int, str] = {}
        self._spans: dict[Values, tuple[int, int]] = {}

    def forget(self) -> None:
        """Drop what is cached: ids may mean other terms, triples may hold at other times."""
        self._known.clear()
        self._spans.clear()

    def look_up(self, rows: Iterable[EvidenceRow]) -> None:
        """Cache when the evidence of these rows holds, in one look-up."""
        found: dict[Values, None] = {}
        terms: set[int] = set()
        for reader, ids in rows:
            found.update(dict.fromkeys(reader.evidence(ids)))
            terms.update(ids)
        new = np.array([*terms.difference(self._known)], np.int64)
        self._known.update(zip(new.tolist(), self._terms.decode_many(new), strict=True))
        queried = [each for each in found if each not in self._spans]
        if not queried:
            return
        spans = self._spans
        for *triple, lo, hi in self._rows_of(queried).tolist():
            ids, span = tuple(triple), (lo, hi)
            spans[ids] = max(spans.get(ids, span), span, key=_by_end)

    def fact(self, fact: SchematicFact, names: Sequence[str] = ()) -> AnswerFact:
        """A fact; free variables have these ``names``, or numbers."""
        return AnswerFact(fact.relation, self._texts(fact.args, names))

    def rule(self, number: int) -> str | int:
        """The label of a rule."""
        return self._labels[number - 1]

    def _triples(self, row: EvidenceRow) -> tuple[Triple, ...]:
        """The evidence of a row by text."""
        reader, ids = row
        return tuple(sorted(self._triple(each, ()) for each in dict.fromkeys(reader.evidence(ids))))

    def best(self, rows: Mapping[EvidenceRow, int]) -> tuple[EvidenceRow, int]:
        """The row of evidence with the latest deadline; of several the least by text.

        With the last tick, in cells, at which it holds.
        """
        latest = max(self.deadline(row[0], last) for row, last in rows.items())
        rivals = [row for row, last in rows.items() if self.deadline(row[0], last) == latest]
        row = self.least(rivals)
        return row, rows[row]

    def least(self, rows: Sequence[EvidenceRow]) -> EvidenceRow:
        """The row whose evidence is the least by text."""
        if len(rows) == 1:
            return rows[0]
        return min(rows, key=lambda each: (self._triples(each), each[0].number, each[1]))

    def deadline(self, reader: EvidenceReader, last: int) -> int:
        """The largest stamp, in cells, by which what is missing can still come."""
        if last >= POS_INF:
            return POS_INF
        longest = self._delays.longest
        return min(
            (unit.until(last) + 2 * longest[unit.bound] for unit in reader.awaited), default=last
        )

    def possible(
        self,
        fact: SchematicFact,
        row: EvidenceRow,
        last: int,
        confidence: Fraction | None,
    ) -> PossibleAnswer:
        """An entry by a row of its evidence, which holds to the tick ``last``, in cells."""
        reader, ids = row
        missing = {each for each, _ in self.hypotheses(row, last)}
        return PossibleAnswer(
            self.fact(fact, reader.shape.free),
            self.evidence(row),
            tuple(sorted(missing, key=lambda each: each.key)),
            tuple(sorted(self._test(reader, place, args) for place, args in reader.tests(ids))),
            _tick(self.deadline(reader, last)) if reader.awaited else None,
            self.rule(reader.shape.rule),
            confidence,
        )

    def text(self, fact: SchematicFact, row: EvidenceRow) -> tuple[tuple[object, ...], ...]:
        """The sort key of a fact with its hypotheses, by a row of evidence: their texts."""
        reader, ids = row
        names = reader.shape.free
        triples = {self._triple(each, names) for _, some in reader.missing(ids) for each in some}
        tests = (self._test(reader, place, args) for place, args in reader.tests(ids))
        return self.fact(fact, names).key, tuple(sorted(triples)), tuple(sorted(tests))

    def hypotheses(
        self, row: EvidenceRow, last: int
    ) -> Iterator[tuple[MissingTriple, AwaitedUnit]]:
        """What is missing, with the unit of each; see `possible`."""
        reader, ids = row
        for unit, triples in reader.missing(ids):
            for each in triples:
                triple = self._triple(each, reader.shape.free)
                yield MissingTriple(triple, _tick(unit.until(last))), unit

    def triple(self, values: Values) -> Triple:
        """A triple without free variables."""
        return self._triple(values, ())

    def evidence(self, row: EvidenceRow) -> tuple[EvidenceTriple, ...]:
        """The evidence of a row, with the interval of what asserts each triple for longest."""
        self.look_up([row])
        reader, ids = row
        found: list[EvidenceTriple] = []
        for each in dict.fromkeys(reader.evidence(ids)):
            lo, hi = self._spans.get(each, (NEG_INF, POS_INF))
            found.append(EvidenceTriple(self._triple(each, ()), _tick(_up(lo)), _tick(_up(hi))))
        return tuple(sorted(found, key=lambda each: each.triple))

    def _rows_of(self, triples: Sequence[Values]) -> Rows:
        """Where triples hold, asserted or derived, (n, 5)."""
        queried = np.array([(*each, NEG_INF, POS_INF) for each in triples], np.int64)
        layers = self._layers
        same = layers.classes.of(queried)
        parts = [table.facts.meet(queried, NEG_INF) for table in layers.tables if _has(table)]
        if layers.background is not None:
            tables = (table for table in layers.background.tables if table.relation == TRIPLES)
            parts += (layers.classes.expand(table.facts.meet(same, NEG_INF)) for table in tables)
        if layers.base_table is not None:
            found = layers.base_table.matching(TRIPLES, same, (0, 1, 2))
            parts.append(layers.classes.expand(found))
        return concat([part for part in parts if len(part)] or [queried[:0]])

    def _test(self, reader: EvidenceReader, place: int, args: Values) -> str:
        test = reader.shape.tests[place]
        terms = {
            name: self._term(value, reader.shape.free)
            for name, value in zip(test.names, args, strict=True)
        }
        lines = self._writer.formula(apply_to_formula(test.formula, terms))
        return " ".join(map(str.strip, lines))

    def _term(self, value: int, names: Sequence[str]) -> ast.Term:
        if value < 0:
            return ast.Var(Variable(names[-value - 1]))
        return ast.Constant(self._terms.term(value))

    def _triple(self, values: Values, names: Sequence[str]) -> Triple:
        s, p, o = self._texts(values, names)
        return s, p, o

    def _texts(self, values: Values, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            self._terms.decode(value) if value >= 0 else f"?{names[-value - 1]}" for value in values
        )


def _has(table: FactTable) -> bool:
    return table.relation == TRIPLES


def _by_end(span: tuple[int, int]) -> tuple[int, int]:
    """The sort key of intervals: the one that ends last, and of such the longest."""
    return span[1], -span[0]


def _up(cell: int) -> int:
    """The first tick that is not before a cell, in cells."""
    return cell if cell in {NEG_INF, POS_INF} else cell + (cell & 1)


def _tick(cell: int) -> Tick | None:
    return None if cell <= NEG_INF or cell >= POS_INF else cell >> 1


class _TestWriter(TextWriter):
    """Writes tests, in which blank nodes of data may stand."""

    __slots__ = ()

    def constant(self, term: GroundTerm) -> str:
        return str(term) if isinstance(term, BlankNode) else super().constant(term)
