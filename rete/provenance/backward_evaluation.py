"""Backward evaluation: rows of a stream with given columns, found through its plan from the end.

A network evaluates plans forwards, from facts to rows. Here some columns are known already, and the
plan is walked from its end, as with magic sets: only rows that agree with the known columns are
ever made. So one finds whether a row has another derivation, and from which facts.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NamedTuple

from rete import kernels
from rete.arrays.delta import NEG_INF, Column, Rows, empty
from rete.graph.plan import KnownColumns
from rete.graph.streams import FactTable, HeadLookups, Heads, Stream, Terminal
from rete.memo import Memo
from rete.network.layers import Layers
from rete.nodes.join import Join
from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
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
from rete.terms.relations import TRIPLES, Relation

_FEW: Final = 128
"""So many rows go each through the chains of a join; more of them share what they look up."""


class _Lookup(NamedTuple):
    """How facts are looked up that some rows are made of, if a scan makes them.

    Attributes:
        taken: what makes questions of the rows, with the constants of the scan; None: it has none.
        key, there: the columns of the questions, and the places of the facts, that are compared.
    """

    relation: Relation
    taken: Column | None
    key: Column
    there: KnownColumns
    of_triples: bool


class BackwardEvaluation:
    """Finds rows of streams, and the facts that rules derive, from part of them.

    See `rete.graph.streams.RowSearch` for questions and results.
    """

    __slots__ = ("_access_paths", "_layers", "_lookups")

    def __init__(self, layers: Layers) -> None:
        """Search in ``layers``, whose nodes have rows of their own from now on."""
        layers.unshare()
        self._layers = layers
        self._access_paths: dict[tuple[Stream, KnownColumns], tuple[int, AccessPath]] = {}
        self._lookups = Memo(_lookup)

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
        rest = self.unmatched(stream, asked, terminal)
        return self._made(stream, terminal, asked) if rest is None else subtract(asked, rest)

    def not_of_head(self, stream: Stream, terminal: Terminal, facts: Rows) -> Rows:
        """The pieces of ``facts`` that one head of one body does not derive."""
        if not terminal.asks_all:
            return subtract(facts, self.of_head(stream, terminal, facts))
        rest = self.unmatched(stream, facts, terminal)
        return subtract(facts, self._made(stream, terminal, facts)) if rest is None else rest

    def _made(self, stream: Stream, terminal: Terminal, asked: Rows) -> Rows:
        """What of ``asked``, which a head may have derived, the rows of its body derive."""
        # Instances are asked for at any time.
        if not terminal.asks_whole or stream.network.instances:
            asked = coalesce(project(asked, terminal.places))
        return terminal.facts(self.rows(stream, asked, terminal.known))

    def not_derived(self, heads: Heads, facts: Rows) -> Rows:
        """The pieces of ``facts`` that no head of some derives: one derivation is enough."""
        lookups = self._lookups_of(heads)
        facts = lookups.stems.uncovered(facts)
        for stream, terminal in lookups.others:
            if not len(facts):
                break
            facts = self.not_of_head(stream, terminal, facts)
        return facts

    def _lookups_of(self, heads: Heads) -> HeadLookups:
        """How facts of some heads are looked up, as the base table is now."""
        found, base = heads.lookups, self._layers.base_table
        version = 0 if base is None else base.version
        if found is None or found.base_table is not base or found.version != version:
            stems, others = [], []
            for feeder in heads.feeders:
                theirs = self._stems_of(*feeder)
                if theirs is None:
                    others.append(feeder)
                else:
                    stems += theirs
            found = heads.lookups = HeadLookups(base, version, kernels.Lookups(stems), others)
        return found

    def _stems_of(
        self, stream: Stream, terminal: Terminal | None
    ) -> list[tuple[Column, kernels.Index, kernels.Operator | None]] | None:
        """The SteMs in which one head looks facts up; None: that does not do.

        Without a ``terminal``, rows of the stream, as the plan derives them. A box or diamond is
        looked up in what it is of; a box needs maximal rows, so it does with one SteM alone.
        """
        if terminal is None:
            places = tuple(range(stream.plan.width))
            stem, key = None, all_columns(len(places))
        elif terminal.asks_all:
            stem, key, places = stream.stem, terminal.key, terminal.known
        else:
            return None
        operator = None
        if stem is None and isinstance(stream.plan, Erode | Dilate):
            operator = _operator(stream.plan)
            (stream,) = stream.sources
            stem = stream.stem
        if stem is not None and not stem.instances:
            return [(key, stem.index(places), operator)]
        if operator is not None and operator.is_box:
            return None
        lookup = self._lookups[stream, terminal]
        if lookup is None or lookup.taken is not None or stream.network.since > NEG_INF:
            return None
        relation, _, key, places, of_triples = lookup
        if of_triples and self._layers.background is not None:
            return None  # facts may come to represent others
        stems = self._layers.stems_of(stream, relation)
        return [(key, each.index(places), operator) for each in stems]

    def unmatched(
        self, stream: Stream, asked: Rows, terminal: Terminal | None = None
    ) -> Rows | None:
        """The pieces of facts that no row derives by a head; None: rows are to be made to tell.

        Of many rows one is enough. Without a ``terminal``, the pieces of rows of the stream that
        its plan does not derive.
        """
        if terminal is not None:
            stem = stream.stem
            if stem is not None and not stem.instances:
                return stem.uncovered(asked, terminal.key, stem.index(terminal.known))
            if stream.network.since > NEG_INF:
                return None
        lookup = self._lookups[stream, terminal]
        if lookup is None:
            return self._not_made(stream, asked, terminal)
        if lookup.of_triples and self._layers.classes:
            return None  # a triple may represent others, of terms equal to its own
        relation, taken, key, there, _ = lookup
        if taken is None:
            return self._layers.not_stored(stream, relation, asked, key, there)
        questions = kernels.project(asked, taken, stream.constants)
        rest = self._layers.not_stored(stream, relation, questions, key, there)
        return project(rest, range(asked.shape[1] - 2))

    def _not_made(self, stream: Stream, asked: Rows, terminal: Terminal | None) -> Rows | None:
        """As `unmatched`, where a diamond makes the rows of the stream, or a join of few rows."""
        plan = stream.plan
        if terminal is None and isinstance(plan, Dilate):
            stems = self._stems_of(stream, None)
            return None if stems is None else kernels.Lookups(stems).uncovered(asked)
        if not isinstance(plan, Join) or stream.network.instances or not 0 < len(asked) <= _FEW:
            return None
        known = places = tuple(range(plan.width))
        questions = asked
        if terminal is not None:
            known, places = terminal.known, terminal.places
            if not terminal.asks_whole:
                questions = project(asked, places)
        return self._access_path(stream, questions, known).unpaired(asked, places)

    def is_plain_scan(self, stream: Stream) -> bool:
        """Whether a stream is a scan of which `unmatched` tells what is not derived."""
        lookup = self._lookups[stream, None]
        return lookup is not None and not (lookup.of_triples and self._layers.classes)

    def rows(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream``, (n, width + 2), from its SteM if it has one."""
        stem = stream.stem
        if stem is None:
            return self.derived(stream, asked, known)
        index = stem.index(known)
        return stem.probe(
            asked, all_columns(len(known)), stem.end, index, probed_columns(stem.width)
        )

    def derived(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream`` by its plan, whatever its own SteM has."""
        return stream.node.derived(self, asked, known)

    def facts(self, stream: Stream, relation: Relation, asked: Rows, places: KnownColumns) -> Rows:
        """The facts that ``stream`` sees."""
        return self._layers.stored(stream, relation, asked, places)

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        if not len(asked):
            return empty(stream.plan.inputs)
        return self._access_path(stream, asked, known).pairs(asked)

    def _access_path(self, stream: Stream, asked: Rows, known: KnownColumns) -> AccessPath:
        one, other = stream.sources
        left, right = one.stem, other.stem
        assert left is not None
        assert right is not None
        size, found = self._access_paths.get((stream, known), (0, None))
        if found is None or left.n + right.n > 2 * size:  # another path may be better by now
            found = choose_access_path(stream.plan, left, right, known, asked)
            self._access_paths[stream, known] = left.n + right.n, found
        return found


def _operator(plan: Erode | Dilate) -> kernels.Operator:
    return kernels.Operator(isinstance(plan, Erode), *plan.rho, plan.future)


def _lookup(key: tuple[Stream, Terminal | None]) -> _Lookup | None:
    """How the facts of a head are looked up, or the rows of a stream; None: no plain scan."""
    stream, terminal = key
    plan = stream.plan
    if not isinstance(plan, Scan) or plan.equal or plan.numbers or stream.network.instances:
        return None
    places = known = tuple(range(plan.width))
    width = plan.width
    if terminal is not None:
        width, places, known = terminal.table.relation.arity, terminal.places, terminal.known
    count = len(plan.constants)
    taken = positions((*range(width), *(~number for number in range(count)))) if count else None
    compared = positions((*range(width, width + count), *places))
    there = (*(place for place, _ in plan.constants), *(plan.keep[c] for c in known))
    return _Lookup(plan.relation, taken, compared, there, plan.relation == TRIPLES)
