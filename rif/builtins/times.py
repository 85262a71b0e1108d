"""Comparison and differences of dates and times [RIF-DTB 4.8; XPath-Functions 9.4, 9.7].

What is compared are instants. A date stands for its first instant, a time for that of one and the
same day by its own clock, so 23:00:00-05:00 comes after 01:00:00Z. XPath leaves the zone of a value
without one to its context; comparisons here take it to be UTC, and differences need two zones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from rif.builtins.table import Builtin
from rif.terms import FUNC, PRED, GroundTerm, Literal
from rif.timeline import Kind, moment, ticks_literal


def _comparison(kind: Kind, name: str, compare: Callable[[int, int], bool]) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> bool | None:
        one, two = moment(left, kind), moment(right, kind)
        return None if one is None or two is None else compare(one.instant, two.instant)

    return Builtin(f"{PRED}{kind}-{name}", "predicate", 2, 2, evaluate)


def _difference(kind: Kind) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = moment(left, kind), moment(right, kind)
        if one is None or two is None or one.zone is None or two.zone is None:
            return None
        return ticks_literal(one.instant - two.instant)

    return Builtin(f"{FUNC}subtract-{kind}s", "function", 2, 2, evaluate)


_KINDS: tuple[Kind, ...] = ("dateTime", "date", "time")
_COMPARISONS = (
    ("equal", operator.eq),
    ("not-equal", operator.ne),
    ("less-than", operator.lt),
    ("less-than-or-equal", operator.le),
    ("greater-than", operator.gt),
    ("greater-than-or-equal", operator.ge),
)

BUILTINS: tuple[Builtin, ...] = (
    *(_comparison(kind, *row) for kind in _KINDS for row in _COMPARISONS),
    *map(_difference, _KINDS),
)
