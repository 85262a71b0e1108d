"""`r4 bench` in this process, and what it starts too."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench import command as bench_command
from bench.harness import rounds
from bench.harness.process_usage import Usage


def benched(
    monkeypatch: pytest.MonkeyPatch, main: Callable[..., None], args: Sequence[str], folder: Path
) -> Mapping[str, Any]:
    """What `r4 bench` with these arguments writes as JSON, where it ends well.

    The program that it starts round by round is the ``main`` of a module.
    """

    def measure(command: Sequence[str], output: Path, **_: object) -> Usage:
        with output.open("w", encoding="utf-8") as out, redirect_stdout(out):
            main(*command[3:])
        return Usage(0.0, 0.0, 0)

    monkeypatch.setattr(rounds, "measure_process", measure)
    told = folder / "found.json"
    asked = (*args, "--json", str(told))
    done = CliRunner().invoke(
        bench_command.command, asked, standalone_mode=False, catch_exceptions=False
    )
    assert done.return_value == 0
    found: Mapping[str, Any] = json.loads(told.read_text())
    return found
