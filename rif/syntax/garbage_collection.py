"""A pause of the garbage collector while a tree is built that only grows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector does not run while the block does, in any thread.

    Reading builds a large tree without cycles, which the collector would walk again and again:
    with 10,000 rules that is 60 % of the time.
    """
    paused = gc.isenabled()
    try:
        try:
            if paused:
                gc.disable()
            yield
        finally:
            if paused:
                gc.enable()
    finally:  # an interrupt may have come within the one before
        if paused:
            gc.enable()
