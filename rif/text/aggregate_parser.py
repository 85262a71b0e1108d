"""Aggregates in the presentation syntax.

::

    aggregate = word [("first" | "last") N] "{" Var [Var] ["[" Var* "]"] "|" FORMULA "}"
    word      = "count" | "sum" | … | "quantile" Q | "first" [N] | "last" [N]

The second variable is the order. `rif.syntax.aggregates` says what they mean.
"""

from __future__ import annotations

from typing import Final

from rif.checks.aggregates import SHARE, SIZE
from rif.errors.checks import BadAggregate
from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.aggregates import AGGREGATES, Aggregate
from rif.syntax.formula_kinds import FormulaSource
from rif.syntax.terms import Variable

_ENDS: Final = ("first", "last")
_WORDS: Final = frozenset(AGGREGATES)
_FORM: Final = "an aggregate is avg{ ?value [?group] | condition }"


def begins_aggregate(parser: FormulaSource) -> bool:
    """Whether an aggregate comes next: its word, and what may stand before the brace."""
    at, kinds, values = parser.at, parser.kinds, parser.values
    if kinds[at] != "name" or values[at] not in _WORDS:
        return False
    at += 1
    at += kinds[at] == "number" and values[at - 1] == "quantile"
    at += kinds[at] == "name" and values[at] in _ENDS
    at += kinds[at] == "number"
    return kinds[at] == "{"


def parse_aggregate(parser: FormulaSource) -> Aggregate:
    """The aggregate that comes next."""
    first = parser.at
    word = parser.expect("name")
    share, part, size = "", "", None
    if word == "quantile":
        share = _share(parser)
    if word in _ENDS:
        size = _size(parser) if parser.kind == "number" else None
    elif parser.kind == "name":
        part = parser.expect("name")
        size = _size(parser)
    opened = parser.open("{")
    value = _variable(parser)
    order = _variable(parser) if parser.kind == "var" else None
    group = _group(parser) if parser.kind == "[" else ()
    parser.expect("|", "before the condition")
    body = parser.conjunction("the condition")
    parser.close(opened)
    span = parser.since(first)
    return Aggregate(word, value, body, group, order, share, part, size, span=span)


def _variable(parser: FormulaSource) -> Variable:
    at = parser.at
    parser.expect("var", "of the members")
    return parser.variable_name(at)


def _group(parser: FormulaSource) -> tuple[ast.Var, ...]:
    opened = parser.at
    parser.at += 1
    found: dict[Variable, ast.Var] = {}
    while parser.kind in {"var", ","}:
        if parser.accept(","):
            continue
        at = parser.at
        variable = parser.variable_name(at)
        parser.at += 1
        found.setdefault(variable, ast.Var(variable, span=parser.since(at)))
    parser.close(opened)
    return tuple(found.values())


def _size(parser: FormulaSource) -> int:
    text = parser.values[parser.at]
    if parser.kind != "number" or not SIZE.match(text):
        message = f"expected how many members, 1 or more, found {shorten(text) or 'the end'}"
        parser.fail(BadAggregate(message, parser.here(), _FORM))
    parser.at += 1
    return int(text)


def _share(parser: FormulaSource) -> str:
    text = parser.values[parser.at]
    if parser.kind != "number" or not SHARE.match(text):
        message = f"expected a share above 0 and up to 1, found {shorten(text) or 'the end'}"
        parser.fail(BadAggregate(message, parser.here(), "quantile 0.95{ ?v | … }"))
    parser.at += 1
    return text
