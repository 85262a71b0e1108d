"""An `Engine` that is asked why, between its calls: its answers stay what they are."""

from __future__ import annotations

import random
from collections import Counter

from rif.errors.report import RuleErrors
from tests.generators.draw import from_seed
from tests.generators.events.histories import library_case
from tests.oracles.streams.history import read
from tests.simulation.api_engine import line_of
from tests.simulation.explanation.event_answers import reads_itself
from tests.simulation.meetings.engine_run import SavedEngine, begun_engine, engine_calls


def check(seed: int) -> Counter[str]:
    """Play the case of a seed twice, once with questions about what was an answer."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    case = library_case(from_seed(seed))
    if reads_itself(read(case.history)) or case.history.semantics != "facts":
        return Counter()
    calls = [each for each in engine_calls(case) if not isinstance(each, SavedEngine)]
    try:
        plain, asked = begun_engine(case), begun_engine(case)
    except RuleErrors:  # a range ahead without end
        return Counter()
    wanted: list[str] = []
    found: list[str] = []
    met: Counter[str] = Counter()
    for call in calls:
        call(plain)
        call(asked)
        new = list(asked.changes())
        wanted += map(line_of, plain.changes())
        found += map(line_of, new)
        for change in draw.sample(new, min(2, len(new))):
            if (change.triple or change.atom) and isinstance(change.at, int):
                at = draw.choice((None, change.at, change.at + 1))
                met.update(asked=1, holds=asked.explain(change, at=at).holds)
    assert found == wanted, seed
    met.update(lines=len(wanted))
    return met
