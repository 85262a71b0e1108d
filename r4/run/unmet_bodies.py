"""Unmet bodies: rules whose patterns all matched, and whose bodies did not.

The first operator of such a body that made no row says why: in the order of its joins, two sides
that each matched and never met, or a test that nothing passed. The network counts the rows of each
operator for the order of joins anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.engine.core import Core
from rete.drawing.diagram import Diagram, DiagramNode, diagram
from rete.drawing.names import Names, plain
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.join import Join

_SHOWN: Final = 5
"""Rules that are shown."""


def unmet_bodies(core: Core, names: Names) -> Iterator[str]:
    """A line for each of the first `_SHOWN` rules, and the number of others. Linear in plans.

    Of a rule with several bodies the first is told, if none matched. Nothing is told of a negation
    that let nothing pass, nor where joins were given another order while the core ran: the rows of
    the new ones are not those of the whole run.
    """
    found: dict[int, str] = {}
    for network in core.layers.user_networks:
        if not network.orders:
            found |= _unmet(network, names)
    yield from list(found.values())[:_SHOWN]
    if len(found) > _SHOWN:
        yield f"the patterns of {len(found) - _SHOWN} further rules matched, but never together"


def _unmet(network: Network, names: Names) -> Iterator[tuple[int, str]]:
    emits = sorted(network.emits, key=lambda each: each.rule)
    met = {emit.rule for emit in emits if _had_rows(network.streams[emit.source])}
    silent: dict[int, Plan] = {}
    for emit in emits:
        if emit.rule not in met and emit.rule not in silent:
            plan = _first_without_rows(network, emit.source)
            if plan.sources:
                silent[emit.rule] = plan
    if not silent:
        return
    drawn = diagram(network, names)
    nodes = {node.plan: node for node in drawn.nodes if node.plan is not None}
    for rule, plan in silent.items():
        yield rule, f"{names.rule(rule)}: {_sentence(drawn, nodes[plan])}"


def _had_rows(stream: Stream) -> bool:
    return stream.is_matched or stream.received > 0


def _first_without_rows(network: Network, plan: Plan) -> Plan:
    """The lowest plan without rows on the way from ``plan`` down to one whose sources have some."""
    for place, source in enumerate(plan.sources):
        if place != plan.negated and not _had_rows(network.streams[source]):
            return _first_without_rows(network, source)
    return plan


def _sentence(drawn: Diagram, node: DiagramNode) -> str:
    plan = node.plan
    assert plan is not None
    sides = [" and ".join(_patterns(drawn, number)) for number in node.sources]
    label = ", ".join(map(plain, node.label))
    if isinstance(plan, Join):
        key = f" with the same {' and '.join(label.split())}" if plan.on else ""
        return f"{sides[0]} matched, and so did {sides[1]}, but never{key} at one time"
    return f"{' and '.join(sides)} matched, but never {label}"


def _patterns(drawn: Diagram, number: int) -> Iterator[str]:
    """The patterns below a node, as the rules write them, in the order in which they are joined."""
    node = drawn.node(number)
    if not node.sources:
        yield from map(plain, node.label)
    negated = None if node.plan is None else node.plan.negated
    for place, source in enumerate(node.sources):
        if place != negated:
            yield from _patterns(drawn, source)
