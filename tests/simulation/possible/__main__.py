"""Compare engine and oracle on many worlds, and say what they are made of."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.generators.streams.profile import table, verdict
from tests.simulation.possible.seeds import disagreements, profile


def main(count: str = "200", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    seeds = range(int(first), int(first) + int(count))
    with TemporaryDirectory() as folder:
        sys.stdout.write(table(profile(seeds, Path(folder)), int(count)))
        wrong = dict(disagreements(seeds, Path(folder)))
    return verdict(wrong, f"{count} worlds from seed {first} on")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
