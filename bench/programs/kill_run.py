"""A run that is killed again and again: ``python -m bench.programs.kill_run [COUNT [SECONDS]]``.

`r4 run --state` reads so many triples from a pipe, whose terms are ever new, under rules with
negation and recursion; two of 100 elements are retracted. So many seconds after it began the run is
killed (SIGKILL), and the same command goes on, until all is read. Printed are memory and throughput
with their slopes, then how many answers began and ended, beside the numbers that follow from how
the input is made. The exit code is 1 if these differ.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, mean
from subprocess import PIPE, Popen, run
from threading import Event, Thread
from time import monotonic, sleep, time
from typing import IO, Final

from bench.harness.tables import TextTable

TRIPLES: Final = 1_000_000
SECONDS: Final = 60.0
WINDOW: Final = 50
RULES: Final = """
Document( Prefix(ex <urn:ex:>) Window(50)
  Group(
    (* ex:sound *)
    Forall ?x ?y ( ?x[ex:sound -> ?y] :- And(?x[ex:reads -> ?y] Naf(?x[ex:broken -> ?y])) )
    (* ex:step *)
    Forall ?x ?y ( ?x[ex:reaches -> ?y] :- ?x[ex:leads -> ?y] )
    (* ex:more *)
    Forall ?x ?y ?z ( ?x[ex:reaches -> ?z] :- And(?x[ex:reaches -> ?y] ?y[ex:leads -> ?z]) )
  ) )
