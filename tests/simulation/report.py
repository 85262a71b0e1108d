"""Reports of comparisons: what cases exercise, and where engine and oracle disagree."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping

from rete.kernels import BACKEND


def table(found: Counter[str], count: int) -> str:
    """A line for each feature, with the share of ``count`` cases; the most frequent first."""
    return "".join(f"{100 * n / count:6.1f} %  {name}\n" for name, n in found.most_common())


def verdict(failed: Mapping[int, str], what: str) -> int:
    """Print the first disagreements, by seed, and how many there are; 1 if there are any."""
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{failed[number]}\n")
    sys.stdout.write(
        f"\n{what}, on {BACKEND} kernels: {len(failed)} disagree {sorted(failed)[:20]}\n"
    )
    return int(bool(failed))
