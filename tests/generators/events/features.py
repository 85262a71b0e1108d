"""What a case has, and which of its rules answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.negation import Naf
from temporal.metric_rif.events import EventFormula, Every
from temporal.mtl.ast import MetricFormula
from tests.oracles.events.dependencies import components
from tests.oracles.events.models import walk
from tests.oracles.rules.datalog import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rif.syntax.ast import Formula
    from tests.generators.meetings.histories import Meeting


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
            inside = (*around, "an operator")
        case Naf():
            inside = (*around, "a negation")
    for part in body.parts:
        yield from _of_body(part, tuple(dict.fromkeys(inside)))
