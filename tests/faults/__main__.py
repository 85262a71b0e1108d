"""After how many cases each planted fault is detected: ``python -m tests.faults AREA``.

``AREA [COUNT [NAME…]]``: the first of so many seeds that detects each fault of an area, or those of
these names; `tests.faults.areas` has the areas.
"""

from __future__ import annotations

import sys

from tests.faults.areas import AREAS
from tests.faults.detection import first_detection


def main(name: str = "", count: str = "", *faults: str) -> int:
    """Print a line for each fault; 1 if one is not detected."""
    if name not in AREAS:
        sys.stderr.write(f"areas: {', '.join(AREAS)}\n")
        return 2
    area, undetected = AREAS[name], 0
    for fault in area.faults:
        if not faults or fault.__name__ in faults:
            seed = first_detection(area, fault, range(int(count or area.cases)))
            undetected += seed is None
            sys.stdout.write(f"{fault.__name__:45} {seed}\n")
            sys.stdout.flush()
    return int(undetected > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
