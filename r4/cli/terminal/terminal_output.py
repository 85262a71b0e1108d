"""Standard output and error as commands have them.

What comes from rules and data cannot control a terminal; messages that nobody takes end no command.
"""

from __future__ import annotations

import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def escaped(text: str) -> str:
    """``text`` with the escape of JSON for each control character but tab and line feed."""
    from rif.errors.report import escape_controls

    return re.sub(r"[^\t\n]+", lambda found: escape_controls(found[0]), text)


class _Escaping(RawIOBase):
    """Writes UTF-8 to a terminal, escaped; characters may be cut anywhere."""

    def __init__(self, terminal: BinaryIO) -> None:
        super().__init__()
        self._terminal = terminal
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()

    def write(self, data: ReadableBuffer) -> int:
        piece = bytes(data)
        self._terminal.write(escaped(self._decoder.decode(piece)).encode())
        self._terminal.flush()
        return len(piece)


@contextmanager
def escaped_terminal() -> Iterator[None]:
    """While the block runs, standard output is escaped if it is a terminal."""
    before = sys.stdout
    if before is None or not before.isatty():
        yield
        return
    before.flush()
    shown = TextIOWrapper(BufferedWriter(_Escaping(before.buffer)), "utf-8", line_buffering=True)
    sys.stdout = shown
    try:
        yield
        shown.flush()
    finally:
        sys.stdout = before


class _Forgiving(TextIOWrapper):
    """What it cannot write is lost.

    It is no layer of its own between text and file: one that a signal interrupts after it has
    written would write the same again.
    """

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


@contextmanager
def forgiving_errors() -> Iterator[None]:
    """While the block runs, a standard error that is closed or full ends no command.

    Its exit code then says alone how it ended.
    """
    before = sys.stderr
    if before is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - to the end
        yield
        return
    if not isinstance(before, TextIOWrapper):  # as in a notebook
        yield
        return
    shown = _Forgiving(
        before.buffer, encoding=before.encoding, errors=before.errors, line_buffering=True
    )
    sys.stderr = shown
    try:
        yield
    finally:
        sys.stderr = before
        shown.detach()
