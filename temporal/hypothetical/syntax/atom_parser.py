"""Atoms of Temporal Datalog, by recursive descent on one line: the last argument is time."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from json.encoder import encode_basestring as quote_json
from typing import Final, TypeVar

from rete.arrays.delta import Column
from rete.terms.dictionary import Dictionary
from rif.errors.report import shorten
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import ObjectTerm, TemporalAtom, TimeTerm
from temporal.hypothetical.syntax.errors import BadTime, HypOutOfBounds, NoTime
from temporal.text import atom_parser
from temporal.text.scanner import LineScanner
from temporal.text.writer import write_constant

MAX_TIME: Final = 2**59
"""The greatest time, offset and delay: arrival and delay together are cells of the engine."""

_LAST: Final = re.compile(r"""(?:[^\s,()\[\]"'#][^,()\[\]"'#]*)(?=\))""")
_TIME: Final = re.compile(
    r"(?P<number>[0-9]+)|\??(?P<name>\w+)[ \t]*(?:(?P<sign>[+-])[ \t]*(?P<offset>[0-9]+))?"
)
_NEGATION: Final = re.compile(r"(?i)[!¬~]|\\\+|(?:not|naf|minus)\s+(?:\w|\(\s*\w+\s*\()")
_COMPARISON: Final = re.compile(r"\??\w+\s*(?:[<>≠≤≥](?!-)|!=|=(?!>))")
_NO_NEGATION: Final = (
    "a rule of Temporal Datalog has no negation; RIF rules have Naf( … ), without possible answers"
)
_NO_COMPARISON: Final = (
    "a rule of Temporal Datalog compares no values: let facts say what holds, such as High(X,T), or"
    " use RIF rules, which have built-ins, with r4 run --hypotheses"
)
_FAULTY_TIME: Final = TimeTerm(None, 0)
"""Stands for a time that is faulty, so that what follows it is read."""

T = TypeVar("T")


def parse_atom(line: LineScanner) -> TemporalAtom:
    """An atom of a rule or query."""
    start = line.begin()
    if _NEGATION.match(line.text, start):
        line.unexpected("expected an atom", _NO_NEGATION)
    if _COMPARISON.match(line.text, start):
        line.unexpected("expected an atom", _NO_COMPARISON)
    name = line.match(atom_parser.WORD)
    if name is None:
        line.unexpected("expected an atom", "such as Temp(X,high,T)")
    args, time = parse_arguments(line, name, _term)
    return TemporalAtom(name, args, time, span=line.span(start))


def bare_constants(text: str) -> tuple[Literal, ...]:
    """The constants without quotes in the text of an atom that `parse_atom` reads."""
    line = LineScanner(text)
    name = line.match(atom_parser.WORD)
    assert name is not None
    terms, _ = parse_arguments(line, name, atom_parser.parse_term)
    return tuple(atom_parser.bare_constants(terms))


def parse_arguments(
    line: LineScanner, name: str, parse_argument: Callable[[LineScanner], T]
) -> tuple[tuple[T, ...], TimeTerm]:
    """The arguments in brackets, each by ``parse_argument``; the last one is a time."""
    start = line.begin()
    if not line.accept("("):
        line.fail(NoTime, f"{shorten(name)} has no arguments", start, start + 1)
    found: list[T] = []
    begin, time = start, None
    while not atom_parser.take_separator(line, len(found) + (time is not None)):
        begin = line.begin()
        last = line.match(_LAST)
        if last is None:
            found.append(parse_argument(line))
        else:
            time = _time(line, last.rstrip(" \t"), begin)
    if time is None:
        if not found:
            line.fail(NoTime, f"{shorten(name)} has no arguments", start, line.taken)
        message = f"{shorten(line.text[begin : line.taken - 1])} is no time"
        line.fail(BadTime, message, begin, line.taken - 1)
    return tuple(found), time


def _term(line: LineScanner) -> ObjectTerm:
    value = atom_parser.parse_term(line).value
    assert isinstance(value, Literal | Variable)
    return value


def _time(line: LineScanner, written: str, start: int) -> TimeTerm:
    end = start + len(written)
    found = _TIME.fullmatch(written)
    if found is None or not (found["number"] or atom_parser.is_variable(written)):
        line.note(BadTime, f"{shorten(written)} is no time", start, end)
        return _FAULTY_TIME
    digits = (found["number"] or found["offset"] or "0").lstrip("0") or "0"
    if len(digits) > len(str(MAX_TIME)) or int(digits) > MAX_TIME:
        line.note(HypOutOfBounds, f"{shorten(digits)} is more than {MAX_TIME}", start, end)
        return _FAULTY_TIME
    return TimeTerm(found["name"], -int(digits) if found["sign"] == "-" else int(digits))


class TextForm(IntEnum):
    """The forms of the text of an object term."""

    PLAIN = 0
    """In an atom."""
    INSIDE = 1
    """In an atom that stands within a JSON string."""
    APART = 2
    """By itself, as a JSON string."""


class TermTexts:
    """Texts of object terms by id, looked up once for as long as ids mean the same."""

    __slots__ = ("_sweeps", "_terms", "_texts")

    def __init__(self, terms: Dictionary) -> None:
        self._terms = terms
        self._sweeps = -1
        self._texts: tuple[dict[int, str], ...] = ()

    def column(self, ids: Column, form: TextForm) -> list[str]:
        """The texts of a column of ids."""
        if self._sweeps < self._terms.sweeps:
            self._texts, self._sweeps = ({}, {}, {}), self._terms.sweeps
        cache, listed = self._texts[form], ids.tolist()
        for term_id in {*listed}.difference(cache):  # not `-`: that would copy all texts
            self._add(term_id)
        return [cache[term_id] for term_id in listed]

    def _add(self, term_id: int) -> None:
        term = self._terms.term(term_id)
        assert isinstance(term, Literal)
        plain = write_constant(term.lexical)
        forms = plain, escape_json(plain), quote_json(term.lexical)
        for cache, text in zip(self._texts, forms, strict=True):
            cache[term_id] = text


def escape_json(text: str) -> str:
    """A text as it stands within a JSON string."""
    return quote_json(text)[1:-1]
