"""The text of a regular expression while it is read."""

from __future__ import annotations

from typing import Final, NoReturn


class RegexError(ValueError):
    """One fault of a regular expression.

    Attributes:
        message: What is wrong, in one line.
        position: Index of the character where it is seen, from 0.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class BadPattern(RegexError):
    """Not in the language [XPath-Functions 5.6], or of no use where it stands."""


class BadFlags(BadPattern):
    """A flag that there is not."""


class Inexpressible(RegexError):
    """Valid, but beyond an automaton in linear time, or beyond the bounds of one."""


class BadReplacement(RegexError):
    """A replacement with a stray ``$`` or backslash [XPath-Functions, fn:replace]."""


_SPACE: Final = frozenset(" \t\n\r")


class Scanner:
    """A text, a place in it, and where its characters stood before white space was dropped.

    Attributes:
        text: What is read.
        at: Index of the next character.
    """

    __slots__ = ("_places", "at", "text")

    def __init__(self, text: str, *, spaced: bool = False) -> None:
        """``spaced``: white space outside of brackets counts for nothing (flag x)."""
        self._places = _significant_places(text) if spaced else None
        self.text = text if self._places is None else "".join(text[at] for at in self._places)
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """A character that comes, or ``""`` after the last."""
        at = self.at + ahead
        return self.text[at] if at < len(self.text) else ""

    def take(self) -> str:
        """The next character, which is then read; ``""`` after the last."""
        char = self.peek()
        self.at += len(char)
        return char

    def eat(self, char: str) -> bool:
        """Is ``char`` next? Then it is read."""
        is_next = self.peek() == char
        self.at += is_next
        return is_next

    def place(self, at: int | None = None) -> int:
        """The index in the pattern as it was given; of the next character, unless said."""
        at = self.at if at is None else at
        if self._places is None:
            return at
        return self._places[at] if at < len(self._places) else len(self._places)

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise the fault at a place of this text."""
        raise BadPattern(message, self.place(at)) from None


def _significant_places(text: str) -> list[int]:
    """The indices of the characters that flag x keeps: all but white space outside of classes."""
    places: list[int] = []
    depth, escaped = 0, False
    for at, char in enumerate(text):
        if char in _SPACE and not depth:
            continue  # also between a backslash and what it escapes
        places.append(at)
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "[":
            depth += 1
        elif char == "]" and depth:
            depth -= 1
    return places
