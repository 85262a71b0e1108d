"""Real commands on hostile input, and what is asked of every refusal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.paths import ROOT

MEGABYTES = 300
_OURS = tuple(
    str(path)
    for path in (
        *{Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)},
        *{Path(path).resolve() for path in sys.path if path.endswith("-packages")},
        *(ROOT / package for package in ("rif", "rete", "temporal", "r4")),
    )
)
"""The installation: R4, its libraries, Python."""
_PATH = {str(ROOT)}
"""Folders on the path beside these: their names are listed to find which packages extend R4."""
_SAID = re.compile(
    r"^(?P<path>.+):(?P<line>\d+):(?P<column>\d+): (?P<code>(?:RIF|R4|MTL)\d+) (?P<why>\S.*)$",
    re.MULTILINE,
)
_READER = repr([sys.executable, "-P", "-S", "-m", "r4.rdf.whole.child"])
"""The program that parses long documents."""


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """What became of a command.

    Attributes:
        code: its exit code; below 0, the signal that ended it.
        touched: what it opened, beside the installation, and everything else it did outside.
        cpu, megabytes: seconds, and the most memory at once.
    """

    args: tuple[str, ...]
    code: int
    out: str
    err: str
    touched: frozenset[str]
    cpu: float
    megabytes: float

    @property
    def codes(self) -> list[str]:
        """The codes of all that was said with a place and a reason."""
        return [found["code"] for found in _SAID.finditer(self.err)]


class Commands:
    """A process that runs commands; see `tests.hostile_input.monitor`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile_input.monitor"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.outcomes: list[CommandOutcome] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def __call__(self, *args: str | Path) -> CommandOutcome:
        given = tuple(map(str, args))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(given), file=self._process.stdin, flush=True)
        told = json.loads(self._process.stdout.readline())
        touched = frozenset(
            what if event == "open" else f"{event} {what}"
            for event, what in told.pop("events")
            if not (event == "open" and _is_ours(what))
            and not (event == "subprocess.Popen" and _READER in what)
            and not (event in {"os.listdir", "os.scandir"} and (_is_ours(what) or what in _PATH))
        )
        found = CommandOutcome(given, touched=touched, **told)
        self.outcomes.append(found)
        return found


def _is_ours(path: str) -> bool:
    return not path or path == "/dev/null" or os.path.realpath(path).startswith(_OURS)


def check_refused(found: CommandOutcome, named: Sequence[Path], *codes: str, code: int = 3) -> None:
    """Refused with an exit code, a coded message with place and reason, and within the bounds.

    Args:
        found: what became of the command.
        named: the files it may open.
        codes: one of these is said.
        code: 3 of rules, 4 of data.
    """
    assert found.code == code, (found.code, found.err[-2000:])
    assert set(codes) & set(found.codes), found.err[-2000:]
    check_bounds(found, named)


def check_bounds(found: CommandOutcome, named: Sequence[Path]) -> None:
    """Nothing opened but what is named and the installation; no memory to speak of.

    The bound of processor time is that of `tests.hostile_input.monitor`, which ends what passes it.
    """
    assert "Traceback" not in found.err, found.err[-2000:]
    assert found.code >= 0, (found.args, found.err[-2000:])
    assert found.touched <= set(map(str, named)), found.touched
    assert found.megabytes <= MEGABYTES, found.megabytes
