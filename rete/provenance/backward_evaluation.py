"""Backward evaluation: rows of a stream with given columns, found through its plan from the end.

A network evaluates plans forwards, from facts to rows. Here some columns are known already, and the
plan is walked from its end, as with magic sets: only rows that agree with the known columns are
ever made. So one finds whether a row has another derivation, and from which facts.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from rete import kernels
from rete.arrays.delta import UNKNOWN_LEVEL, Rows, columns, concat, empty
from rete.network.layers import Layers
from rete.nodes.graph import Component, FactTable, Stream, Terminal
from rete.planning.plan import AntiJoin, Apply, Filter, Join, NonPointwise, Scan, Solve, Unit
from rete.provenance.access_paths import AccessPath, choose_access_path
from rete.provenance.metric_witnesses import KnownColumns, find_witnesses
from rete.provenance.rows_to_facts import RowFact, row_fact_of
from rete.storage.row_algebra import (
    all_columns,
    append_term,
    coalesce,
    join_rows,
    probed_columns,
    project,
)


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

    Questions (``asked``) are rows of the known columns with a time. Each result agrees with some
    question and holds within its time. It may come several times, and pieces may overlap.
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
        plan = stream.plan
        match plan:
            case Unit():
                return _always(asked, stream.since)
            case Scan():
                facts = self._facts(stream, plan, asked, known)
                return select_scanned(facts, plan, plan.keep)
            case Join():
                pairs = self._pairs(stream, plan, asked, known)
                keep = [c if c >= 0 else plan.left.width + ~c for c in plan.keep]
                return project(pairs, keep)
            case AntiJoin():
                assert stream.gate is not None
                return stream.gate.project(
                    stream.gate.unmatched(self.left(stream, plan, asked, known))
                )
            case Filter() | Apply() | Solve():
                assert stream.node is not None
                source = self.rows(stream.sources[0], *_through(plan.keep, asked, known))
                return stream.node.apply(source)
            case NonPointwise():
                return find_witnesses(self.rows, stream, plan, asked, known)

    def left(self, stream: Stream, plan: AntiJoin, asked: Rows, known: KnownColumns) -> Rows:
        """The left rows of a negation that become rows of ``stream`` if they pass."""
        return self.rows(stream.sources[0], *_through(plan.keep, asked, known))

    def leveled(
        self, stream: Stream, asked: Rows, known: KnownColumns, basis: SupportBasis
    ) -> Rows:
        """The rows of ``stream`` that ``basis`` supports, with their level as a last term.

        (n, width + 3). The level of a row is the highest of the facts it is made of. Facts outside
        of the component have level 0, as they are settled.
        """
        component = basis.component
        if stream.component is not component:
            return append_term(self.rows(stream, asked, known), 0)
        plan = stream.plan
        match plan:
            case Unit():
                return append_term(_always(asked, stream.since), 0)
            case Scan():
                facts = self._facts(stream, plan, asked, known, component)
                if basis.known_levels_only:
                    facts = facts[facts[:, -3] < UNKNOWN_LEVEL]
                return select_scanned(facts, plan, (*plan.keep, plan.relation.arity))
            case Join():
                return self._leveled_pairs(stream, plan, asked, known, basis)
            case AntiJoin():
                left = stream.sources[0]
                rows = self.leveled(left, *_through(plan.keep, asked, known), basis)
                assert stream.gate is not None
                return project(stream.gate.unmatched(rows), [*plan.keep, plan.left.width])
            case Filter() | Apply() | Solve():
                assert stream.node is not None
                through = _through(plan.keep, asked, known)
                source = self.leveled(stream.sources[0], *through, basis)
                plain = project(source, range(source.shape[1] - 3))
                origins, rows = stream.node.trace(plain)
                return append_term(rows, source[origins, -3])
            case NonPointwise():
                message = "a component with metric operators has no levels"
                raise AssertionError(message)

    def _leveled_pairs(
        self, stream: Stream, plan: Join, asked: Rows, known: KnownColumns, basis: SupportBasis
    ) -> Rows:
        pairs = self._pairs(stream, plan, asked, known)
        width = plan.left.width
        sides = [range(width), range(width, width + plan.right.width)]
        for source, own in zip(stream.sources, sides, strict=True):
            if not len(pairs):
                return empty(plan.width + 1)
            if source.component is not basis.component:
                continue
            sure = empty(pairs.shape[1] - 1)
            fact = self._fact(source) if basis.known_levels_only else None
            if fact is not None:
                levels = self._layers.levels(source, *fact.of(pairs, own), basis.component)
                is_sure = levels < UNKNOWN_LEVEL
                sure, pairs = append_term(pairs, levels)[is_sure], pairs[~is_sure]
            pairs = concat([sure, self._each_level(source, pairs, own, basis)])
        if not len(pairs):
            return empty(plan.width + 1)
        levels = pairs[:, width + plan.right.width : -2].max(axis=1)
        keep = [c if c >= 0 else width + ~c for c in plan.keep]
        return append_term(project(pairs, keep), levels)

    def _each_level(self, source: Stream, pairs: Rows, own: range, basis: SupportBasis) -> Rows:
        """Each pair once for each level of its row of ``source``, which comes as a last term."""
        if not len(pairs):
            return empty(pairs.shape[1] - 1)
        size = len(own)
        rows = self.leveled(source, _distinct(pairs, own), tuple(range(size)), basis)
        return join_rows(pairs, own, rows, range(size), (*range(pairs.shape[1] - 2), ~size))

    def _fact(self, stream: Stream) -> RowFact | None:
        """The fact that a row of ``stream`` determines; None: it does not determine one."""
        if stream not in self._row_facts:
            self._row_facts[stream] = row_fact_of(stream)
        found = self._row_facts[stream]
        return None if found is None or self._layers.may_represent(found.relation) else found

    def _pairs(self, stream: Stream, plan: Join, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        if not len(asked):
            return empty(plan.left.width + plan.right.width)
        left, right = (source.stem for source in stream.sources)
        assert left is not None
        assert right is not None
        size, found = self._access_paths.get((stream, known), (0, None))
        if found is None or left.n + right.n > 2 * size:  # another path may be better by now
            found = choose_access_path(plan, left, right, known, asked)
            self._access_paths[stream, known] = left.n + right.n, found
        return found.pairs(asked)

    def _facts(
        self,
        stream: Stream,
        plan: Scan,
        asked: Rows,
        known: KnownColumns,
        component: Component | None = None,
    ) -> Rows:
        """The facts that a scan matches; with a ``component``, their level as a last term."""
        questions, places = scan_questions(stream, plan, asked, known)
        return self._layers.stored(stream, plan.relation, questions, places, component)


def scan_questions(
    stream: Stream, plan: Scan, asked: Rows, known: KnownColumns
) -> tuple[Rows, KnownColumns]:
    """Questions about rows of a scan as questions about facts, and their places in the facts."""
    count = len(plan.constants)
    questions = np.empty((len(asked), count + asked.shape[1]), np.int64)
    questions[:, :count] = stream.constants
    questions[:, count:] = asked
    return questions, (*(place for place, _ in plan.constants), *(plan.keep[c] for c in known))


def known_of_source(keep: Sequence[int], known: KnownColumns) -> dict[int, int]:
    """Known column of the source of a plan that keeps its columns ``keep`` → column of a question.

    ``known`` are the known columns of the plan itself; a computed one is none of the source.
    """
    places: dict[int, int] = {}
    for place, column in enumerate(known):
        if column < len(keep):  # else it is the computed one
            places.setdefault(keep[column], place)
    return places


def _through(keep: Sequence[int], asked: Rows, known: KnownColumns) -> tuple[Rows, KnownColumns]:
    """Questions about a plan as questions about its source, of which it keeps ``keep``."""
    places = known_of_source(keep, known)
    return _distinct(project(asked, list(places.values()))), tuple(places)


def _distinct(rows: Rows, places: Sequence[int] | None = None) -> Rows:
    """The union of some columns of rows, with their time."""
    return coalesce(rows if places is None else project(rows, places))


def select_scanned(facts: Rows, plan: Scan, keep: Sequence[int]) -> Rows:
    """Those of ``facts``, which have the constants of a scan, that match it, projected."""
    order = np.arange(len(facts))
    equal = np.array(plan.equal, np.int64).reshape(len(plan.equal), 2)
    none = np.empty((0, 2), np.int64)
    return kernels.select(facts, order, 0, len(order), none, equal, columns(keep))


def _always(asked: Rows, since: int) -> Rows:
    """The row without terms, which holds from ``since`` on, within the times of ``asked``."""
    rows = asked[:, -2:].copy()
    np.maximum(rows[:, 0], since, out=rows[:, 0])
    return rows[rows[:, 0] < rows[:, 1]]
