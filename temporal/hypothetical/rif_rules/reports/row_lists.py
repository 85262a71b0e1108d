"""Evidence and hypotheses of rows, listed in the order of their texts: in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.storage.row_algebra import always, append_term, join_rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from rif.syntax import ast
from rif.syntax.terms import BlankNode, GroundTerm, Variable
from rif.text.writer import TextWriter
from temporal.hypothetical.live_entries import text_ranks
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Table, at_places
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore
from temporal.hypothetical.rif_rules.rewriting.patterns import apply_to_formula

Texts = npt.NDArray[np.object_]
_TRIPLE: Final = (0, 1, 2)
_NO_TERM: Final = 0
"""Stands where a list has no more triples; less than all terms, as its text is empty."""


class TermRanks:
    """Terms by the order of their texts: a term is its rank, the index of its text.

    Attributes:
        texts: canonical texts, and ``?name`` of free variables, in order.
        quoted: the same as JSON strings.
    """

    def __init__(self, numbers: Iterable[Rows], names: Sequence[str], terms: Dictionary) -> None:
        """The terms of ``numbers``, which are ids, and -1, -2 … for ``names``; of all ``names``."""
        given = np.arange(-len(names), _NO_TERM + 1)
        used = np.concatenate([given, *(some.ravel() for some in numbers)])
        self._numbers = np.sort(used[terms.distinct(used[:, None])[0]])
        first = int(np.searchsorted(self._numbers, _NO_TERM))
        texts = [names[-number - 1] for number in self._numbers[:first].tolist()]
        texts += ["", *terms.decode_many(self._numbers[first + 1 :])]
        self._ranks = text_ranks(texts)
        self.texts: Texts = np.empty(len(texts), object)
        self.texts[self._ranks] = texts
        self.quoted: Texts = np.array([*map(encode_basestring, self.texts)], object)

    def of(self, numbers: Rows) -> Rows:
        """The ranks of terms."""
        ranks: Rows = self._ranks[np.searchsorted(self._numbers, numbers)]
        return ranks


@dataclass(frozen=True, slots=True)
class TripleLists:
    """A list of triples, with their times, for each row.

    Attributes:
        terms: (n, k, 3) ranks; 0 behind the end of a list.
        times: (n, k, 2) cells.
        counts: (n,) the lengths of the lists.
    """

    terms: Rows
    times: Rows
    counts: Column

    @classmethod
    def sorted(cls, ranked: Rows, places: Table, times: Table, *, by_time: bool) -> Self:
        """Lists in an order as of the kernel `sorted_lists`."""
        listed, counts = kernels.sorted_lists(ranked, places, times, by_time=by_time)
        return cls(listed[:, :, :3], listed[:, :, 3:], counts)

    def at(self, rows: Column) -> TripleLists:
        """The lists of some rows."""
        terms, times = self.terms.take(rows, axis=0), self.times.take(rows, axis=0)
        return TripleLists(terms, times, self.counts[rows])

    def keys(self, *, by_time: bool) -> Iterable[Column]:
        """The columns by which lists are in order, the first one first."""
        for place in range(self.terms.shape[1]):
            if by_time:
                yield np.where(place < self.counts, self.times[:, place, 0], NEG_INF)
            yield from self.terms[:, place].T


@dataclass(frozen=True, slots=True)
class RowLists:
    """Rows of evidence, in texts.

    Attributes:
        evidence: the triples that are there, with the intervals of what asserts them.
        missing: those that are not, with the last stamps of use, and the numbers of late bounds
            twice, and 1 more where another stamp would do, too.
        tests: what is missing has to pass, in order.
        deadlines: (n,) the largest stamps, in cells, by which what is missing can still come.
        ranks: the terms.
    """

    evidence: TripleLists
    missing: TripleLists
    tests: Texts
    deadlines: Column
    ranks: TermRanks

    def at(self, rows: Column) -> RowLists:
        """The lists of some rows."""
        evidence, missing = self.evidence.at(rows), self.missing.at(rows)
        return RowLists(evidence, missing, self.tests[rows], self.deadlines[rows], self.ranks)


class RowLister:
    """Lists what rows stand for."""

    def __init__(self, store: EvidenceStore, layers: Layers, prefixes: Mapping[str, str]) -> None:
        """Begin; tests are written with ``prefixes``."""
        self.store, self._layers, self._terms = store, layers, store.terms
        self._writer = _TestWriter(dict(prefixes))
        self._names = [f"?{name}" for name in store.shapes.names]
        self._tables: list[list[FactTable]] | None = None
        self._have_tests = any(reader.shape.tests for reader in store.readers)

    def of(self, rows: Rows, spans: Rows | None = None, facts: Iterable[Rows] = ()) -> RowLists:
        """The lists of rows of the store; one of reader -1 has nothing.

        ``spans`` are when their evidence holds, if that is of interest. The ids of ``facts`` are
        ranked, too.
        """
        store, shapes, numbers = self.store, self.store.shapes, rows[:, 0]
        last, values = store.last(rows)[:, None], store.values(rows)
        evidence, missing = (e.take(numbers, axis=0) for e in (shapes.evidence, shapes.missing))
        untils = np.empty((*missing.shape[:2], 2), np.int64)
        untils[:, :, 0] = shapes.until(last, shapes.nearest.take(numbers, axis=0))
        is_known = store.kinds(rows)[:, None] & shapes.known.take(numbers, axis=0)
        untils[:, :, 1] = 2 * shapes.bounds.take(numbers, axis=0) + 1 - is_known
        tests: Texts = np.empty(len(rows), object)
        tests[:] = [()] * len(rows)
        if self._have_tests:
            read = zip(numbers.tolist(), values.tolist(), strict=True)
            tests[:] = [
                self._tests(store.readers[each], row) if each >= 0 else () for each, row in read
            ]
        if spans is None:
            spans = np.zeros((*evidence.shape[:2], 2), np.int64)
        ranks = TermRanks((values, *facts), self._names, self._terms)
        ranked = ranks.of(values)
        return RowLists(
            TripleLists.sorted(ranked, evidence, spans, by_time=False),
            TripleLists.sorted(ranked, missing, untils, by_time=True),
            tests,
            store.deadlines(rows),
            ranks,
        )

    def evidence(self, rows: Rows) -> TripleLists:
        """The evidence alone of rows of the store, without times."""
        values, shapes = self.store.values(rows), self.store.shapes
        evidence = shapes.evidence.take(rows[:, 0], axis=0)
        spans = np.zeros((*evidence.shape[:2], 2), np.int64)
        ranks = TermRanks((values,), self._names, self._terms)
        return TripleLists.sorted(ranks.of(values), evidence, spans, by_time=False)

    def _tests(self, reader: EvidenceReader, values: Sequence[int]) -> tuple[str, ...]:
        """The tests of a row of values, with numbers of names."""
        found = []
        for test in reader.shape.tests:
            bound = {
                name: self._term(values[place])
                for name, place in zip(test.names, test.args, strict=True)
            }
            lines = self._writer.formula(apply_to_formula(test.formula, bound))
            found.append(" ".join(map(str.strip, lines)))
        return tuple(sorted(found))

    def _term(self, value: int) -> ast.Term:
        if value < 0:
            return ast.Var(Variable(self._names[-value - 1][1:]))
        return ast.Constant(self._terms.term(value))

    def spans(self, rows: Rows) -> Rows:
        """When evidence of rows holds, (n, k, 2) cells, by what asserts it, when used, longest."""
        shapes, numbers = self.store.shapes, rows[:, 0]
        places = shapes.evidence.take(numbers, axis=0)
        evidence = at_places(self.store.values(rows), places)
        out = np.empty((*evidence.shape[:2], 2), np.int64)
        out[:] = NEG_INF, POS_INF
        row, place = evidence[:, :, 0].nonzero()
        last, reach = self.store.last(rows)[row], shapes.uses[numbers][row, place]
        if not len(row):
            return out
        needed = np.empty((len(row), 5), np.int64)
        needed[:, :3], needed[:, 3] = evidence[row, place], last - reach[:, 1] + 1
        needed[:, 4] = last - reach[:, 0] + 1
        needed[last >= POS_INF, 3:] = POS_INF - 1, POS_INF
        triples = needed[:, :3].copy()
        found = self._assertions(triples.take(self._terms.distinct(triples)[0], axis=0))
        found = found.take((0, 1, 2, 3, 4, 3, 4), axis=1)
        needed = append_term(needed, np.arange(len(needed)))
        pairs = join_rows(needed, _TRIPLE, found, _TRIPLE, (3, ~3, ~4))[:, :3]
        order = np.lexsort((-pairs[:, 1], pairs[:, 2], pairs[:, 0]))
        pairs = pairs.take(order, axis=0)
        which = pairs[:, 0]
        # Of several the last one stays; from the first tick that is not before.
        out[row[which], place[which]] = pairs[:, 1:] + (pairs[:, 1:] & 1)
        return out

    def _assertions(self, triples: Rows) -> Rows:
        """Where triples hold, asserted or derived, (n, 5)."""
        layers, queried = self._layers, always(triples)
        if self._tables is None:
            below = [] if layers.background is None else layers.background.tables
            self._tables = [
                [each for each in some if each.relation == TRIPLES]
                for some in (layers.tables, below)
            ]
        own, below = self._tables
        same = layers.classes.of(queried)
        parts = [table.facts.meet(same, NEG_INF) for table in below]
        if layers.base_table is not None:
            parts.append(layers.base_table.matching(TRIPLES, same, _TRIPLE))
        represented = layers.classes.expand(concat([queried[:0], *parts]))
        return concat([represented, *(table.facts.meet(queried, NEG_INF) for table in own)])


class _TestWriter(TextWriter):
    """Writes tests, in which blank nodes of data may stand."""

    def constant(self, term: GroundTerm) -> str:
        return str(term) if isinstance(term, BlankNode) else super().constant(term)
