"""What the random cases are made of: ``python -m tests.generators.streams.profile [COUNT [FIRST]]``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

from rete.kernels import BACKEND
from tests.generators.streams.features import features_of
from tests.generators.streams.runs import random_case
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.run import expected


def profile(count: int, first: int = 0) -> Counter[str]:
    """How many of ``count`` cases from seed ``first`` on have each feature; the oracle alone."""
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        scenario = random_case(seed).scenario
        with suppress(TooBig):
            found.update(features_of(scenario, expected(scenario)))
    return found


def table(found: Counter[str], count: int) -> str:
    """A line for each feature, the most frequent first."""
    return "".join(f"{100 * n / count:6.1f} %  {name}\n" for name, n in found.most_common())


def verdict(failed: Mapping[int, str], what: str) -> int:
    """Print the first disagreements, by seed, and how many there are; 1 if there are any."""
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{failed[number]}\n")
    sys.stdout.write(
        f"\n{what}, on {BACKEND} kernels: {len(failed)} disagree {sorted(failed)[:20]}\n"
    )
    return int(bool(failed))


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or [1000]
    sys.stdout.write(table(profile(*numbers), numbers[0]))
