r"""Escapes and classes in brackets [XSD G.4.1, G.4.2; XPath-Functions 5.6.1]."""

from __future__ import annotations

import re
from typing import Final

from rif.regex.character_sets import Range, Ranges, add_case_variants, complement, subtract, union
from rif.regex.properties import block, category, escape_class
from rif.regex.scanner import Inexpressible, Scanner

MAX_NESTING: Final = 100
"""Groups, or classes, within each other."""

_SINGLE: Final = {"n": "\n", "r": "\r", "t": "\t"} | {char: char for char in "\\|.?*+(){}$-[]^"}
_NAME = re.compile(r"\{([^{}]*)\}")
_LONGEST_NAME = 60


def escaped_characters(source: Scanner) -> int | Ranges:
    r"""After a backslash, which is read: the one character that is meant, or a set of many.

    Raises:
        BadPattern: no escape begins so.
    """
    start = source.at - 1
    char = source.take()
    if char in _SINGLE:
        return ord(_SINGLE[char])
    if char and char in "pP":
        ranges = _property(source, start)
        return ranges if char == "p" else complement(ranges)
    many = escape_class(char) if char else None
    if many is None:
        source.fail(f"\\{char} is no escape" if char else "a backslash stands at the end", start)
    return many


def _property(source: Scanner, start: int) -> Ranges:
    match = _NAME.match(source.text, source.at)
    if match is None:
        source.fail("after \\p stands the name of a category or block in braces", start)
    source.at = match.end()
    is_block = match[1].startswith("Is")
    try:
        return block(match[1]) if is_block else category(match[1])
    except KeyError:
        kind = "block" if is_block else "category"
        source.fail(f"there is no {kind} {match[1][:_LONGEST_NAME]!r}", start)


def character_class(source: Scanner, *, any_case: bool, depth: int = 1) -> Ranges:
    """The characters of the class whose opening bracket is next.

    A hyphen makes a range only between two characters, and a difference only before a bracket
    [XSD G.4.1, rules on charGroupPart]. Case variants are added to characters and ranges, before
    the class is negated or anything is taken from it; escapes have none.

    Raises:
        BadPattern: it is no class.
        Inexpressible: differences are nested too deep.
    """
    start = source.at
    if depth > MAX_NESTING:
        message = f"classes are nested deeper than {MAX_NESTING}"
        raise Inexpressible(message, source.place())
    source.at += 1
    ranges = _group(source, start, any_case=any_case)
    if source.eat("-"):
        ranges = subtract(ranges, character_class(source, any_case=any_case, depth=depth + 1))
        if source.peek() not in {"", "]"}:
            source.fail("after the class that is taken away stands ]")
    if not source.eat("]"):
        source.fail("the class is not closed: ] is missing", start)
    return ranges


def _group(source: Scanner, start: int, *, any_case: bool) -> Ranges:
    """The characters and escapes between the brackets, up to the class that is subtracted."""
    negative = source.eat("^")
    written: list[Range] = []
    # A set: the same escape a thousand times is one.
    escaped: set[Ranges] = set()
    while not (source.peek() in {"", "]"} or (source.peek() == "-" and source.peek(1) == "[")):
        _part(source, written, escaped)
    if source.peek() and not written and not escaped:
        source.fail("a class holds at least one character", start)
    ranges = union(written)
    if any_case:
        ranges = add_case_variants(ranges)
    ranges = union((*ranges, *(pair for some in escaped for pair in some)))
    return complement(ranges) if negative else ranges


def _part(source: Scanner, written: list[Range], escaped: set[Ranges]) -> None:
    start = source.at
    low = _one(source)
    if not isinstance(low, int):
        escaped.add(low)
        return
    written.append((low, low))
    if source.peek() != "-" or source.peek(1) == "[":
        return
    if source.peek(1) == "]" or (source.peek(1) == "-" and source.peek(2) == "["):
        written.append((ord("-"), ord("-")))
        source.at += 1
        return
    if source.text[start] == "-" or source.peek(1) == "-":
        source.fail(
            "a range begins and ends with a character other than -, which is written \\-", start
        )
    source.at += 1
    high = _one(source) if source.peek() else low
    if not isinstance(high, int):
        source.fail("a range ends with one character, not a set of them", start)
    if high < low:
        source.fail("the range ends before it begins", start)
    written[-1] = low, high


def _one(source: Scanner) -> int | Ranges:
    char = source.take()
    if char == "\\":
        return escaped_characters(source)
    if char == "[":
        source.fail("inside of a class [ is written \\[", source.at - 1)
    return ord(char)
