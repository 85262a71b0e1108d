"""A move of the wall's clock is an empty element: with late data and retraction, too.

A run with a clock prints what the run prints whose stream has a heartbeat in place of each move.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.rdf.files import ByteSource
from r4.run import stream_run
from r4.stream.input_events import EndInput, InputEvent, MoveClock, ReadSource
from r4.stream.source_buffer import SourceBuffer
from tests.seeds import parts
from tests.simulation.command import call

PART = 30
PROV, XSD = "http://www.w3.org/ns/prov#", "http://www.w3.org/2001/XMLSchema#"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RULES = (
    """
Document( Prefix(ex <urn:ex:>) Window(4 s) Group(
  Forall ?x ?y ?z ( ?x[ex:r -> ?z] :- And( ?x[ex:p -> ?y] ?y[ex:p -> ?z] ) )
  Forall ?x ?y ( ?x[ex:n -> ?y] :- And( ?x[ex:p -> ?y] Naf( ?y[ex:p -> ?x] ) ) ) ) )
""",
    """
Document( Prefix(ex <urn:ex:>) Window(3 s) Group(
  Forall ?x ?y ( ?x[ex:q -> ?y] :- DiamondMinus [0 s, 3 s] ( ?x[ex:p -> ?y] ) )
  Forall ?x ?y ( ?x[ex:b -> ?y] :- BoxMinus [0 s, 2 s] ( ?x[ex:p -> ?y] ) )
  Forall ?x ?y ( ?x[ex:f -> ?y] :- DiamondPlus [0 s, 2 s] ( ?x[ex:p -> ?y] ) ) ) )
""",
)


def stamp(name: str, second: int, predicate: str = "generatedAtTime") -> str:
    moment = (NOON + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f'<urn:{name}> <{PROV}{predicate}> "{moment}"^^<{XSD}dateTime> .\n'


def ticks(second: int) -> int:
    return int((NOON + timedelta(seconds=second)).timestamp() * 1000)


class Events:
    """A schedule of given events, and what arrives with each read of the stream."""

    def __init__(self, events: Sequence[InputEvent], pieces: Sequence[str]) -> None:
        self._events = list(events)
        self._pieces = [piece.encode() for piece in pieces]
        self._read = ByteSource.read

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        del sources, least
        return self._events.pop(0) if self._events else EndInput()

    def read(self, source: ByteSource) -> bytes:
        if not source.name.endswith("clock.nq"):
            return self._read(source)
        return self._pieces.pop(0) if self._pieces else b""


def element(draw: random.Random, number: int, now: int, names: list[str]) -> str:
    """An element, perhaps late, without a stamp, or one that retracts; an empty line ends it."""
    name, at = f"g{number}", max(0, now + draw.randint(-4, 2))
    retracts = bool(names) and draw.random() < 0.35
    text = ""
    if not retracts or draw.random() < 0.6:
        text += stamp(name, at)
        if draw.random() < 0.2:
            text += stamp(name, at + draw.randint(1, 6), "invalidatedAtTime")
    if retracts:
        text += f"<urn:{name}> <urn:r4:retracts> <urn:{draw.choice(names)}> .\n"
    if not retracts or draw.random() < 0.5:
        for _ in range(draw.randint(1, 2)):
            one, other = draw.choices("abc", k=2)
            text += f"<urn:{one}> <urn:ex:p> <urn:{other}> <urn:{name}> .\n"
        names.append(name)
    return f"{text}\n"


def compare(seed: int, folder: Path) -> Counter[str]:
    """Both runs of a seed, compared; what the case has in it."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    rules, clocked, beating = (folder / name for name in ("r.rif", "clock.nq", "beats.nq"))
    rules.write_text(draw.choice(RULES))
    options = ["--delay", f"{draw.choice([0, 0, 1, 3])}s"]
    options += ["--order", "arrival"] * (draw.random() < 0.3) + ["--drain"] * (draw.random() < 0.4)
    events: list[InputEvent] = []
    pieces: list[str] = []
    beats: list[str] = []
    names: list[str] = []
    now = 0
    for number in range(draw.randint(3, 9)):
        if draw.random() < 0.45:
            now += draw.randint(0, 3)
            events.append(MoveClock(ticks(now)))
            beats.append(stamp(f"beat{number}", now) + "\n")
        else:
            pieces.append(element(draw, number, now, names))
            events.append(ReadSource(0, ticks(now)))
            beats.append(pieces[-1])
    events += [ReadSource(0, ticks(now))] * 2
    clocked.touch()
    beating.write_text("".join(beats))
    schedule = Events(events, pieces)
    with (
        patch.object(stream_run, "schedule_of", lambda *_, **__: schedule),
        patch.object(ByteSource, "read", lambda source: schedule.read(source)),  # noqa: PLW0108 - as a method
    ):
        wall = ["--clock", "wall", "--ahead", "9000h"]
        found = call(["run", str(rules), str(clocked), *wall, *options])
    wanted = call(["run", str(rules), str(beating), *options])
    assert (found.code, found.out) == (wanted.code, wanted.out), (seed, "".join(beats))
    return Counter(
        cases=1,
        answers=bool(wanted.out),
        late="late: " in found.err,
        retracting="retracts" in "".join(pieces),
    )


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_a_move_of_the_clock_is_an_empty_element(first: int, tmp_path: Path) -> None:
    met = sum((compare(seed, tmp_path) for seed in range(first, first + PART)), Counter[str]())
    assert met["answers"] > met["cases"] // 2
    assert min(met["late"], met["retracting"]) > met["cases"] // 4
