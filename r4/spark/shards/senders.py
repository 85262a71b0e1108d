"""Senders: changes in the tables of a shard, as messages to the shards that ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from r4.spark.partition.routes import ToShard
from r4.spark.partition.shard_programs import DepartingFacts, RequestedFacts, ShardProgram
from r4.spark.shards.messages import FactMessage, make_message
from r4.spark.shards.outlets import TableOutlet
from r4.spark.shards.routing import RoutedRows, Router, spread
from rete.arrays.delta import Rows
from rete.graph.streams import FactTable
from rete.planning.unification import ConstantPattern
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation

_Routes: TypeAlias = Callable[[Rows], Iterator[RoutedRows]]


class Sender:
    """Makes the messages about changes in some tables.

    Attributes:
        outlets: those of the tables.
    """

    __slots__ = ("_routes", "_shard", "_terms", "outlets")

    def __init__(
        self, shard: int, outlets: list[TableOutlet], routes: _Routes, terms: Dictionary
    ) -> None:
        self._shard = shard
        self.outlets = outlets
        self._routes = routes
        self._terms = terms

    def messages(self, bound: int) -> Iterator[tuple[int, FactMessage]]:
        """The messages since the last call, with the shards that they go to."""
        parts: dict[tuple[int, Relation], list[tuple[Rows, bool]]] = {}
        for outlet in self.outlets:
            gone, held = outlet.take(bound)
            for rows, holds in ((gone, False), (held, True)):
                for to, relation, some in self._routes(rows) if len(rows) else ():
                    parts.setdefault((to, relation), []).append((some, holds))
        for (to, relation), found in parts.items():
            rows = np.concatenate([some for some, _ in found])
            signs = np.repeat([holds for _, holds in found], [len(some) for some, _ in found])
            yield to, make_message(self._shard, relation, rows, signs, self._terms)


def make_senders(
    share: ShardProgram, tables: list[FactTable], terms: Dictionary
) -> Iterator[Sender]:
    """The senders of a share, whose network has these tables. Linear in both."""
    named = {(table.relation, head.key): table for table in tables for _, head in table.heads}
    keys: list[tuple[Relation, ConstantPattern]]
    for each in share.outgoing:
        if isinstance(each, DepartingFacts):
            routes = _departing_routes(each, share, terms)
            keys = [(each.relation, (None,) * each.relation.arity)]
        else:
            routes = _requested_routes(each, share, terms)
            keys = [(each.home, key) for key in each.keys]
        found = list(dict.fromkeys(named[key] for key in keys if key in named))
        outlets = [TableOutlet(table) for table in found]
        for table, outlet in zip(found, outlets, strict=True):
            table.observer = outlet
        yield Sender(share.shard, outlets, routes, terms)


def _departing_routes(departing: DepartingFacts, share: ShardProgram, terms: Dictionary) -> _Routes:
    def routes(rows: Rows) -> Iterator[RoutedRows]:
        if isinstance(departing.to, ToShard):
            yield RoutedRows(departing.to.shard, departing.comes, rows)
            return
        for shard, some in spread(rows, departing.to.place, terms, share.shards):
            yield RoutedRows(shard, departing.comes, some)

    return routes


def _requested_routes(requested: RequestedFacts, share: ShardProgram, terms: Dictionary) -> _Routes:
    router = Router(requested.readers, terms, share.shards)
    here = share.shard, requested.home

    def routes(rows: Rows) -> Iterator[RoutedRows]:
        for each in router.route(requested.relation, rows):
            if (each.shard, each.relation) != here:  # those who ask here see the table itself
                yield each

    return routes
