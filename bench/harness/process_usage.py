"""One run of a command in a process of its own: how long it took, what it occupied."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""The checkout: R4 and its benchmarks are imported from it."""
_LAUNCH: Final = Path(__file__).with_name("launch.py")
_LINES: Final = 100
"""So many of the last lines of standard error are kept for an error message."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The time and memory that a run used."""

    seconds: float  # from start to end, as a clock on the wall has it
    cpu: float  # seconds of processor time, user and system
    peak: int  # the largest resident set, in bytes
    # the resident set after each second, in bytes; empty if the system does not tell
    resident: tuple[int, ...] = ()


def peak_memory() -> int:
    """The largest resident set of this process so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kibibytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def python(module: str, *arguments: object) -> tuple[str, ...]:
    """The command that runs a module of R4 or of its benchmarks."""
    return (sys.executable, "-m", module, *map(str, arguments))


def variables_of_a_run() -> dict[str, str]:
    """The variables of this process, with which a program imports R4 from `ROOT`."""
    # Not what lies in the folder one stands in, such as sources without kernels.
    own = {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PYTHONHASHSEED": "0"}
    own["OPENBLAS_NUM_THREADS"] = "1"  # as the command has it; its threads would turn idly
    return {**os.environ, **own}


class RunFailed(Exception):
    """A command that is measured ended with an error."""

    def __init__(self, command: tuple[str, ...], code: int, lines: str) -> None:
        super().__init__(f"exit {code}: {' '.join(command)}\n{lines[-2000:]}")
        last = lines.strip().rpartition("\n")[2].strip()
        self.summary = f"exit {code}: {last}"[:200]


def measure_process(  # noqa: PLR0913, PLR0917 - a command and all that it is given
    command: tuple[str, ...],
    output: Path,
    source: IO[bytes] | int = subprocess.DEVNULL,
    kernels: str = "",
    tell: Callable[[str], None] = lambda _: None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Usage:
    """Run ``command`` with its standard output in a file, on a kernel back end if one is named.

    Each line of its standard error is given to ``tell`` while it runs; ``variables`` are added to
    its environment.

    Raises:
        RunFailed: it did not end with exit code 0.
    """
    report = output.with_suffix(".usage")
    environment = {**variables_of_a_run(), **variables}
    if kernels:
        environment["R4_KERNELS"] = kernels
    launch = (sys.executable, "-I", "-S", str(_LAUNCH), str(report), *command)
    with (
        output.open("wb") as out,
        subprocess.Popen(
            launch, stdin=source, stdout=out, stderr=subprocess.PIPE, env=environment
        ) as run,
    ):
        lines: deque[str] = deque(maxlen=_LINES)
        assert run.stderr is not None
        for line in run.stderr:
            lines.append(line.decode(errors="replace"))
            tell(lines[-1].rstrip())
    if run.returncode != 0:
        raise RunFailed(command, run.returncode, "".join(lines))
    used = json.loads(report.read_text(encoding="utf-8"))
    return Usage(used["seconds"], used["cpu"], used["peak"], tuple(used["resident"]))
