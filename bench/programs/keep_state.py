"""What a state costs: ``python -m bench.programs.keep_state [OFFERS [TIMES]]``.

Q1 over so many offers, each of 11 triples, is run with `--state` and without, in turn, from a file
and from a pipe; printed are the medians of the ratios, of processor time and of real time. Then a
run that holds 1,000,000 rows is measured: for how long it stops where a checkpoint begins, how long
that takes, and how much processor time another process needs until it goes on from it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import rmtree
from statistics import median
from subprocess import PIPE, Popen
from threading import Thread
from time import perf_counter, sleep
from typing import IO, Final

from bench.harness.tables import TextTable
from bench.workloads.catalogue import Files
from r4.cli import main as r4
from r4.state import run_state
from r4.state.run_state import RunState

OFFERS: Final = 100_000
TIMES: Final = 5
SUBJECTS: Final = 200_000
ROWS: Final = 5 * SUBJECTS
"""What is held: two triples of each subject twice, and what follows."""
LASTS: Final = 12.0
"""For so many seconds checkpoints are measured."""
RULES: Final = """
Document( Prefix(ex <urn:ex:>) Window(5 h)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )
"""
STAMP: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
INTEGER: Final = "<http://www.w3.org/2001/XMLSchema#integer>"
_Q1: Final = Path(__file__).parents[1] / "workloads" / "rules" / "q1.rif"


def _measured(folder: Path, stream: Path, *options: str, piped: bool) -> tuple[float, float]:
    """Processor time and real time of a run over ``stream``, in seconds."""
    rmtree(folder / "state", ignore_errors=True)
    before, begin = getrusage(RUSAGE_CHILDREN), perf_counter()
    source = "-" if piped else str(stream)
    command = [sys.executable, "-m", "r4", "run", str(_Q1), source, "--window", "10s"]
    sender = Popen(["/bin/cat", str(stream)], stdout=PIPE) if piped else None
    with Popen(
        [*command, "--output", str(folder / "output"), *options],
        stdin=None if sender is None else sender.stdout,
    ) as process:
        code = process.wait()
    if sender is not None:
        sender.wait()
    assert code == 0
    after = getrusage(RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, perf_counter() - begin


def ratios(folder: Path, stream: Path, times: int, *, piped: bool) -> tuple[float, float]:
    """The medians of the ratios with a state over without, of processor time and real time."""
    spent, real = [], []
    for _ in range(times):
        plain = _measured(folder, stream, piped=piped)
        kept = _measured(folder, stream, "--state", str(folder / "state"), piped=piped)
        spent.append(kept[0] / plain[0])
        real.append(kept[1] / plain[1])
    return median(spent), median(real)


def _elements() -> Iterator[str]:
    """Elements of 100 subjects, each with two triples that join."""
    for first in range(0, SUBJECTS, 100):
        yield _element(first, first + 100)
    yield "\n"


def _element(first: int, last: int) -> str:
    """An element of subjects from ``first`` up to ``last``; its stamp is the first one."""
    graph = f"<urn:ex:g{first}>"
    lines = [f'{graph} {STAMP} "{first}"^^{INTEGER} .\n']
    lines += [
        f'<urn:ex:s{number}> <urn:ex:{predicate}> "{number % 1000}" {graph} .\n'
        for number in range(first, last)
        for predicate in "pq"
    ]
    return "".join(lines)


class HeldRows:
    """A run that holds 1,000,000 rows, and goes on to read an element of two triples every 50 ms.

    The answer to an element is final with the next one. A part of the run times its checkpoints.
    """

    def __init__(self, folder: Path) -> None:
        self._rules = folder / "rules.rif"
        self._rules.write_text(RULES, encoding="utf-8")
        self._state = folder / "state"
        self._next = SUBJECTS
        self._sent: dict[int, float] = {}
        self._waits: list[float] = []
        self.data = "".join(_elements()).encode()

    def pauses(self, every: str) -> tuple[list[tuple[float, float]], float]:
        """Stops where checkpoints begin or are committed, their durations, the longest wait.

        That is from the element that makes an answer final to its line, in seconds.
        """
        with self._begun(every) as process:
            self._hold(process)
            process.send_signal(signal.SIGKILL)
            assert process.stderr is not None
            lines = [line.split() for line in process.stderr if line.startswith(b"stop ")]
        return [(float(stop), float(seconds)) for _, stop, seconds in lines], max(self._waits)

    def restart(self) -> float:
        """Processor time of a process until it goes on from what `pauses` left, in seconds."""
        with self._begun("1s", anew=False) as process:
            assert process.stderr is not None
            while not process.stderr.readline().startswith(b"resumed"):
                pass
            fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").split()
            process.send_signal(signal.SIGKILL)
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def _begun(self, every: str, *, anew: bool = True) -> Popen[bytes]:
        if anew:
            rmtree(self._state, ignore_errors=True)
        command = [sys.executable, "-m", "bench.programs.keep_state", "--timed", "run"]
        options = ["--state", str(self._state), "--checkpoint-every", every]
        return Popen(
            [*command, str(self._rules), "-", *options], stdin=PIPE, stdout=PIPE, stderr=PIPE
        )

    def _hold(self, process: Popen[bytes]) -> None:
        """Let it hold all rows, then go on for some checkpoints."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._sent, self._waits = {}, []
        Thread(target=self._listen, args=(process.stdout,), daemon=True).start()
        process.stdin.write(self.data)
        process.stdin.flush()
        while self._rows() < ROWS:
            sleep(0.2)
        self._waits.clear()
        first, until = self._next, perf_counter() + LASTS
        while perf_counter() < until:
            self._sent[self._next - 1] = perf_counter()
            process.stdin.write(_element(self._next, self._next + 1).encode() + b"\n")
            process.stdin.flush()
            self._next += 1
            sleep(0.05)
        while len(self._waits) < self._next - first - 1:
            sleep(0.05)

    def _listen(self, lines: IO[bytes]) -> None:
        """Note how long answers took that were waited for."""
        for line in lines:
            now, subject = perf_counter(), int(line.split(b"urn:ex:s", 1)[1].split(b">", 1)[0])
            if (sent := self._sent.get(subject)) is not None:
                self._waits.append(now - sent)

    def _rows(self) -> int:
        """How many rows are held, by the status."""
        path = self._state / "status.json"
        return int(json.loads(path.read_bytes())["rows"]) if path.exists() else 0


