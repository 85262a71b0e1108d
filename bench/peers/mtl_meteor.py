"""Peer: MeTeoR, which derives the model of rules with metric time, in Python.

MODE is ``canonical``, which also finds how the model goes on, or ``seminaive``, which goes ROUNDS
rounds at most. It stops after ten minutes of processor time, and says so.
usage: mtl_meteor.py PROGRAM FACTS MODE ROUNDS [OUTPUT]
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from time import process_time
from typing import Any

from meteor_reasoner.canonical.canonical_representation import CanonicalRepresentation
from meteor_reasoner.canonical.utils import find_periods
from meteor_reasoner.classes.interval import Interval
from meteor_reasoner.materialization.coalesce import coalescing_d
from meteor_reasoner.materialization.materialize import materialize
from meteor_reasoner.utils.loader import load_dataset, load_program
from meteor_reasoner.utils.operate_dataset import get_min_max_rational, yield_dataset

from bench.harness.process_usage import peak_memory

MOST_SECONDS = 600
TURNS = 2
"""So many turns of a period are written beyond the one that was found."""


def main(program: str, facts: str, mode: str, rounds: str, output: str = "") -> None:
    """Derive the model; say how long it took, and write it if that is asked for."""
    with redirect_stdout(sys.stderr):
        told = reason(program, facts, mode, int(rounds), output)
    print(json.dumps(told))


def reason(program: str, facts: str, mode: str, rounds: int, output: str) -> dict[str, object]:
    """Derive the model, write it, and give the report of `ModelReport`."""
    signal.signal(signal.SIGPROF, _stop)
    idle, begun = peak_memory(), process_time()
    known = load_dataset(facts)
    lines = Path(program).read_text(encoding="utf-8").splitlines()
    rules = load_program([line for line in lines if line.strip()])
    read = process_time()
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        derive = canonical if mode == "canonical" else seminaive
        known, within, going_on = derive(known, rules, rounds)
        stopped = False
    except TimeoutError:
        within, going_on, stopped = "", iter(()), True
    signal.setitimer(signal.ITIMER_PROF, 0)
    derived = process_time()
    if output and not stopped:
        with Path(output).open("w", encoding="utf-8") as file:
            file.writelines(f"{fact}\n" for fact in yield_dataset(known))
            file.writelines(f"{fact}\n" for fact in going_on)
    return {
        "load": read - begun,
        "derive": derived - read,
        "facts": sum(len(found) for of in known.values() for found in of.values()),
        "idle": idle,
        "within": within,
        "stopped": stopped,
    }


def canonical(known: Any, rules: Any, _: int) -> tuple[Any, str, Iterator[str]]:  # noqa: ANN401
    """The facts, the interval in which they are complete, and what goes on within that."""
    start = CanonicalRepresentation(known, rules)
    start.initilization()
    found, _, left, lefts, left_turn, right, rights, right_turn = find_periods(start)
    begin = "(-inf" if left is None else f"[{left.left_value - TURNS * left_turn}"
    end = "+inf)" if right is None else f"{right.right_value + TURNS * right_turn}]"

    def going_on() -> Iterator[str]:
        for facts, turn in ((lefts, -(left_turn or 0)), (rights, right_turn)):
            for fact, intervals in (facts or {}).items():
                for interval in intervals:
                    for times in range(1, TURNS + 1):
                        yield f"{fact}@{_moved(interval, times * turn)}"

    return found, f"{begin},{end}", going_on()


def seminaive(known: Any, rules: Any, rounds: int) -> tuple[Any, str, Iterator[str]]:  # noqa: ANN401
    """The same after ``rounds``: if there are more, what holds between the ends of the data."""
    coalescing_d(known)  # its boxes are wrong of intervals that touch
    first, last = get_min_max_rational(known)
    ended = materialize(known, rules, mode="seminaive", K=rounds)
    return known, "(-inf,+inf)" if ended else f"[{first},{last}]", iter(())


def _moved(interval: Interval, by: Any) -> Interval:  # noqa: ANN401
    ends = interval.left_value + by, interval.right_value + by
    return Interval(*ends, interval.left_open, interval.right_open)


def _stop(_signal: int, _frame: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(*sys.argv[1:])
