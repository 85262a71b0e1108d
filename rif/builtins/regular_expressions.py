"""Functions and predicates of regular expressions and of language ranges [RIF-DTB 4.7, 4.10].

Regular expressions are those of XPath, in linear time: one with a back-reference, or beyond the
bounds of `rif.regex`, is outside the domain, as one that is wrong.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rif.builtins.signatures import Builtin
from rif.builtins.strings import string
from rif.regex import RegexError, compile_pattern
from rif.syntax.terms import FUNC, PRED, GroundTerm, Literal

if TYPE_CHECKING:
    from rif.regex.pattern import Pattern

_RANGE: Final = re.compile(r"(?:[A-Za-z]{1,8}|\*)(?:-(?:[A-Za-z0-9]{1,8}|\*))*")


def _pattern(pattern: GroundTerm, flags: GroundTerm | None) -> Pattern | None:
    text, letters = string(pattern), "" if flags is None else string(flags)
    if text is None or letters is None:
        return None
    try:
        return compile_pattern(text, letters)
    except RegexError:
        return None


def _matches(text: GroundTerm, pattern: GroundTerm, flags: GroundTerm | None = None) -> bool | None:
    """Does some part of the text match [XPath-Functions, fn:matches]?"""
    characters, regex = string(text), _pattern(pattern, flags)
    return None if characters is None or regex is None else regex.search(characters)


def _replace(
    text: GroundTerm,
    pattern: GroundTerm,
    replacement: GroundTerm,
    flags: GroundTerm | None = None,
) -> Literal | None:
    """The text with every match replaced [XPath-Functions, fn:replace]."""
    characters, other, regex = string(text), string(replacement), _pattern(pattern, flags)
    if characters is None or other is None or regex is None:
        return None
    try:
        return Literal(regex.replace(characters, other))
    except RegexError:
        return None


def _matches_language_range(text: GroundTerm, wanted: GroundTerm) -> bool | None:
    """Is the language of the text in the range? No range has a text without language in it."""
    ranges = string(wanted)
    if ranges is None or not _RANGE.fullmatch(ranges) or not isinstance(text, Literal):
        return None
    if text.language:
        return in_range(text.language, ranges)
    return None if string(text) is None else False


def in_range(tag: str, wanted: str) -> bool:
    """Extended filtering of language tags [RFC4647 3.3.2]. Linear in the tag."""
    subtags = iter(tag.lower().split("-"))
    first, *rest = wanted.lower().split("-")
    if first not in {"*", next(subtags)}:
        return False
    for part in rest:
        if part == "*":
            continue
        for subtag in subtags:
            if subtag == part:
                break
            if len(subtag) == 1:
                return False
        else:
            return False
    return True


BUILTINS: tuple[Builtin, ...] = (
    Builtin(PRED + "matches", "predicate", 2, 3, _matches),
    Builtin(FUNC + "replace", "function", 3, 4, _replace),
    Builtin(PRED + "matches-language-range", "predicate", 2, 2, _matches_language_range),
)
