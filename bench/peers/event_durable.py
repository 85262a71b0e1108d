"""Peer: single events, the join in durable_rules: each is a fact, retracted after the window.

It runs in a Python that has durable_rules, and needs nothing else. usage: event_durable.py EVENTS
"""

import json
import sys
from collections import deque
from time import process_time
from typing import Any

from bench.workloads.single_events import WINDOW, join_event


def _fact(at: int) -> dict[str, Any]:
    s, p, o = join_event(at)
    return {"s": s, "p": p, "o": o, "at": at}


def main(count: int) -> dict[str, float]:
    """Microseconds of processor time an event, and how many answers began."""
    # Imported here, as the other Python has it.
    from durable.lang import c, get_host, m, ruleset, when_all  # noqa: PLC0415

    events = [_fact(at) for at in range(count)]
    found: list[tuple[str, str]] = []

    def join(match: Any) -> None:  # noqa: ANN401 - the package has no types
        found.append((match.r.s, match.r.o))

    with ruleset("events"):
        when_all(c.p << (m.p == "p"), c.r << (m.p == "r") & (m.s == c.p.s))(join)
    host = get_host()
    leaving: deque[dict[str, Any]] = deque()
    begun = process_time()
    for event in events:
        while leaving and leaving[0]["at"] <= event["at"] - WINDOW:
            host.retract_fact("events", leaving.popleft())
        host.assert_fact("events", event)
        leaving.append(event)
    return {"cpu": (process_time() - begun) / count * 1e6, "answers": len(found)}


if __name__ == "__main__":
    json.dump(main(int(sys.argv[1])), sys.stdout)
