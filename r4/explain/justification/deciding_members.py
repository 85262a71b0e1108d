"""Which members of a group make the value of an aggregate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from r4.explain.justification.rule_instances import OperandRow
from rete.aggregates.bags import Entry, bag_maker
from rete.aggregates.members import member
from rete.nodes.aggregate import Aggregate


def deciding_members(
    plan: Aggregate, rows: Sequence[OperandRow], text_of: Callable[[int], str]
) -> Sequence[OperandRow]:
    """The members that are chosen of ``rows``, all of a group at once; of a sum all are.

    Of ``min`` it is one, of ``last 3`` three. ``text_of`` gives the canonical text of a term.
    """
    bag = bag_maker(plan.function, plan.share, plan.part, plan.size)()
    rows_of: dict[Entry, list[OperandRow]] = defaultdict(list)
    for row in rows:
        order = None if plan.order is None else member(text_of(row.values[plan.order]))
        entry = member(text_of(row.values[plan.value])), order
        bag.add(entry)
        rows_of[entry].append(row)
    chosen = bag.chosen()
    return rows if chosen is None else [rows_of[entry].pop(0) for entry in chosen]
