"""Renaming: the plan of a body in its place, whose patterns ask for facts by the way they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rete.plan import AntiJoin, Join, Plan, Relation, Scan, Since, Unit


def with_relations(source: Plan, relations: Sequence[Relation]) -> Plan:
    """The same plan, whose patterns ask for facts of other relations, pattern by pattern."""
    return _Renamer(relations).renamed(source)


class _Renamer:
    """Goes through a plan as `keys` does, which numbers the patterns."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self._relations = iter(relations)
        self._given: list[tuple[Plan, Plan]] = []

    def renamed(self, plan: Plan) -> Plan:
        if self._given and plan == self._given[-1][0]:
            return self._given[-1][1]
        match plan:
            case Unit():
                return plan
            case Scan():
                return replace(plan, relation=next(self._relations))
            case AntiJoin():
                return self._less(plan)
            case Join() | Since():
                left = self.renamed(plan.left)
                return replace(plan, left=left, right=self.renamed(plan.right))
            case _:
                return replace(plan, source=self.renamed(plan.source))

    def _less(self, plan: AntiJoin) -> Plan:
        chain = [plan]
        while isinstance(chain[-1].left, AntiJoin):
            chain.append(chain[-1].left)
        base = left = self.renamed(plan.base)
        for each in reversed(chain):
            if each.correlated:
                self._given.append((plan.base, base))
            right = self.renamed(each.right)
            if each.correlated:
                self._given.pop()
            left = replace(each, left=left, right=right)
        return left
