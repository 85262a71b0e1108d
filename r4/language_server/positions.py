"""Positions of the Language Server Protocol: lines from 0, and units of an encoding from 0.

A character beyond U+FFFF counts twice in UTF-16, which is what clients use unless they agree on
another encoding with the server.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from rif.errors.base import NOWHERE, Span

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""What columns count."""
Position: TypeAlias = tuple[int, int]
"""Line and column."""
_CODECS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""How units are counted, and the bytes of one."""
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(slots=True)
class Positions:
    """The positions in a text."""

    text: str
    encoding: Encoding = "utf-16"
    _lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """Where an offset is."""
        line = bisect_right(self._lines, offset) - 1
        return line, self._units(self.text[self._lines[line] : offset])

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; one behind the end of its line is that end."""
        if line >= len(self._lines):
            return len(self.text)
        begin = self._lines[line]
        end = self._lines[line + 1] if line + 1 < len(self._lines) else len(self.text)
        content = self.text[begin:end].rstrip("\r\n")
        codec, size = _CODECS[self.encoding]
        units = content.encode(codec, "surrogatepass")[: column * size]
        return begin + len(units.decode(codec, "ignore"))

    def ends(self, span: Span) -> tuple[Position, Position]:
        """Begin and end of a span; of `NOWHERE` the begin of the text."""
        if span == NOWHERE:
            return (0, 0), (0, 0)
        begin = self._of(span.line, span.column)
        return begin, self._of(span.end_line, span.end_column)

    def _of(self, line: int, column: int) -> Position:
        begin = self._lines[min(line, len(self._lines)) - 1]
        return line - 1, self._units(self.text[begin : begin + column - 1])

    def _units(self, text: str) -> int:
        codec, size = _CODECS[self.encoding]
        return len(text.encode(codec, "surrogatepass")) // size
