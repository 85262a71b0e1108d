"""What sharing an engine costs: ``python -m bench.programs.share_engine [ELEMENTS [TIMES]]``.

So many elements of one triple, and of 100, are added to an engine, in turn with its lock, without
it, and by eight threads; printed are the medians of the ratios to one thread with the lock. Then
eight threads add without a pause, and it is measured how long another one waits for a call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from threading import Event, Thread
from time import perf_counter, process_time, sleep
from typing import Final

import pyoxigraph as ox

from bench.harness.tables import TextTable
from r4.api import Engine
from r4.api.run.engine_lock import EngineLock

ELEMENTS: Final = 4_000
TIMES: Final = 5
THREADS: Final = 8
RULES: Final = """
Document( Prefix(ex <urn:ex:>) Window(100)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )
"""
_P: Final = ox.NamedNode("urn:ex:p")
_WAITS: Final = 200


class _NoLock(EngineLock):
    """It lets everyone in."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def _element(number: int, size: int) -> list[ox.Triple]:
    subjects = (ox.NamedNode(f"urn:ex:s{number % 50}x{each}") for each in range(size))
    return [ox.Triple(subject, _P, subject) for subject in subjects]


def _engine() -> Engine:
    return Engine.from_text(RULES, delay=10 * ELEMENTS)


def _spent(elements: int, size: int, threads: int, *, locks: bool = True) -> float:
    """Processor time of adding them, in seconds."""
    engine = _engine()
    if not locks:
        engine._run.lock = _NoLock()  # noqa: SLF001 - measured is what it costs
    data = [_element(number, size) for number in range(elements)]

    def add(first: int) -> None:
        for number in range(first, elements, threads):
            engine.add(data[number], at=number)

    begin = process_time()
    if threads == 1:
        add(0)
    else:
        adding = [Thread(target=add, args=(first,)) for first in range(threads)]
        for thread in adding:
            thread.start()
        for thread in adding:
            thread.join()
    return process_time() - begin


def ratios(elements: int, size: int, times: int) -> tuple[float, float]:
    """Processor time without a lock, and by eight threads, over that of one thread with a lock."""
    bare, shared = [], []
    for _ in range(times):
        one = _spent(elements, size, 1)
        bare.append(_spent(elements, size, 1, locks=False) / one)
        shared.append(_spent(elements, size, THREADS) / one)
    return median(bare), median(shared)


def waits(call: Callable[[Engine], object]) -> list[float]:
    """How many milliseconds calls take while eight threads add, in order."""
    engine, ends = _engine(), Event()
    data = [_element(number, 1) for number in range(1_000)]

    def add() -> None:
        at = 0
        while not ends.is_set():
            engine.add(data[at % 1_000], at=at)
            at += 1

    threads = [Thread(target=add) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    found = []
    for _ in range(_WAITS):
        sleep(0.005)
        begin = perf_counter()
        call(engine)
        found.append(1_000 * (perf_counter() - begin))
    ends.set()
    for thread in threads:
        thread.join()
    return sorted(found)


def main(elements: int = ELEMENTS, times: int = TIMES) -> None:
    """Measure, and print tables."""
    rows = []
    for size in (1, 100):
        bare, shared = ratios(max(elements // size, 100), size, times)
        rows.append((f"elements of {size}", f"{bare:.3f}", f"{shared:.3f}"))
    heads = ("processor time over one thread's", "without the lock", f"{THREADS} threads")
    sys.stdout.write(str(TextTable(f"median of {times}", heads, tuple(rows))))
    calls: dict[str, Callable[[Engine], object]] = {
        "changes": lambda engine: list(engine.changes()),
        "outside": Engine.outside,
    }
    found = {name: waits(call) for name, call in calls.items()}
    lines = tuple(
        (name, *(f"{each[round(part * (_WAITS - 1))]:.2f}" for part in (0.5, 0.99, 1)))
        for name, each in found.items()
    )
    heads_of_waits = ("milliseconds of a call", "median", "99th percentile", "most")
    sys.stdout.write(str(TextTable(f"beside {THREADS} threads", heads_of_waits, lines)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
