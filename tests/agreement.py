"""The engine against the oracle: ``python -m tests.agreement [COUNT [FIRST]]``."""

from __future__ import annotations

import difflib
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.cases.features import features_of
from tests.cases.minimise import minimal
from tests.drive import run
from tests.oracles.stream import expected
from tests.profile import table
from tests.strategies import Case, random_case


def disagreement(case: Case, folder: Path, *more: str) -> str | None:
    """How the output differs from the oracle's, with the whole case; ``None`` if it does not."""
    wanted = expected(case.scenario).lines
    printed = run(case, folder, *more)
    if printed.code == 0 and printed.out == "".join(f"{line}\n" for line in wanted):
        return None
    changes = difflib.unified_diff(wanted, printed.lines(), "expected", "printed", lineterm="", n=1)
    difference = "\n".join(changes)
    return f"{case}\nexit {printed.code}\n{printed.err}\n{difference}"


def compare(count: int, first: int = 0, *more: str) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases, by seed."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = random_case(seed)
            found.update(features_of(case.scenario, expected(case.scenario)))
            if fault := disagreement(case, Path(folder), *more):
                faults[seed] = fault
    return found, faults


def smallest(case: Case) -> str:
    """The disagreement of the smallest part of ``case`` that still has one."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        least = minimal(case, lambda one: disagreement(one, place) is not None)
        return disagreement(least, place) or ""


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or [1000]
    features, failed = compare(numbers[0], sum(numbers[1:2]))
    sys.stdout.write(table(features, numbers[0]))
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{smallest(random_case(number))}\n")
    sys.stdout.write(f"\n{numbers[0]} cases, {len(failed)} disagree {sorted(failed)[:20]}\n")
    sys.exit(bool(failed))
