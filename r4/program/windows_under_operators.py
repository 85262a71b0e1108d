"""Operators over event times in a document with a window: the window's length comes on top.

``DiamondMinus (0 s, 1 h] ( At ?t ( … ) )`` is true for an hour after the fact *held*; an element
without an end holds as long as the window says. Who means the last hour leaves the window out.
"""

from __future__ import annotations

from r4.program.errors import WindowOnTop
from r4.program.lookahead import operators
from rif.errors.base import RuleError
from rif.syntax import ast
from rif.syntax.traversal import subformulas
from temporal.metric_rif.events import At
from temporal.mtl.ast import MetricFormula


def window_warnings(document: ast.Document) -> list[RuleError]:
    """A warning for each At under an operator, about the innermost one."""
    if document.window is None:
        return []
    found: dict[int, tuple[MetricFormula, At]] = {}
    for operator in operators(document):  # inner ones come after those around them
        for part in operator.parts:
            some = (each for each in subformulas(part) if isinstance(each, At))
            found |= {id(each): (operator, each) for each in some}
    return [
        WindowOnTop(f"At under {type(operator).__name__}, with a Window", at.span)
        for operator, at in found.values()
    ]
