"""The spellings of metric operators: which word or sign means which node.

Beside the names of the papers there are those of other systems: signs (``[-]``, ``<S>``), and four
words with *signed* ranges, in which the sign says whether they look back or ahead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from temporal.mtl.ast import (
    BOTTOM_NAME,
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
    Until,
)

UNARY: Final[Mapping[str, type[UnaryOperator]]] = {
    "Diamondminus": DiamondMinus,
    "DiamondMinus": DiamondMinus,
    "<->": DiamondMinus,
    "Diamondplus": DiamondPlus,
    "DiamondPlus": DiamondPlus,
    "<+>": DiamondPlus,
    "Boxminus": BoxMinus,
    "BoxMinus": BoxMinus,
    "[-]": BoxMinus,
    "Boxplus": BoxPlus,
    "BoxPlus": BoxPlus,
    "[+]": BoxPlus,
}
"""Operators in front of a formula."""

SIGNED_UNARY: Final[Mapping[str, tuple[type[UnaryOperator], type[UnaryOperator]]]] = {
    "ALWAYS": (BoxPlus, BoxMinus),
    "SOMETIME": (DiamondPlus, DiamondMinus),
}
"""Those with a signed range: what a positive and what a negative one means."""

BINARY: Final[Mapping[str, type[BinaryOperator]]] = {
    "Since": Since,
    "<S>": Since,
    "Until": Until,
    "<U>": Until,
}
"""Operators between two formulas."""

SIGNED_BINARY: Final[Mapping[str, tuple[type[BinaryOperator], type[BinaryOperator]]]] = {
    "SINCE": (Since, Until),
    "UNTIL": (Until, Since),
}
"""Those with a signed range: what a positive and what a negative one means."""

TOP_WORD: Final = "TOP"
"""The formula that always holds."""

BOTTOM_WORD: Final = "BOTTOM"
"""The head of a constraint: a formula that holds at no time of a model."""

BOTTOM_SIGN: Final = re.compile(BOTTOM_NAME)
"""Its other spelling."""

NAMES: Final[Mapping[type[UnaryOperator | BinaryOperator], str]] = {
    DiamondMinus: "Diamondminus",
    DiamondPlus: "Diamondplus",
    BoxMinus: "Boxminus",
    BoxPlus: "Boxplus",
    Since: "Since",
    Until: "Until",
}
"""The spelling that is written."""

RESERVED: Final = frozenset((*UNARY, *SIGNED_UNARY, *BINARY, *SIGNED_BINARY, TOP_WORD, BOTTOM_WORD))
"""Words that cannot be names of predicates."""

UNARY_SIGN: Final = re.compile(r"\[[+-]\]|<[+-]>")
"""A sign in front of a formula."""

BINARY_SIGN: Final = re.compile(r"<[SU]>")
"""A sign between two formulas."""

_BY_LOWER_CASE: Final[Mapping[str, str]] = {
    **{word.lower(): word for word in sorted(RESERVED - {BOTTOM_WORD})},
    **dict.fromkeys(("once", "eventually", "diamond"), "Diamondminus or Diamondplus"),
    **dict.fromkeys(("historically", "box"), "Boxminus or Boxplus"),
    "true": "TOP",
}


def suggest_operator(word: str) -> str | None:
    """A hint for a word that is no operator: the word of the syntax that is like it."""
    known = _BY_LOWER_CASE.get(word.lower())
    return f"did you mean {known}?" if known is not None and known != word else None
