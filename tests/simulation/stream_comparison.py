"""`r4 run` of random programs and streams, compared with the oracle."""

from __future__ import annotations

import difflib
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from tests.generators.streams.features import features_of
from tests.generators.streams.runs import RunCase, random_case
from tests.generators.streams.shrinking import minimal
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.run import expected
from tests.simulation.command import run, small_batches


def disagreement(case: RunCase, folder: Path, cut: int | None = None) -> str | None:
    """How the output differs from the oracle's, with the whole case; ``None`` if it does not.

    With ``cut`` the engine reads so many bytes at once (`tests.simulation.command.small_batches`).
    There is no difference where the oracle gives up.
    """
    try:
        wanted = expected(case.scenario).lines
    except TooBig:
        return None
    return difference(case, wanted, folder, cut)


def difference(case: RunCase, wanted: Sequence[str], folder: Path, cut: int | None) -> str | None:
    """How the output differs from the lines ``wanted``."""
    with nullcontext() if cut is None else small_batches(cut):
        printed = run(case, folder)
    if printed.code == 0 and printed.out == "".join(f"{line}\n" for line in wanted):
        return None
    changes = difflib.unified_diff(wanted, printed.lines(), "expected", "printed", lineterm="", n=1)
    return f"cut: {cut}\n{case}\nexit {printed.code}\n{printed.err}\n" + "\n".join(changes)


def cut_of(seed: int) -> int:
    """How many bytes the engine reads at once where it is made to read few.

    Of three seeds one may cut anywhere; byte by byte most of the time goes into reading.
    """
    size = 1 << seed // 3 % 9 if seed % 3 == 0 else 16 << seed // 3 % 5
    return size + seed % 7


def compare(
    count: int, first: int = 0, *, long: bool = False, negation: bool = False
) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed, each read at once and in cuts."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_case(seed, long=long, negation=negation)
            try:
                outcome = expected(case.scenario)
            except TooBig:
                found["too big for the oracle"] += 1
                continue
            found.update(features_of(case.scenario, outcome))
            for cut in (None, cut_of(seed)):
                if fault := difference(case, outcome.lines, Path(folder), cut):
                    faults.setdefault(seed, fault)
    return found, faults


def smallest(seed: int, *, long: bool = False, negation: bool = False) -> str:
    """The disagreement of the smallest part of a case that still has one."""
    with tempfile.TemporaryDirectory() as folder:
        place, case = Path(folder), random_case(seed, long=long, negation=negation)
        for cut in (None, cut_of(seed)):
            if disagreement(case, place, cut):
                least = minimal(case, lambda one: disagreement(one, place, cut) is not None)  # noqa: B023
                return disagreement(least, place, cut) or ""
    return ""
