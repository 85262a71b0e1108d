"""Backward evaluation: rows of a stream with given columns, found through its plan from the end.

A network evaluates plans forwards, from facts to rows. Here some columns are known already, and the
plan is walked from its end, as with magic sets: only rows that agree with the known columns are
ever made. So one finds whether a row has another derivation, and from which facts.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, concat, empty
from rete.graph.streams import Component, FactTable, KnownColumns, Stream, Terminal
from rete.network.layers import Layers
from rete.nodes.join import Join
from rete.provenance.access_paths import AccessPath, choose_access_path
from rete.provenance.rows_to_facts import RowFact, row_fact_of
from rete.storage.row_algebra import (
    all_columns,
    append_term,
    coalesce,
    join_rows,
    probed_columns,
    project,
)
from rete.terms.relations import Relation


class SupportBasis(NamedTuple):
    """What may support rows while facts of a component are suspects.

    Facts that the tables of the component have now, whatever SteMs remember; all facts of others.

    Attributes:
        component: the one with suspects.
        known_levels_only: whether its facts of unknown level do not count.
    """

    component: Component
    known_levels_only: bool


class BackwardEvaluation:
    """Finds rows of streams, and the facts that rules derive, from part of them.

    See `rete.graph.streams.RowSearch` for questions and results.
    """

    __slots__ = ("_access_paths", "_layers", "_row_facts")

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._row_facts: dict[Stream, RowFact | None] = {}
        self._access_paths: dict[tuple[Stream, KnownColumns], tuple[int, AccessPath]] = {}

    def of_facts(
        self, table: FactTable, facts: Rows, rules: Container[int] | None = None
    ) -> list[tuple[int, Rows]]:
        """Per head that feeds ``table``, with its rule: which of ``facts`` it derives.

        Heads of ``rules`` only, if these are given.
        """
        return [
            (terminal.rule, self.of_head(stream, terminal, facts))
            for stream, terminal in table.feeders
            if rules is None or terminal.rule in rules
        ]

    def of_head(self, stream: Stream, terminal: Terminal, facts: Rows) -> Rows:
        """As `of_facts`, for one head of one body."""
        known, places, asked = terminal.asks(facts)
        if not len(asked):
            return empty(terminal.table.relation.arity)
        return terminal.facts(self.rows(stream, _distinct(asked, places), known))

    def leveled_of_head(
        self, stream: Stream, terminal: Terminal, facts: Rows, basis: SupportBasis
    ) -> Rows:
        """As `of_head`, with the level of each derivation as a last term; see `leveled`."""
        arity = terminal.table.relation.arity
        known, places, asked = terminal.asks(facts)
        if not len(asked):
            return empty(arity + 1)
        rows = self.leveled(stream, _distinct(asked, places), known, basis)
        if not len(rows):
            return empty(arity + 1)
        return append_term(terminal.facts(rows), rows[:, -3])

    def rows(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream``, (n, width + 2), from its SteM if it has one."""
        stem = stream.stem
        if stem is None:
            return self.derived(stream, asked, known)
        index = stem.index(known)
        return stem.probe(asked, all_columns(len(known)), stem.n, index, probed_columns(stem.width))

    def derived(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream`` by its plan, whatever its own SteM has."""
        return stream.node.derived(self, asked, known)

    def facts(
        self,
        stream: Stream,
        relation: Relation,
        asked: Rows,
        places: KnownColumns,
        component: Component | None = None,
    ) -> Rows:
        """The facts that ``stream`` sees; with a ``component``, their level as a last term."""
        return self._layers.stored(stream, relation, asked, places, component)

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        plan = stream.plan
        assert isinstance(plan, Join)
        if not len(asked):
            return empty(plan.inputs)
        left, right = (source.stem for source in stream.sources)
        assert left is not None
        assert right is not None
        size, found = self._access_paths.get((stream, known), (0, None))
        if found is None or left.n + right.n > 2 * size:  # another path may be better by now
            found = choose_access_path(plan, left, right, known, asked)
            self._access_paths[stream, known] = left.n + right.n, found
        return found.pairs(asked)

    def leveled(
        self, stream: Stream, asked: Rows, known: KnownColumns, basis: SupportBasis
    ) -> Rows:
        """The rows of ``stream`` that ``basis`` supports, with their level as a last term.

        (n, width + 3). The level of a row is the highest of the facts it is made of. Facts outside
        of the component have level 0, as they are settled.
        """
        return _LeveledSearch(self, basis).rows(stream, asked, known)

    def levels_of(
        self, stream: Stream, rows: Rows, own: range, component: Component
    ) -> Column | None:
        """The levels of the facts that rows of ``stream`` determine, which are columns of ``rows``.

        None: they do not determine one.
        """
        if stream not in self._row_facts:
            self._row_facts[stream] = row_fact_of(stream)
        fact = self._row_facts[stream]
        if fact is None or self._layers.may_represent(fact.relation):
            return None
        return self._layers.levels(stream, *fact.of(rows, own), component)


class _LeveledSearch:
    """Rows with the level of what they are made of as a last term."""

    __slots__ = ("_basis", "_evaluation")

    def __init__(self, evaluation: BackwardEvaluation, basis: SupportBasis) -> None:
        self._evaluation = evaluation
        self._basis = basis

    def rows(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream`` that are supported, with their level."""
        if stream.component is not self._basis.component:
            return append_term(self._evaluation.rows(stream, asked, known), 0)
        plan = stream.plan
        assert plan.pointwise, "a component with operators that move rows has no levels"
        rows = stream.node.inputs(self, asked, known)
        levels = rows[:, plan.inputs : -2].max(axis=1, initial=0)
        return append_term(project(rows, plan.columns), levels)

    def facts(self, stream: Stream, relation: Relation, asked: Rows, places: KnownColumns) -> Rows:
        """The facts that ``stream`` sees, with their level."""
        component, known_only = self._basis
        facts = self._evaluation.facts(stream, relation, asked, places, component)
        return facts[facts[:, -3] < UNKNOWN_LEVEL] if known_only else facts

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, with the level of each that is of the component."""
        pairs = self._evaluation.pairs(stream, asked, known)
        begin = 0
        for source in stream.sources:
            own = range(begin, begin := begin + source.plan.width)
            if not len(pairs):
                return empty(stream.plan.inputs + 1)
            if source.component is not self._basis.component:
                continue
            sure = empty(pairs.shape[1] - 1)
            if self._basis.known_levels_only:
                levels = self._evaluation.levels_of(source, pairs, own, self._basis.component)
                if levels is not None:
                    is_sure = levels < UNKNOWN_LEVEL
                    sure, pairs = append_term(pairs, levels)[is_sure], pairs[~is_sure]
            pairs = concat([sure, self._each_level(source, pairs, own)])
        return pairs

    def _each_level(self, source: Stream, pairs: Rows, own: range) -> Rows:
        """Each pair once for each level of its row of ``source``, which comes as a last term."""
        if not len(pairs):
            return empty(pairs.shape[1] - 1)
        size = len(own)
        rows = self.rows(source, _distinct(pairs, own), tuple(range(size)))
        return join_rows(pairs, own, rows, range(size), (*range(pairs.shape[1] - 2), ~size))


def _distinct(rows: Rows, places: Sequence[int]) -> Rows:
    """The union of some columns of rows, with their time."""
    return coalesce(project(rows, places))
