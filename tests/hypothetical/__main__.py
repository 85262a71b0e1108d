"""Ask queries by seed; what they exercise, and where engine and oracles disagree."""

from __future__ import annotations

import sys

from rete.kernels import BACKEND
from tests.hypothetical.seeds import compare
from tests.profile import table


def main(count: str = "1000", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    profile, failed = compare(int(count), int(first))
    sys.stdout.write(table(profile, int(count)))
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{failed[number]}\n")
    sys.stdout.write(
        f"\n{count} queries from seed {first} on, on {BACKEND} kernels: "
        f"{len(failed)} disagree {sorted(failed)[:20]}\n"
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
