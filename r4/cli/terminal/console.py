"""Lines on standard error, exit codes, and how named files are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NoReturn

import click

from r4.errors import InputError, SourceLost
from r4.rdf.files import ByteSource, DamagedInput
from rif.errors.report import visible
from rif.syntax.lexical import MAX_TEXT

NO: Final = 1
USAGE: Final = 2
RULES_REFUSED: Final = 3
INPUT_REFUSED: Final = 4
LIMIT: Final = 5
LOST: Final = 6


def say(message: str) -> None:
    """Lines for the person at the terminal, to standard error; they cannot control it."""
    click.echo(visible(message), err=True)


def refuse(message: str) -> NoReturn:
    """Refuse options or arguments, and say why."""
    raise click.UsageError(message) from None


def refuse_overwriting(output: str, inputs: Iterable[str]) -> None:
    """Refuse an output that is one of the inputs; ``-`` is standard output, and never is."""
    if output != "-" and any(_is_same_file(output, path) for path in inputs):
        refuse(f"{output} is read, so it cannot be written")


def refuse_shared_outputs(outputs: Mapping[str, str | None], state: str | Path | None) -> None:
    """Refuse two outputs, by their options, that are one file, and files in the folder ``state``.

    Devices and pipes may be shared.
    """
    known: dict[Path, str] = {}
    for option, output in outputs.items():
        if output in {None, "-"}:
            continue
        path = Path(output or "").resolve()
        if path.exists() and not path.is_file():
            continue
        if path in known:
            refuse(f"{known[path]} and {option} are one file, {output}")
        known[path] = option
        if state is not None and Path(state).resolve() in path.parents:
            refuse(f"{option} {output} is in {state}, which has the state")


def _is_same_file(output: str, path: str) -> bool:
    try:
        return Path(output).samefile(path)
    except OSError:
        return False


def read_bytes(path: str, damaged: Callable[[str], None] | None = None) -> bytes | None:
    """The bytes of a rule file, which may be compressed; None: it is damaged, which is reported.

    ``damaged`` reports how it is; else a line on standard error does.
    """
    try:
        source = ByteSource(path)
        with closing(source):
            data = bytearray()
            while len(data) <= MAX_TEXT and (piece := source.read()):  # more is refused unread
                data += piece
            return bytes(data)
    except (InputError, SourceLost) as error:
        refuse(str(error))
    except DamagedInput as error:
        if damaged is None:
            say(f"{path}: {error}")
        else:
            damaged(str(error))
        return None
