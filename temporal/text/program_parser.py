"""Programs: rules ``Head :- Body``, one a line, a full stop behind them or not."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final, NoReturn

from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from temporal.errors import FactAmongRules, TooLong
from temporal.mtl import validation
from temporal.mtl.ast import MetricProgram
from temporal.mtl.strata import check_strata
from temporal.text.formula_parser import parse_conjunction, parse_formula
from temporal.text.scanner import LineScanner, ParseAbort, encoding_fault, lines_of

MAX_PROGRAM: Final = 2**24
"""Bytes of the longest program that is read."""

MAX_RULES: Final = 50_000
"""Rules of the largest program that is read."""
MAX_PROGRAM_FAULTS: Final = 2_000
"""A program of so many faults is read no further."""
_ARROW: Final = ":-"
_RULE: Final = "a rule is written Head :- Body, on one line"
_COMPARES: Final = ("<", ">", "=", "!", "≤", "≥", "≠")
_COMPARISON: Final = "a comparison has a variable or a constant on each side, such as V > 30"
_NO_CONDITION: Final = f"{_RULE}; one that always applies, Head :- TOP"
_OTHER_ARROW: Final = re.compile(r"<-(?!>)|->|=>|<=|[←→⟵⟶]")


def decode_program(raw: bytes, name: str = "<program>") -> str:
    """The text of a program in UTF-8.

    Raises:
        RuleErrors: it is none, or too long to be looked at.
    """
    if len(raw) > MAX_PROGRAM:
        message = f"the program has more than {MAX_PROGRAM} bytes, which are the most that are read"
        raise RuleErrors([TooLong(message, Span(1, 1, 1, 2))], "", name)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        fault = encoding_fault(raw, error.start)
        raise RuleErrors([fault], raw.decode(errors="replace"), name) from None


def parse_program(text: str, *, name: str = "<program>", check: bool = True) -> MetricProgram:
    """The program that ``text`` holds.

    ``check=False`` leaves out `temporal.mtl.validation.check` and `temporal.mtl.strata`. Linear in
    the text.

    Raises:
        RuleErrors: there are faults; all of them.
    """
    with collector_paused():
        program, faults = _read(text)
        if check:
            faults += validation.check(program)
            if not faults:
                try:
                    check_strata(program)
                except RuleErrors as unstratified:
                    faults += unstratified.errors
    if faults:
        raise RuleErrors(faults, text, name)
    return program


def _read(text: str) -> tuple[MetricProgram, list[RuleError]]:
    """The rules of a text, and its faults."""
    rules: list[ast.Implies] = []
    faults: list[RuleError] = []
    known: dict[str, ast.Implies] = {}
    for number, line_text in enumerate(lines_of(text), 1):
        if not line_text:
            continue
        if len(faults) >= MAX_PROGRAM_FAULTS:
            break
        line = LineScanner(line_text, number)
        with suppress(ParseAbort):
            line.check_length()
            if line.at_end():
                continue
            if len(rules) == MAX_RULES:
                message = f"the program has more than {MAX_RULES} rules, which are the most read"
                faults.append(TooLong(message, line.span(line.begin(), len(line_text)), ""))
                break
            rule = known.get(line_text)
            if rule is None:
                rule = _rule(line)
                if not line.faults:
                    known[line_text] = rule
            else:  # what it consists of keeps its places on the line that was the first
                place = rule.span
                span = Span(number, place.column, number, place.end_column)
                rule = ast.Implies(rule.head, rule.body, span=span)
            rules.append(rule)
        faults += line.faults
    return MetricProgram(tuple(rules)), faults


def _rule(line: LineScanner) -> ast.Implies:
    start = line.begin()
    head = parse_formula(line, is_head=True)
    if not line.accept(_ARROW):
        _no_arrow(line, start)
    body: ast.Formula = ast.And(())
    if not line.at_end() and not _at_full_stop(line):
        body = parse_conjunction(line)
    if line.accept("."):
        line.begin()
    if not line.at_end():
        hint = _COMPARISON if line.text.startswith(_COMPARES, line.begin()) else _RULE
        line.unexpected("expected , or the end of the rule", hint)
    return ast.Implies((head,), body, span=line.span(start))


def _no_arrow(line: LineScanner, start: int) -> NoReturn:
    line.begin()
    if line.looks_at("@"):
        message = "this is a fact with its time"
        line.fail(FactAmongRules, message, start, max(line.taken, start + 1))
    arrow = line.match(_OTHER_ARROW)
    if arrow is not None:
        line.at -= len(arrow)
    line.unexpected(f"expected {_ARROW}", _NO_CONDITION if line.at_end() else _RULE)


def _at_full_stop(line: LineScanner) -> bool:
    """Is the body empty, but for the full stop?"""
    at = line.begin()
    return line.text.startswith(".", at) and line.text[at:].split("#")[0].strip() == "."
