"""The metric operators: a row each, with the words of DatalogMTL; RIF has the name of the class.

Beside the names of the papers there are those of other systems: signs (``[-]``, ``<S>``), and words
with a *signed* range, in which the sign says whether they look back or ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from temporal.mtl.ast import (
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFormula,
    Since,
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
