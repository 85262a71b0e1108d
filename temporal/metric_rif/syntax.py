"""Metric operators in the presentation syntax of RIF, and their ranges as text in RIF/XML.

::

    metric   = UNARY range "(" FORMULA ")" | BINARY range "(" FORMULA FORMULA ")"
    range    = ("[" | "(") duration [","] (duration | "inf" | "?" NAME) ("]" | ")")
    duration = number [unit]
"""

from __future__ import annotations

import re
from json import dumps, loads
from typing import TYPE_CHECKING, Final, NoReturn

from rif.errors.base import NOWHERE, RuleError, Span
from rif.errors.report import shorten
from rif.syntax.ast import Var
from rif.syntax.formula_kinds import FormulaSink, FormulaSource
from rif.syntax.lexical import AMOUNT_PATTERN, MAX_NUMBER, SECONDS, TIME_UNITS
from rif.syntax.terms import Variable
from temporal.errors import BadRange, EmptyInterval, NegativeRange
from temporal.intervals.durations import (
    INFINITY,
    DurationLiteral,
    Durations,
    VariableRange,
)
from temporal.intervals.interval import End, Interval
from temporal.mtl.ast import BinaryOperator, MetricFormula, UnaryOperator

if TYPE_CHECKING:
    from rif.text.writer import Lines

_END: Final = r"[^\s,()\[\]\"]+(?:\s+[a-zA-Z]+)?"
_QUOTED: Final = r'"(?:[^"\\]|\\.)+"'
_RANGE: Final = re.compile(
    rf"\s*([\[(])\s*({_END})\s*,\s*({_END}|\?{_QUOTED})\s*([\])])\s*", re.DOTALL
)
_NAME: Final = re.compile(r"\w[\w-]*")
"""A name of a variable that needs no quotes in an attribute."""
_VARIABLE: Final = re.compile(rf"\?(?:({_NAME.pattern})|({_QUOTED}))", re.DOTALL)
_DURATION: Final = re.compile(rf"({AMOUNT_PATTERN})\s*([a-z]*)")
_HINT: Final = "a range has two ends, such as [0 s, 10 m] or (5 s, inf)"
_LEFT_HINT: Final = "only the right end may be a variable, as in [0 s, ?d]"

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
    rho = formula.rho
    written = (
        rho.text(writer.term(rho.variable)) if isinstance(rho, VariableRange) else write_range(rho)
    )
    opening = f"{type(formula).__name__} {written} "
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
    right = _variable(parser) if parser.kind == "var" else _end(parser)
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


def _variable(parser: FormulaSource) -> Var:
    at = parser.at
    parser.at += 1
    return Var(parser.variable_name(at), span=parser.since(at))


def _end(parser: FormulaSource) -> DurationLiteral | None:
    """One end; None if it is faulty, which is noted."""
    at = parser.at
    kind, text = parser.kinds[at], parser.values[at]
    if kind == "name" and text == INFINITY:
        parser.at += 1
        return DurationLiteral(INFINITY)
    if kind == "var":
        message = f"{shorten(text)} is the left end of a range"
        parser.fail(BadRange(message, parser.here(), _LEFT_HINT))
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


def make_range(
    left: DurationLiteral,
    right: DurationLiteral | Var,
    span: Span,
    *,
    left_closed: bool,
    right_closed: bool,
) -> Durations:
    """The range with these ends; an infinite one is open, however it is written.

    Raises:
        RuleError: it has no time point, or mixes ticks with durations.
    """
    if left.number is None:
        message = "a range begins at a distance that is finite"
        raise BadRange(message, span, "such as [0 s, inf)")
    if isinstance(right, Var):
        near = _seconds(left)
        assert near is not None
        closed = left_closed, right_closed, not left.unit, (left,)
        return VariableRange(near, near + 1, *closed, variable=right)
    # 0 is 0, and inf is inf, in all units.
    units = {bool(end.unit) for end in (left, right) if end.number}
    if len(units) > 1:
        message = f"{left} is in {_kind(left)}, {right} in {_kind(right)}"
        raise BadRange(message, span, "give both ends a unit, or none of them")
    in_ticks = False in units or not (units or left.unit or right.unit)
    found = Durations(
        _seconds(left), _seconds(right), left_closed, right_closed, in_ticks, (left, right)
    )
    if found.is_empty:
        message = f"{found} has no time point"
        raise EmptyInterval(message, span, "the nearer end stands first; one point is [5 s, 5 s]")
    return found


def parse_range(text: str, span: Span = NOWHERE) -> Durations:
    """The range that ``text`` is, as `Durations` writes it; raises `RuleError` if it is none."""
    found = _RANGE.fullmatch(text)
    if found is None:
        message = "expected a range such as [0 s, 10 m] or (5 s, inf)"
        raise BadRange(message, span, "both ends, with a comma between them")
    if found[2].startswith("?"):
        message = f"{found[2]} is the left end of a range"
        raise BadRange(message, span, _LEFT_HINT)
    return make_range(
        parse_duration(found[2], span),
        _variable_of(found[3], span) or parse_duration(found[3], span),
        span,
        left_closed=found[1] == "[",
        right_closed=found[4] == "]",
    )


def range_attribute(rho: Interval) -> str:
    """A range as RIF/XML writes it: as RIF text does, but the name of a variable in JSON quotes."""
    if isinstance(rho, VariableRange):
        name = rho.variable.value.name
        return rho.text(f"?{name if _NAME.fullmatch(name) else dumps(name)}")
    return write_range(rho)


def _variable_of(text: str, span: Span) -> Var | None:
    """The variable that a right end is; None: it is none."""
    found = _VARIABLE.fullmatch(text)
    if found is None:
        return None
    try:
        name = found[1] or loads(found[2])
    except ValueError:
        message = f"{shorten(text)} is no variable"
        raise BadRange(message, span, _HINT) from None
    return Var(Variable(name), span=span)


def parse_duration(text: str, span: Span) -> DurationLiteral:
    """One end of a range; raises `RuleError` if it is none."""
    if text in {INFINITY, f"+{INFINITY}"}:
        return DurationLiteral(INFINITY)
    if text.startswith("-"):
        message = f"{text[:40]} is negative"
        hint = "ranges are distances: DiamondMinus [0 s, 5 s] looks back, DiamondPlus ahead"
        raise NegativeRange(message, span, hint)
    found = _DURATION.fullmatch(text)
    if found is None or len(found[1]) > MAX_NUMBER:
        message = f"{text[:40]} is no duration"
        raise BadRange(message, span, "a decimal number and ms, s, m, h or d, or inf")
    if found[2] and found[2] not in TIME_UNITS:
        message = f"{found[2][:40]} is no unit of time"
        hint = "units are ns us ms s m h d, and m is a minute; without one it is ticks"
        raise BadRange(message, span, hint)
    return DurationLiteral(found[1], found[2])


def _seconds(end: DurationLiteral) -> End:
    number = end.number
    return number * SECONDS[end.unit] if number is not None and end.unit else number


def _kind(end: DurationLiteral) -> str:
    return end.unit or "ticks"
