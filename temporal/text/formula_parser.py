"""Formulas with metric operators, by recursive descent on one line.

::

    body    = [ formula { "," formula } ]
    formula = unary { BINARY range unary }
    unary   = UNARY range unary | "(" formula { "," formula } ")" | "TOP" | "BOTTOM" | atom
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.lexical import MAX_DEPTH
from rif.syntax.terms import Local
from temporal.errors import (
    BadRange,
    NegativeRange,
    RangeAcrossZero,
    TooDeep,
    TooManyConditions,
)
from temporal.intervals.interval import Interval
from temporal.mtl.ast import BOTTOM_NAME, BinaryOperator, MetricFormula, UnaryOperator
from temporal.mtl.operators import (
    BINARY,
    BINARY_SIGN,
    BOTTOM_SIGN,
    BOTTOM_WORD,
    NAMES,
    OPERATOR,
    RESERVED,
    SIGNED,
    TOP_WORD,
    UNARY,
    UNARY_SIGN,
    suggest_operator,
)
from temporal.text import atom_parser
from temporal.text.interval_parser import begins_interval, parse_range
from temporal.text.scanner import LineScanner

_MAX_CONJUNCTS: Final = 1_000
"""Formulas between commas; of a rule only a part of that can be run."""
_ENDS: Final = (",", ".", ")", ":")
"""What stands behind most formulas, and begins no operator."""
_NEGATED: Final = re.compile(r"(?i)\b(?:not|naf|minus)\s*\Z")
_NEGATION_SIGNS: Final = ("!", "¬", "~", "\\+")
"""How other languages negate."""
_NEGATION: Final = (
    "a rule of DatalogMTL has no negation; RIF rules with metric operators have Naf( … )"
)
_FAULTY_RANGE: Final = Interval.point(Fraction(0))
"""Stands for a range that is faulty, so that what follows it is read."""


def parse_conjunction(line: LineScanner) -> ast.Formula:
    """Formulas between commas: the one there is, or their conjunction."""
    start = line.begin()
    found = [parse_formula(line)]
    while line.accept(","):
        if len(found) == _MAX_CONJUNCTS:
            at = line.begin()
            line.fail(TooManyConditions, f"more than {_MAX_CONJUNCTS} formulas", at, at + 1)
        found.append(parse_formula(line))
    return found[0] if len(found) == 1 else ast.And(tuple(found), span=line.span(start))


def parse_formula(line: LineScanner) -> ast.Formula:
    """A formula; Since and Until associate to the left."""
    start, depth = line.begin(), line.depth
    found = _unary(line)
    while operator := _binary_word(line):
        _enter_level(line)
        node, rho = _node_with_range(line, operator)
        assert issubclass(node, BinaryOperator)  # by its word
        right = _unary(line)
        found = node(rho, found, right, span=line.span(start))
    line.depth = depth
    return found


def _unary(line: LineScanner) -> ast.Formula:
    start, depth = line.begin(), line.depth
    word = line.match(atom_parser.WORD) or line.match(UNARY_SIGN) or line.match(BOTTOM_SIGN)
    if word in UNARY:
        _enter_level(line)
        node, rho = _node_with_range(line, word)
        assert issubclass(node, UnaryOperator)  # by its word
        body = _unary(line)
        line.depth = depth
        return node(rho, body, span=line.span(start))
    if word is not None:
        return _atom(line, word, start)
    if not line.accept("("):
        is_negation = line.text.startswith(_NEGATION_SIGNS, start)
        hint = _NEGATION if is_negation else "such as A(X), TOP, Diamondminus[0,1]A(X)"
        line.unexpected("expected a formula", hint)
    _enter_level(line)
    found = parse_conjunction(line)
    line.expect(")", f"for the ( of column {start + 1}")
    line.depth = depth
    return found


def _atom(line: LineScanner, word: str, start: int) -> ast.Formula:
    if word == TOP_WORD:
        return ast.And((), span=line.span(start))
    if word in {BOTTOM_WORD, BOTTOM_NAME}:
        return ast.Atom(Local(BOTTOM_NAME), (), span=line.span(start))
    if word in RESERVED:
        line.at = start
        line.unexpected("expected a formula", f"{word} stands between two formulas")
    if line.looks_at("["):
        hint = suggest_operator(word) or f"operators: {' '.join(NAMES.values())}"
        line.fail(BadRange, f"{shorten(word)} is no operator", start, line.taken, hint)
    args = atom_parser.parse_terms(line)
    return ast.Atom(Local(word), args, span=line.span(start))


def _binary_word(line: LineScanner) -> str | None:
    """Take an operator between formulas, if one comes next."""
    at, taken = line.begin(), line.taken
    if line.text.startswith(_ENDS, at) or at == len(line.text):
        return None
    word = line.match(BINARY_SIGN) or line.match(atom_parser.WORD)
    if word in BINARY:
        return word
    line.at, line.taken = at, taken
    if word is not None:
        hint = _NEGATION if _NEGATED.search(line.text, 0, at) else suggest_operator(word)
        line.unexpected("expected , or the end of the rule", hint)
    return None


def _node_with_range(line: LineScanner, operator: str) -> tuple[type[MetricFormula], Interval]:
    """The node that an operator means with the range that comes next."""
    start = line.begin()
    if not begins_interval(line):
        message = f"{operator} is followed by a range"
        line.fail(BadRange, message, start, start + 1)
    rho = parse_range(line)
    if operator in OPERATOR:
        if rho is not None and _reaches_below_zero(rho):
            message = f"{rho} has negative distances"
            line.note(NegativeRange, message, start, line.taken)
            rho = None
        return OPERATOR[operator], rho or _FAULTY_RANGE
    ahead, back = SIGNED[operator]
    if rho is None or not _reaches_below_zero(rho):
        return ahead, rho or _FAULTY_RANGE
    if rho.right is None or rho.right > 0:
        line.note(RangeAcrossZero, f"{rho} lies on both sides of 0", start, line.taken)
        return back, _FAULTY_RANGE
    return back, rho.mirrored()


def _reaches_below_zero(rho: Interval) -> bool:
    return rho.left is None or rho.left < 0


def _enter_level(line: LineScanner) -> None:
    line.depth += 1
    if line.depth > MAX_DEPTH:
        at = line.begin()
        line.fail(TooDeep, f"nested more than {MAX_DEPTH} levels deep", at, at + 1)
