"""`r4` in a process of its own that kills itself: ``python -m …killed_process AT SIZE ARGUMENT…``.

SIGKILL comes in the operation AT of the file system, which a forked child counts on its own; files
are read SIZE bytes at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn
from unittest.mock import patch

from r4.cli import main as r4
from r4.rdf.files import ByteSource
from r4.state import folder as state_folder
from tests.generators.draw import from_seed
from tests.generators.streams.runs import RunCase, random_case
from tests.simulation.command import run
from tests.simulation.state.crashing_files import CrashingFiles

MOST_KILLS = 4
ROOT = Path(__file__).parents[3]


class _KillingFiles(CrashingFiles):
    """Files whose process is killed."""

    def crash(self) -> NoReturn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def run_killed(at: int, size: int, args: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """``r4`` with these arguments, killed in the operation ``at``, if it comes so far."""
    command = [sys.executable, "-m", __name__, str(at), str(size), *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def difference(seed: int, folder: Path) -> tuple[str | None, int]:
    """How the output of a run that was killed differs from one that was not; how often it was.

    Rules, streams and options are those of the seed; sources are files.
    """
    case, draw = random_case(seed, negation=seed % 2 == 1), from_seed(-1 - seed)
    plain = run(case, folder, "--output", str(folder / "plain"))
    if plain.code != 0:
        return None, 0
    args, kills = _arguments(case, folder), 0
    for _ in range(draw.integer(1, MOST_KILLS)):
        killed = run_killed(draw.integer(4, 60), draw.integer(60, 400), args)
        kills += killed.returncode == -signal.SIGKILL
        if killed.returncode not in {0, -signal.SIGKILL}:
            return f"exit {killed.returncode}\n{killed.stderr}", kills
    last = run_killed(10**9, 300, args)
    if last.returncode != 0:
        return f"exit {last.returncode}\n{last.stderr}", kills
    wanted, found = ((folder / name).read_bytes() for name in ("plain", "output"))
    return None if found == wanted else f"{found!r} instead of {wanted!r}", kills


def _arguments(case: RunCase, folder: Path) -> list[str]:
    """The command that `run` gave, with a state."""
    files = [str(folder / "rules.rif")]
    streams = [str(folder / f"stream{number}.nq") for number in range(len(case.sources))]
    static = [
        word
        for number in range(len(case.statics))
        for word in ("--static", str(folder / f"static{number}.nt"))
    ]
    files += [*streams, *static] if case.scenario.streams_first else [*static, *streams]
    state = ["--state", str(folder / "state"), "--checkpoint-every", "0"]
    return ["run", *files, *case.options(), *state, "--output", str(folder / "output")]


def compare(count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """Kills, and disagreements, of ``count`` cases by seed."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        with TemporaryDirectory() as folder:
            fault, kills = difference(seed, Path(folder))
        found.update({"killed": kills > 0, "killed twice": kills > 1})
        if fault:
            faults[seed] = fault
    return found, faults


def main(at: str, size: str, *args: str) -> int:
    """Run ``r4``."""
    files = _KillingFiles(from_seed(int(at)), int(at), power=False)
    opened = ByteSource.__init__

    def open_small(source: ByteSource, path: str, *_: int) -> None:
        opened(source, path, int(size))

    with (
        patch.object(ByteSource, "__init__", open_small),
        patch.object(state_folder, "SystemFiles", lambda: files),
    ):
        return r4(args)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
