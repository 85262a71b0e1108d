"""`r4 run` with recorded events, compared with the definition: what is told, and when."""

from __future__ import annotations

import difflib
import io
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

from r4.rdf.files import ByteSource
from r4.run import stream_run
from r4.stream.input_events import (
    CompleteElement,
    EndInput,
    InputEvent,
    MarkIdle,
    MoveClock,
    ReadSource,
)
from r4.stream.source_buffer import SourceBuffer
from tests.generators.streams.timed_runs import TimedCase, timed_case
from tests.oracles.metric.streams import MetricProgram
from tests.oracles.rules.datalog import Program
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.output_lines import json_of, lines_of
from tests.oracles.streams.timed_intake import (
    Clock,
    End,
    Idle,
    Quiet,
    Read,
    Stop,
    TimedEvent,
    TimedIntake,
)
from tests.simulation.command import CommandOutput, run
from tests.simulation.core_run import tiny_stores


class Script:
    """A schedule of given events, and how much was told before each."""

    def __init__(self, case: TimedCase, names: Sequence[str]) -> None:
        self._events = [events_of(event) for event in case.events]
        self._next: list[InputEvent] = []
        self._pieces: dict[str, list[bytes]] = {name: [] for name in names}
        texts = iter(case.texts)
        for event in case.events:
            if isinstance(event, Read):
                self._pieces[names[event.source]].append(next(texts).encode())
        self.told: list[int] = []

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        del sources, least
        if self._next:
            return self._next.pop()
        sys.stdout.flush()
        assert isinstance(sys.stdout.buffer, io.BytesIO)
        self.told.append(sys.stdout.buffer.getvalue().count(b"\n"))
        self._next = self._events.pop(0) if self._events else [EndInput()]
        return self._next.pop()

    def read(self, source: ByteSource) -> bytes | None:
        """What arrives of a source; None: it is none of the streams."""
        pieces = self._pieces.get(source.name)
        return None if pieces is None else pieces.pop(0) if pieces else b""


def events_of(event: TimedEvent) -> list[InputEvent]:
    """What an event is for the intake; a reader gives its rest before it ends."""
    match event:
        case Read(source, _, _, wall):
            return [ReadSource(source, wall)]
        case End(source, wall):
            return [ReadSource(source, wall), ReadSource(source, wall)]
        case Quiet(source, wall):
            return [CompleteElement(source, wall)]
        case Idle(source, is_idle):
            return [MarkIdle(source, is_idle)]
        case Clock(to):
            return [MoveClock(to)]
        case Stop():
            return [EndInput()]


@contextmanager
def scripted(script: Script) -> Iterator[None]:
    """The commands read what the script says, when it says so."""
    right = ByteSource.read

    def read(source: ByteSource) -> bytes:
        found = script.read(source)
        return right(source) if found is None else found

    with (
        patch.object(stream_run, "schedule_of", lambda *_, **__: script),
        patch.object(ByteSource, "read", read),
    ):
        yield


def told_by(case: TimedCase, folder: Path) -> tuple[CommandOutput, list[int]]:
    """What the run prints, and how many lines were printed before each event."""
    names = [str(folder / f"stream{number}.nq") for number in range(len(case.run.sources))]
    script = Script(case, names)
    with scripted(script), tiny_stores():
        return run(case.run, folder, *case.options()), script.told


def expected(case: TimedCase) -> tuple[list[str], list[int | None], TimedIntake]:
    """The lines by the definition, how many of them stand before each event, and the intake.

    None: that is not known, as rules may look ahead.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    scenario = case.run.scenario
    intake = case.intake()
    bounds: list[float] = []
    begun: list[bool] = []
    for event in (*case.events, Stop()):
        bounds.append(intake.frontier)
        begun.append(intake.has_begun)
        intake.happen(event)
    read = intake.intake
    until = read.last + (scenario.drain or 0) if read.last > -math.inf else read.last
    if case.is_metric:
        metric = MetricProgram(scenario.document)
        names, answers = metric.names, metric.facts(read.assertions, until)
    else:
        program = Program(scenario.document)
        reason = program.facts if scenario.semantics == "facts" else program.instances
        names, answers = program.names, reason(read.assertions)
    lines = lines_of(answers, scenario.semantics, until)
    # What follows from static data alone comes once time has begun.
    told = [
        None
        if case.is_metric
        else has_begun * sum(line.at < bound or line.at == -math.inf for line in lines)
        for bound, has_begun in zip(bounds, begun, strict=True)
    ]
    return [json_of(line, names, "dateTime") for line in lines], told, intake


def difference(case: TimedCase, folder: Path) -> tuple[str | None, set[str]]:
    """How the run differs from the definition, None if it does not; and what the case has."""
    try:
        wanted, when, intake = expected(case)
    except TooBig:
        return None, {"too big for the oracle"}
    printed, told = told_by(case, folder)
    if printed.code != 0 or printed.lines() != wanted:
        changes = difflib.unified_diff(wanted, printed.lines(), "expected", "printed", n=1)
        return f"{case}\nexit {printed.code}\n{printed.err}\n" + "\n".join(changes), set()
    counts = _count(r"late: (\d+) element", printed), _count(r"(\d+) × DAT210", printed)
    if counts != (intake.intake.late, intake.ahead):
        what = f"{counts} late and ahead instead of {(intake.intake.late, intake.ahead)}"
        return f"{case}\nexit 0\n{what}", set()
    # After the last source has ended nothing is asked for.
    for number, (right, found) in enumerate(zip(when, told, strict=False)):
        if right is not None and right != found:
            what = f"{found} lines instead of {right} before event {number}"
            return f"{case}\nexit 0\n{what}: {case.events[number : number + 1]}", set()
    return None, _features(case, intake, wanted, when)


def _count(pattern: str, printed: CommandOutput) -> int:
    """A count in what a run reports; 0 if it is not there."""
    found = re.search(pattern, printed.err)
    return int(found[1]) if found else 0


def _features(
    case: TimedCase, intake: TimedIntake, lines: Sequence[str], when: Sequence[int | None]
) -> set[str]:
    grown = [b is not None and a is not None and b > a for a, b in pairwise(when)]
    events = case.events
    in_silence = any(
        more and isinstance(event, Clock) for more, event in zip(grown, events, strict=False)
    )
    has: dict[str, object] = {
        "answers": lines,
        "answers at some time": any('"at":"' in line for line in lines),
        "answers end": any(line.startswith('{"op":"-"') for line in lines),
        "told by a move of the clock": in_silence,
        "moves of the clock": any(isinstance(event, Clock) for event in events),
        "completed by silence": any(isinstance(event, Quiet) for event in events),
        "idle": any(isinstance(event, Idle) for event in events),
        "stopped": any(isinstance(event, Stop) for event in events),
        "late": intake.intake.late,
        "ahead": intake.ahead,
        "several sources": len(case.run.sources) > 1,
        "metric": case.is_metric,
    }
    return {name for name, said in has.items() if said}


def compare(
    count: int, first: int = 0, make: Callable[[int], TimedCase] = timed_case
) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            fault, features = difference(make(seed), Path(folder))
            found.update(features)
            if fault:
                faults[seed] = fault
    return found, faults
