"""``--order arrival`` of files out of order, as run and as defined."""

from __future__ import annotations

import difflib
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.generators.draw import from_seed
from tests.generators.streams.runs import RunCase, case
from tests.generators.streams.text import source_text
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.early_results import expected_early, standing_lines
from tests.oracles.streams.run import ScenarioItem, expected
from tests.simulation.command import run, small_batches
from tests.simulation.stream_comparison import cut_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.generators.draw import Draw


def out_of_order_case(draw: Draw, *, negation: bool = False) -> RunCase:
    """A case whose elements come out of order, most of them within the delay."""
    ordered = case(draw, negation=negation)
    sources = tuple(_shuffled(draw, items) for items in ordered.scenario.sources)
    scenario = replace(ordered.scenario, sources=sources, delay=draw.integer(1, 6))
    texts = tuple(source_text(draw, items, scenario.clock) for items in sources)
    return replace(ordered, scenario=scenario, sources=texts)


def _shuffled(draw: Draw, items: Sequence[ScenarioItem]) -> tuple[ScenarioItem, ...]:
    mixed = list(items)
    for place in range(1, len(mixed)):
        if draw.chance(50):
            back = max(0, place - draw.integer(1, 4))
            mixed.insert(back, mixed.pop(place))
    return tuple(mixed)


def disagreement(given: RunCase, folder: Path, cut: int | None = None) -> str | None:
    """How the lines differ from the oracle's, or, after undoing, from those in order of time.

    With ``cut`` the engine reads so many bytes at once. There is no difference where the oracle
    gives up.
    """
    try:
        wanted, final = expected_early(given.scenario), expected(given.scenario).lines
    except TooBig:
        return None
    if sorted(standing_lines(wanted)) != sorted(final):
        return f"the oracle contradicts itself\n{given}"
    with nullcontext() if cut is None else small_batches(cut):
        printed = run(given, folder, "--order", "arrival")
    if printed.code == 0 and printed.lines() == wanted:
        return None
    changes = difflib.unified_diff(wanted, printed.lines(), "expected", "printed", lineterm="", n=1)
    return f"cut: {cut}\n{given}\nexit {printed.code}\n{printed.err}\n" + "\n".join(changes)


def has_undone_lines(given: RunCase) -> bool:
    """Whether a line is to be undone."""
    try:
        return any(line.endswith(',"undone":true}') for line in expected_early(given.scenario))
    except TooBig:
        return False


def compare(count: int, first: int = 0, *, negation: bool = False) -> tuple[int, dict[int, str]]:
    """How many of the cases by seed undo a line, and where the engine disagrees."""
    undone, faults = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            given = out_of_order_case(from_seed(seed), negation=negation)
            undone += has_undone_lines(given)
            for cut in (None, cut_of(seed)):
                if fault := disagreement(given, Path(folder), cut):
                    faults[seed] = fault
    return undone, faults
