"""What both concrete syntaxes share below their grammars: bounds, names, amounts of time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

MAX_DEPTH = 100
"""Levels of nesting that are read; some four Python frames each, in every walk over the result."""

MAX_TOKEN = 65_536
"""Characters of the longest string, IRI or name that is read."""

MAX_NUMBER = 1_000
"""Characters of the longest number that is read."""

MAX_TEXT = 64 * 2**20
"""Characters of the longest document that is read."""

MAX_RESULT = 1 << 24
"""Characters of the longest text that a built-in puts together: of many, or of two multiplied."""

_NAME_START = (
    *(("A", "Z"), ("_", "_"), ("a", "z"), ("\u00c0", "\u00d6"), ("\u00d8", "\u00f6")),
    *(("\u00f8", "\u02ff"), ("\u0370", "\u037d"), ("\u037f", "\u1fff"), ("\u200c", "\u200d")),
    *(("\u2070", "\u218f"), ("\u2c00", "\u2fef"), ("\u3001", "\ud7ff"), ("\uf900", "\ufdcf")),
    *(("\ufdf0", "\ufffd"), ("\U00010000", "\U000effff")),
)
_NAME_CHARACTERS = (
    *_NAME_START,
    *(("0", "9"), ("\u00b7", "\u00b7"), ("\u0300", "\u036f"), ("\u203f", "\u2040")),
)


def name_start(more: str = "") -> str:
    """A character that may begin a name, or is one of ``more``, as a regular expression."""
    return _character_class(_NAME_START, more)


def name_character(more: str = "") -> str:
    """A character that may follow in a name, or is one of ``more``, as a regular expression.

    ``-`` and ``.`` may follow, too, but not everywhere.
    """
    return _character_class(_NAME_CHARACTERS, more)


def _character_class(ranges: Iterable[tuple[str, str]], more: str) -> str:
    """A class by what is not in it: `re` visits each character, and these are five times fewer."""
    gaps = []
    free = 0
    for first, last in sorted([*ranges, *zip(more, more, strict=True)]):
        if ord(first) > free:
            gaps.append(rf"\U{free:08x}-\U{ord(first) - 1:08x}")
        free = ord(last) + 1
    return rf"[^{''.join(gaps)}\U{free:08x}-\U0010ffff]"


RESERVED_WORDS = frozenset(
    (
        *("And", "Base", "Document", "Exists", "External", "Forall", "Group", "If"),
        *("Import", "List", "Or", "Prefix", "Then", "Window"),
    )
)
"""The words of the grammar; no kind of formula begins with one of them."""

SECONDS: Mapping[str, Fraction] = {
    "d": Fraction(86400),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}
"""Seconds of each unit of time, the longest first."""

TIME_UNITS = frozenset(SECONDS)
"""Units of time."""

AMOUNT_PATTERN = r"\+?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
"""A number of units, as a regular expression: a decimal that is not negative."""
