"""Requests of benchmarks, and `r4 bench` in this process."""

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
from bench.harness.benchmark import Request
from bench.harness.process_usage import Usage


def requested(folder: Path, **changes: Any) -> Request:
    """A request for one round on little data, in a folder."""
    given: dict[str, Any] = {
        "names": [],
        "windows": ["1s"],
        "triples": 2200,
        "sizes": [400],
        "share": 1.0,
        "data": folder,
        "peers": [],
        "installations": {},
        "rounds": 1,
        "folder": folder,
        "say": lambda _: None,
    }
    return Request(**given | changes)


def benched(
    monkeypatch: pytest.MonkeyPatch,
    main: Callable[..., None],
    args: Sequence[str],
    folder: Path,
    code: int = 0,
) -> Mapping[str, Any]:
    """What `r4 bench` with these arguments writes as JSON, where it ends with ``code``.

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
    assert done.return_value == code
    found: Mapping[str, Any] = json.loads(told.read_text())
    return found
