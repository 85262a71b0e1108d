"""Routing: from facts to the shards that ask for them, through an alpha network of demands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from r4.spark.partition.routes import ByHash, Demand, Route, ToShard, relation_at, shards_of
from rete.arrays.delta import Rows, concat
from rete.graph.streams import Stream
from rete.nodes.alpha import Alpha
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation


class RoutedRows(NamedTuple):
    """Facts for a shard, (n, arity + 2), and their relation there."""

    shard: int
    relation: Relation
    rows: Rows


class Router:
    """Finds the shards that ask for facts; linear in the facts, not in the demands."""

    def __init__(self, demands: Iterable[Demand], terms: Dictionary, shards: int) -> None:
        """Start; ``terms`` is the dictionary of the facts."""
        self._terms = terms
        self._shards = shards
        self._alphas: dict[Relation, Alpha] = {}
        self._routes: dict[Stream, list[Route]] = {}
        streams: dict[Scan, Stream] = {}
        for each in demands:
            relation, every = each.relation, tuple(range(each.relation.arity))
            scan = Scan(relation, each.constants, each.equal, every, each.numbers)
            if scan not in streams:
                stream = streams[scan] = Stream(scan)
                self._alphas.setdefault(relation, Alpha(relation, terms)).add(stream, scan)
            self._routes.setdefault(streams[scan], []).append(each.route)

    def route(self, relation: Relation, rows: Rows) -> Iterator[RoutedRows]:
        """The facts ``rows`` of ``relation``, (n, arity + 2), each once a shard and name."""
        demanded: dict[Route, list[Rows]] = {}
        alpha = self._alphas.get(relation)
        for stream, found in () if alpha is None else alpha.route(rows):
            for route in self._routes[stream]:
                demanded.setdefault(route, []).append(found)
        whole: dict[int, list[Rows]] = {}
        for route, parts in demanded.items():
            match route:
                case ToShard(shard):
                    whole.setdefault(shard, []).extend(parts)
                case ByHash(place):
                    there = relation_at(relation, route)
                    for shard, some in spread(_once(parts), place, self._terms, self._shards):
                        yield RoutedRows(shard, there, some)
                case _:
                    for shard in range(self._shards):
                        whole.setdefault(shard, []).extend(parts)
        for shard, parts in sorted(whole.items()):
            yield RoutedRows(shard, relation, _once(parts))


def spread(rows: Rows, place: int, terms: Dictionary, shards: int) -> Iterator[tuple[int, Rows]]:
    """Rows by the shards of the terms in their column ``place``."""
    to = shards_of(rows[:, place], terms, shards)
    for shard in np.unique(to).tolist():
        yield shard, rows[to == shard]


def _once(parts: list[Rows]) -> Rows:
    """All rows of ``parts``, each once."""
    rows = concat(parts)
    return rows if len(parts) == 1 else np.unique(rows, axis=0)
