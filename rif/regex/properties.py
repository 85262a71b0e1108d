r"""Sets of characters that have a name: categories, blocks, and the escapes ``\d \w \s \i \c``.

Categories are those of Python's own Unicode, so that they agree with its upper and lower case;
blocks are elementpath's table. Each is computed when it is first asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from itertools import groupby
from typing import Final

from rif.regex.character_sets import Ranges, complement, union

_CATEGORY = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?")
_BLOCK = re.compile(r"Is[a-zA-Z0-9-]+")

_ASSIGNED = ((0, 0x3FFFF), (0xE0000, 0xE0FFF))
_UNASSIGNED = ((0x40000, 0xDFFFF), (0xE1000, 0xEFFFF), (0xFFFFE, 0xFFFFF), (0x10FFFE, 0x10FFFF))
_PRIVATE = ((0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))
"""Planes are scanned where characters are assigned; the others are uniform, in every version."""

_INITIAL: Final[Ranges] = (
    *((0x3A, 0x3A), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6)),
    *((0xF8, 0x2FF), (0x370, 0x37D), (0x37F, 0x1FFF), (0x200C, 0x200D), (0x2070, 0x218F)),
    *((0x2C00, 0x2FEF), (0x3001, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFFD), (0x10000, 0xEFFFF)),
)
"""NameStartChar of XML 1.0, fifth edition, and XML 1.1."""

_NAME: Final = union(
    (*_INITIAL, (0x2D, 0x2E), (0x30, 0x39), (0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040))
)
_SPACE: Final[Ranges] = ((0x9, 0xA), (0xD, 0xD), (0x20, 0x20))

DOT: Final[Ranges] = ((0, 0x9), (0xB, 0xC), (0xE, 0x10FFFF))
"""All but newline and carriage return: what ``.`` matches without flag s."""


@cache
def _categories() -> dict[str, Ranges]:
    """Every category of two letters; some 0.05 s, once."""
    table: dict[str, list[tuple[int, int]]] = {"Cn": [*_UNASSIGNED], "Co": [*_PRIVATE]}
    for start, end in _ASSIGNED:
        codes = range(start, end + 1)
        at = start
        for name, run in groupby(map(unicodedata.category, map(chr, codes))):
            length = sum(1 for _ in run)
            table.setdefault(name, []).append((at, at + length - 1))
            at += length
    return {name: union(ranges) for name, ranges in table.items()}


@cache
def category(name: str) -> Ranges:
    """The characters of a category of one or two letters [XSD G.4.2.2].

    Raises:
        KeyError: there is no such category.
    """
    if not _CATEGORY.fullmatch(name):
        raise KeyError(name)
    table = _categories()
    kinds = [name] if len(name) > 1 else [kind for kind in table if kind[0] == name]
    return union(pair for kind in kinds for pair in table.get(kind, ()))


@cache
def block(name: str) -> Ranges:
    """The characters of a block, its name as in XSD: ``IsBasicLatin`` [XSD G.4.2.3].

    Raises:
        KeyError: no block is known by that name.
    """
    if not _BLOCK.fullmatch(name):
        raise KeyError(name)
    # It takes 0.15 s to load, and a block is seldom asked for.
    from elementpath.regex import unicode_block  # noqa: PLC0415

    points = unicode_block(name.removeprefix("Is")).codepoints
    return union((p, p) if isinstance(p, int) else (p[0], p[1] - 1) for p in points)


@cache
def _word() -> Ranges:
    return complement(union((*category("P"), *category("Z"), *category("C"))))


_ESCAPES: Final[dict[str, Callable[[], Ranges]]] = {
    "s": lambda: _SPACE,
    "i": lambda: _INITIAL,
    "c": lambda: _NAME,
    "d": partial(category, "Nd"),
    "w": _word,
}


@cache
def escape_class(letter: str) -> Ranges | None:
    r"""The set that the escape ``\letter`` stands for; None if it stands for none [XSD G.4.2.5]."""
    escape = _ESCAPES.get(letter.lower())
    if escape is None:
        return None
    return escape() if letter.islower() else complement(escape())
