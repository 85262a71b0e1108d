"""`r4 run` of metric rules, compared with the oracle."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from tests.generators.rules.metric import ends
from tests.generators.streams.metric_runs import random_metric_case
from tests.generators.streams.runs import RunCase
from tests.oracles.metric.streams import expected
from tests.oracles.rules.formulas import TooBig
from tests.simulation.stream_comparison import cut_of, difference


def metric_disagreement(case: RunCase, folder: Path, cut: int | None = None) -> str | None:
    """How the output differs from the oracle's, with the whole case; ``None`` if it does not."""
    try:
        wanted = expected(case.scenario).lines
    except TooBig:
        return None
    return difference(case, wanted, folder, cut)


def compare_metric(
    count: int, first: int = 0, *, negation: bool = False
) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed, each read at once and in cuts."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_metric_case(seed, negation=negation)
            try:
                outcome = expected(case.scenario)
            except TooBig:
                found["too big for the oracle"] += 1
                continue
            found["with answers"] += bool(outcome.lines)
            found["with a window"] += case.scenario.document.window is not None
            found["with a delay"] += bool(case.scenario.delay)
            found["that derive for ever"] += not ends(case.scenario.document)
            for cut in (None, cut_of(seed)):
                if fault := difference(case, outcome.lines, Path(folder), cut):
                    faults.setdefault(seed, fault)
    return found, faults
