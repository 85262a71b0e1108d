"""The command ``r4``, also as ``python -m r4``."""

import sys

from r4.loading import Loading
from rete.memory_limit import return_freed_memory


def main() -> int:
    """Run ``r4``; the exit code."""
    return_freed_memory()
    with Loading():
        from r4 import cli  # noqa: PLC0415 - it takes a tenth of a second
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
