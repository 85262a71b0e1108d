"""The command ``r4``, also as ``python -m r4``."""

import sys

from r4.loading import Loading


def main() -> int:
    """Run ``r4``; the exit code."""
    with Loading():
        from r4 import cli  # noqa: PLC0415 - it takes a tenth of a second
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
