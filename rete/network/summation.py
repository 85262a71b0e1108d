"""Summation: what aggregates over endless time have counted for good is kept no longer.

A reading under ``DiamondMinus [0 s, inf)`` never leaves its group. So of those that are long since
there an aggregate needs the total alone, or those that may still be chosen:

    last{ ?v ?t [?s] | DiamondMinus [0 s, inf) ( At ?t ( ?s[ex:reads -> ?v] ) ) }

The latest ones of all groups are kept nevertheless, `RECENT` at least, with the facts that they
follow from: what is retracted of these is lost as ever. A retraction of an older one changes
nothing, as nobody knows any more what would be left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF
from rete.graph.streams import FactTable, Stream
from rete.network.layers import Layers
from rete.network.lookback import measure_lookback
from rete.nodes.aggregate import AggregateNode
from rete.nodes.anti_join import AntiJoin
from rete.nodes.metric.diamond import DilateNode
from rete.nodes.scan import Scan

RECENT: Final = 1 << 13
"""So many rows of a diamond are kept at least; at twice as many the older ones are summed up."""


def sum_up(layers: Layers) -> None:
    """Let go of the older rows of all diamonds that aggregates alone read. O(their rows)."""
    if layers.may_unite or layers.history:  # all may be made anew, or be asked for
        return
    found = [
        _sum_up(stream, stream.node, layers.tables)
        for network in layers.networks
        for stream in network.streams.values()
        if isinstance(stream.node, DilateNode)
    ]
    if any(found):
        measure_lookback(layers)


def is_summed_up(stream: Stream, tables: Sequence[FactTable]) -> bool:
    """Whether the rows of a stream lead to such diamonds alone; ``tables``: all derived facts."""
    if stream.terminals:
        return False
    outputs = [
        *(reader.output for reader in stream.linear),
        *(side.output for side in stream.sides),
        *(gate.output for gate in (*stream.passed_gates, *stream.closed_gates)),
    ]
    return bool(outputs) and all(
        (isinstance(each.node, DilateNode) and _readers(each, tables)) or is_summed_up(each, tables)
        for each in outputs
    )


def _sum_up(stream: Stream, diamond: DilateNode, tables: Sequence[FactTable]) -> bool:
    """Let go of older rows of one diamond; whether it reaches back less far, or farther, now."""
    readers = _readers(stream, tables)
    if not readers or stream.stem is None:
        return False
    bound, rows = stream.network.bound, stream.stem.content()
    begins = rows[:, -2]
    clock = min(bound, *(reader.clock for reader in readers))
    recent = np.sort(begins[(begins > diamond.summed) & (begins < clock)])
    since = int(recent[-RECENT]) if len(recent) > 2 * RECENT else diamond.summed
    if since == NEG_INF:
        return False
    if since > diamond.summed:
        older = rows[begins < since]
        gone = older[~np.logical_or.reduce([reader.needed(older) for reader in readers])]
        for reader in readers:
            reader.sum_up(gone)
        stream.stem.remove(gone, since)
        diamond.summed = since
    before, length = diamond.reach, bound - since
    if not length <= before <= 4 * length:
        diamond.reach = 2 * length  # more may come for a while before this is looked at again
    return diamond.reach != before


def _readers(stream: Stream, tables: Sequence[FactTable]) -> Sequence[AggregateNode]:
    """The aggregates that read a diamond; none, if its rows are needed for anything else."""
    others = stream.linear or stream.sides or stream.terminals
    if others or stream.lateness or stream.component.recursive:
        return ()
    found = [gate for gate in stream.passed_gates if isinstance(gate, AggregateNode)]
    if len(found) < len(stream.passed_gates) or not all(gate.plan.sums_up for gate in found):
        return ()
    (source,) = stream.sources
    # What rules derive begins but once, yet its rows may come piece by piece.
    is_derived = isinstance(source.plan, Scan) and any(
        table.relation == source.plan.relation for table in tables
    )
    if is_derived and not all(gate.plan.chooses for gate in found):
        return ()
    groups = [set(gate.plan.by) for gate in found]
    for plan in (gate.output.plan for gate in stream.closed_gates if gate not in found):
        # A negation asks since when there is a row, and that of each group is kept.
        if not isinstance(plan, AntiJoin):
            return ()
        if not any({theirs for _, theirs in plan.on} <= group for group in groups):
            return ()
    return found
