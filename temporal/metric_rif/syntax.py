"""Metric operators in the presentation syntax of RIF: text to nodes, nodes to lines.

::

    metric   = UNARY range "(" FORMULA ")" | BINARY range "(" FORMULA FORMULA ")"
    range    = ("[" | "(") duration [","] (duration | "inf") ("]" | ")")
    duration = number [unit]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from rif.errors.base import RuleError
from rif.errors.report import shorten
from rif.syntax.formula_kinds import FormulaSink, FormulaSource
from temporal.errors import BadRange
from temporal.intervals.durations import INFINITY, DurationLiteral, Durations
from temporal.intervals.interval import Interval
from temporal.metric_rif.ranges import make_range, parse_duration
from temporal.mtl.ast import BinaryOperator, MetricFormula, UnaryOperator

if TYPE_CHECKING:
    from rif.text.writer import Lines

_HINT: Final = "a range has two ends, such as [0 s, 10 m] or (5 s, inf)"

_FAULTY_RANGE: Final = Durations(None, None)
"""Stands for a range that is faulty, so that what follows it is read."""


def read_operator(parser: FormulaSource, node: type[MetricFormula]) -> MetricFormula:
    """An operator, the parser standing behind the keyword."""
    rho = _range(parser)
    if issubclass(node, UnaryOperator):
        return node(rho, parser.one_formula())
    assert issubclass(node, BinaryOperator)
    opened = parser.open()
    phi = parser.needed_formula("what is to hold in between")
    parser.accept(",")
    psi = parser.needed_formula("what is to hold at first")
    parser.close(opened)
    return node(rho, phi, psi)


def write_operator(formula: MetricFormula, writer: FormulaSink) -> Lines:
    """An operator as lines."""
    opening = f"{type(formula).__name__} {write_range(formula.rho)} "
    return writer.call(opening, [writer.formula(part) for part in formula.parts])


def write_range(rho: Interval) -> str:
    """A range as RIF writes it; one without unit is taken for seconds."""
    if isinstance(rho, Durations):
        return str(rho)
    return str(Durations(rho.left, rho.right, rho.left_closed, rho.right_closed))


def _range(parser: FormulaSource) -> Durations:
    """The range that comes next; a fault in it does not end the clause if it can be read."""
    first = parser.at
    if parser.kind not in {"[", "("}:
        _fail(parser, f"expected a range, found {shorten(parser.values[parser.at]) or 'the end'}")
    left_closed = parser.kind == "["
    parser.at += 1
    left = _end(parser)
    parser.accept(",")
    right = _end(parser)
    if parser.kind not in {"]", ")"}:
        _fail(parser, f"expected ] or ), found {shorten(parser.values[parser.at]) or 'the end'}")
    right_closed = parser.kind == "]"
    parser.at += 1
    try:
        if left is None or right is None:
            return _FAULTY_RANGE
        span = parser.since(first)
        return make_range(left, right, span, left_closed=left_closed, right_closed=right_closed)
    except RuleError as fault:
        parser.note(fault)
        return _FAULTY_RANGE


def _end(parser: FormulaSource) -> DurationLiteral | None:
    """One end; None if it is faulty, which is noted."""
    at = parser.at
    kind, text = parser.kinds[at], parser.values[at]
    if kind == "name" and text == INFINITY:
        parser.at += 1
        return DurationLiteral(INFINITY)
    if kind != "number":
        _fail(parser, f"expected a duration, found {shorten(text) or 'the end'}")
    parser.at += 1
    unit = ""
    if parser.kind == "name" and parser.values[parser.at] != INFINITY:
        unit = parser.values[parser.at]
        parser.at += 1
    try:
        return parse_duration(f"{text} {unit}".rstrip(), parser.since(at))
    except RuleError as fault:
        parser.note(fault)
        return None


def _fail(parser: FormulaSource, message: str) -> NoReturn:
    parser.fail(BadRange(message, parser.here(), _HINT))
