"""Unmet bodies: rules whose patterns all matched, and whose bodies did not.

The first operator of such a body that made no row says why: in the order of its joins, two sides
that each matched and never met, a metric operator that was never true, or a test that nothing
passed. The network counts the rows of each operator for the order of joins anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.engine.core import Core
from r4.program.box_conditions import BoxCondition, BoxConditions, BoxKey
from rete.arrays.delta import POS_INF
from rete.drawing.names import Names, duration_text, plain
from rete.drawing.rule_operator import RuleOperator, operator_tree
from rete.graph.plan import MetricOperator, NonPointwise
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.function import Apply
from rete.nodes.join import Join
from rete.nodes.metric.box import Erode
from rete.nodes.scan import Scan
from rete.planning.operands import is_disjunction
from rete.terms.relations import Head

_SHOWN: Final = 5
"""Rules that are shown."""
_BRIEF_ELEMENTS: Final = (
    "elements without an end of their own hold at their instant alone, as there is no Window "
    "that says for how long"
)
"""Why a box was not true of elements."""


def unmet_bodies(core: Core, names: Names, boxes: BoxConditions) -> Iterator[str]:
    """A line for each of the first `_SHOWN` rules, and the number of others. Linear in plans.

    Of a rule with several bodies the first is told, if none matched. Nothing is told of a negation
    that let nothing pass, nor where joins were given another order while the core ran: the rows of
    the new ones are not those of the whole run.

    Args:
        core: what ran.
        names: what the rules call things.
        boxes: what must be so for the boxes in their bodies to be true.
    """
    found: dict[int, RuleOperator] = {}
    for network in core.layers.user_networks:
        if not network.orders:
            found |= _unmet(network, names)
    for rule, operator in list(found.items())[:_SHOWN]:
        plan, hint = operator.plan, ""
        if isinstance(plan, Erode):
            condition = boxes.get(BoxKey(rule, plan.rho, plan.future))
            hint = "" if condition is None else _box_hint(names, plan, condition)
        yield f"{names.rule(rule)}: {_sentence(names, operator)}{hint}"
    if len(found) > _SHOWN:
        yield f"the patterns of {len(found) - _SHOWN} further rules matched, but never together"


def _unmet(network: Network, names: Names) -> dict[int, RuleOperator]:
    """Per rule without rows the operator that says why."""
    emits = sorted(
        (emit for emit in network.emits if not any(map(_is_auxiliary, emit.heads))),
        key=lambda emit: emit.rule,
    )
    met = {emit.rule for emit in emits if _had_rows(network.streams[emit.source])}
    silent: dict[int, RuleOperator] = {}
    for emit in emits:
        if emit.rule not in met and emit.rule not in silent:
            operator = _first_without_rows(network, operator_tree(names, emit))
            if operator.sources and operator.plan.negated is None:
                silent[emit.rule] = operator
    return silent


def _is_auxiliary(head: Head) -> bool:
    return is_disjunction(head.relation)


def _had_rows(stream: Stream) -> bool:
    return stream.is_matched or stream.received > 0


def _first_without_rows(network: Network, operator: RuleOperator) -> RuleOperator:
    """The lowest operator without rows on the way down to one whose sources have some."""
    for source in operator.sources:
        if not _had_rows(network.streams[source.plan]):
            return _first_without_rows(network, source)
    return operator


def _sentence(names: Names, operator: RuleOperator) -> str:
    """Which sides matched, and that they never did together."""
    plan = operator.plan
    sides = [" and ".join(_conditions(names, source)) for source in operator.sources]
    matched = f"{' and '.join(sides)} matched"
    same = " and ".join(
        dict.fromkeys(names.argument(operator.inputs[left]) for left, _ in plan.equated)
    )
    key = f" with the same {same}" if same else ""
    if isinstance(plan, Join):
        return (
            f"{sides[0]} matched, and so did {sides[1]}, but never{key} at one time"
            f"{_reach_hint(names, operator)}"
        )
    if isinstance(plan, NonPointwise):
        return f"{matched}, but {_operator(names, plan)} of this never held{key}"
    if isinstance(plan, Apply):
        return f"{matched}, but {operator.call(names)} never had a value"
    return f"{matched}, but never {plain(operator.label(names))}"


def _conditions(names: Names, operator: RuleOperator) -> Iterator[str]:
    """The patterns and operators of a part of a body, in the order in which they are joined."""
    below = [text for source in operator.sources for text in _conditions(names, source)]
    if isinstance(operator.plan, NonPointwise):
        yield f"{_operator(names, operator.plan)} of {' and '.join(below)}"
    elif operator.sources:
        yield from below
    elif isinstance(operator.plan, Scan) and is_disjunction(operator.plan.relation):
        yield "Or( … )"
    else:
        yield plain(operator.label(names))


def _operator(names: Names, plan: NonPointwise) -> str:
    return names.operator(plan.name, plan.distances)


def _box_hint(names: Names, box: Erode, condition: BoxCondition) -> str:
    """Why a box was never true, as far as its rule and the window tell."""
    nearest, farthest = box.rho
    hint, window = "", condition.window
    if condition.is_brief and window is None:
        hint = f": {_BRIEF_ELEMENTS}"
    elif condition.is_brief and window is not None and (farthest - nearest) >> 1 >= window:
        time = duration_text(window, names.per_second)
        hint = (
            f": an element without an end of its own holds for {time}, so that the next one must "
            "come by then"
        )
    return "; ".join([hint, *condition.fixed_values()])


def _reach_hint(names: Names, operator: RuleOperator) -> str:
    """That operators on a side may look too little far for two sides to meet, or the wrong way.

    What keeps the sides apart is not known: where in time their rows lay is forgotten.
    """
    operators = [
        source.plan
        for source in operator.sources
        if isinstance(source.plan, MetricOperator) and not isinstance(source.plan, Erode)
    ]
    if not operators:
        return ""
    cause = "the direction"
    if any(plan.rho != (0, POS_INF) for plan in operators):
        cause = "the range or the direction"
    shown = dict.fromkeys(_operator(names, plan) for plan in operators)
    return f"; {cause} of {' or '.join(shown)} may be the cause"
