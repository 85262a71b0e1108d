"""Peer: single events, the join by hand in plain Python: a dictionary for each predicate.

usage: event_python.py EVENTS
"""

import json
import sys
from collections import deque
from time import process_time

from bench.workloads.single_events import WINDOW, join_event


def main(count: int) -> dict[str, float]:
    """Microseconds of processor time an event, and how many answers began."""
    events = [(*join_event(at), at) for at in range(count)]
    held: dict[str, dict[str, dict[str, int]]] = {"p": {}, "r": {}}  # predicate, subject, object
    leaving: deque[tuple[str, str, str, int]] = deque()
    answers = 0
    begun = process_time()
    for event in events:
        s, p, o, at = event
        while leaving and leaving[0][3] <= at - WINDOW:
            subject, predicate, gone, since = leaving.popleft()
            objects = held[predicate][subject]
            if objects[gone] == since:
                del objects[gone]
                if not objects:
                    del held[predicate][subject]
        leaving.append(event)
        others = held["r" if p == "p" else "p"].get(s, {})
        objects = held[p].setdefault(s, {})
        if o not in objects and others:
            if p == "r":
                answers += 1
            elif not objects:  # the first of this side: what the other side has begins
                answers += len(others)
        objects[o] = at
    return {"cpu": (process_time() - begun) / count * 1e6, "answers": answers}


if __name__ == "__main__":
    json.dump(main(int(sys.argv[1])), sys.stdout)
