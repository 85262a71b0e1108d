"""The command ``r4``, also as ``python -m r4``."""

import gc
import os
import sys

from r4.loading import Loading
from rete.memory_limit import return_freed_memory


def main() -> int:
    """Run ``r4``; the exit code."""
    return_freed_memory()
    # The threads of numpy's BLAS, which nothing here calls, would turn idly for 0.05 to 0.1 s.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Rules and plans have no cycles; by default they are looked for after each 700 objects.
    gc.set_threshold(50_000, 20, 20)
    with Loading():
        from r4 import cli  # noqa: PLC0415 - it takes a tenth of a second
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
