"""Meetings with aggregates and event times, compared with the definition at every instant."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from temporal.metric_rif.events import Every
from temporal.mtl.ast import BinaryOperator, UnaryOperator
from tests.generators.events.features import features_of, met_by
from tests.generators.events.histories import random_event_case
from tests.oracles.events.answers import event_lines
from tests.oracles.events.dependencies import components, feeds
from tests.oracles.events.models import walk
from tests.oracles.events.timeline import range_of
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history import HistoryElement, RuleLeaves, read
from tests.simulation.meetings.comparison import difference, smallest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rif.syntax.ast import Formula
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.rules.datalog import Rule
    from tests.oracles.streams.history import History


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed have, and where something is wrong."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_event_case(seed)
            try:
                wanted = event_lines(case.history)
            except TooBig:
                continue
            if reaches_beyond(case):
                features["not compared"] += 1
                continue
            found = features_of(case, wanted)
            for pair in map(" × ".join, met_by(case)):
                found |= {pair, f"{pair}, with answers"} if "answers" in found else {pair}
            features.update(found)
            if fault := difference(case, wanted, Path(folder)):
                faults[seed] = fault
    return features, faults


def reaches_beyond(case: Meeting) -> bool:
    """Whether earlier answers may change of which nothing is kept; see docs/limitations.md.

    Rules read their own earlier answers, and a fact that led to them is retracted, or a rule that
    did is dropped; or an operator looks back without end on what follows from marks of a calendar;
    or static data end before an element with a lesser stamp than the first one so far, where there
    is a calendar.
    """
    history = case.history
    rules = rules_of(history.document)
    if looks_back_on_all_marks(rules) or begins_earlier(history):
        return True
    if not any(one.in_order for one in components(rules)):
        return False
    items = [item for source in history.sources for item in source]
    if any(isinstance(each, HistoryElement) and (each.names or each.rows) for each in items):
        return True
    reading = read(history)
    leaves = {each.number - 1 for each in items if isinstance(each, RuleLeaves)}
    return any(
        reading.rules[place].until - reading.begun > reach_of_loops(rules)
        for place in leaves & leads_to_loops(rules)
    )


def leads_to_loops(rules: Sequence[Rule]) -> set[int]:
    """The places of rules that read their own earlier answers, and of all that feed them."""
    loops = [one for one in components(rules) if one.in_order]
    found = {rules.index(rule) for one in loops for level in one.strata for rule in level}
    fed = feeds(rules)
    for _ in rules:
        found |= {each.source for each in fed if each.target in found}
    return found


def reach_of_loops(rules: Sequence[Rule]) -> float:
    """How many ticks rules that read their own earlier answers look back, by all operators."""
    reach = 0.0
    for one in components(rules):
        for rule in (rule for level in one.strata if one.in_order for rule in level):
            assert rule.body is not None
            for each in walk(rule.body):
                if isinstance(each, UnaryOperator | BinaryOperator):
                    high = range_of(each.rho).high
                    reach += math.inf if high is None else high
    return reach


def looks_back_on_all_marks(rules: Sequence[Rule]) -> bool:
    """Whether an operator without an end reads a calendar, or what rules that read one may feed."""
    bodies = {place: rule.body for place, rule in enumerate(rules) if rule.body is not None}
    fed = feeds(rules)
    marked = {place for place, body in bodies.items() if _has_mark(body)}
    for _ in rules:
        marked |= {each.target for each in fed if each.source in marked}
    behind = {each.target for each in fed if each.source in marked}
    return any(
        isinstance(one, UnaryOperator | BinaryOperator)
        and one.rho.right is None
        and (place in behind or _has_mark(one))
        for place, body in bodies.items()
        for one in walk(body)
    )


def begins_earlier(history: History) -> bool:
    """Whether an element after static data ended has a lesser stamp than all before it."""
    if not any(_has_mark(rule.body) for rule in rules_of(history.document) if rule.body):
        return False
    reading = read(history)
    return reading.begun < reading.begun_at_ends


def _has_mark(formula: Formula) -> bool:
    return any(isinstance(one, Every) for one in walk(formula))


def smallest(seed: int) -> str:
    """The disagreement of the smallest part of a case that still has one, of the same kind."""
    return smallest_of(random_event_case(seed), event_lines)
