"""Senders: what changed in the tables of a shard, as messages to the shards that ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from r4.spark.partition.routes import ToShard
from r4.spark.partition.shard_programs import DepartingFacts, RequestedFacts, ShardProgram
from r4.spark.shards.messages import FactMessage
from r4.spark.shards.routing import RoutedRows, Router, spread
from rete import kernels
from rete.arrays.delta import Rows, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.streams import FactTable
from rete.planning.unification import ConstantPattern
from rete.storage.row_algebra import coalesce_starts, subtract, unite
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation


class TableChange(NamedTuple):
    """What to remove, and then to add; both (n, arity + 2)."""

    gone: Rows
    held: Rows


class TableOutlet:
    """Collects what a table gains and loses, and gives the change that is left.

    In a step facts may be lost and found again, more than once. Only the result counts: of each
    piece of time that was touched, whether the fact holds there now.
    """

    __slots__ = ("_gained", "_lost", "_table")

    def __init__(self, table: FactTable) -> None:
        self._table = table
        self._gained: list[Rows] = []
        self._lost: list[Rows] = []

    def gain(self, rows: Rows) -> None:
        """The table gained ``rows``."""
        self._gained.append(rows.copy())

    def lose(self, rows: Rows) -> None:
        """The table lost ``rows``."""
        self._lost.append(rows.copy())

    def take(self, bound: int) -> TableChange:
        """The change since the last call; what ended before ``bound`` is not removed."""
        none = empty(self._table.relation.arity)
        gained, lost = self._gained, self._lost
        self._gained, self._lost = [], []
        if not lost:
            return TableChange(none, concat([none, *gained]))
        instances = self._table.facts.instances
        if instances:
            touched = coalesce_starts(concat([*gained, *lost]))
            return TableChange(coalesce_starts(concat(lost)), self._now(touched))
        touched = unite([*gained, *lost])
        held = self._table.facts.meet(touched, bound)
        gone = subtract(touched, held)
        return TableChange(gone[gone[:, -1] > bound - self._table.facts.retention], held)

    def saved(self) -> State:
        """Its state: what was collected and not given."""
        none = empty(self._table.relation.arity)
        return {"gained": concat([none, *self._gained]), "lost": concat([none, *self._lost])}

    def restore(self, saved: StateReader, alive: Mask) -> None:
        """Go on from a saved state."""
        arity = self._table.relation.arity
        gained, lost = (saved.rows(name, arity, alive) for name in ("gained", "lost"))
        self._gained = [gained] if len(gained) else []
        self._lost = [lost] if len(lost) else []

    def _now(self, touched: Rows) -> Rows:
        """Instances that begin as those ``touched``, as they are now."""
        facts = self._table.facts
        found = facts.find(np.ascontiguousarray(touched[:, :-1]), kernels.BEGINS_AT)
        held = facts.at(found[found >= 0])
        return held[held[:, -1] > held[:, -2]]


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
            texts = self._terms.decode_many(np.ascontiguousarray(rows[:, :-2]).ravel())
            lo, hi = rows[:, -2].copy(), rows[:, -1].copy()
            yield to, FactMessage(self._shard, relation, texts, lo, hi, signs)


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
