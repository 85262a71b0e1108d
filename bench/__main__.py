"""Write a stream to standard output: ``python -m bench STREAM COUNT``, COUNT elements."""

from __future__ import annotations

import os
import sys

from bench.workloads.catalogue import STREAMS


def main(stream: str, count: int) -> None:
    """Write the first ``count`` elements of a stream as N-Quads."""
    sys.stdout.writelines(STREAMS[stream](count))


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]))
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
