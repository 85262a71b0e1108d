"""Summation: what operators over endless time have seen long ago is kept no longer.

A reading under ``DiamondMinus [0 s, inf)`` holds there for ever. So the facts that it follows from
are needed only as long as one may be retracted. And of an aggregate of such readings

    last{ ?v ?t [?s] | DiamondMinus [0 s, inf) ( At ?t ( ?s[ex:reads -> ?v] ) ) }

the total is enough, or those that may still be chosen. The latest readings are kept nevertheless,
with the facts that they follow from: what is retracted of these is lost as ever. These are those of
as long as it took for `RECENT` of them to come, where they came fastest, or of twice that. A
retraction of an older one changes nothing, as nobody knows any more what would be left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF
from rete.graph.streams import FactTable, Stream
from rete.network.layers import Layers
from rete.network.lookback import measure_lookback
from rete.nodes.aggregate import AggregateNode
from rete.nodes.anti_join import AntiJoin
from rete.nodes.metric.diamond import Dilate, DilateNode
from rete.nodes.scan import Scan

RECENT: Final = 1 << 13
"""So many rows that came to a diamond are kept at least; others when there are as many of them."""


def is_due(layers: Layers) -> bool:
    """Whether so many rows came to a diamond to `inf` that `sum_up` may find something to do."""
    return any(node.seen.is_due(RECENT) for _, node in _lasting(layers))


def sum_up(layers: Layers) -> None:
    """Let go of what is old below all diamonds to `inf`. O(rows of aggregates of these)."""
    if layers.may_unite or layers.history:  # all may be made anew, or be asked for
        return
    found = [_sum_up(stream, node, layers.tables) for stream, node in _lasting(layers)]
    if any(found):
        measure_lookback(layers)


def _lasting(layers: Layers) -> Iterator[tuple[Stream, DilateNode]]:
    for network in layers.networks:
        for stream in network.lasting:
            assert isinstance(stream.node, DilateNode)
            yield stream, stream.node


def is_summed_up(stream: Stream, tables: Sequence[FactTable]) -> bool:
    """Whether a stream leads to aggregates alone that sum up; ``tables``: all derived facts."""
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
    """Let go of older rows of one diamond; whether it reaches back less far now.

    It never reaches farther again: what is forgotten would be taken for what never was.
    """
    if not _may_forget(stream):
        return False
    bound = stream.network.bound
    since = diamond.seen.since(RECENT, bound)
    if since is not None and since > diamond.summed:
        _sum_up_rows(stream, since, _readers(stream, tables))
        diamond.summed = since
    if diamond.summed == NEG_INF:
        return False
    before, length = diamond.reach, bound - diamond.summed
    if before > 4 * length:
        diamond.reach = 2 * length
    return diamond.reach < before


def _sum_up_rows(stream: Stream, since: int, readers: Sequence[AggregateNode]) -> None:
    """Let go of the rows before a cell that no aggregate needs."""
    stem = stream.stem
    assert stem is not None
    if not readers:
        return
    rows = stem.content()
    older = rows[rows[:, -2] < min(since, *(reader.clock for reader in readers))]
    gone = older[~np.logical_or.reduce([reader.needed(older) for reader in readers])]
    for reader in readers:
        reader.sum_up(gone)
    stem.remove(gone, since)


def _may_forget(stream: Stream) -> bool:
    """Whether the rows of a diamond to `inf` are remembered, wherever they go, and never late."""
    passed_on = stream.linear or stream.terminals
    plan = stream.plan
    return (
        isinstance(plan, Dilate)
        and plan.is_lasting
        and stream.stem is not None
        and not (passed_on or stream.lateness or stream.component.recursive)
    )


def _readers(stream: Stream, tables: Sequence[FactTable]) -> Sequence[AggregateNode]:
    """The aggregates that read a diamond; none, if its rows are needed for anything else."""
    if stream.sides or not _may_forget(stream):
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
