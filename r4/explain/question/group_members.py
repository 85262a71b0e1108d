"""What stands behind the value of an aggregate: how many members, and what changed it."""

from __future__ import annotations

from r4.explain.explanation import GroupMembers
from r4.explain.justification.deciding_members import deciding_members
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import OperandRow, OperatorRow
from r4.explain.rendering.condition_text import ConditionWriter
from r4.explain.tick_spans import to_ticks
from rete.aggregates.bags import bag_maker
from rete.arrays.delta import NEG_INF, POS_INF
from rete.nodes.aggregate import Aggregate
from rete.nodes.metric.diamond import DilateNode
from rete.storage.interval_sets import coalesce, interval_at


def group_members(
    state: InstantState, wording: ConditionWriter, operator: OperatorRow, cell: int
) -> GroupMembers:
    """The members behind a row of an aggregate in a cell, as far as they were kept."""
    plan = operator.plan
    assert isinstance(plan, Aggregate)
    own = interval_at(coalesce(state.times(operator)), cell)
    since = NEG_INF if own is None else own[0]
    came, gone = member_changes(state, wording, operator, since)
    *group, value = map(wording.text, operator.values)
    rows = members_at(state, operator, cell)
    deciding = deciding_members(plan, rows, wording.text)
    return GroupMembers(
        value,
        tuple(group),
        len(rows),
        lacks_members(operator),
        tuple(wording.text(row.values[plan.value]) for row in deciding),
        bag_maker(plan.function, plan.share, plan.part, plan.size)().chosen() is not None,
        to_ticks(since, POS_INF) if came or gone else None,
        came,
        gone,
    )


def lacks_members(operator: OperatorRow) -> bool:
    """Whether some members of an aggregate are kept no longer."""
    (source,) = operator.stream.sources
    return isinstance(source.node, DilateNode) and source.node.summed > NEG_INF


def member_changes(
    state: InstantState, wording: ConditionWriter, operator: OperatorRow, cell: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The members that come in a cell, and those that are gone by it, in the words of the rules."""
    if not NEG_INF < cell < POS_INF:
        return (), ()
    before, after = (members_at(state, operator, each) for each in (cell - 1, cell))
    came, gone = (
        tuple(wording.of_row(row.stream.plan, row.values) for row in some if row not in others)
        for some, others in ((after, before), (before, after))
    )
    return came, gone


def members_at(state: InstantState, operator: OperatorRow, cell: int) -> list[OperandRow]:
    """The solutions of the group of a row that hold in a cell."""
    plan = operator.plan
    assert isinstance(plan, Aggregate)
    known = dict(zip(plan.by, operator.values, strict=False))
    (source,) = operator.stream.sources
    return list(state.matching(source, known, (cell, cell + 1)))
