"""Play stories by seed; what they exercise, and where the engine is wrong."""

from __future__ import annotations

import sys

from tests.generators.streams.profile import table, verdict
from tests.simulation.retraction.seeds import compare


def main(count: str = "1000", first: str = "0", kind: str = "mixed") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    profile, failed = compare(int(count), int(first), kind=kind, every=1)
    steps = sum(profile.steps.values())
    sys.stdout.write(table(profile.features, int(count)))
    sys.stdout.write(f"\n{steps} steps:\n{table(profile.steps, steps)}")
    return verdict(failed, f"{count} {kind} stories from seed {first} on")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
