"""Places in a text: from the numbers of characters to lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from rif.errors.base import Span

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Places:
    """The lines of a text, for the spans of its parts."""

    __slots__ = ("_begins",)

    def __init__(self, text: str) -> None:
        self._begins = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def span(self, begin: int, end: int) -> Span:
        """The place of the characters from ``begin`` to ``end``, exclusive."""
        return Span(*self._place(begin), *self._place(end))

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._begins, at)
        return line, at - self._begins[line - 1] + 1
