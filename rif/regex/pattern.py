"""A compiled regular expression, and what fn:replace puts in place of a match."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from rif.regex.automaton import Automaton, compile_automaton, decode_subject, encode_subject
from rif.regex.parser import parse_expression
from rif.regex.scanner import BadPattern, BadReplacement, Inexpressible
from rif.syntax.lexical import MAX_RESULT

MAX_CAPTURED: Final = 100
"""Groups that a replacement may refer to: an automaton pays for each in every state."""


class Pattern:
    """A regular expression that searches, and replaces what it finds."""

    __slots__ = ("_automaton", "_expression", "_last", "_literal")

    def __init__(self, pattern: str, flags: str) -> None:
        """See `rif.regex.compile_pattern`, which keeps what it has compiled."""
        self._expression = parse_expression(pattern, flags)
        self._literal = "q" in flags
        self._automaton = compile_automaton(self._expression)
        self._last: tuple[str, Template, Automaton] | None = None

    def search(self, text: str) -> bool:
        """Does any part of ``text`` match [XPath-Functions, fn:matches]? Linear in the text."""
        data, end = encode_subject(text, lines=self._expression.lines)
        return self._automaton.search(data, 0, end) is not None

    def replacement_parts(self, replacement: str) -> tuple[Template, Automaton]:
        """The template that replaces a match, and the automaton that captures the groups it names.

        The last is kept: rules replace by constants.

        Raises:
            BadReplacement: it has a stray ``$`` or backslash.
            BadPattern: the pattern matches the empty text, so that nothing can be replaced.
            Inexpressible: it refers to more than `MAX_CAPTURED` groups.
        """
        if self._last is None or self._last[0] != replacement:
            self._last = (replacement, *self._prepare(replacement))
        return self._last[1:]

    def _prepare(self, replacement: str) -> tuple[Template, Automaton]:
        if self.search(""):
            message = "a pattern that is replaced does not match the empty string"
            raise BadPattern(message)
        if self._literal:
            return (replacement,), self._automaton
        parts = parse_replacement(replacement, self._expression.groups)
        captured = sorted({part for part in parts if isinstance(part, int) and part})
        if len(captured) > MAX_CAPTURED:
            message = f"a replacement refers to at most {MAX_CAPTURED} groups"
            raise Inexpressible(message)
        if not captured:
            return parts, self._automaton
        # Only these groups capture, so they are counted from 1 in their order.
        numbers = {number: at for at, number in enumerate(captured, 1)} | {0: 0}
        renumbered = (numbers[part] if isinstance(part, int) else part for part in parts)
        return tuple(renumbered), compile_automaton(self._expression, captured)

    def replace(self, text: str, replacement: str) -> str:
        """``text`` with each match replaced, from the left [XPath-Functions, fn:replace].

        Each match takes time linear in what is left of the text at worst, and mostly in what it
        matches.

        Raises:
            RegexError: as `replacement_parts` does; Inexpressible also where the result would be
                longer than `MAX_RESULT`.
        """
        parts, automaton = self.replacement_parts(replacement)
        lines = self._expression.lines
        data, end = encode_subject(text, lines=lines)
        pieces: list[str] = []

        def taken(start: int, stop: int) -> str:  # -1 and -1 of a group that took no part
            return decode_subject(data[start:stop], lines=lines)

        at = size = 0
        for match in automaton.finditer(data, 0, end):
            start, stop = match.span()
            pieces.append(taken(at, start))
            for part in parts:
                piece = part if isinstance(part, str) else taken(*match.span(part))
                pieces.append(piece)
                size += len(piece)
            if size > MAX_RESULT:
                message = f"the result is longer than {MAX_RESULT:,} characters"
                raise Inexpressible(message)
            at = stop
        pieces.append(taken(at, end))
        return "".join(pieces)


Template: TypeAlias = tuple[str | int, ...]
"""Texts, and the numbers of groups, 0 for the whole match."""

_SPECIAL = re.compile(r"\\([\\$])|\$([0-9]+)|[\\$]")


def parse_replacement(replacement: str, groups: int) -> Template:
    r"""A replacement, for a pattern in which so many groups capture [XPath-Functions, fn:replace].

    Digits belong to a number as long as there are groups of it, or it has one digit; a number
    without a group stands for the empty text. Linear.

    Raises:
        BadReplacement: a ``$`` is followed by no digit, or a backslash by neither of the two.
    """
    parts: list[str | int] = []
    at = 0
    for match in _SPECIAL.finditer(replacement):
        parts.append(replacement[at : match.start()])
        at = match.end()
        if match[1]:
            parts.append(match[1])
        elif match[2]:
            parts += _variable(match[2], groups)
        else:
            message = "a dollar sign stands before a digit, or is written \\$"
            if match[0] == "\\":
                message = "a backslash stands before \\ or $"
            raise BadReplacement(message, match.start())
    parts.append(replacement[at:])
    return tuple(part for part in parts if part != "")


def _variable(digits: str, groups: int) -> tuple[int | str, str]:
    """``$23`` of 5 groups is what the second captured, and a 3."""
    number, used = int(digits[0]), 1
    while used < len(digits) and number * 10 + int(digits[used]) <= max(groups, 9):
        number = number * 10 + int(digits[used])
        used += 1
    return (number if number <= groups else ""), digits[used:]
