"""``python -m r4`` is the command ``r4``."""

import sys

from r4.cli import main

if __name__ == "__main__":
    sys.exit(main())
