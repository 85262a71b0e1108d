"""What a case has, which of its rules answer, and what meets what in it."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Final

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.negation import Naf
from temporal.intervals.durations import VariableRange
from temporal.metric_rif.events import EventFormula, Every
from temporal.mtl.ast import MetricFormula
from tests.generators.meetings.features import dimensions_of
from tests.oracles.events.dependencies import components
from tests.oracles.events.models import walk
from tests.oracles.rules.datalog import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rif.syntax.ast import Formula
    from tests.generators.meetings.histories import Meeting

KINDS: Final = ("aggregate", "At", "From", "Ended", "Every", "earlier answers")
"""What the rules of these cases have and those of other meetings have not."""
_DIMENSIONS: Final = (
    *("past operator", "future operator", "nested operators", "negation", "recursion", "equality"),
    *("window", "own ends", "delay", "late element", "static data", "reference data", "drain"),
    *("literals by value", "order of arrival", "small batches", "several sources", "shards"),
    *("TriG", "RDF Patch", "element retracted", "triple retracted"),
)
_IN_LIBRARY: Final = (*("saved and loaded", "frontier moved", "rules leave", "reference data end"),)
_APART: Final = {
    *product(("Every",), _IN_LIBRARY),  # histories of the library have no calendar
    *product(("earlier answers",), ("element retracted", "triple retracted")),
}
PAIRS: Final = tuple(
    pair for pair in product(KINDS, (*_DIMENSIONS, *_IN_LIBRARY)) if pair not in _APART
)
"""What must meet."""


def met_by(case: Meeting) -> list[tuple[str, str]]:
    """The pairs that meet in a case."""
    rules = rules_of(case.history.document)
    own = {"earlier answers"} if any(one.in_order for one in components(rules)) else set[str]()
    for formula in (one for rule in rules if rule.body is not None for one in walk(rule.body)):
        if isinstance(formula, EventFormula | Every):
            own.add(type(formula).__name__)
        elif isinstance(formula, Aggregate):
            own.add("aggregate")
    others = dimensions_of(case)
    return [(one, other) for one, other in PAIRS if one in own and other in others]


def features_of(case: Meeting, lines: Sequence[str]) -> set[str]:
    """All that it has; ``lines``: what it prints."""
    rules = rules_of(case.history.document)
    found = {f"way {case.way}", f"clock {case.history.clock}"}
    by_rule = {str(rule.name): rule for rule in rules}
    answering = {str(json.loads(line)["rule"]) for line in lines}
    for name, rule in by_rule.items():
        if rule.body is None:
            continue
        formulas = list(walk(rule.body))
        has_aggregate = any(isinstance(one, Aggregate) for one in formulas)
        if has_aggregate:
            found.add("rule with an aggregate")
        if name in answering:
            kind = "with an aggregate" if has_aggregate else "without an aggregate"
            found |= {"answers", f"answers of a rule {kind}"}
            found |= {f"{each}, with answers" for each in _of_body(rule.body)}
        found |= set(_of_body(rule.body))
    parts = components(rules)
    if any(one.in_order for one in parts):
        found.add("negation through time")
    ends = any(json.loads(line)["op"] == "-" for line in lines)
    if ends or any(one.is_recursive for one in parts):
        found.add("an end, or a second round")
    if any(json.loads(line)["at"] is None for line in lines):
        found.add("answers from static data alone")
    return found


def _of_body(body: Formula, around: tuple[str, ...] = ()) -> Iterator[str]:
    inside = around
    match body:
        case Aggregate():
            yield body.function
            yield "group" if body.group else "no group"
            if body.part or (body.size is not None):
                yield "first or last members"
            yield from (f"aggregate in {one}" for one in around)
            inside = (*around, "an aggregate")
        case AggregateEqual(Aggregate(), Aggregate()):
            yield "two sides"
        case EventFormula() | Every():
            yield type(body).__name__
            if isinstance(body, Every) and body.zone is not None:
                yield "zone"
            yield from (f"{type(body).__name__} in {one}" for one in around)
        case MetricFormula():
            if isinstance(body.rho, VariableRange):
                yield "range that ends in a variable"
            inside = (*around, "an operator")
        case Naf():
            inside = (*around, "a negation")
    for part in body.parts:
        yield from _of_body(part, tuple(dict.fromkeys(inside)))
