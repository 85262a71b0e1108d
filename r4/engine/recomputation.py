"""Recomputation: what follows from all that was asserted, for rules that join and look back.

Networks remember what later facts may meet, not what a rule may look back on that joins them. So
when one does, all networks forget their rows and derive them anew, at all times, from the base
table, which keeps what has ended. Rules that ran look back on what the new ones derive, and new
ones on what those derived. Answers that are final stay; those to come are compared.

Costs what it does to derive all that follows from the facts that are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from r4.engine.change_listener import ChangeListener
from rete.arrays.delta import NEG_INF
from rete.inference.inference_engine import InferenceEngine


def recompute(
    inference: InferenceEngine, listener: ChangeListener, derive: Callable[[], None]
) -> None:
    """Derive all anew from the base table, by networks that have no rows; nothing is pending.

    Raises:
        LimitReached: it is more than the limit of ``inference``.
    """
    layers = inference.layers
    assert layers.base_table is not None
    nodes = [node for network in layers.networks for node in network.linear_nodes()]
    counted = [deepcopy(node.outside) for node in nodes]
    bound, inference.bound = inference.bound, NEG_INF  # no row goes before all others have met it
    for network in layers.networks:
        inference.start(network)
    for relation, rows in layers.base_table.content():
        inference.push(relation, rows)
    derive()
    for table in layers.all_tables:
        if table.ticks is not None:
            by_rule, lost = table.ticks.not_derived(table)
            for rule, rows in by_rule:
                table.ticks.drop(rule, rows, NEG_INF)
            listener.lost(table, lost)
    inference.bound = bound
    inference.expire()
    for node, outside in zip(nodes, counted, strict=True):
        node.outside = outside  # each call counts once
