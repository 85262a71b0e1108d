"""Peer: single events, the join as a step of Bytewax that has a state for each subject.

Its own joins have windows that lie side by side; a window that follows each event is written by
hand. Events come from the source one by one. It runs in a Python that has Bytewax, and needs
nothing else. usage: event_bytewax.py EVENTS
"""

import json
import sys
from time import process_time

from bench.workloads.single_events import WINDOW, join_event

Held = list[tuple[str, str, int]]


def _join(held: Held | None, event: tuple[str, str, int]) -> tuple[Held, list[str]]:
    """What is held of the subject, and what begins."""
    predicate, value, at = event
    kept = [each for each in held or () if each[2] > at - WINDOW]
    sides = [[each[1] for each in kept if each[0] == name] for name in ("p", "r")]
    found = [value] if predicate == "r" and sides[0] else []
    if predicate == "p" and not sides[0]:
        found = sides[1]
    return [*kept, event], found


def main(count: int) -> dict[str, float]:
    """Microseconds of processor time an event, and how many answers began."""
    # Imported here, as the other Python has it.
    import bytewax.operators as op  # noqa: PLC0415
    from bytewax.dataflow import Dataflow  # noqa: PLC0415
    from bytewax.testing import TestingSink, TestingSource, run_main  # noqa: PLC0415

    events = [(*join_event(at), at) for at in range(count)]
    found: list[tuple[str, str]] = []
    flow = Dataflow("events")
    stream = op.input("input", flow, TestingSource(events, 1))
    keyed = op.map("key", stream, lambda event: (event[0], event[1:]))
    op.output("output", op.stateful_flat_map("join", keyed, _join), TestingSink(found))
    begun = process_time()
    run_main(flow)
    return {"cpu": (process_time() - begun) / count * 1e6, "answers": len(found)}


if __name__ == "__main__":
    json.dump(main(int(sys.argv[1])), sys.stdout)
