"""`r4 run --state` in this process, stopped in some operation of the file system, again and again.

The outside world is a script of input events, as in `timed_comparison`. It goes on behind the last
event that reached the disk, and sends the bytes again that R4 did not take. What it gave before
something was told that depends on it, it does not give again.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from r4.checkpoint import archive
from r4.cli.sessions import stream_session
from r4.errors import Counters
from r4.rdf.documents import Format, RdfDocument, read_static
from r4.rdf.files import CHUNK, ByteSource
from r4.state import checkpoint_writer
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles, as_lost
from r4.state.group_commit import GroupCommit
from r4.state.journal.journal import Journal
from r4.state.output_commit import CommittedFile, NumberedLines
from r4.stream.input_events import (
    ChangeReferences,
    DocumentChange,
    EndInput,
    InputEvent,
    ReadSource,
)
from r4.stream.schedule import ScheduledSource
from rete.terms.dictionary import Dictionary
from rif.parser import parse_bytes
from rif.syntax.ast import Group
from rif.syntax.traversal import rules
from rif.text.writer import unparse
from tests.generators.draw import Draw, from_seed
from tests.generators.streams.timed_runs import TimedCase, timed_case
from tests.oracles.streams.timed_intake import Clock, End, Idle, Quiet, Read
from tests.simulation.command import CRASHED, STOPPED, CommandOutput, call
from tests.simulation.core_run import tiny_stores
from tests.simulation.state.crashing_files import Crash, CrashingFiles
from tests.simulation.timed_comparison import events_of

MOST_KILLS = 5


@dataclass(frozen=True, slots=True)
class KilledCase:
    """A case, and how it is stopped.

    Attributes:
        timed: rules, options, what happens.
        draw: what else is left to chance.
        form: of the answers.
        to_file: whether they go to a file.
        is_pipe: which sources are pipes.
        power: whether what was not synced is lost.
        checkpoints: in percent, how many events have a checkpoint before them.
        cuts: the seed of where reads end.
        replays: whether the whole journal is kept, and the run happens again in the end.
        references: the places of the script at which reference data change.
    """

    timed: TimedCase
    draw: Draw
    form: str
    to_file: bool
    is_pipe: tuple[bool, ...]
    power: bool
    checkpoints: int
    cuts: int
    replays: bool
    references: tuple[int, ...]


def killed_case(seed: int) -> KilledCase:
    """The case of a seed; of several sources some are idle for a while, beside checkpoints."""
    timed, draw = timed_case(seed), from_seed(-1 - seed)
    several = len(timed.run.sources) > 1
    if several:
        timed = timed_case(seed, idle=25)
    to_file = draw.chance(60)
    form = (
        draw.choice(("jsonl", "jsonl", "nquads", "trig", "ndjsonld", "patch"))
        if to_file
        else "jsonl"
    )
    pipes = tuple(draw.chance(50) for _ in timed.run.sources)
    power, checkpoints = draw.chance(60), draw.choice((0, 5, 20, 50))
    if several:
        checkpoints = 50
    other = from_seed(-3 - seed)
    count = other.weighted((40, 0), (25, 1), (20, 2), (15, 4))
    references = tuple(other.integer(0, 40) for _ in range(count))
    return KilledCase(
        *(timed, draw, form, to_file, pipes, power, checkpoints, seed),
        replays=seed % 3 == 1,
        references=references,
    )


class World:
    """What happens outside of R4: sources that deliver, a clock.

    Attributes:
        told_by: how many events had happened when something was told last.
        index: how many events have happened.
        lost: what R4 should know and does not; None: nothing.
    """

    def __init__(
        self,
        case: KilledCase,
        names: Sequence[str],
        changes: Sequence[tuple[int, ChangeReferences]],
    ) -> None:
        self.told_by = self.index = 0
        self.lost: str | None = None
        self._names = list(names)
        self._is_pipe = case.is_pipe
        self._events: list[tuple[InputEvent, int]] = []
        self._noted: dict[int, int] = {}
        self._stops: set[int] = set()
        self.data = [b""] * len(names)
        self._until = [0] * len(names)
        self._sent = [0] * len(names)
        self._script(case)
        self._change(changes)

    def _script(self, case: KilledCase) -> None:
        """All events, each with how many bytes of its source have been sent by then."""
        texts, ended, last = iter(case.timed.texts), set(), 0
        for event in case.timed.events:
            match event:
                case Read(source):
                    text = next(texts).encode()
                    # What a sender sends again comes before the end is known.
                    self.data[source] += text if text.endswith(b"\n") else text + b"\n"
                    last = event.wall
                case End(source):
                    ended.add(source)
                    last = event.wall
                case Quiet() | Idle() | Clock():
                    pass
                case _:  # a stop: the script goes on in the next process
                    self._stops.add(len(self._events))
                    continue
            self._add(event)
        for source in range(len(self._names)):
            if source not in ended:
                self._add(End(source, last))
        self._cut(from_seed(case.cuts))

    def _change(self, changes: Sequence[tuple[int, ChangeReferences]]) -> None:
        """Reference data change at places of the script, which are in order."""
        for shift, (place, change) in enumerate(changes):
            at = place % (len(self._events) - shift) + shift
            self._stops = {stop + (stop >= at) for stop in self._stops}
            self._events.insert(at, (change, 0))

    def _add(self, event: Any) -> None:
        for each in events_of(event):
            sent = len(self.data[each.number]) if isinstance(each, ReadSource) else 0
            self._events.append((each, sent))

    def _cut(self, draw: Draw) -> None:
        """Reads end within lines, but for the last of a source."""
        for place, (event, sent) in enumerate(self._events):
            if isinstance(event, ReadSource) and sent < len(self.data[event.number]):
                self._events[place] = (
                    event,
                    max(0, sent - draw.weighted((50, 0), (30, 3), (20, 40))),
                )

    def begin(self, number: int) -> None:
        """A process begins whose journal has all records before ``number``."""
        self._noted = {record: n for record, n in self._noted.items() if record < number}
        self.index = max(self._noted.values(), default=0)
        # A sender sends a line again that was not taken whole.
        for source, data in enumerate(self.data):
            taken = [
                sent
                for event, sent in self._events[: self.index]
                if isinstance(event, ReadSource) and event.number == source
            ]
            self._sent[source] = data.rfind(b"\n", 0, max(taken, default=0)) + 1
        if self.index < self.told_by:
            self.lost = (
                f"{self.told_by} events were needed for what was told, known are {self.index}"
            )

    def note(self, number: int) -> None:
        """The record of a number is about the events so far."""
        self._noted[number] = self.index

    def next_event(self, sources: Sequence[ScheduledSource], least: int) -> InputEvent:
        del sources, least
        if self.index in self._stops:
            self._stops.remove(self.index)
            return EndInput()
        event, sent = self._events[self.index]
        self.index += 1
        if isinstance(event, ReadSource):
            self._until[event.number] = sent
        return event

    def read(self, source: ByteSource, wanted: int) -> bytes | None:
        """What arrives of a source, or is read of it again; None: it is no stream."""
        if source.name not in self._names:
            return None
        number = self._names.index(source.name)
        begin = self._sent[number] if self._is_pipe[number] else source.handed
        end = self._until[number] if wanted == CHUNK else source.handed + wanted
        self._sent[number] = end
        return self.data[number][begin:end]

    def is_pipe(self, source: ByteSource) -> bool:
        return source.name in self._names and self._is_pipe[self._names.index(source.name)]


class _DelayedWriter(CheckpointWriter):
    """Writes a checkpoint while the run goes on, without a process of its own."""

    draw: Draw
    share: int

    def __init__(self, files: SystemFiles, every: float, **more: Any) -> None:
        del more
        super().__init__(files, every, forks=False)
        self._written: tuple[Path, bytes, Callable[[], None]] | None = None
        self._left = 0

    @property
    def is_due(self) -> bool:
        return self._written is None and self.draw.chance(self.share)

    @property
    def is_writing(self) -> bool:
        return self._written is not None

    def begin(
        self, path: Path, state: Callable[[], Mapping[str, Any]], sync: Callable[[], None]
    ) -> bool:
        buffer = BytesIO()
        archive.write_to(buffer, state())
        self._written = path, buffer.getvalue(), sync
        self._left = self.draw.weighted((40, 0), (30, 1), (30, 3))
        return False

    def poll(self, *, wait: bool = False) -> bool:
        if self._written is None:
            return False
        self._left -= 1
        if self._left >= 0 and not wait:
            return False
        path, data, sync = self._written
        self._written = None
        with as_lost(path):
            sync()
            self.files.replace(path, lambda file: file.write(data))
        return True


@contextmanager
def _in(world: World, case: KilledCase, files: SystemFiles) -> Iterator[None]:
    """The commands run in ``world``."""
    opened, read = ByteSource.__init__, ByteSource._read
    journal_begun, appended = Journal.__init__, Journal.append

    def open_source(source: ByteSource, path: str, *more: int) -> None:
        opened(source, path, *more)
        source.live = source.live or world.is_pipe(source)

    def read_source(source: ByteSource, wanted: int) -> bytes:
        found = world.read(source, wanted)
        if found is None:
            return read(source, wanted)
        source._handed += len(found)
        return found

    def begin_journal(journal: Journal, files: SystemFiles, state: str, number: int) -> None:
        journal_begun(journal, files, state, number)
        world.begin(number)

    def append(journal: Journal, *given: Any, **named: Any) -> None:
        number = journal._number
        appended(journal, *given, **named)
        world.note(number)

    def told(kind: type[CommittedFile | NumberedLines]) -> Callable[[Any, bytes], None]:
        written = kind.write

        def write(to: Any, data: bytes) -> None:
            written(to, data)
            world.told_by = max(world.told_by, world.index)

        return write

    waits = from_seed(-3 - case.cuts)

    def can_wait(group: GroupCommit) -> bool:
        return group._depends() and waits.chance(50)

    _DelayedWriter.draw, _DelayedWriter.share = case.draw, case.checkpoints
    with (
        patch.object(GroupCommit, "_can_wait", can_wait),
        patch.object(ByteSource, "__init__", open_source),
        patch.object(ByteSource, "_read", read_source),
        patch.object(Journal, "__init__", begin_journal),
        patch.object(Journal, "append", append),
        patch.object(CommittedFile, "write", told(CommittedFile)),
        patch.object(NumberedLines, "write", told(NumberedLines)),
        patch.object(stream_session, "schedule_of", lambda *_: world),
        patch.object(stream_session, "END_WAIT", 0.0),
        patch.object(state_folder, "SystemFiles", lambda: files),
        patch.object(checkpoint_writer, "CheckpointWriter", _DelayedWriter),
        tiny_stores(),
    ):
        yield


def difference(
    case: KilledCase,
    folder: Path,
    fault: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> tuple[str | None, set[str]]:
    """How the killed run differs from the one that was not, and what the case has.

    ``fault`` is planted in the killed run alone.
    """
    files, names = _write(case, folder)
    changes = _reference_changes(case, folder)
    plain, late = folder / "plain", folder / "plain.late"
    options = [*case.timed.run.options(), *case.timed.options(), "--as", case.form]
    world = World(case, names, changes)
    whole = World(case, names, changes)
    whole._stops.clear()
    for name, data in zip(names, whole.data, strict=True):
        Path(name).write_bytes(data)
    with _in(whole, case, SystemFiles()):
        first = call(["run", *files, *options, "--output", str(plain), "--late", str(late)])
    if first.code != 0:
        return None, {"the run fails"}
    # The files do not follow what the script says of them, so they are not compared.
    options += ["--watch", "--state", str(folder / "state"), "--late", str(folder / "late")]
    options += ["--output", str(folder / "output")] if case.to_file else []
    options += ["--keep-journal"] if case.replays else []
    with fault():
        wrong, printed, has = _killed(case, world, ["run", *files, *options])
    if wrong is None:
        found = (folder / "output").read_bytes() if case.to_file else _joined(printed)
        if isinstance(found, str):
            wrong = found
        elif found != plain.read_bytes():
            wrong = f"told:\n{found.decode()}\ninstead of\n{plain.read_text()}"
        elif case.replays and (again := _again(case, world, folder)) != plain.read_bytes():
            wrong = f"replayed:\n{again!r}\ninstead of\n{plain.read_text()}"
        elif (folder / "late").read_bytes() != late.read_bytes():
            wrong = f"late:\n{(folder / 'late').read_text()}\ninstead of\n{late.read_text()}"
    if wrong is not None:
        return f"{case.timed}\n{case}\n{wrong}", set()
    text = plain.read_text()
    has |= {
        name
        for name, said in {
            "answers": text,
            "answers end": '"op":"-"' in text,
            "late": late.stat().st_size,
            "several sources": len(names) > 1,
            "pipes": any(case.is_pipe),
            "moves of the clock": case.timed.wall,
            "metric": case.timed.is_metric,
            "power fails": case.power,
            "standard output": not case.to_file,
            "happens again": case.replays,
            "reference data change": any(each.documents for _, each in changes),
            "rules change": any(each.rules for _, each in changes),
        }.items()
        if said
    }
    return None, has


def _killed(
    case: KilledCase, world: World, args: Sequence[str]
) -> tuple[str | None, list[CommandOutput], set[str]]:
    """What is wrong, what each process printed, and what the case has."""
    printed: list[CommandOutput] = []
    has: set[str] = set()
    kills = case.draw.integer(1, MOST_KILLS)
    while True:
        at = None
        if kills:
            at = case.draw.weighted(
                (20, case.draw.integer(0, 8)),
                (50, case.draw.integer(0, 40)),
                (30, case.draw.integer(0, 150)),
            )
        files = CrashingFiles(case.draw, at, power=case.power)
        with _in(world, case, files):
            found = call(args, Crash)
        printed.append(found)
        if world.lost is not None:
            return world.lost, printed, has
        if "resumed" in found.err:
            has.add("resumed")
        if found.code == STOPPED:
            kills -= 1
            has.add("killed")
        elif found.code != 0 or found.code == CRASHED:
            return f"exit {found.code}\n{found.err}", printed, has
        elif "the state is saved" in found.err:
            has.add("stopped")
        else:
            return None, printed, has


def _again(case: KilledCase, world: World, folder: Path) -> bytes | str:
    """What the run tells when it happens again; or what is wrong with that."""
    with _in(world, case, SystemFiles()):
        found = call(["replay", str(folder / "state")])
    if found.code != 0:
        return f"exit {found.code}\n{found.err}"
    return found.out.encode() if case.to_file else _joined([found])


def _joined(printed: Sequence[CommandOutput]) -> bytes | str:
    """Lines of all processes, each once and without its number; or what is wrong with them."""
    lines: dict[int, str] = {}
    for each in printed:
        for line in each.lines():
            if not line.endswith("}"):
                continue
            body, _, number = line.rpartition(',"seq":')
            known = lines.setdefault(int(number[:-1]), body + "}")
            if known != body + "}":
                return f"line {number[:-1]} was told as {known} and as {body}}}"
    if sorted(lines) != list(range(1, len(lines) + 1)):
        return f"lines are missing: {sorted(lines)}"
    return "".join(lines[number] + "\n" for number in sorted(lines)).encode()


def _reference_changes(case: KilledCase, folder: Path) -> list[tuple[int, ChangeReferences]]:
    """What static documents and rules say when they are read again, and where in the script."""
    run, draw = case.timed.run, from_seed(-2 - case.cuts)
    first = 1 + (len(run.sources) if run.scenario.streams_first else 0)
    (folder / "streams.nq").write_text("\n".join(case.timed.texts), "utf-8", newline="")
    candidates = [
        triple
        for triple in _triples(RdfDocument(str(folder / "streams.nq"), 0, Format.N_QUADS))
        if not any(term.startswith("_:") for term in triple)
    ]
    static = {
        number: _triples(RdfDocument(str(folder / f"static{n}.nt"), number, Format.N_TRIPLES))
        for n, number in enumerate(range(first, first + len(run.statics)))
    }
    found: list[tuple[int, ChangeReferences]] = []
    for place in sorted(case.references):
        documents: list[DocumentChange] = []
        for number, had in static.items():
            has = set(draw.some(sorted(had), 0, len(had))) if had else set()
            has |= set(draw.some(sorted(candidates), 0, 2)) if candidates else set()
            parts = (
                [text for one in sorted(some) for text in one] for some in (has - had, had - has)
            )
            documents.append(DocumentChange(number, *map(tuple, parts)))
            static[number] = has
        rules = _some_rules(draw, run.rules) if draw.chance(60) else None
        found.append((place, ChangeReferences(tuple(documents), rules)))
    return found


def _triples(document: RdfDocument) -> set[tuple[str, str, str]]:
    """The triples of a document, whatever graphs they are in, as canonical texts."""
    terms = Dictionary()
    texts = [
        text
        for rows in read_static(document, terms, Counters())
        for text in terms.decode_many(rows.ravel())
    ]
    return set(zip(*[iter(texts)] * 3, strict=True))


def _some_rules(draw: Draw, text: str) -> bytes:
    """A version of the rules that lacks some of them."""
    document = parse_bytes(text.encode()).document
    clauses = list(rules(document))
    some = draw.some(range(len(clauses)), 0, len(clauses))
    group = Group(tuple(clauses[n] for n in sorted(some)))
    return unparse(replace(document, group=group)).encode()


def _write(case: KilledCase, folder: Path) -> tuple[list[str], list[str]]:
    """The arguments that name files, and the names of the streams."""
    run = case.timed.run
    rules = folder / "rules.rif"
    rules.write_text(run.rules, encoding="utf-8", newline="")
    static: list[str] = []
    for number, text in enumerate(run.statics):
        path = folder / f"static{number}.nt"
        path.write_text(text, encoding="utf-8", newline="")
        static += ["--static", str(path)]
    names = [str(folder / f"stream{number}.nq") for number in range(len(run.sources))]
    files = [*names, *static] if run.scenario.streams_first else [*static, *names]
    return [str(rules), *files], names


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            fault, features = difference(killed_case(seed), Path(folder))
        found.update(features)
        if fault:
            faults[seed] = fault
    return found, faults
