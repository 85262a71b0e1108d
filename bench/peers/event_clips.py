"""Peer: single events, the join in CLIPS through clipspy: a fact is asserted and the rules run.

A template for each predicate, and facts that are released, as in `clips_rete.py`; a fact is
retracted when it leaves the window.

usage: event_clips.py EVENTS
"""

import json
import sys
from collections import deque
from time import process_time

import clips

from bench.peers.clips_rete import ClipsFact, release_facts
from bench.workloads.single_events import WINDOW, join_event


def main(count: int) -> dict[str, float]:
    """Microseconds of processor time an event, and how many answers began."""
    events = [(*join_event(at), at) for at in range(count)]
    found: list[tuple[str, str]] = []
    release_facts()
    environment = clips.Environment()
    environment.define_function(lambda s, o: found.append((s, o)), name="found")
    for name in ("p", "r"):
        environment.build(f"(deftemplate {name} (slot s) (slot o))")
    environment.build("(defrule join (p (s ?s)) (r (s ?s) (o ?o)) => (found ?s ?o))")
    templates = {name: environment.find_template(name) for name in ("p", "r")}
    leaving: deque[tuple[int, ClipsFact]] = deque()
    begun = process_time()
    for s, p, o, at in events:
        while leaving and leaving[0][0] <= at - WINDOW:
            leaving.popleft()[1].retract()
        leaving.append((at, templates[p].assert_fact(s=s, o=o)))
        environment.run()
    cpu = (process_time() - begun) / count * 1e6
    leaving.clear()  # facts are released while their environment is there
    return {"cpu": cpu, "answers": len(found)}


if __name__ == "__main__":
    json.dump(main(int(sys.argv[1])), sys.stdout)
