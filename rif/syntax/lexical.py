"""What both concrete syntaxes share below their grammars: bounds, names, amounts of time."""

from __future__ import annotations

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

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)

NAME_START = f"{_BASE}_"
"""Characters that may begin a name, as the inside of a regular expression's class."""

NAME_CHARACTERS = f"{NAME_START}0-9\u00b7\u0300-\u036f\u203f-\u2040"
"""Characters that may follow; ``-`` and ``.`` may too, but not everywhere."""

RESERVED_WORDS = frozenset(
    (
        *("And", "Base", "Document", "Exists", "External", "Forall", "Group", "If"),
        *("Import", "List", "Or", "Prefix", "Then", "Window"),
    )
)
"""The words of the grammar; no kind of formula begins with one of them."""

TIME_UNITS = frozenset(("ns", "us", "ms", "s", "m", "h", "d"))
"""Units of time."""

AMOUNT_PATTERN = r"\+?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
"""A number of units, as a regular expression: a decimal that is not negative."""