class _TimedState(RunState):
    """A state that tells on standard error how long the run stops for its checkpoints."""

    def between(self) -> None:
        """As of `RunState`."""
        begin, wrote = perf_counter(), self._writer.is_writing
        super().between()
        if wrote != self._writer.is_writing:
            stop, takes = perf_counter() - begin, self._writer.seconds if wrote else 0.0
            sys.stderr.write(f"stop {stop:.4f} {takes:.3f}\n")


def main(offers: str = str(OFFERS), times: str = str(TIMES)) -> None:
    """Measure, and print a table."""
    rows: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stream = Files(folder).stream("offers", int(offers))
        for piped in (False, True):
            spent, real = ratios(folder, stream, int(times), piped=piped)
            what = f"Q1 from a {'pipe' if piped else 'file'}, with a state over without"
            rows.append((what, f"{spent:.2f}", f"{real:.2f}"))
        rows += held_rows(folder)
    heads = ("", "processor time", "real time")
    sys.stdout.write(str(TextTable("What a state costs", heads, tuple(rows))))


def held_rows(folder: Path) -> list[tuple[str, str, str]]:
    """What checkpoints of 1,000,000 rows cost, and a restart."""
    held = HeldRows(folder)
    _, plain = held.pauses("1h")
    stops, waited = held.pauses("1s")
    held_for, taken = max(stop for stop, _ in stops), [each for _, each in stops if each]
    what = f"{ROWS:,} rows"
    return [
        (f"{what}: longest stop, of {len(taken)} checkpoints", "", f"{1000 * held_for:.0f} ms"),
        (f"{what}: longest wait for an answer meanwhile", "", f"{1000 * waited:.0f} ms"),
        (f"{what}: the same without checkpoints", "", f"{1000 * plain:.0f} ms"),
        (f"{what}: a checkpoint, beside the run: median", "", f"{median(taken):.2f} s"),
        (f"{what}: a checkpoint, beside the run: longest", "", f"{max(taken):.2f} s"),
        (f"{what}: another process goes on", f"{held.restart():.2f} s", ""),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--timed"]:
        setattr(run_state, "RunState", _TimedState)  # noqa: B010 - the name that it has there
        sys.exit(r4(sys.argv[2:]))
    main(*sys.argv[1:])
