"""Meetings with numbers that rules write otherwise than the data, compared with the definition."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from tests.generators.meetings.number_constants import meets_another_spelling, random_number_case
from tests.oracles.events.answers import event_lines
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history_answers import expected_lines
from tests.simulation.meetings.comparison import difference, smallest_of
from tests.simulation.meetings.event_comparison import reaches_beyond


def compare(
    count: int, first: int = 0, *, events: bool = False
) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed have, and where something is wrong."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    lines_of = event_lines if events else expected_lines
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_number_case(seed, events=events)
            try:
                wanted = lines_of(case.history)
            except TooBig:
                continue
            if events and reaches_beyond(case):
                features["not compared"] += 1
                continue
            features["compared"] += 1
            features["answers"] += bool(wanted)
            features["a number in another spelling"] += meets_another_spelling(case.history)
            if fault := difference(case, wanted, Path(folder)):
                faults[seed] = fault
    return features, faults


def smallest(seed: int, *, events: bool = False) -> str:
    """The disagreement of the smallest part of a case that still has one, of the same kind."""
    case = random_number_case(seed, events=events)
    return smallest_of(case, event_lines if events else expected_lines)
