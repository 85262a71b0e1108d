"""An `Engine` with a state, stopped in some operation of the file system, again and again.

The caller goes on behind the calls that the engine says it has taken. Changes by their numbers have
to be those of an engine without a state, which is never stopped.
"""

from __future__ import annotations

import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import PropertyMock, patch

from r4.api import Change
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from tests.generators.draw import Draw, from_seed
from tests.generators.events.histories import library_case
from tests.generators.events.open_ranges import with_open_ranges
from tests.generators.meetings.dimensions import COMMAND, draw_dimensions
from tests.generators.meetings.histories import Meeting, meeting_of
from tests.generators.meetings.text import meeting_text
from tests.generators.rules.parsers import unparse
from tests.simulation.api_engine import line_of
from tests.simulation.core_run import tiny_stores
from tests.simulation.meetings.engine_run import (
    EngineCall,
    SavedEngine,
    begun_engine,
    engine_calls,
)
from tests.simulation.state.crashing_files import Crash, CrashingFiles

MOST_KILLS = 5


@dataclass(frozen=True, slots=True)
class KilledEngine:
    """A case, and how it is stopped.

    Attributes:
        meeting: rules, options, what is called.
        draw: what else is left to chance.
        power: whether what was not synced is lost.
        checkpoints: in percent, how many calls have a checkpoint before them.
        patience: in percent, after how many calls changes are taken out.
    """

    meeting: Meeting
    draw: Draw
    power: bool
    checkpoints: int
    patience: int


def killed_engine(seed: int) -> KilledEngine:
    """The case of a seed."""
    draw = from_seed(seed)
    if seed % 4 == 3:
        case = library_case(draw)
        if seed % 8 == 3:
            case = with_open_ranges(case, from_seed(-1 - seed))
    else:
        case = meeting_of(draw, draw_dimensions(draw) - frozenset(COMMAND))
    return KilledEngine(
        *(case, draw, draw.chance(60), draw.choice((0, 10, 30, 60)), draw.choice((40, 100)))
    )


class _Caller:
    """What is outside of the engine: it makes calls, and keeps changes by their numbers.

    Attributes:
        wrong: what the engine did wrong; None: nothing.
        changes: each as it came first.
        has: what the case has.
    """

    def __init__(self, case: KilledEngine, calls: Sequence[EngineCall], folder: Path) -> None:
        self.wrong: str | None = None
        self.changes: dict[int, str] = {}
        self.has: set[str] = set()
        self._case = case
        self._calls = calls
        self._folder = folder
        self._made = 0
        self._needed = 0

    def process(self, stop: Callable[[], object] | None) -> None:
        """A process that goes on from the folder to the end; ``stop`` is called on the way."""
        with begun_engine(self._case.meeting, state=self._folder) as engine:
            if engine.calls < self._needed:
                self.wrong = f"{engine.calls} calls are known, {self._needed} were needed"
                return
            if engine.calls > self._made + 1:
                self.wrong = f"{engine.calls} calls are known, {self._made} were made"
                return
            stop_at = self._case.draw.integer(engine.calls, len(self._calls))
            if engine.calls:
                self.has.add("resumed")
            self._made = engine.calls
            last: int | None = None
            for call in self._calls[engine.calls :]:
                if stop is not None and self._made == stop_at:
                    stop()
                call(engine)
                self._made += 1
                if not self._case.power:
                    self._needed = self._made
                if self._case.draw.chance(self._case.patience):
                    last = self._take(engine.changes(), last)
            if stop is not None and self._made == stop_at:
                stop()
            self._take(engine.changes(), last)

    def _take(self, changes: Iterator[Change], last: int | None) -> int | None:
        for change in changes:
            self._needed = self._made
            text = f"{change.undone} {line_of(change)}"
            assert change.seq is not None
            if last is not None and change.seq != last + 1:
                self.wrong = f"change {change.seq} came behind {last}"
            if change.seq in self.changes:
                self.has.add("twice")
            if self.changes.setdefault(change.seq, text) != text:
                self.wrong = f"{change.seq} was {self.changes[change.seq]}, and is {text}"
            last = change.seq
        return last


@contextmanager
def _in(case: KilledEngine, files: SystemFiles) -> Iterator[None]:
    due = PropertyMock(side_effect=lambda: case.draw.chance(case.checkpoints))
    with ExitStack() as stack:
        stack.enter_context(patch.object(state_folder, "SystemFiles", lambda: files))
        stack.enter_context(patch.object(CheckpointWriter, "is_due", due))
        if case.meeting.small:
            stack.enter_context(tiny_stores())
        yield


def difference(
    case: KilledEngine,
    folder: Path,
    fault: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> tuple[str | None, set[str]]:
    """How the killed engine differs from the one that was not, and what the case has.

    ``fault`` is planted in the killed engine alone.
    """
    calls = [each for each in engine_calls(case.meeting) if not isinstance(each, SavedEngine)]
    with _in(case, SystemFiles()):
        engine = begun_engine(case.meeting)
        for call in calls:
            call(engine)
        wanted = [f"{each.undone} {line_of(each)}" for each in engine.changes()]
    caller = _Caller(case, calls, folder / "state")
    with fault():
        _killed(case, caller)
    found = caller.changes
    wrong = caller.wrong
    if wrong is None and found != dict(enumerate(wanted, 1)):
        wrong = f"changes:\n{found}\ninstead of\n{wanted}"
    if wrong is not None:
        return f"{meeting_text(case.meeting)}\n{case}\n{wrong}", set()
    features = {"changes": wanted, "power fails": case.power}
    features["aggregates"] = wanted and "{" in unparse(case.meeting.history.document)
    for name, said in features.items():
        if said:
            caller.has.add(name)
    return None, caller.has


def _killed(case: KilledEngine, caller: _Caller) -> None:
    kills = case.draw.integer(1, MOST_KILLS)
    while caller.wrong is None:
        files = CrashingFiles(case.draw, None, power=case.power)
        if kills and case.draw.chance(30):
            files.crash_in(case.draw.integer(0, 80))
        try:
            with _in(case, files):
                caller.process(partial(_stop_later, case, files) if kills else None)
        except Crash:
            kills -= 1
            caller.has.add("killed")
        except Exception:  # noqa: BLE001 - to be shown with its case
            caller.wrong = traceback.format_exc()
        else:
            return


def _stop_later(case: KilledEngine, files: CrashingFiles) -> None:
    """Stop behind the calls that come first, or in a checkpoint."""
    most = case.draw.weighted((60, 8), (25, 60), (15, 400))
    files.crash_in(case.draw.integer(0, most))


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            fault, features = difference(killed_engine(seed), Path(folder))
        found.update(features)
        if fault:
            faults[seed] = fault
    return found, faults
