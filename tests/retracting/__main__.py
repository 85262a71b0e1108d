"""Play stories by seed; what they exercise, and where the engine is wrong."""

from __future__ import annotations

import sys

from rete.kernels import BACKEND
from tests.profile import table
from tests.retracting.seeds import compare


def main(count: str = "1000", first: str = "0", kind: str = "mixed") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    profile, failed = compare(int(count), int(first), kind=kind, every=1)
    steps = sum(profile.steps.values())
    sys.stdout.write(table(profile.features, int(count)))
    sys.stdout.write(f"\n{steps} steps:\n{table(profile.steps, steps)}")
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{failed[number]}\n")
    sys.stdout.write(
        f"\n{count} {kind} stories from seed {first} on, on {BACKEND} kernels: "
        f"{len(failed)} disagree {sorted(failed)[:20]}\n"
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
