"""Which nodes of a network flag which signals, while readings come.

    python examples/network.py [PICTURE]

PICTURE is where an SVG goes of what was flagged when. The readings are made here: a signal comes in
bursts, and only a burst without long gaps is passed on from node to node.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader
from temporal.model.materialisation import materialise
from temporal.mtl.ast import MetricProgram
from temporal.picture import ModelPicture
from temporal.streaming import StreamAnswer, StreamReasoner

RING = 5  # nodes, each connected with the next
EVERY = Fraction(1, 2)  # seconds between two looks at what is flagged
BURSTS = {"smoke": [(2, 12), (30, 36)], "heat": [(5, 8), (20, 34)]}  # seconds


def network() -> Iterator[str]:
    """Facts that always hold, and what the first node monitors."""
    for node in range(RING):
        yield f"Node(n{node})@(-inf,inf)\nConnected(n{(node + 1) % RING},n{node})@(-inf,inf)\n"
    yield from (f"Monitors(n0,{signal})@(-inf,inf)\n" for signal in BURSTS)


def readings() -> list[str]:
    """Readings of the signals in the order of time, some 2 a second within a burst."""
    draw, found = random.Random(1), list[tuple[Fraction, str]]()  # noqa: S311
    for signal, bursts in BURSTS.items():
        for begin, end in bursts:
            at = Fraction(begin)
            while at < end:
                found.append((at, f"Signal({signal})@{at}\n"))
                at += Fraction(draw.randint(1, 9), 10)
    return [fact for _, fact in sorted(found)]


def runs(answers: list[StreamAnswer]) -> Iterator[tuple[str, Fraction, Fraction]]:
    """For each fact the looks in a row at which it held: the first, and the last."""
    open_runs: dict[str, tuple[Fraction, Fraction]] = {}
    for answer in answers:
        fact = f"Flags({','.join(answer.args)})"
        begin, last = open_runs.get(fact, (answer.at, answer.at))
        if answer.at - last > EVERY:
            yield fact, begin, last
            begin = answer.at
        open_runs[fact] = begin, answer.at
    yield from ((fact, *times) for fact, times in open_runs.items())


def main(picture: str = "") -> None:
    """Print who flagged what when, and draw it."""
    rules = Path(__file__).with_suffix(".txt").read_text("utf-8")
    query = StreamReasoner(rules, "Flags", every=str(EVERY))
    stream, found, most = readings(), list[StreamAnswer](), 0
    for piece in (*network(), *stream, "End@60\n"):
        found += query.push(piece)
        most = max(most, query.held)
    found += query.finish()
    flagged = sorted(runs(found), key=lambda run: (run[1], run[0]))
    for fact, begin, last in flagged:
        print(f"{float(begin):5.1f} to {float(last):5.1f}  {fact}")
    print(f"{len(stream)} readings, {len(found)} answers, at most {most} rows held")
    if picture:
        loader = BulkLoader(terms := Dictionary())
        lines = [f"{fact}@[{begin},{last}]\n" for fact, begin, last in flagged]
        loader.text(line.encode() for line in [*stream, *lines])
        model = materialise(MetricProgram(()), loader.data(), terms)
        title = "Signals, and the nodes that flag them"
        drawn = ModelPicture(model, 0, 2 * 60 * model.scale + 1, title)
        Path(picture).write_text(drawn.svg(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
