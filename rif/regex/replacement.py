r"""What fn:replace puts in place of a match: text, and ``$N`` for what a group captured."""

from __future__ import annotations

import re
from typing import TypeAlias

from rif.regex.faults import BadReplacement

Template: TypeAlias = tuple[str | int, ...]
"""Texts, and the numbers of groups, 0 for the whole match."""

_SPECIAL = re.compile(r"\\([\\$])|\$([0-9]+)|[\\$]")


def template(replacement: str, groups: int) -> Template:
    r"""A replacement, for a pattern in which so many groups capture [XPath-Functions, fn:replace].

    Digits belong to a number as long as there are groups of it, or it has one digit; a number
    without a group stands for the empty text. Linear.

    Raises:
        BadReplacement: a ``$`` is followed by no digit, or a backslash by neither of the two.
    """
    parts: list[str | int] = []
    at = 0
    for found in _SPECIAL.finditer(replacement):
        parts.append(replacement[at : found.start()])
        at = found.end()
        if found[1]:
            parts.append(found[1])
        elif found[2]:
            parts += _variable(found[2], groups)
        else:
            message = "a dollar sign stands before a digit, or is written \\$"
            if found[0] == "\\":
                message = "a backslash stands before \\ or $"
            raise BadReplacement(message, found.start())
    parts.append(replacement[at:])
    return tuple(part for part in parts if part != "")


def _variable(digits: str, groups: int) -> tuple[int | str, str]:
    """``$23`` of 5 groups is what the second captured, and a 3."""
    number, used = int(digits[0]), 1
    while used < len(digits) and number * 10 + int(digits[used]) <= max(groups, 9):
        number = number * 10 + int(digits[used])
        used += 1
    return (number if number <= groups else ""), digits[used:]