"""
STAMP: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
INTEGER: Final = "<http://www.w3.org/2001/XMLSchema#integer>"

BLOCK: Final = 100
"""Elements of a block; that of number *k* in block *b* has the stamp 100 *b* + *k*."""
FACTS: Final = 14
"""Triples of each element that no rule asks for."""
RETRACTED: Final = {46: 49, 96: 99}
"""Elements of a block, and the later ones that retract them."""
_OPEN: Final = "@@@@@@@"
"""The number of a block, where it is left open."""
_SENT_AT_ONCE: Final = 10
_PAUSE: Final = 2.0
_WARM: Final = 15.0
"""Seconds after which memory no longer grows to what the run needs."""


def _is_broken(k: int) -> bool:
    return k % 10 == 0


def _has_chain(k: int) -> bool:
    return k % 4 == 0


def _triples(k: int) -> list[str]:
    """The triples of element ``k`` of a block."""
    n = f"{_OPEN}{k:02}"
    found = [f'<urn:ex:s{n}> <urn:ex:v{i}> "{n}.{i}"' for i in range(FACTS)]
    found.append(f'<urn:ex:s{n}> <urn:ex:reads> "{n}"')
    if _is_broken(k):
        found.append(f'<urn:ex:s{n}> <urn:ex:broken> "{n}"')
    if _has_chain(k):
        found += [f"<urn:ex:c{n}x{i}> <urn:ex:leads> <urn:ex:c{n}x{i + 1}>" for i in (0, 1)]
    return found


def _element(k: int) -> str:
    """Element ``k`` of a block as N-Quads."""
    graph = f"<urn:g{_OPEN}{k:02}>"
    lines = [f'{graph} {STAMP} "{_OPEN}{k:02}"^^{INTEGER}']
    retracted = (was for was, by in RETRACTED.items() if by == k)
    lines += [f"{graph} <urn:r4:retracts> <urn:g{_OPEN}{was:02}>" for was in retracted]
    lines += [f"{each} {graph}" for each in _triples(k)]
    return "".join(f"{line} .\n" for line in lines)


_BLOCK: Final = "".join(map(_element, range(BLOCK))).encode()
_TRIPLES: Final = sum(len(_triples(k)) for k in range(BLOCK))


def _block(number: int) -> bytes:
    """A block; all have the same length."""
    return _BLOCK.replace(_OPEN.encode(), b"%07d" % number)


def expected(blocks: int) -> Counter[str]:
    """How many answers begin and end in so many blocks."""
    found: Counter[str] = Counter()
    for k in range(BLOCK):
        # All that begin in the last WINDOW instants have not ended, but those retracted.
        stays = k >= BLOCK - WINDOW and k not in RETRACTED
        sound, reaches = int(not _is_broken(k)), 3 * int(_has_chain(k))
        for name, count in (("sound", sound), ("reaches", reaches)):
            found[f"{name} begins"] += blocks * count
            found[f"{name} ends"] += (blocks - stays) * count
    return found


def counted(output: Path) -> Counter[str]:
    """How many answers began and ended, by what was written."""
    found: Counter[str] = Counter()
    with output.open("rb") as lines:
        for line in lines:
            name = "sound" if b"urn:ex:sound" in line else "reaches"
            begins = line.startswith(b'{"op":"+"')
            found[f"{name} {'begins' if begins else 'ends'}"] += 1
    return found


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """A process that runs.

    Attributes:
        at: seconds since the first one began.
        age: seconds since this one began.
        spent: seconds of processor time, of this one.
        memory: resident, in MB.
        elements: how many were taken in, by all.
        folder: the size of the state, in MB.
    """

    at: float
    age: float
    spent: float
    memory: float
    elements: int
    folder: float


@dataclass(slots=True)
class KilledRun:
    """A run over so many blocks, in a folder.

    Attributes:
        folder: where its rules, its state and its output are.
        blocks: how many it is to read.
        lives: the samples of each of its processes.
    """

    folder: Path
    blocks: int
    lives: list[list[ProcessSample]] = field(default_factory=list)
    began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self._path("rules.rif").write_text(RULES, encoding="utf-8")

    def _path(self, name: str) -> Path:
        return self.folder / name

    def live(self, seconds: float) -> bool:
        """Let a process go on from where the last one was, for so long; whether all is read."""
        state = self._path("state")
        options = ["--state", str(state), "--output", str(self._path("output")), "--quiet"]
        command = [sys.executable, "-m", "r4", "run", str(self._path("rules.rif")), "-", *options]
        first, stop = self._position(), Event()
        with (
            self._path("errors").open("ab") as errors,
            Popen(command, stdin=PIPE, stderr=errors) as process,
        ):
            assert process.stdin is not None
            sender = Thread(target=self._send, args=(process.stdin, first, stop))
            sender.start()
            begin, samples = monotonic(), list[ProcessSample]()
            self.lives.append(samples)
            while process.poll() is None and monotonic() - begin < seconds:
                sleep(_PAUSE)
                sample = self._sample(process.pid, begin)
                if sample is not None:
                    samples.append(sample)
                    sys.stderr.write(f"{len(self.lives)} {sample}\n")
            process.kill()
            stop.set()
            sender.join()
        if process.returncode > 0:
            sys.exit(f"exit {process.returncode}: {self._path('errors').read_text()[-2000:]}")
        return process.returncode == 0

    def _position(self) -> int:
        """The first byte that is to be sent."""
        if not self._path("state").exists():
            return 0
        command = [sys.executable, "-m", "r4", "state", "show", str(self._path("state"))]
        shown = run(command, capture_output=True, check=True).stdout
        return int(json.loads(shown)["sources"][0]["byte"])

    def _send(self, to: IO[bytes], first: int, stop: Event) -> None:
        number, skipped = divmod(first, len(_BLOCK))
        try:
            while number < self.blocks and not stop.is_set():
                last = min(number + _SENT_AT_ONCE, self.blocks)
                to.write(b"".join(map(_block, range(number, last)))[skipped:])
                number, skipped = last, 0
            to.close()
        except BrokenPipeError:
            pass  # it was killed

    def _sample(self, process: int, begin: float) -> ProcessSample | None:
        """What a process is like now; None: it has ended, or has written no status yet."""
        path = self._path("state") / "status.json"
        try:
            if path.stat().st_mtime < time() - (monotonic() - begin):
                return None  # that of the process before
            status = json.loads(path.read_bytes())
            pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
            fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split()
            sizes = [each.stat().st_size for each in self._path("state").iterdir()]
        except (OSError, IndexError):
            return None
        if not pages:
            return None
        spent = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        memory, now = pages * os.sysconf("SC_PAGE_SIZE") / 1e6, monotonic()
        times = now - self.began, now - begin, spent
        return ProcessSample(*times, memory, int(status["elements"]), sum(sizes) / 1e6)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """By how much the second of each pair grows while the first grows by one."""
    if len({first for first, _ in points}) == 1:
        return 0.0
    return linear_regression(*zip(*points, strict=True)).slope


def _rates(lives: Sequence[Sequence[ProcessSample]]) -> list[tuple[float, float]]:
    """When, and how many elements were taken in for a second of processor time, in each life."""
    found = []
    for life in lives:
        warm = [each for each in life if each.age > _WARM]
        if len(warm) > 1:
            first, last = warm[0], warm[-1]
            rate = (last.elements - first.elements) / (last.spent - first.spent)
            found.append((last.at, rate))
    return found


def rows(lives: Sequence[Sequence[ProcessSample]]) -> list[tuple[str, str]]:
    """What was measured."""
    warm = [[each for each in life if each.age > _WARM] for life in lives]
    samples = [each for life in warm for each in life]
    rates = _rates(lives)
    if not samples or not rates:
        return []
    # Memory of a process begins anew, so its growth is that within the lives, taken together.
    within = [
        (each.at - mean(one.at for one in life), each.memory - mean(one.memory for one in life))
        for life in warm
        for each in life
    ]
    speeds = [each for _, each in rates]
    return [
        ("processes that were killed", f"{len(lives) - 1}"),
        ("seconds, until all was read", f"{samples[-1].at:.0f}"),
        (
            "memory, MB: least, mean",
            f"{min(s.memory for s in samples):.0f}, {mean(s.memory for s in samples):.0f}",
        ),
        ("memory, MB: most", f"{max(s.memory for s in samples):.0f}"),
        ("memory, MB a minute, within a process", f"{60 * _slope(within):+.2f}"),
        (
            "memory, MB a minute, from the first process to the last",
            f"{60 * _slope([(s.at, s.memory) for s in samples]):+.2f}",
        ),
        ("state, MB: most", f"{max(s.folder for s in samples):.0f}"),
        (
            "elements a second of processor time: least, mean, most",
            f"{min(speeds):.0f}, {mean(speeds):.0f}, {max(speeds):.0f}",
        ),
        ("the same, percent a minute", f"{100 * 60 * _slope(rates) / mean(speeds):+.2f}"),
    ]


def main(triples: str = str(TRIPLES), seconds: str = str(SECONDS)) -> None:
    """Let it run to its end, and print a table."""
    blocks = max(2, -(-int(triples) // _TRIPLES))
    with tempfile.TemporaryDirectory() as name:
        killed = KilledRun(Path(name), blocks)
        while not killed.live(float(seconds)):
            pass
        found, wanted = counted(Path(name) / "output"), expected(blocks)
    measured = rows(killed.lives)
    answers = [
        (f"{each}: told, by definition", f"{found[each]:,}, {wanted[each]:,}") for each in wanted
    ]
    title = f"{blocks * _TRIPLES:,} triples in {blocks * BLOCK:,} elements"
    sys.stdout.write(str(TextTable(title, ("", ""), (*measured, *answers))))
    sys.exit(int(found != wanted))


if __name__ == "__main__":
    main(*sys.argv[1:])
