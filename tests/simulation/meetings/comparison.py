"""Meetings compared with the definition of their lines."""

from __future__ import annotations

import difflib
import re
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from tests.generators.meetings.features import dimensions_of
from tests.generators.meetings.histories import random_meeting
from tests.generators.meetings.shrinking import minimal
from tests.generators.meetings.text import meeting_text
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.early_results import standing_lines
from tests.oracles.streams.history_answers import expected_lines
from tests.simulation.meetings.command_run import command_output
from tests.simulation.meetings.coverage import Coverage
from tests.simulation.meetings.engine_run import library_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.history import History


def disagreement(case: Meeting, folder: Path) -> str | None:
    """How the lines differ from the definition, with the whole case; None: they do not.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    return difference(case, expected_lines(case.history), folder)


def difference(case: Meeting, wanted: Sequence[str], folder: Path) -> str | None:
    """How the lines differ; those that come early, or over shards, are in any order."""
    try:
        found = _lines(case, folder)
    except Exception:  # noqa: BLE001 - to be shown with its case, and made smaller
        return f"{meeting_text(case)}\n{traceback.format_exc()}"
    if case.arrival or case.way == "shards":
        found, wanted = sorted(found), sorted(wanted)
    if found == wanted:
        return None
    changes = difflib.unified_diff(wanted, found, "expected", "found", lineterm="", n=1)
    return "\n".join([meeting_text(case), *changes])


def _lines(case: Meeting, folder: Path) -> list[str]:
    """The lines that stand."""
    if case.way == "library":
        told = library_lines(case, folder)
        return standing_lines(
            [f'{line[:-1]},"undone":true}}' if undone else line for line, undone in told]
        )
    printed = command_output(case, folder)
    if printed.code:
        message = f"exit {printed.code}\n{printed.err}"
        raise RuntimeError(message)
    return standing_lines(printed.lines()) if case.arrival else printed.lines()


def smallest(seed: int, *, pending: bool = False) -> str:
    """The disagreement of the smallest part of a case that still has one, of the same kind."""
    return smallest_of(random_meeting(seed, pending=pending), expected_lines)


def smallest_of(case: Meeting, wanted_of: Callable[[History], list[str]]) -> str:
    """The same of one case, whose lines are ``wanted_of`` its history."""
    with tempfile.TemporaryDirectory() as folder:

        def fault(case: Meeting) -> str | None:
            try:
                return difference(case, wanted_of(case.history), Path(folder))
            except Exception:  # noqa: BLE001 - the oracle has no lines of what is refused
                return None

        def kind(case: Meeting) -> str | None:
            """Other lines, or the codes of an error; None: no disagreement."""
            found = fault(case)
            if found is None or "Traceback" not in found:
                return found and "lines"
            return " ".join(re.findall(r"\b[A-Z]+\d{3,4} |\w+Error", found.split("Traceback")[1]))

        wanted = kind(case)
        least = minimal(case, lambda one: kind(one) == wanted) if wanted is not None else case
        return fault(least) or ""


def compare(
    count: int, first: int = 0, *, pending: bool = False
) -> tuple[Coverage, dict[int, str]]:
    """What ``count`` cases by seed cover, and where something is wrong."""
    coverage = Coverage()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_meeting(seed, pending=pending)
            try:
                wanted = expected_lines(case.history)
            except TooBig:
                continue
            coverage.add(dimensions_of(case), answers=bool(wanted))
            if fault := difference(case, wanted, Path(folder)):
                faults[seed] = fault
    return coverage, faults
