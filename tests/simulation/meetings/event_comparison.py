"""Meetings with aggregates and event times, compared with the definition at every instant."""

from __future__ import annotations

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
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history import HistoryElement, read
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

    Rules read their own earlier answers, and a fact that led to them is retracted; or an operator
    looks back without end on what follows from marks of a calendar; or static data end before an
    element with a lesser stamp than the first one so far, where there is a calendar.
    """
    history = case.history
    if looks_back_on_all_marks(rules_of(history.document)) or begins_earlier(history):
        return True
    if not any(one.in_order for one in components(rules_of(history.document))):
        return False
    items = [item for source in history.sources for item in source]
    return any(isinstance(each, HistoryElement) and (each.names or each.rows) for each in items)


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
