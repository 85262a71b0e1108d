"""Formulas with metric operators, by recursive descent on one line.

::

    body    = [ formula { "," formula } ]
    formula = unary { BINARY range unary }
    unary   = UNARY range unary | "not" unary | "(" formula { "," formula } ")" | comparison
            | "TOP" | "BOTTOM" | atom
    comparison = term ("<" | "<=" | ">" | ">=" | "=" | "!=") term

A head is a formula without comparisons.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.lexical import MAX_DEPTH
from rif.syntax.negation import Naf
from rif.syntax.terms import Local
from temporal.errors import (
    BadRange,
    NegativeRange,
    RangeAcrossZero,
    RifOnly,
    TooDeep,
    TooManyConditions,
)
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    BOTTOM_NAME,
    BinaryOperator,
    Comparison,
    MetricFormula,
    UnaryOperator,
)
from temporal.mtl.operators import (
    BINARY,
    BINARY_SIGN,
    BOTTOM_SIGN,
    BOTTOM_WORD,
    NAMES,
    NOT_WORD,
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
_NEGATION: Final = "what must not hold is written not A(X)"
_METRIC_SIGN: Final = rf"{UNARY_SIGN.pattern}|{BINARY_SIGN.pattern}"
_COMPARISON: Final = re.compile(
    rf"(?:{atom_parser.COMPARED.pattern})[ \t]*(?!{_METRIC_SIGN})[<>=!≤≥≠]"
)
"""A term with the beginning of a sign of comparison behind it."""
_SIGN: Final = re.compile(r"[<>=!]+|[≤≥≠]")
_SIGNS: Final = frozenset(("<", "<=", ">", ">=", "=", "!="))
_MEANT: Final = {"==": "=", "<>": "!=", "=<": "<=", "=>": ">=", "≤": "<=", "≥": ">=", "≠": "!="}
"""How other languages write them."""
_AGGREGATE: Final = re.compile(
    r"(?:count|sum|avg|min|max|median|quantile|stddev|list|first|last)\b[\w. ]*\{"
)
_RIF_WORDS: Final = frozenset(("At", "Ended", "Every", "From"))
"""Kinds of formula of RIF; with brackets right behind they are predicates."""
_OPERAND: Final = re.compile(r"[?\w]+")
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


def parse_formula(line: LineScanner, *, is_head: bool = False) -> ast.Formula:
    """A formula; Since and Until associate to the left."""
    start, depth = line.begin(), line.depth
    found = _unary(line, is_head=is_head)
    while operator := _binary_word(line):
        _enter_level(line)
        node, rho = _node_with_range(line, operator)
        assert issubclass(node, BinaryOperator)  # by its word
        right = _unary(line)
        found = node(rho, found, right, span=line.span(start))
    line.depth = depth
    return found


def _unary(line: LineScanner, *, is_head: bool = False) -> ast.Formula:
    start, depth = line.begin(), line.depth
    _refuse_aggregate(line)
    if not is_head and _COMPARISON.match(line.text, start):
        return _comparison(line, start)
    word = line.match(atom_parser.WORD) or line.match(UNARY_SIGN) or line.match(BOTTOM_SIGN)
    if word in UNARY:
        _enter_level(line)
        node, rho = _node_with_range(line, word)
        assert issubclass(node, UnaryOperator)  # by its word
        body = _unary(line, is_head=is_head)
        line.depth = depth
        return node(rho, body, span=line.span(start))
    if word == NOT_WORD:
        _enter_level(line)
        negated = _unary(line)
        line.depth = depth
        return Naf(negated, span=line.span(start))
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
    if word in _RIF_WORDS and not line.text.endswith(")", 0, line.taken):
        at, taken = line.begin(), line.taken
        operand = line.match(_OPERAND)
        line.at, line.taken = at, taken
        if operand is not None and operand not in BINARY:
            line.fail(RifOnly, f"{word} is no formula of DatalogMTL", start, taken)
    return ast.Atom(Local(word), args, span=line.span(start))


def _comparison(line: LineScanner, start: int) -> ast.Formula:
    left = atom_parser.parse_compared(line)
    at = line.begin()
    sign = line.match(_SIGN)
    if sign not in _SIGNS:
        line.at = at
        meant = _MEANT.get(sign or "")
        hint = None if meant is None else f"did you mean {meant}?"
        line.unexpected(f"expected one of {' '.join(sorted(_SIGNS))}", hint)
    line.begin()
    _refuse_aggregate(line)
    right = atom_parser.parse_compared(line)
    return Comparison(sign, left, right, span=line.span(start))


def _refuse_aggregate(line: LineScanner) -> None:
    start = line.begin()
    if found := _AGGREGATE.match(line.text, start):
        message = f"{found[0]}…}} is no formula of DatalogMTL"
        line.fail(RifOnly, message, start, found.end())


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
