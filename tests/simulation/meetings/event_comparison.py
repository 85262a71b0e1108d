"""Meetings with aggregates and event times, compared with the definition at every instant."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.generators.events.features import features_of
from tests.generators.events.histories import random_event_case
from tests.generators.meetings.shrinking import minimal
from tests.oracles.events.answers import event_lines
from tests.oracles.rules.formulas import TooBig
from tests.simulation.meetings.comparison import difference

if TYPE_CHECKING:
    from tests.generators.meetings.histories import Meeting


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
            features.update(features_of(case, wanted))
            if fault := difference(case, wanted, Path(folder)):
                faults[seed] = fault
    return features, faults


def smallest(seed: int) -> str:
    """The disagreement of the smallest part of a case that still has one, of the same kind."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def fault(case: Meeting) -> str | None:
            try:
                return difference(case, event_lines(case.history), place)
            except Exception:  # noqa: BLE001 - the oracle has no lines of what is refused
                return None

        def kind(case: Meeting) -> str | None:
            """Other lines, or the codes of an error; None: no disagreement."""
            found = fault(case)
            if found is None or "Traceback" not in found:
                return found and "lines"
            return " ".join(re.findall(r"\b[A-Z]+\d{3,4} |\w+Error", found.split("Traceback")[1]))

        case = random_event_case(seed)
        wanted = kind(case)
        least = minimal(case, lambda one: kind(one) == wanted) if wanted is not None else case
        return fault(least) or ""
