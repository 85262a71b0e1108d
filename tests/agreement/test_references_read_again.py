"""Static data and rules that are read again count from the frontier on, as the definition says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.generators.draw import from_seed
from tests.generators.meetings.dimensions import NEVER
from tests.generators.meetings.histories import meeting_of
from tests.generators.meetings.text import meeting_text
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.early_results import standing_lines
from tests.oracles.streams.history import RulesJoin
from tests.oracles.streams.history_answers import expected_lines
from tests.seeds import parts
from tests.simulation.meetings.reread_run import reread_output, rereading

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracles.streams.history import History

PART = 40
CHANGES = ("rules join", "rules leave", "reference data", "reference data end")
BESIDE = (
    *("window", "own ends", "delay", "late element", "negation", "recursion", "equality"),
    *("static data", "literals by value", "order of arrival", "small batches", "drain"),
    *("past operator", "element retracted", "instances", "entailment", *CHANGES),
)


def _joins(history: History) -> bool:
    return any(isinstance(each, RulesJoin) for items in history.sources for each in items)


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=20))
def test_what_is_read_again_counts_from_the_frontier_on(first: int, tmp_path: Path) -> None:
    compared, looks_back = 0, 0
    for seed in range(first, first + PART):
        draw = from_seed(seed)
        wanted_dimensions = {draw.choice(CHANGES)}
        for one in BESIDE:
            apart = any(frozenset((one, other)) in NEVER for other in wanted_dimensions)
            if draw.chance(25) and not apart:
                wanted_dimensions.add(one)
        case = rereading(meeting_of(draw, frozenset(wanted_dimensions)))
        if case is None:
            continue
        try:
            wanted = expected_lines(case.history)
        except TooBig:
            continue
        printed = reread_output(case, tmp_path)
        assert printed.code == 0, f"seed {seed}\n{meeting_text(case)}\n{printed.err}"
        if "R4114" in printed.err:
            assert "look back without end" in printed.err, f"seed {seed}\n{printed.err}"
            continue
        found = printed.lines()
        if case.arrival:
            found, wanted = sorted(standing_lines(found)), sorted(wanted)
        assert found == wanted, f"seed {seed}\n{meeting_text(case)}\n{printed.err}"
        compared += bool(wanted)
        looks_back += bool(wanted) and case.history.metric and _joins(case.history)
    assert compared > PART / 4
    assert looks_back
