"""TOML whose keys have few parts: the parser needs time and memory quadratic in the parts of a key.

A key of 64 KB, as ``a.a.a.…``, would take it 500 MB.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

MOST_PARTS: Final = 32
"""Parts of a dotted key, or of the name of a table."""

_PART: Final = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?)"""
_DOT: Final = r"[ \t]*+\.[ \t]*+"
_TOKEN: Final = re.compile(
    r"""#[^\n]*+|"{3}(?:"{0,2}(?:[^"\\]|\\.))*+"{0,5}|'{3}(?:'{0,2}[^'])*+'{0,5}"""
    rf"|({_PART}(?:{_DOT}{_PART}){{{MOST_PARTS}}})|{_PART}(?:{_DOT}{_PART})*+",
    re.DOTALL,
)
"""A comment or a long string, a key with too many parts, or another one.

Strings may lack their end, so that each character is looked at twice at most.
"""


def read_toml(text: str) -> dict[str, object]:
    """The tables of ``text``; raises `tomllib.TOMLDecodeError`. O(n)."""
    for found in _TOKEN.finditer(text):
        if found[1] is not None:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            message = f"A key of more than {MOST_PARTS} parts (at line {line}, column {column})"
            raise tomllib.TOMLDecodeError(message)
    return tomllib.loads(text)
