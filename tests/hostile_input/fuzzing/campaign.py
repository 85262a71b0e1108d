"""Processes that give mutated inputs to readers, within limits, and what became of each input.

An input follows from the name of the reader and a seed. A worker takes one seed after another, so a
process that dies, or hangs, is the fault of the seed that it told last.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final, TypeAlias
from unittest.mock import patch

from r4.rdf import documents
from r4.sources import json_ld
from tests.hostile_input.fuzzing.mutation import mutate
from tests.hostile_input.fuzzing.readers import READERS, Outcome

SECONDS: Final = 2.0
"""Processor time that a megabyte may take, or what is shorter."""
MEGABYTES: Final = 500
"""Memory that reading may take beside what the process has before."""
_SLACK: Final = 4 * SECONDS
"""Processor time after which a process is ended."""

CORPUS: Final = Path(__file__).parent / "corpus"
"""Inputs that once broke a reader, in folders by its name."""

Job: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that broke a reader.

    Attributes:
        reader: its name.
        seed: of the input.
        what: what happened, in a line or a traceback.
    """

    reader: str
    seed: int
    what: str

    def data(self) -> bytes:
        """The input."""
        return input_of(self.reader, self.seed)


@dataclass(slots=True)
class Tally:
    """What became of the inputs of a reader: how many were read, refused, and broke it.

    `slowest` are seconds, `largest` bytes of an input, `most` megabytes of memory.
    """

    read: int = 0
    refused: int = 0
    broken: int = 0
    slowest: float = 0.0
    largest: int = 0
    most: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)


def input_of(reader: str, seed: int) -> bytes:
    """The input of a seed."""
    found = READERS[reader]
    return mutate(Random(f"{reader} {seed}"), found.samples, found.tokens)  # noqa: S311


def reading_of(reader: str, data: bytes, folder: Path) -> tuple[str, Outcome, float]:
    """What is wrong with how a reader takes ``data`` but for the time, "" if nothing is.

    With what became of it, and processor seconds.
    """
    begin = process_time()
    try:
        outcome = READERS[reader].read(data, folder)
    except BaseException:  # noqa: BLE001 - whatever it is, it is to be seen
        return traceback.format_exc(), Outcome.REFUSED, process_time() - begin
    spent = process_time() - begin
    if outcome is Outcome.NO_MEMORY:
        return f"{MEGABYTES} MB are not enough for {len(data)} bytes", outcome, spent
    return "", outcome, spent


def fault_of(reader: str, data: bytes, folder: Path) -> tuple[str, Outcome, float]:
    """As `reading_of`; more than `SECONDS` for a megabyte, or what is shorter, are wrong too."""
    wrong, outcome, spent = reading_of(reader, data, folder)
    if not wrong and spent > SECONDS * max(1.0, len(data) / (1 << 20)):
        wrong = f"{spent:.1f} s for {len(data)} bytes"
    return wrong, outcome, spent


def run(jobs: Sequence[Job], processes: int) -> tuple[dict[str, Tally], list[Finding]]:
    """Try all ``jobs``, readers and seeds."""
    tallies: dict[str, Tally] = {}
    findings: list[Finding] = []
    with TemporaryDirectory() as folder:
        shares = [jobs[number::processes] for number in range(processes)]
        workers = [_Worker(share, Path(folder, str(n))) for n, share in enumerate(shares)]
        for reader, seed, size, what, outcome, spent, megabytes in _reports(workers):
            tally = tallies.setdefault(reader, Tally())
            tally.slowest = max(tally.slowest, spent)
            tally.largest = max(tally.largest, size)
            tally.most = max(tally.most, megabytes)
            if what:
                tally.broken += 1
                findings.append(Finding(reader, seed, what))
            elif outcome == Outcome.READ.value:
                tally.read += 1
            else:
                tally.refused += 1
    return tallies, findings


_Report: TypeAlias = tuple[str, int, int, str, str, float, float]


