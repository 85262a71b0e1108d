"""Which triples a program can ask for: by its scans, which all conditions come down to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from r4.compile import Program
from r4.including import INPUT
from rete.plan import TRIPLES, Plan, Scan

Asked: TypeAlias = dict[str, frozenset[str] | None]
"""Canonical text of a predicate → those of the objects; None: all objects."""

_PREDICATE, _OBJECT = 1, 2


def asked_by(program: Program) -> Asked | None:
    """What ``program`` asks for; None: whatever there is.

    Rules of a background may ask for anything, and tell which terms are the same.
    """
    if program.background:
        return None
    found: Asked = {}
    for scan in _scans(emit.source for emit in program.emits):
        if scan.relation.whole == INPUT:
            return None
        if scan.relation.whole != TRIPLES:
            continue
        constants = dict(scan.constants)
        predicate = constants.get(_PREDICATE)
        if predicate is None:
            return None
        known = found.get(predicate, frozenset())
        value = constants.get(_OBJECT)
        found[predicate] = None if value is None or known is None else known | {value}
    return found


def _scans(plans: Iterable[Plan]) -> Iterable[Scan]:
    seen: set[Plan] = set()
    waiting = list(plans)
    while waiting:
        plan = waiting.pop()
        if plan in seen:
            continue
        seen.add(plan)
        if isinstance(plan, Scan):
            yield plan
        waiting += plan.sources
