"""Tables of facts: CSV with the arguments, then left and right end of a closed interval.

One file holds the facts of one predicate, as those of iTemporal do. A first row whose last two
cells are no numbers and no dates is a header.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from typing import Final

from rif.errors.base import Span
from rif.errors.report import shorten
from temporal.errors import ArityClash, BadRow, EmptyInterval, MixedTimes
from temporal.facts.fact_parser import FactReader
from temporal.intervals.interval import Interval
from temporal.intervals.literals import make_interval, parse_point
from temporal.mtl.ast import MetricFact
from temporal.mtl.operators import RESERVED
from temporal.text import atom_parser

_ENDS = 2
_MOST_KNOWN: Final = 4096
"""Intervals that are remembered by their text."""
_LONGEST_KNOWN: Final = 100


def is_predicate(text: str) -> bool:
    """Can it be the name of a predicate?"""
    return atom_parser.WORD.fullmatch(text) is not None and text not in RESERVED


def parse_row(
    line: str, number: int, predicate: str, reader: FactReader, *, is_first: bool = False
) -> MetricFact | None:
    """The fact of a row; None if there is none: it is blank, the header, or a fault.

    Constants are kept as they are written, blanks around them and quotes aside.
    """
    if not line.strip():
        return None
    span = Span(number, 1, number, len(line) + 1)
    try:
        cells = _cells(line)
        if is_first and len(cells) >= _ENDS and not any(map(parse_point, cells[-_ENDS:])):
            return None
        fact = MetricFact(predicate, *_fact(cells))
        if fault := reader.arity_fault(fact, span) or reader.time_fault(fact, span):
            reader.refuse(fault)
            return None
    except (BadRow, EmptyInterval, ArityClash, MixedTimes) as fault:
        reader.refuse(type(fault)(fault.message, span, fault.hint))
        return None
    return fact


def _cells(line: str) -> list[str]:
    if '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    try:
        return next(csv.reader((line,), strict=True, skipinitialspace=True))
    except csv.Error as error:
        message = f"the row cannot be cut into cells: {error}"
        raise BadRow(message) from None


def _interval(left: str, right: str) -> Interval:
    """The interval between two ends.

    Raises:
        BadRow: one of them is none.
        EmptyInterval: there is nothing between.
    """
    first, last = parse_point(left), parse_point(right)
    if first is None or last is None:
        message = f"{shorten(left if first is None else right)!r} is no number and no date"
        raise BadRow(message)
    found = make_interval(first, last)
    if found is None:
        message = f"[{left},{right}] has no time point"
        raise EmptyInterval(message)
    return found


_known_interval = lru_cache(_MOST_KNOWN)(_interval)


def _fact(cells: list[str]) -> tuple[tuple[str, ...], Interval]:
    if len(cells) < _ENDS:
        message = "the row has no two ends"
        raise BadRow(message)
    left, right = cells[-2].strip(), cells[-1].strip()
    short = len(left) + len(right) <= _LONGEST_KNOWN
    found = _known_interval(left, right) if short else _interval(left, right)
    args = tuple(cells[:-_ENDS])
    if len(args) > atom_parser.MAX_ARGUMENTS:
        message = f"the row has {len(args)} constants, {atom_parser.MAX_ARGUMENTS} are the most"
        raise BadRow(message)
    for arg in args:
        if not arg.isprintable():
            message = f"{shorten(arg)!r} has a character that cannot be seen"
            raise BadRow(message)
    return args, found
