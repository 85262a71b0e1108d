"""Compare cases by seed; what they exercise, and where shards are wrong."""

from __future__ import annotations

import sys

from tests.generators.streams.profile import table, verdict
from tests.simulation.shards.mix import SHARDS
from tests.simulation.shards.seeds import compare


def main(count: str = "300", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    features, failed = compare(int(count), int(first))
    cases = features["case"]
    sys.stdout.write(table(features, cases))
    return verdict(failed, f"{cases} cases from seed {first} on, each in {SHARDS} shards")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
