"""The engine as users run it, in this process: ``r4 run`` on files, its output caught."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from r4.cli import main
from r4.rdf.files import ByteSource
from tests.generators.streams.runs import RunCase
from tests.simulation.core_run import tiny_stores

CRASHED = -1
"""In place of the exit code of a run that ended with a traceback."""
STOPPED = -2
"""In place of that of a run that was stopped."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """Exit code, output and errors of a command."""

    code: int
    out: str
    err: str

    def lines(self) -> list[str]:
        return self.out.split("\n")[:-1]


def run(case: RunCase, folder: Path, *more: str) -> CommandOutput:
    """Run a case in ``folder``; ``more`` are further options."""
    rules = _write(folder / "rules.rif", case.rules)
    static = [
        option
        for number, text in enumerate(case.statics)
        for option in ("--static", _write(folder / f"static{number}.nt", text))
    ]
    streams = [
        _write(folder / f"stream{number}.nq", text) for number, text in enumerate(case.sources)
    ]
    files = [*streams, *static] if case.scenario.streams_first else [*static, *streams]
    return call(["run", rules, *files, *case.options(), *more])


def call(args: Sequence[str], *stops: type[BaseException]) -> CommandOutput:
    """``r4`` with these arguments; one of ``stops`` ends it with the exit code `STOPPED`."""
    with _catch_output() as (out, err):
        try:
            code = main(args)
        except stops:
            code = STOPPED
        except Exception:  # noqa: BLE001 - to be shown with its case, and made smaller
            code = CRASHED
            traceback.print_exc()
    return CommandOutput(code, out.getvalue().decode(), err.getvalue().decode())


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


@contextmanager
def small_batches(size: int) -> Iterator[None]:
    """Files are read ``size`` bytes at once, terms are forgotten after every batch, SteMs tiny.

    In full-sized batches a small case is one batch, and nothing is ever forgotten or moved.
    """
    opened = ByteSource.__init__

    def open_small(source: ByteSource, path: str, *_: int) -> None:
        opened(source, path, size)

    with (
        patch.object(ByteSource, "__init__", open_small),
        tiny_stores(),
    ):
        yield


@contextmanager
def _catch_output() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Standard output and error, bytes below text as the real ones."""
    out, err, real = io.BytesIO(), io.BytesIO(), (sys.stdout, sys.stderr)
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", newline="", write_through=True)
    try:
        yield out, err
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdout, sys.stderr = real
