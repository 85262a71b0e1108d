"""How far a materialisation is, for a person who watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from r4.cli.progress import Progress
from temporal.limits import Progress as Done
from temporal.limits import Watch


@contextmanager
def watching() -> Iterator[Watch]:
    """A line on standard error that follows what is derived; only on a terminal."""
    with Progress() as line:

        def tell(done: Done) -> None:
            line.tell(f"{done.facts:,} facts derived in {done.rounds:,} rounds")

        yield tell
