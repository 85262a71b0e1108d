"""The metric operators: a row each, with the words of DatalogMTL, and tables to look these up.

RIF has the name of the class.

Beside the names of the papers there are those of other systems: signs (``[-]``, ``<S>``), and words
with a *signed* range, in which the sign says whether they look back or ahead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from temporal.mtl.ast import (
    BOTTOM_NAME,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFormula,
    Since,
    UnaryOperator,
    Until,
)


@dataclass(frozen=True, slots=True)
class OperatorSpelling:
    """How DatalogMTL writes an operator.

    Attributes:
        node: Its class.
        words: The names that it has; the first one is written.
        sign: The characters that stand for it.
        signed: The words with a signed range that mean it: ``+ALWAYS`` is ALWAYS with a positive
            range, ``-ALWAYS`` with a negative one.
    """

    node: type[MetricFormula]
    words: tuple[str, ...]
    sign: str
    signed: tuple[str, ...]


OPERATORS: Final = (
    OperatorSpelling(DiamondMinus, ("Diamondminus", "DiamondMinus"), "<->", ("-SOMETIME",)),
    OperatorSpelling(DiamondPlus, ("Diamondplus", "DiamondPlus"), "<+>", ("+SOMETIME",)),
    OperatorSpelling(BoxMinus, ("Boxminus", "BoxMinus"), "[-]", ("-ALWAYS",)),
    OperatorSpelling(BoxPlus, ("Boxplus", "BoxPlus"), "[+]", ("+ALWAYS",)),
    OperatorSpelling(Since, ("Since",), "<S>", ("+SINCE", "-UNTIL")),
    OperatorSpelling(Until, ("Until",), "<U>", ("+UNTIL", "-SINCE")),
)
"""All of them: a new one is a class in `temporal.mtl.ast`, a row here, and its plan."""

OPERATOR: Final[Mapping[str, type[MetricFormula]]] = {
    word: each.node for each in OPERATORS for word in (*each.words, each.sign)
}
"""By their words and signs."""

_BY_SIGNED_WORD: Final = {word: each.node for each in OPERATORS for word in each.signed}

SIGNED: Final[Mapping[str, tuple[type[MetricFormula], type[MetricFormula]]]] = {
    word[1:]: (node, _BY_SIGNED_WORD[f"-{word[1:]}"])
    for word, node in _BY_SIGNED_WORD.items()
    if word[0] == "+"
}
"""Words with a signed range: what they mean with a positive one, and with a negative one."""

UNARY: Final = frozenset(
    [word for word, node in OPERATOR.items() if issubclass(node, UnaryOperator)]
    + [word for word, (node, _) in SIGNED.items() if issubclass(node, UnaryOperator)]
)
"""Words and signs in front of a formula."""

BINARY: Final = frozenset({*OPERATOR, *SIGNED} - UNARY)
"""Words and signs between two formulas."""

TOP_WORD: Final = "TOP"
"""The formula that always holds."""

BOTTOM_WORD: Final = "BOTTOM"
"""The head of a constraint: a formula that holds at no time of a model."""

BOTTOM_SIGN: Final = re.compile(BOTTOM_NAME)
"""Its other spelling."""

NAMES: Final = {each.node: each.words[0] for each in OPERATORS}
"""The spelling that is written."""

NOT_WORD: Final = "not"
"""Stands before a formula that must not hold."""

RESERVED: Final = frozenset((*OPERATOR, *SIGNED, TOP_WORD, BOTTOM_WORD, NOT_WORD))
"""Words that cannot be names of predicates."""


def _any_sign(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(each.sign) for each in OPERATORS if each.sign in words))


UNARY_SIGN: Final = _any_sign(UNARY)
"""A sign in front of a formula."""

BINARY_SIGN: Final = _any_sign(BINARY)
"""A sign between two formulas."""

_BY_LOWER_CASE: Final[Mapping[str, str]] = {
    **{word.lower(): word for word in sorted(RESERVED - {BOTTOM_WORD})},
    **dict.fromkeys(("once", "eventually", "diamond"), "Diamondminus or Diamondplus"),
    **dict.fromkeys(("historically", "box"), "Boxminus or Boxplus"),
    "true": "TOP",
    **dict.fromkeys(("naf", "\\+"), "not"),
}


def suggest_operator(word: str) -> str | None:
    """A hint for a word that is no operator: the word of the syntax that is like it."""
    known = _BY_LOWER_CASE.get(word.lower())
    return f"did you mean {known}?" if known is not None and known != word else None
