"""Plan migration: a network that runs goes on with other orders of its joins.

Migration moves state [Zhu04]: a node of the new plans that an old one has rows for (both have equal
columns) takes these over; what no node had, the result of a join that was not done before, is
computed from the SteMs of its leaves. Facts that follow are in the tables already, so nothing is
derived. What a SteM has forgotten nothing can meet any more, in no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rete.arrays.delta import NEG_INF, Rows
from rete.arrays.state_codec import State, StateReader
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.linear import LinearNode
from rete.planning.join_graph import JoinGraph, PlanOrders, Postfix
from rete.terms.builtin_calls import DomainErrors, sum_by_builtin


def migrate(network: Network, orders: Mapping[Plan, Postfix], bound: int) -> None:
    """Let ``network`` join in these ``orders``, of join trees as compiled; all others as before.

    Nothing is pending but on streams that stay. Ranks and components are to be assigned anew.
    Costs a join of what the SteMs of the leaves have that ends after ``bound``, for each order that
    changes.
    """
    before = dict(network.streams)
    outside = {each.builtin: each for each in sum_by_builtin(network.outside())}
    stems = {stream: stream.stem for stream in before.values()}
    old, new = PlanOrders(network.orders), PlanOrders(orders)
    origins: dict[Plan, Plan] = {}
    for plan in network.plans:
        origins.setdefault(new.of(plan), old.of(plan))
    network.orders = orders
    network.emits = tuple(replace(each, source=new.of(each.source)) for each in network.compiled)
    for emit in network.emits:
        made = network.stream(emit.source)
        origin = before[origins[emit.source]]
        if made is not origin:
            _move_terminals(origin, made)
    for plan, stream in network.streams.items():
        if stream.stem is not None and stems.get(stream) is not stream.stem:
            _fill(stream, before.get(origins.get(plan, plan)), bound)
    network.prune()
    for stream in network.streams.values():
        if isinstance(stream.node, LinearNode):
            own = stream.node.outside
            total = outside.pop(own.builtin, DomainErrors(own.builtin))
            own.count, own.samples, own.reason = total.count, total.samples, total.reason


def saved_orders(network: Network) -> list[State]:
    """The orders in use that are not those as compiled."""
    numbers = network.plans if network.orders else {}
    return [
        {"plan": numbers[plan], "order": np.array(order, np.int64)}
        for plan, order in network.orders.items()
    ]


def restore_orders(network: Network, given: Sequence[StateReader]) -> None:
    """Let a network without rows join as it did when it was saved."""
    if not given:
        return
    plans = list(network.plans)
    orders: dict[Plan, Postfix] = {}
    for part in given:
        plan = plans[part.integer("plan", 0, len(plans) - 1)]
        orders[plan] = tuple(part.array("order", np.int64, None).tolist())
        if not JoinGraph.of(plan).is_order(orders[plan]):
            part.refuse("order", "is no order of its leaves")
    migrate(network, orders, NEG_INF)


def _move_terminals(origin: Stream, made: Stream) -> None:
    for terminal in origin.terminals:
        table = terminal.table
        table.feeders = [
            (made if each is terminal else stream, each) for stream, each in table.feeders
        ]
    made.terminals += origin.terminals
    origin.terminals = []


def _fill(stream: Stream, origin: Stream | None, bound: int) -> None:
    """Enter the rows of ``stream`` into its SteM, which is new: those of ``origin``, if it has."""
    stem = stream.stem
    assert stem is not None
    known = None if origin is None or origin is stream else origin.stem
    parts = iter([known.content()]) if known is not None else _computed(stream, bound)
    for rows in parts:
        stem.absorb(rows, bound)


def _computed(stream: Stream, bound: int) -> Iterator[Rows]:
    """The rows of ``stream`` that end after ``bound``, some at a time, from SteMs before it."""
    source = stream.sources[0]
    if isinstance(stream.node, LinearNode):
        for rows in _stored(source, bound):
            yield stream.node.apply(rows)
        return
    side = next(side for side in source.sides if side.output is stream)
    for rows in _stored(source, bound):
        yield from side.slices(rows)


def _stored(stream: Stream, bound: int) -> Iterator[Rows]:
    if stream.stem is None:
        yield from _computed(stream, bound)
        return
    rows = stream.stem.content()
    yield np.ascontiguousarray(rows[rows[:, -1] > bound])
