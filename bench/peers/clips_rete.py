"""Peer: the offer rule (q1) in CLIPS, a Rete engine in C, through clipspy.

A template for each predicate, because CLIPS matches that faster than one for all triples (by half
as much again); triples that no pattern names are left out; facts are asserted one by one and
retracted when they leave the window. The rule tells Python what it finds, and Python keeps how
long answers hold, which is quicker than having CLIPS take them back (`logical`). What is taken
for granted of the file, and the lines written, are those of `hand_join.py`.

usage: clips_rete.py STREAM WINDOW_IN_MS
"""

import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import clips
from clips._clips import lib

from bench.harness.graph_marks import GraphMarks

BSBM = "<http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
NAMES = "product vendor price validFrom validTo deliveryDays offerWebpage".split()  # noqa: SIM905
TEMPLATES = {
    "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>": "type",
    "<http://purl.org/dc/elements/1.1/publisher>": "publisher",
    "<http://purl.org/dc/elements/1.1/date>": "date",
    **{f"{BSBM}{name}>": name for name in NAMES},
}
BODY = "".join(f"({name} (s ?offer) (o ?{name}))" for name in [*NAMES, "publisher", "date"])
RULE = f'(defrule q1 (type (s ?offer) (o "{BSBM}Offer>")) {BODY} => (found ?product ?price))'
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
EPOCH, MS = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)


class ClipsFact(Protocol):
    """The value that clipspy gives back for an assertion."""

    _fact: object

    def retract(self) -> None:
        """Take it back."""


def release_facts() -> None:
    """Let facts be released once nothing holds them.

    clipspy 1.0.6 never does: it gives the call an argument too many, and hides the error. Each run
    then looks at all facts that ever were.
    """

    def release(fact: ClipsFact) -> None:
        lib.ReleaseFact(fact._fact)  # noqa: SLF001 - see above

    clips.facts.Fact.__del__ = release


def _text(at: int) -> str:
    day, _, fraction = (EPOCH + at * MS).isoformat()[:-6].partition(".")
    return f'"{day}.{fraction.rstrip("0")}Z"' if fraction else f'"{day}Z"'


def _line(op: str, at: str, answer: tuple[str, str], since: str, until: str) -> None:
    price = answer[1].replace("\\", "\\\\").replace('"', '\\"')
    sys.stdout.write(
        f'{{"op":"{op}","at":{at},"s":"{answer[0]}","p":"{BSBM}offerPrice>","o":"{price}",'
        f'"from":{since},"until":{until},"rule":1}}\n'
    )


def main(path: str, window: int) -> None:  # noqa: C901 - one loop, as one writes it by hand
    """Assert, run and retract, graph by graph."""
    found: set[tuple[str, str]] = set()
    release_facts()
    environment = clips.Environment()
    environment.define_function(lambda product, price: found.add((product, price)), name="found")
    for name in TEMPLATES.values():
        environment.build(f"(deftemplate {name} (slot s) (slot o))")
    environment.build(RULE)
    templates = {iri: environment.find_template(name) for iri, name in TEMPLATES.items()}
    leaving: deque[tuple[int, list[ClipsFact]]] = deque()
    ending: deque[tuple[int, set[tuple[str, str]]]] = deque()
    holds: dict[tuple[str, str], tuple[str, int]] = {}  # answer -> (since, until)
    now, graph, marks = 0, list[ClipsFact](), GraphMarks()

    def drop(last: int) -> None:
        while ending and ending[0][0] <= last:
            end, gone = ending.popleft()
            for answer in sorted(answer for answer in gone if holds[answer][1] == end):
                _line("-", at := _text(end), answer, holds.pop(answer)[0], at)

    def settle() -> None:
        environment.run()
        drop(now - 1)
        at, begun = _text(now), sorted(answer for answer in found if answer not in holds)
        holds.update((answer, (holds.get(answer, (at,))[0], now + window)) for answer in found)
        ending.append((now + window, set(found)))
        drop(now)
        for answer in begun:
            _line("+", at, answer, at, "null")
        found.clear()

    with Path(path).open(encoding="utf-8") as stream:
        for quad in stream:
            s, p, rest = quad.split(" ", 2)
            if (template := templates.get(p)) is not None:
                graph.append(template.assert_fact(s=s, o=rest.rsplit(" ", 2)[0]))
            elif p == STAMP:
                marks.mark()
                settle()
                at = datetime.fromisoformat(rest[1 : rest.index('"', 1)])
                now, graph = (at - EPOCH) // MS, []
                leaving.append((now + window, graph))
                while leaving[0][0] <= now:
                    for fact in leaving.popleft()[1]:
                        fact.retract()
    settle()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
