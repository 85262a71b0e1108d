"""Ask queries by seed; what they exercise, and where engine and oracles disagree."""

from __future__ import annotations

import sys

from tests.generators.streams.profile import table, verdict
from tests.simulation.hypothetical.seeds import compare


def main(count: str = "1000", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    profile, failed = compare(int(count), int(first))
    sys.stdout.write(table(profile, int(count)))
    return verdict(failed, f"{count} queries from seed {first} on")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
