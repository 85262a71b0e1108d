"""Peer: the offer rule (q1) in plain Python, as one writes it by hand for this one file.

It takes for granted what an engine may not: lines split at blanks and are never checked, a stamp
stands before its graph, stamps increase, an offer is one graph with one value a property.
It writes the lines of `r4 run`. usage: hand_join.py STREAM WINDOW_IN_MS
"""

import sys
from collections import defaultdict, deque
from datetime import UTC, datetime, timedelta

from bench.harness.graph_marks import GraphMarks

BSBM = "<http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
DC, STAMP = "<http://purl.org/dc/elements/1.1/", "<http://www.w3.org/ns/prov#generatedAtTime>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
NAMES = "product vendor price validFrom validTo deliveryDays offerWebpage".split()  # noqa: SIM905
PATTERNS = [TYPE, f"{DC}publisher>", f"{DC}date>", *(f"{BSBM}{name}>" for name in NAMES)]
EPOCH, MS = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)


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
    """Join, follow the window, write what changes."""
    tables: dict[str, dict[str, str]] = {pattern: {} for pattern in PATTERNS}  # offer -> object
    products, prices = tables[f"{BSBM}product>"], tables[f"{BSBM}price>"]
    met: defaultdict[str, int] = defaultdict(int)  # offer -> how many patterns it has met
    leaving: deque[tuple[int, str]] = deque()  # (end, offer)
    ending: deque[tuple[int, set[tuple[str, str]]]] = deque()  # (end, answers)
    holds: dict[tuple[str, str], tuple[str, int]] = {}  # answer -> (since, until)
    now, marks, found = 0, GraphMarks(), set[tuple[str, str]]()  # found: of this instant

    def drop(last: int) -> None:
        while ending and ending[0][0] <= last:
            end, gone = ending.popleft()
            for answer in sorted(answer for answer in gone if holds[answer][1] == end):
                _line("-", at := _text(end), answer, holds.pop(answer)[0], at)

    def settle() -> None:
        drop(now - 1)
        at, begun = _text(now), sorted(answer for answer in found if answer not in holds)
        holds.update((answer, (holds.get(answer, (at,))[0], now + window)) for answer in found)
        ending.append((now + window, found))
        drop(now)
        for answer in begun:
            _line("+", at, answer, at, "null")

    with open(path, encoding="utf-8") as stream:  # noqa: PTH123
        for quad in stream:
            s, p, rest = quad.split(" ", 2)
            if (table := tables.get(p)) is not None:
                o = rest.rsplit(" ", 2)[0]
                if p != TYPE or o == f"{BSBM}Offer>":
                    table[s] = o
                    met[s] += 1
                    if met[s] == 1:
                        leaving.append((now + window, s))
                    elif met[s] == len(tables):
                        found.add((products[s], prices[s]))
            elif p == STAMP:
                marks.mark()
                settle()
                found, now = set(), (datetime.fromisoformat(rest.split('"', 2)[1]) - EPOCH) // MS
                while leaving and leaving[0][0] <= now:
                    met.pop(s := leaving.popleft()[1])
                    for table in tables.values():
                        del table[s]
    settle()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
