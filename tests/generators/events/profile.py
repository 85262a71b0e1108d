"""What random cases are made of: ``python -m tests.generators.events.profile [COUNT [FIRST]]``."""

from __future__ import annotations

import sys
from collections import Counter

from tests.generators.events.features import features_of
from tests.generators.events.histories import random_event_case
from tests.oracles.events.answers import event_lines
from tests.oracles.rules.formulas import TooBig


def profile(count: int, first: int = 0) -> Counter[str]:
    """How many of ``count`` cases from seed ``first`` on have each feature; the oracle alone."""
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        case = random_event_case(seed)
        try:
            lines = event_lines(case.history)
        except TooBig:
            found["too big"] += 1
            continue
        found.update(features_of(case, lines))
    return found


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or [200]
    for name, found in profile(*numbers).most_common():
        sys.stdout.write(f"{100 * found / numbers[0]:6.1f} %  {name}\n")
