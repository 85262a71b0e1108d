"""Atoms of Temporal Datalog, by recursive descent on one line: the last argument is time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from rif.cursor import shorten
from rif.terms import Literal, Variable
from temporal.hypothetical.ast import Atom, Term, Time
from temporal.hypothetical.errors import BadTime, NoTime, OutOfBounds
from temporal.text import atoms
from temporal.text.scanner import Line

MOST: Final = 2**59
"""The greatest time, offset and delay: arrival and delay together are cells of the engine."""

_LAST: Final = re.compile(r"""(?:[^\s,()\[\]"'#][^,()\[\]"'#]*)(?=\))""")
_TIME: Final = re.compile(
    r"(?P<number>[0-9]+)|\??(?P<name>\w+)[ \t]*(?:(?P<sign>[+-])[ \t]*(?P<offset>[0-9]+))?"
)
_NOWHEN: Final = Time(None, 0)
"""Stands for a time that is faulty, so that what follows it is read."""

T = TypeVar("T")


def atom(line: Line) -> Atom:
    """An atom of a rule or query."""
    start = line.begin()
    name = line.match(atoms.WORD)
    if name is None:
        line.unexpected("expected an atom", "such as Temp(X,high,T)")
    args, time = arguments(line, name, _term)
    return Atom(name, args, time, span=line.span(start))


def arguments(line: Line, name: str, one: Callable[[Line], T]) -> tuple[tuple[T, ...], Time]:
    """What stands in the brackets behind a predicate; ``one`` reads what is no time."""
    start = line.begin()
    if not line.accept("("):
        line.fail(NoTime, f"{shorten(name)} has no arguments", start, start + 1)
    found: list[T] = []
    begin, time = start, None
    while not atoms.closes(line, len(found) + (time is not None)):
        begin = line.begin()
        last = line.match(_LAST)
        if last is None:
            found.append(one(line))
        else:
            time = _time(line, last.rstrip(" \t"), begin)
    if time is None:
        if not found:
            line.fail(NoTime, f"{shorten(name)} has no arguments", start, line.taken)
        message = f"{shorten(line.text[begin : line.taken - 1])} is no time"
        line.fail(BadTime, message, begin, line.taken - 1)
    return tuple(found), time


def _term(line: Line) -> Term:
    value = atoms.term(line).value
    assert isinstance(value, Literal | Variable)
    return value


def _time(line: Line, written: str, start: int) -> Time:
    end = start + len(written)
    found = _TIME.fullmatch(written)
    if found is None or not (found["number"] or atoms.is_variable(written)):
        line.note(BadTime, f"{shorten(written)} is no time", start, end)
        return _NOWHEN
    digits = (found["number"] or found["offset"] or "0").lstrip("0") or "0"
    if len(digits) > len(str(MOST)) or int(digits) > MOST:
        line.note(OutOfBounds, f"{shorten(digits)} is more than {MOST}", start, end)
        return _NOWHEN
    return Time(found["name"], -int(digits) if found["sign"] == "-" else int(digits))
