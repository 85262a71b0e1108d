"""Write a stream to standard output: ``python -m r4.bench STREAM COUNT``, COUNT elements."""

from __future__ import annotations

import sys

from r4.bench.workloads import STREAMS


def main(stream: str, count: int) -> None:
    """Write the first ``count`` elements of a stream as N-Quads."""
    sys.stdout.writelines(STREAMS[stream](count))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
