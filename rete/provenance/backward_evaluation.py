"""Backward evaluation: rows of a stream with given columns, found through its plan from the end.

A network evaluates plans forwards, from facts to rows. Here some columns are known already, and the
plan is walked from its end, as with magic sets: only rows that agree with the known columns are
ever made. So one finds whether a row has another derivation, and from which facts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from rete import kernels
from rete.arrays.delta import NEG_INF, Column, Rows, empty
from rete.graph.row_questions import KnownColumns
from rete.graph.streams import FactTable, Stream, Terminal
from rete.network.layers import Layers
from rete.nodes.scan import Scan
from rete.provenance.access_paths import AccessPath, choose_access_path
from rete.storage.row_algebra import (
    all_columns,
    coalesce,
    positions,
    probed_columns,
    project,
    subtract,
)
from rete.terms.relations import Relation


class _Lookup(NamedTuple):
    """How facts are looked up that some rows are made of, if a scan makes them.

    Attributes:
        relation: that of the facts.
        taken: what makes questions of the rows, with the constants of the scan; None: it has none.
        key: the columns of the questions that facts are compared with.
        there: the places of the facts.
    """

    relation: Relation
    taken: Column | None
    key: Column
    there: KnownColumns


class BackwardEvaluation:
    """Finds rows of streams, and the facts that rules derive, from part of them.

    See `rete.graph.streams.RowSearch` for questions and results.
    """

    __slots__ = ("_access_paths", "_layers", "_lookups")

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._access_paths: dict[tuple[Stream, KnownColumns], tuple[int, AccessPath]] = {}
        self._lookups: dict[tuple[Stream, int, KnownColumns, KnownColumns], _Lookup] = {}

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
        asked = terminal.asks(facts)
        if not len(asked):
            return asked
        rest = self._unmatched_by(stream, terminal, asked)
        return self._made(stream, terminal, asked) if rest is None else subtract(asked, rest)

    def not_of_head(self, stream: Stream, terminal: Terminal, facts: Rows) -> Rows:
        """The pieces of ``facts`` that one head of one body does not derive."""
        if not terminal.asks_all:
            return subtract(facts, self.of_head(stream, terminal, facts))
        rest = self._unmatched_by(stream, terminal, facts)
        return subtract(facts, self._made(stream, terminal, facts)) if rest is None else rest

    def _made(self, stream: Stream, terminal: Terminal, asked: Rows) -> Rows:
        """What of ``asked``, which a head may have derived, the rows of its body derive."""
        rows = self.rows(stream, _distinct(asked, terminal.places), terminal.known)
        return terminal.facts(rows)

    def not_derived(self, feeders: Iterable[tuple[Stream, Terminal]], facts: Rows) -> Rows:
        """The pieces of ``facts`` that no head of some derives: one derivation is enough."""
        for stream, terminal in feeders:
            if not len(facts):
                break
            facts = self.not_of_head(stream, terminal, facts)
        return facts

    def of_first_heads(
        self, feeders: Iterable[tuple[Stream, Terminal]], facts: Rows
    ) -> list[tuple[int, Rows]]:
        """Per head of some, with its rule, what of ``facts`` it derives, but no head before it."""
        found = []
        for stream, terminal in feeders:
            if not len(facts):
                break
            rest = self.not_of_head(stream, terminal, facts)
            found.append((terminal.rule, subtract(facts, rest)))
            facts = rest
        return found

    def _unmatched_by(self, stream: Stream, terminal: Terminal, asked: Rows) -> Rows | None:
        """The pieces of facts that no row derives; None: rows are to be made to tell."""
        stem = stream.stem
        if stem is not None and not stem.instances:  # of many rows one is enough
            index = stem.index(terminal.known)
            return stem.uncovered(asked, positions(terminal.places), index)
        if self.is_plain_scan(stream) and stream.network.since == NEG_INF:
            return self.unmatched(stream, asked, terminal.places, terminal.known)
        return None

    def is_plain_scan(self, stream: Stream) -> bool:
        """Whether a stream is a scan of which `unmatched` tells what is not derived."""
        plan = stream.plan
        return (
            type(plan) is Scan
            and not (plan.equal or stream.network.instances)
            and not self._layers.may_represent(plan.relation)
        )

    def unmatched(
        self, stream: Stream, asked: Rows, places: KnownColumns, known: KnownColumns
    ) -> Rows:
        """The pieces of ``asked`` whose ``places`` are the columns ``known`` of no row of a scan.

        Of many facts one is enough, so rows are not made.
        """
        width = asked.shape[1] - 2
        found = self._lookups.get((stream, width, places, known))
        if found is None:
            found = self._lookups[stream, width, places, known] = _lookup(
                stream, width, places, known
            )
        relation, taken, key, there = found
        if taken is None:
            return self._layers.not_stored(stream, relation, asked, key, there)
        questions = kernels.project(asked, taken, stream.constants)
        rest = self._layers.not_stored(stream, relation, questions, key, there)
        return project(rest, range(width))

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

    def facts(self, stream: Stream, relation: Relation, asked: Rows, places: KnownColumns) -> Rows:
        """The facts that ``stream`` sees."""
        return self._layers.stored(stream, relation, asked, places)

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        plan = stream.plan
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


def _lookup(stream: Stream, width: int, places: KnownColumns, known: KnownColumns) -> _Lookup:
    """How rows of so many terms are looked up, whose ``places`` are columns ``known`` of a scan."""
    plan = stream.plan
    assert isinstance(plan, Scan)
    count = len(plan.constants)
    taken = positions((*range(width), *(~number for number in range(count)))) if count else None
    key = positions((*range(width, width + count), *places))
    there = (*(place for place, _ in plan.constants), *(plan.keep[c] for c in known))
    return _Lookup(plan.relation, taken, key, there)


def _distinct(rows: Rows, places: Sequence[int]) -> Rows:
    """The union of some columns of rows, with their time."""
    return coalesce(project(rows, places))
