"""What ``Engine(state=…)`` costs.

``python -m bench.programs.keep_engine_state [ELEMENTS [TIMES]]``

In one process so many elements of two triples, which join with those before, are added to an engine
without a state and to one with, in turn; after each element the changes are taken out. Printed are
the medians of the ratios, of processor time and of real time: where few changes come out, where
one comes out with each element, so each is synced, and where `Engine.sync` is called after each.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from shutil import rmtree
from statistics import median
from time import perf_counter, process_time
from typing import Final

from bench.harness.tables import TextTable
from r4.api import Engine

ELEMENTS: Final = 3_000
TIMES: Final = 5
RULES: Final = """
Document( Prefix(ex <urn:ex:>) Window(100)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )
"""


def _seconds(
    elements: list[str], state: Path | None, *, syncs: bool = False
) -> tuple[float, float]:
    """Processor time and real time to add elements and to take the changes out, in seconds."""
    with Engine.from_text(RULES, state=state) as engine:
        spent, begin = process_time(), perf_counter()
        for at, element in enumerate(elements):
            engine.add(element, at=at)
            if syncs:
                engine.sync()
            for _ in engine.changes():
                pass
        return process_time() - spent, perf_counter() - begin


def _elements(count: int, *, rare: bool) -> list[str]:
    """Elements that join within themselves, or one in a hundred of them."""
    return [
        f"<urn:ex:s{n}> <urn:ex:p> {n} . "
        f"<urn:ex:s{n}> <urn:ex:{'z' if rare and n % 100 else 'q'}> {n} ."
        for n in range(count)
    ]


def main(elements: str = str(ELEMENTS), times: str = str(TIMES)) -> None:
    """Measure, and print a table."""
    rows: list[tuple[str, str, str]] = []
    cases = (
        ("one element in 100 gives changes", True, False),
        ("each element gives changes, which are taken", False, False),
        ("one in 100 gives changes, sync() after each", True, True),
    )
    with tempfile.TemporaryDirectory() as name:
        state = Path(name) / "state"
        for what, rare, syncs in cases:
            texts = _elements(int(elements), rare=rare)
            spent, real = [], []
            for _ in range(int(times)):
                rmtree(state, ignore_errors=True)
                plain = _seconds(texts, None)
                kept = _seconds(texts, state, syncs=syncs)
                spent.append(kept[0] / plain[0])
                real.append(kept[1] / plain[1])
            rows.append((what, f"{median(spent):.2f}", f"{median(real):.2f}"))
    heads = ("", "processor time", "real time")
    sys.stdout.write(str(TextTable("With a state over without", heads, tuple(rows))))


if __name__ == "__main__":
    main(*sys.argv[1:])
