"""`Engine.add`, called for one event after the other: how long a call takes, what it costs.

Two engines take the same events. Each call of the first is timed; of the second, so that no clock
is in the way, the processor time of a hundred calls. All changes are compared with those of a
plain loop. It prints JSON. usage: add_events.py CASE EVENTS FOLDER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, TypeAlias

import numpy as np
import pyoxigraph as ox
import rdflib

from bench.suites.events import EventCost
from bench.workloads.single_events import (
    CASES,
    SPACE,
    EventCase,
    Expected,
    Triple,
    expected,
    rounded,
)
from r4.api import Change, Engine
from rif.syntax.terms import XSD

BLOCK: Final = 100
"""Calls after which changes are taken out, which is not measured."""
_WARM: Final = 5
"""The first of so many parts is left out: the window is not full then."""

Call: TypeAlias = Callable[..., object]
"""Adds an element ``at`` a tick."""
RdflibTriple: TypeAlias = tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]
Block: TypeAlias = Sequence[tuple[int, Any]]
"""Ticks, and elements in some form."""


@dataclass(slots=True)
class Tally:
    """Changes, counted; sums of hashes are the same in any order."""

    begun: int = 0
    ended: int = 0
    hashes: int = 0

    def note(self, changes: Iterable[Expected]) -> None:
        """Count them."""
        for change in changes:
            self.begun += change[0] == "+"
            self.ended += change[0] == "-"
            self.hashes += hash(change)


def main(name: str, count: int, folder: Path) -> EventCost:
    """Measure a case."""
    case = CASES[name]
    form = FORMS[case.form]
    given = [form(case.element(tick)) for tick in range(count)]
    right = Tally()
    right.note(expected(case, count))
    waited, *tallies = _run(case, given, folder, _waits)
    spent, *others = _run(case, given, folder, _work)
    wrong = next(
        (f"{found} instead of {right}" for found in (*tallies, *others) if found != right), ""
    )
    begin = count // _WARM
    settled = [
        taken for at, taken in enumerate(waited) if at >= begin and (at + 1) % case.every == 0
    ]
    middle, high = np.percentile(settled, (50, 99)) * 1e6
    cpu = fmean(spent[len(spent) // _WARM :]) * 1e6
    return EventCost(cpu, right.begun, wrong, float(middle), fmean(settled) * 1e6, float(high))


def _run(
    case: EventCase,
    given: Sequence[Any],
    folder: Path,
    measure: Callable[[Call, Block], list[float]],
) -> tuple[list[float], Tally]:
    """What is measured of each block, and the changes."""
    found, tally = [], Tally()
    with TemporaryDirectory(dir=folder) as place:
        engine = Engine.from_text(case.rules, state=Path(place, "state") if case.keeps else None)
        taken: list[Change] = []

        def add_and_read(element: Any, at: int) -> None:  # noqa: ANN401 - in any form
            engine.add(element, at=at)
            for change in engine.changes():
                change.triple  # noqa: B018 - it is made when it is asked for
                taken.append(change)

        call = add_and_read if case.reads else engine.add
        for begin in range(0, len(given), BLOCK):
            found += measure(call, [*enumerate(given[begin : begin + BLOCK], begin)])
            tally.note(map(_plain, [*taken, *engine.changes()]))
            taken.clear()
        engine.advance(len(given) + 2 * case.window)
        tally.note(map(_plain, engine.changes()))
        engine.close()
    return found, tally


def _waits(call: Call, block: Block) -> list[float]:
    """Seconds of each call."""
    found = []
    for at, element in block:
        begun = perf_counter()
        call(element, at=at)
        found.append(perf_counter() - begun)
    return found


def _work(call: Call, block: Block) -> list[float]:
    """Seconds of processor time of a call, the mean."""
    begun = process_time()
    for at, element in block:
        call(element, at=at)
    return [(process_time() - begun) / len(block)]


def _plain(change: Change) -> Expected:
    assert change.triple is not None
    assert isinstance(change.at, int)
    s, p, o = change.triple
    value = rounded(float(o)) if isinstance(o, rdflib.Literal) else _name(o)
    return change.op, change.at, _name(s), _name(p), value


def _name(node: rdflib.term.Node) -> str:
    return str(node).removeprefix(SPACE)


def _ntriples(element: Sequence[Triple]) -> str:
    lines = []
    for s, p, o in element:
        term = f"<{SPACE}{o}>" if isinstance(o, str) else f'"{o}"^^<{XSD}integer>'
        lines.append(f"<{SPACE}{s}> <{SPACE}{p}> {term} .")
    return "\n".join(lines)


def _turtle(element: Sequence[Triple]) -> str:
    parts = (f"ex:{p} {f'ex:{o}' if isinstance(o, str) else o}" for _, p, o in element)
    return f"ex:{element[0][0]} {' ; '.join(parts)} ."


def _pyoxigraph(element: Sequence[Triple]) -> list[ox.Triple]:
    return [
        ox.Triple(
            ox.NamedNode(SPACE + s),
            ox.NamedNode(SPACE + p),
            ox.NamedNode(SPACE + o) if isinstance(o, str) else ox.Literal(int(o)),
        )
        for s, p, o in element
    ]


def _rdflib(element: Sequence[Triple]) -> list[RdflibTriple]:
    space = rdflib.Namespace(SPACE)
    return [
        (space[s], space[p], space[o] if isinstance(o, str) else rdflib.Literal(o))
        for s, p, o in element
    ]


def _graph(element: Sequence[Triple]) -> rdflib.Graph:
    graph = rdflib.Graph()
    for triple in _rdflib(element):
        graph.add(triple)
    return graph


FORMS: Final[dict[str, Callable[[Sequence[Triple]], Any]]] = {
    "ntriples": _ntriples,
    "turtle": _turtle,
    "pyoxigraph": _pyoxigraph,
    "rdflib": _rdflib,
    "graph": _graph,
}


if __name__ == "__main__":
    json.dump(asdict(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))), sys.stdout)
