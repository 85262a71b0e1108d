"""Random programs with metric time against their definition: ``python -m tests.temporal``.

``python -m tests.temporal COUNT [FIRST [KIND]]`` counts COUNT cases, from the seed FIRST on, and
says what they exercise; KIND is one of `tests.generators.metric.programs.KINDS`.
"""

from __future__ import annotations

import sys

from rete.kernels import BACKEND
from tests.generators.draw import from_seed
from tests.generators.metric.programs import KINDS, case_of
from tests.generators.streams.profile import table
from tests.simulation.metric.tally import tally


def main(count: int = 1000, first: int = 0, *, kind: str | None = None) -> int:
    """Compare; whether something is wrong."""
    drawn = case_of if kind is None else lambda seed: KINDS[kind](from_seed(seed))
    found = tally(count, first, drawn)
    sys.stdout.write(table(found.exercised, found.cases))
    for why, times in found.not_counted.most_common():
        sys.stdout.write(f"not counted: {times}, {why}\n")
    for told in list(found.wrong.values())[:5]:
        sys.stdout.write(f"\n{told}\n")
    sys.stdout.write(
        f"{found.cases} cases from the seeds {first} to {found.stop - 1}, {BACKEND} kernels: "
        f"{len(found.wrong)} wrong {sorted(found.wrong)[:20]}\n"
    )
    return int(bool(found.wrong))


if __name__ == "__main__":
    numbers = [int(number) for number in sys.argv[1:3]]
    sys.exit(main(*numbers, kind=sys.argv[3] if sys.argv[3:] else None))
