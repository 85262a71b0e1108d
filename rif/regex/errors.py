"""What can be wrong with a regular expression, its flags, or what is put in its place."""

from __future__ import annotations


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