class _Worker:
    """A process that works off a share of the jobs; a new one goes on where one has died."""

    def __init__(self, jobs: Sequence[Job], folder: Path) -> None:
        self._jobs = jobs
        self._done = 0
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self._buffer = b""
        self._pid = self.descriptor = -1
        self.start()

    def start(self) -> None:
        reading, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(reading)
            code = 1
            try:
                self._work(writing)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        self.descriptor = reading
        self._buffer = b""

    def reports(self) -> Iterator[_Report]:
        """Those that have come; sets the descriptor to -1 after the last."""
        data = os.read(self.descriptor, 1 << 16)
        if not data:
            yield from self._ended()
            return
        *whole, self._buffer = (self._buffer + data).split(b"\0")
        for each in whole:
            reader, seed, size, spent, more, outcome, what = each.decode().split("\1")
            self._done += 1
            yield reader, int(seed), int(size), what, outcome, float(spent), float(more)

    def _ended(self) -> Iterator[_Report]:
        os.close(self.descriptor)
        self.descriptor = -1
        _, status = os.waitpid(self._pid, 0)
        if self._done == len(self._jobs):
            return
        reader, seed = self._jobs[self._done]
        self._done += 1
        code = os.waitstatus_to_exitcode(status)
        what = f"exit {code}" if code >= 0 else signal.Signals(-code).name
        yield reader, seed, len(input_of(reader, seed)), what, "", 0.0, 0.0
        if self._done < len(self._jobs):
            self.start()

    def _work(self, told: int) -> None:
        faulthandler.disable()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.chdir(self._folder)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        parse_here()
        for reader, seed in self._jobs[self._done :]:
            data = input_of(reader, seed)
            limit_memory()
            signal.setitimer(signal.ITIMER_PROF, _SLACK + _SLACK * len(data) / (1 << 20))
            before = resident_megabytes(reset=True)
            what, outcome, spent = fault_of(reader, data, self._folder)
            more = resident_megabytes() - before
            parts = (reader, seed, len(data), spent, more, outcome.value, what.replace("\0", ""))
            os.write(told, "\1".join(map(str, parts)).encode("utf-8", "replace") + b"\0")


def parse_here() -> None:
    """Let this process parse long documents itself, so that what they take is seen."""
    for reader in (documents, json_ld):
        patch.object(reader, "LEAST", sys.maxsize).start()


def limit_memory() -> None:
    """Allow this process `MEGABYTES` more than it has."""
    size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    most = size + (MEGABYTES << 20)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def resident_megabytes(*, reset: bool = False) -> float:
    """The most memory that this process had at once, since the last `reset`."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split(None, 1)[0]) / 1024


def _reports(workers: Sequence[_Worker]) -> Iterator[_Report]:
    while open_ := [each for each in workers if each.descriptor >= 0]:
        ready, _, _ = select.select([each.descriptor for each in open_], [], [])
        for each in open_:
            if each.descriptor in ready:
                yield from each.reports()


def table(tallies: dict[str, Tally]) -> str:
    """Counts by reader."""
    heads = ("inputs", "read", "refused", "broken", "slowest", "memory")
    lines = ["{:18} {:>8} {:>8} {:>8} {:>7} {:>9} {:>9}".format("reader", *heads)]
    for name, tally in sorted(tallies.items()):
        count = tally.read + tally.refused + tally.broken
        lines.append(
            f"{name:18} {count:8} {tally.read:8} {tally.refused:8} {tally.broken:7} "
            f"{tally.slowest:7.2f} s {tally.most:6.0f} MB"
        )
    total = sum(each.read + each.refused + each.broken for each in tallies.values())
    lines.append(f"{'all':18} {total:8}")
    return "\n".join(lines)


def last_line(what: str) -> str:
    """The line of a traceback that says what happened, with the place in R4 before it."""
    lines = what.strip().splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return f"{lines[-1][:200]} {places[-1] if places else ''}"
