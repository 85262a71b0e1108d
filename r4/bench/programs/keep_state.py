"""What a state costs: ``python -m r4.bench.programs.keep_state [OFFERS [TIMES]]``.

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
from time import perf_counter, sleep
from typing import Final

from r4.bench.harness.tables import TextTable
from r4.bench.workloads.catalogue import Files
from r4.cli import main as r4
from r4.cli.commands import run
from r4.state.run_state import RunState

OFFERS: Final = 100_000
TIMES: Final = 5
SUBJECTS: Final = 200_000
ROWS: Final = 5 * SUBJECTS
"""What is held: two triples of each subject twice, and what follows."""
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
        graph = f"<urn:ex:g{first}>"
        yield f'{graph} {STAMP} "{first // 100}"^^{INTEGER} .\n'
        for number in range(first, first + 100):
            for predicate in "pq":
                yield f'<urn:ex:s{number}> <urn:ex:{predicate}> "{number % 1000}" {graph} .\n'
    yield "\n"


class HeldRows:
    """A run that holds 1,000,000 rows and waits; a part of it times its checkpoints."""

    def __init__(self, folder: Path) -> None:
        rules = folder / "rules.rif"
        rules.write_text(RULES, encoding="utf-8")
        self._state = folder / "state"
        rmtree(self._state, ignore_errors=True)
        options = ["--state", str(self._state), "--output", str(folder / "output")]
        self._args = ["run", str(rules), "-", *options, "--checkpoint-every", "1s"]
        self.data = "".join(_elements()).encode()

    def pauses(self) -> tuple[float, float]:
        """The longest stop where a checkpoint begins or is committed, and its duration."""
        with self._begun() as process:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(self.data)
            process.stdin.flush()
            self._wait()
            process.stdin.close()
            stops, seconds = zip(
                *(map(float, line.split()[1:]) for line in process.stderr if line[:5] == b"stop "),
                strict=True,
            )
        return max(stops), max(seconds)

    def restart(self) -> float:
        """Processor time of a process until it goes on, with a full checkpoint."""
        rmtree(self._state, ignore_errors=True)
        with self._begun() as process:
            assert process.stdin is not None
            process.stdin.write(self.data)
            process.stdin.flush()
            self._wait()
            process.kill()
        with self._begun() as process:
            assert process.stderr is not None
            while not process.stderr.readline().startswith(b"resumed"):
                pass
            fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").split()
            process.send_signal(signal.SIGKILL)
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def _begun(self) -> Popen[bytes]:
        command = [sys.executable, "-m", "r4.bench.programs.keep_state", "--timed", *self._args]
        return Popen(command, stdin=PIPE, stderr=PIPE)

    def _wait(self) -> None:
        """Wait until all rows are held, and in a checkpoint."""
        while self._rows() < ROWS:
            sleep(0.2)
        last = self._last()
        while self._last() < last + 2:
            sleep(0.2)

    def _rows(self) -> int:
        """How many rows are held, by the status."""
        path = self._state / "status.json"
        return int(json.loads(path.read_bytes())["rows"]) if path.exists() else 0

    def _last(self) -> int:
        """The number of the last checkpoint."""
        return max((int(each.stem[11:]) for each in self._state.glob("*.r4c")), default=0)


class _TimedState(RunState):
    """A state that tells on standard error how long the run stops for its checkpoints."""

    def between(self) -> None:
        """As of `RunState`."""
        begin, wrote = perf_counter(), self._writer.is_writing
        super().between()
        if wrote != self._writer.is_writing:
            stop = perf_counter() - begin
            sys.stderr.write(f"stop {stop:.4f} {self._writer.seconds:.3f}\n")


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
        held = HeldRows(folder)
        stop, seconds = held.pauses()
        rows += [
            (f"{ROWS:,} rows: longest stop for a checkpoint", "", f"{1000 * stop:.0f} ms"),
            (f"{ROWS:,} rows: a checkpoint, beside the run", "", f"{seconds:.2f} s"),
            (f"{ROWS:,} rows: another process goes on", f"{held.restart():.2f} s", ""),
        ]
    heads = ("", "processor time", "real time")
    sys.stdout.write(str(TextTable("What a state costs", heads, tuple(rows))))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--timed"]:
        setattr(run, "RunState", _TimedState)  # noqa: B010 - the name that it has there
        sys.exit(r4(sys.argv[2:]))
    main(*sys.argv[1:])
