"""A line of DatalogMTL text and a position on it: look, take, note faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NoReturn, TypeVar

from rif.errors.base import RuleError, Span
from rif.errors.report import shorten
from temporal.errors import TooLong, UnexpectedText

T = TypeVar("T")

MAX_LINE: Final = 2**20
"""Characters of the longest line that is read."""
LONG_LINE: Final = f"the line has more than {MAX_LINE} characters, which are the most that are read"

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_BLANKS: Final = (" ", "\t", "\ufeff")
_OTHER_COMMENTS: Final = ("%", "//")
"""How comments begin in other systems."""
_BLANK: Final = re.compile(f"[{''.join(_BLANKS)}]*")
_TOKEN: Final = re.compile(r":-|->|=>|<-|<=|[\w?.+/-]+|\S")


class ParseAbort(Exception):
    """The line cannot be read on; its fault is recorded. Never leaves the parser."""


class LineScanner:
    """A position on one line, and the faults found on it.

    Attributes:
        text: The line without its end.
        number: Its number, from 1.
        at: The next character.
        taken: The end of what was taken last.
        depth: Open levels of nesting.
        faults: What was found so far.
    """

    __slots__ = ("_begun", "at", "depth", "faults", "number", "taken", "text")

    def __init__(self, text: str, number: int = 1) -> None:
        self.text = text
        self.number = number
        self.at = 0
        self._begun = -1
        self.taken = 0
        self.depth = 0
        self.faults: list[RuleError] = []

    def read(self, production: Callable[[LineScanner], T]) -> T | None:
        """What ``production`` reads; None: there are faults, or nothing but blanks or a comment."""
        with suppress(ParseAbort):
            self.check_length()
            if not self.at_end():
                found = production(self)
                return None if self.faults else found
        return None

    def check_length(self) -> None:
        """Fail if the line is too long to be looked at."""
        if len(self.text) > MAX_LINE:
            self.fail(TooLong, LONG_LINE, 0, 1)

    # look

    def begin(self) -> int:
        """Where the next token begins: blanks are passed."""
        if self.at == self._begun:
            return self.at
        if self.text.startswith(_BLANKS, self.at):
            found = _BLANK.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
        self._begun = self.at
        return self.at

    def at_end(self) -> bool:
        """Is nothing left but a comment?"""
        at = self.begin()
        return at == len(self.text) or self.text[at] == "#"

    def looks_at(self, literal: str) -> bool:
        """Does ``literal`` come next?"""
        return self.text.startswith(literal, self.begin())

    # take

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Take what the pattern matches here, if it does."""
        found = pattern.match(self.text, self.begin())
        if found is None:
            return None
        self.at = self.taken = found.end()
        return found[0]

    def accept(self, literal: str) -> bool:
        """Take ``literal`` if it comes next."""
        at = self.begin()
        if not self.text.startswith(literal, at):
            return False
        self.at = self.taken = at + len(literal)
        return True

    def expect(self, literal: str, why: str = "", hint: str | None = None) -> None:
        """Take ``literal``, which must come next."""
        if not self.accept(literal):
            self.unexpected(f"expected {literal}{why and f' {why}'}", hint)

    # note faults

    def span(self, start: int, end: int | None = None) -> Span:
        """From an offset to another, or to what was taken last."""
        stop = max(start, self.taken) if end is None else end
        return Span(self.number, start + 1, self.number, stop + 1)

    def note(
        self, kind: type[RuleError], message: str, start: int, end: int, hint: str | None = None
    ) -> None:
        """Record a fault and read on."""
        self.faults.append(kind(message, self.span(start, end), hint))

    def fail(
        self, kind: type[RuleError], message: str, start: int, end: int, hint: str | None = None
    ) -> NoReturn:
        """Record a fault and give the line up."""
        self.note(kind, message, start, end, hint)
        raise ParseAbort

    def unexpected(self, expected: str, hint: str | None = None) -> NoReturn:
        """`fail`, naming what was expected and what stands there."""
        at = self.begin()
        if self.at_end():
            self.fail(UnexpectedText, f"{expected}, the line ends", at, at + 1, hint)
        if self.text.startswith(_OTHER_COMMENTS, at):
            hint = "a comment begins with #"
        found = _TOKEN.match(self.text, at)
        token = found[0] if found else self.text[at]
        message = f"{expected}, found {shorten(token)}"
        self.fail(UnexpectedText, message, at, at + len(token), hint)


def encoding_fault(raw: bytes, at: int, number: int = 1) -> UnexpectedText:
    """The fault that bytes, from line ``number`` on, are no UTF-8 from the byte ``at`` on."""
    before = _LINE_END.split(raw[:at].decode())
    line, column = number + len(before) - 1, len(before[-1]) + 1
    return UnexpectedText("this is no UTF-8", Span(line, column, line, column + 1))


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text, without their ends, as editors count them."""
    return iter(_LINE_END.split(text.removeprefix("\ufeff")))
