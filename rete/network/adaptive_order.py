"""Adaptive order: joins are ordered anew when what was counted says so.

Rules are compiled before there are data, so the first order of joins is by their patterns. Before a
run of the agenda it is compared with what the leaves have by now:

- *Much has come at once*, more than the leaves had: as with static data, or the first batch. Then
  orders are compared by their estimates before anything is joined.
- *The joins of a tree multiply*: since the last look they made more than `_FEW_PAIRS` pairs for
  each row that came. Then another order must be better at two looks running, and take no more pairs
  to migrate to than were made since the last look.

An order is changed only if another is estimated to make so many times fewer pairs, `_BETTER`, so
that orders of similar cost do not alternate. A look comes after as many rows as the leaves have,
so it costs less than those did.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows, concat_or_empty
from rete.arrays.state_codec import State, StateReader
from rete.graph.plan import Emit, Plan
from rete.graph.streams import Stream
from rete.network.layers import Layers
from rete.network.network import Network
from rete.network.plan_migration import migrate
from rete.planning.join_cost import ColumnCounts, JoinCost, RowCounts
from rete.planning.join_graph import (
    JoinGraph,
    PlanOrders,
    Postfix,
    join_trees,
    tree_joins,
    tree_leaves,
)

_SAMPLE: Final = 2048
"""So many rows from all over a stream are looked at."""
_GOLDEN: Final = (sqrt(5) - 1) / 2


def count_rows(stream: Stream, bound: int) -> RowCounts:
    """The rows that end after ``bound``, in the SteM of ``stream`` or pending.

    An estimate if there are many. Costs some 50 µs a column.
    """
    stem, width = stream.stem, stream.plan.width
    stored, waiting = 0 if stem is None else stem.n, _waiting(stream)
    places = _sampled(stored + sum(map(len, waiting)))
    share = (stored + sum(map(len, waiting))) / max(1, len(places))
    parts = []
    if stem is not None:
        count = int(np.searchsorted(places, stored))
        parts.append(stem.at(stem.store.first + places[:count]))
        places = places[count:] - stored
    for part in waiting:
        count = int(np.searchsorted(places, len(part)))
        parts.append(part[places[:count]])
        places = places[count:] - len(part)
    rows = concat_or_empty(parts, width)
    rows = rows[rows[:, -1] > bound]
    columns = tuple(_count_values(rows[:, c], share) for c in range(width))
    return RowCounts(share * len(rows), columns)


def _waiting(stream: Stream) -> list[Rows]:
    """The rows that are to come; those that wait before a gate are rows of a source."""
    return stream.pending if stream.gate is None else []


def _sampled(total: int) -> Column:
    """A place of each stretch of as many, not at the same: rows may repeat in a pattern."""
    numbers = np.arange(min(total, _SAMPLE))
    shifted = numbers if total <= _SAMPLE else numbers + numbers * _GOLDEN % 1
    found: Column = (shifted * (total / max(1, len(numbers)))).astype(np.int64)
    return found


def _count_values(sample: Column, share: float) -> ColumnCounts:
    """The values of a column of which ``sample`` has one row in ``share``.

    That two rows have the same value is as likely in the sample as in all rows, which gives the
    size of the join with itself [Alon99]. A value that is in the sample once stands for the square
    root of ``share`` others [Charikar00, GEE].
    """
    size = len(sample)
    rows = size * share
    if size < 2:  # noqa: PLR2004 - no two rows
        return ColumnCounts(rows, rows)
    counts = np.unique(sample, return_counts=True)[1]
    once = int(np.count_nonzero(counts == 1))
    alike = int((counts * (counts - 1)).sum()) / (size * (size - 1))
    distinct = len(counts) - once + once * sqrt(share)
    return ColumnCounts(distinct, rows / (1 + (rows - 1) * alike))


_FIRST: Final = 512
"""Rows after which the first look comes, and the fewest between two."""
_ROWS_A_LEAF: Final = 16
"""So many rows for each leaf there are at least between two looks."""
_FEW_PAIRS: Final = 4
_BETTER: Final = 4
_LOOKS: Final = 2


class _JoinTree(NamedTuple):
    """A join tree as compiled, and the streams of its leaves and joins now."""

    plan: Plan
    leaves: list[Stream]
    joins: list[Stream]


class AdaptiveOrder:
    """Looks at the join trees of all networks, and migrates those that another order suits better.

    After ``next_look`` rows, asserted and derived, it looks again.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._trees: dict[Network, tuple[tuple[Emit, ...], list[_JoinTree]]] = {}
        self._better: dict[Plan, int] = {}
        self.next_look = _FIRST

    def look(self, rows: int, bound: int) -> bool:
        """Whether joins are in another order now; ``rows`` came so far, those up to now pending.

        Nothing else is pending. Rows that ended by ``bound`` do not count.
        """
        before, self._better = self._better, {}
        changed = False
        leaves: dict[Stream, None] = {}
        for network in self._layers.networks:
            orders: dict[Plan, Postfix] = {}
            trees = self._trees_of(network)
            for tree in trees:
                leaves.update(dict.fromkeys(tree.leaves))
                if self._is_whole(tree):
                    found = self._better_order(network, tree, before.get(tree.plan, 0), bound)
                    if found is not None:
                        orders[tree.plan] = found
            for stream in _streams(trees):
                stream.is_matched |= stream.received > 0
                stream.received = 0
            if orders:
                migrate(network, {**network.orders, **orders}, bound)
                changed = True
        held = sum(_held(leaf) + _pending(leaf) for leaf in leaves)
        self.next_look = rows + max(_FIRST, held, _ROWS_A_LEAF * len(leaves))
        return changed

    def _trees_of(self, network: Network) -> list[_JoinTree]:
        emits, trees = self._trees.get(network, (None, []))
        if emits is not network.emits:
            orders = PlanOrders(network.orders)
            plans = [tree for each in network.compiled for tree in join_trees(each.source)]
            trees = [
                _JoinTree(
                    plan,
                    [network.streams[orders.of(leaf)] for leaf in tree_leaves(plan)],
                    [network.streams[join] for join in tree_joins(orders.of(plan))],
                )
                for plan in dict.fromkeys(plans)
            ]
            self._trees[network] = network.emits, trees
        return trees

    def _better_order(
        self, network: Network, tree: _JoinTree, looks: int, bound: int
    ) -> Postfix | None:
        """An order that a tree is to have instead of its own; None: it keeps that.

        ``looks``: at how many looks running another one was better.
        """
        held, pending = sum(map(_held, tree.leaves)), sum(map(_pending, tree.leaves))
        at_once = pending >= max(held, _FIRST)
        came = sum(leaf.received for leaf in tree.leaves)
        made = sum(join.received for join in tree.joins)
        if not at_once and made <= _FEW_PAIRS * came:
            return None
        graph = JoinGraph.of(tree.plan)
        cost = JoinCost(graph, [count_rows(leaf, bound) for leaf in tree.leaves])
        now = cost.of(network.orders.get(tree.plan, graph.compiled))
        found = cost.cheap_order()
        pairs = cost.of(found)
        if now <= _FEW_PAIRS * cost.rows or now <= _BETTER * pairs:
            return None
        self._better[tree.plan] = looks + 1
        return found if at_once or (looks + 1 >= _LOOKS and pairs <= made) else None

    def _is_whole(self, tree: _JoinTree) -> bool:
        """Whether the SteMs of the leaves have all that any order of joins may need.

        Rows that are needed after their end are kept for the nodes that there are, so not surely as
        long as others would need them.
        """
        held = sum(map(_held, tree.leaves))
        return all(leaf.stem is not None for leaf in tree.leaves) and not (
            held and self._layers.retention
        )

    def saved(self) -> State:
        """When it looks again, and what was received since it looked last."""
        trees = self._all_trees()
        return {
            "next": self.next_look,
            "received": np.array([stream.received for stream in _streams(trees)], np.int64),
            "better": np.array([self._better.get(tree.plan, 0) for tree in trees], np.int64),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from there; the networks have the orders that they had."""
        trees = self._all_trees()
        streams = _streams(trees)
        self.next_look = given.integer("next", 0)
        received = given.array("received", np.int64, len(streams)).tolist()
        for stream, count in zip(streams, received, strict=True):
            stream.received = count
        better = given.array("better", np.int64, len(trees)).tolist()
        self._better = {tree.plan: n for tree, n in zip(trees, better, strict=True) if n}

    def _all_trees(self) -> list[_JoinTree]:
        return [tree for network in self._layers.networks for tree in self._trees_of(network)]


def _streams(trees: Iterable[_JoinTree]) -> list[Stream]:
    return list(dict.fromkeys(each for tree in trees for each in (*tree.leaves, *tree.joins)))


def _held(stream: Stream) -> int:
    return 0 if stream.stem is None else stream.stem.n


def _pending(stream: Stream) -> int:
    return sum(map(len, _waiting(stream)))
