"""Standard output that is a terminal: what comes from rules and data cannot control it."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_CONTROLS: Final = (
    *(code for code in range(0x20) if chr(code) not in "\t\n"),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
)
"""The controls C0 and C1, and those that turn the direction of writing."""
_ESCAPES: Final = {code: f"\\u{code:04X}" for code in _CONTROLS}


def escaped(text: str) -> str:
    """``text`` with the escape of JSON for each control character but tab and line feed."""
    return text.translate(_ESCAPES)


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
