"""What random runs are made of: ``python -m tests.generators.streams.profile [COUNT [FIRST]]``."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress

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


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or [1000]
    for name, found in profile(*numbers).most_common():
        sys.stdout.write(f"{100 * found / numbers[0]:6.1f} %  {name}\n")
