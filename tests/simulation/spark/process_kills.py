"""Workers and drivers that are killed in the middle of a run.

Each run is a process; once a random number of answers'
files are there a Python worker is killed, the process that looks for new pieces, or the driver,
which is then begun again. What is in the output at the end is compared with the lines of
``r4 run``, repeated ones included.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from tests.generators.draw import Draw, from_seed
from tests.paths import ROOT
from tests.simulation.command import call
from tests.simulation.spark.thread_hosts import lines_in

RULES: Final = """\
Document(
 Prefix(ex <http://e/>) Window(12 ms)
 Group(
  Forall ?s ?t (?s[ex:near -> ?t] :- And(?s[ex:reports -> ex:gale] ?s[ex:station -> ?t]))
  Forall ?s ?t ?r (?r[ex:warned -> ?t] :- And(?s[ex:near -> ?t] ?t[ex:region -> ?r]))
  Forall ?a ?b (?a[ex:before -> ?b] :- ?a[ex:next -> ?b])
  Forall ?a ?b ?c (?a[ex:before -> ?c] :- And(?a[ex:before -> ?b] ?b[ex:before -> ?c]))
  Forall ?r ?t (?r[ex:calm -> ?t] :- And(?t[ex:region -> ?r] Naf(?r[ex:warned -> ?t])))
 )
)
"""
WAITS: Final = 120
"""Seconds after which what should have ended hangs."""


def stream(draw: Draw, elements: int = 160) -> str:
    """Elements in no strict order, some of which take others back."""
    lines = []
    for number in range(elements):
        name, stamp = f"<urn:g{number}>", max(0, number - draw.integer(0, 4))
        lines.append(
            f'{name} <http://www.w3.org/ns/prov#generatedAtTime> "{stamp}"'
            "^^<http://www.w3.org/2001/XMLSchema#integer> ."
        )
        if number and draw.chance(6):
            lines.append(f"{name} <urn:r4:retracts> <urn:g{draw.integer(0, number - 1)}> .")
        for _ in range(draw.integer(1, 4)):
            s, p, o = draw.choice(
                [
                    *(("s", "reports", "gale"), ("s", "station", "t")),
                    *(("t", "region", "r"), ("n", "next", "n")),
                ]
            )
            subject, object_ = (
                each if each == "gale" else f"{each}{draw.integer(0, 5)}" for each in (s, o)
            )
            lines.append(f"<http://e/{subject}> <http://e/{p}> <http://e/{object_}> {name} .")
    return "\n".join(lines) + "\n"


class DisturbedRun:
    """A run of a few batches that is disturbed once.

    Attributes:
        what: what was killed, and after how many files; empty if the run was faster.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        draw = from_seed(seed)
        (folder / "rules.rif").write_text(RULES)
        (folder / "s.nq").write_text(text := stream(draw))
        self._folder = folder
        self._victim = draw.choice(["a worker", "the driver", "the source"])
        self._after = draw.integer(1, 14)
        self._pause = draw.integer(0, 600) / 1000
        self._shards = draw.choice([2, 3])
        self._batch = len(text) // 8
        self.what = self.said = ""

    def differs(self) -> str | None:
        """How the lines differ; None: they do not."""
        folder = self._folder
        common = [str(folder / "rules.rif"), "--delay", "2"]
        single = call(["run", *common, str(folder / "s.nq")])
        assert single.out, single.err
        for _ in range(3):
            code, said = self._run(
                [
                    *("spark", *common, "--input", str(folder / "s.nq"), "--once"),
                    *("--output", str(folder / "out"), "--checkpoint", str(folder / "check")),
                    *("--shards", str(self._shards), "--batch", str(self._batch)),
                    *("--master", "local[2]"),
                ]
            )
            if code == 0:
                break
        one, other = sorted(single.lines()), lines_in(folder / "out")
        if code == 0 and one == other:
            return None
        lost, more = sorted({*one} - {*other}), sorted({*other} - {*one})
        return f"exit {code}, {len(one)} lines, {len(other)} came\n{said}\n{lost}\n{more}"

    def _run(self, args: Sequence[str]) -> tuple[int, str]:
        """Run it, and kill what is to be killed if nothing was so far."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with (self._folder / "said").open("wb+") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "r4", *args], cwd=ROOT, env=environment, stderr=said
            )
            if not self.what:
                self._disturb(process)
            code = process.wait(WAITS)
            said.seek(0)
            self.said = said.read().decode().strip()
            return code, self.said

    def _disturb(self, process: subprocess.Popen[bytes]) -> None:
        while len(list((self._folder / "out").glob("part-0*"))) < self._after:
            if process.poll() is not None:
                return
            sleep(0.02)
        sleep(self._pause)
        below = list(descendants(process.pid))
        if self._victim != "the driver":
            is_one = is_worker if self._victim == "a worker" else is_source
            if some := [pid for pid in below if is_one(pid)]:
                self.what = f"{self._victim}, after {self._after} file(s)"
                os.kill(some[0], signal.SIGKILL)
            return
        self.what = f"{self._victim}, after {self._after} file(s)"
        process.kill()
        until = monotonic() + WAITS
        while left := [pid for pid in below if Path(f"/proc/{pid}").exists()]:
            assert monotonic() < until, f"still there: {left}"
            sleep(0.1)


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those have."""
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:  # it has just ended
            continue
        for child in map(int, children):
            yield child
            yield from descendants(child)


def is_worker(pid: int) -> bool:
    """Whether it is a Python worker of Spark, forked from its daemon."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        above = Path(f"/proc/{parent}/cmdline").read_bytes()
    except OSError:
        return False
    return b"pyspark.daemon" in command and b"pyspark.daemon" in above


def is_source(pid: int) -> bool:
    """Whether it is the process of Spark that looks for new pieces."""
    try:
        return b"python_streaming_source_runner" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """Who was killed in so many runs, and where the lines differ."""
    killed: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            run = DisturbedRun(seed, Path(folder))
            if (fault := run.differs()) is not None:
                faults[seed] = f"killed {run.what or 'nothing'}: {fault}"
            killed[f"killed {run.what.partition(',')[0] or 'nothing'}"] += 1
    return killed, faults
