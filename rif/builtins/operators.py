"""Operators of any kind of value: ``<``, ``=``, ``+`` and the like, R4's own.

``add`` of 1 and 2 is 3, of ``2024-01-31`` and ``P1M`` it is ``2024-02-29``. An operator does what
the built-in of RIF-DTB for values of these kinds does [XPath, B.2], and has its domain. The kinds
are numbers, dateTimes, dates, times, durations, strings (by code points) and booleans (compared
only, false before true). Outside the domain are two kinds that do not go together, and other terms.

``equal`` alone has a value of any two terms: where no built-in compares them, they are equal if
they are the same term.

Where stamps are integers, a dayTimeDuration that is compared with an integer, or added to one,
counts as so many ticks: ``?until - ?from > 5 m``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias
from typing import Literal as Choice

from rif.builtins import booleans, dates, durations, numeric
from rif.builtins.booleans import boolean
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Builtin, Outcome, comparison
from rif.builtins.strings import string
from rif.syntax.terms import FUNC, PRED, XSD, GroundTerm, Literal
from rif.values.datatypes import RANGES, literal_of
from rif.values.date_arithmetic import SECOND, ticks
from rif.values.decimals import divide

_Evaluate: TypeAlias = Callable[..., Outcome]
_Compare: TypeAlias = Callable[[str | bool, str | bool], bool]
_Kinds: TypeAlias = tuple[str, str]
_Table: TypeAlias = Mapping[_Kinds, tuple[_Evaluate, ...]]
"""By the kinds of two terms the built-ins that may take them; the first that does decides."""

_MOMENTS: Final = ("dateTime", "date", "time")
_DURATIONS: Final = ("dayTimeDuration", "yearMonthDuration")
_STRINGS: Final = ("string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN")

_KIND: Final[Mapping[str, str]] = {
    **dict.fromkeys((XSD + name for name in (*RANGES, "decimal", "float", "double")), "numeric"),
    **dict.fromkeys((XSD + name for name in _STRINGS), "string"),
    **{XSD + name: name for name in (*_MOMENTS, *_DURATIONS, "boolean")},
    XSD + "dateTimeStamp": "dateTime",
}
"""The kinds of value, by datatype."""

_INTEGERS: Final = frozenset(XSD + name for name in RANGES)

_DTB: Final[Mapping[str, _Evaluate]] = {
    builtin.name: builtin.evaluate
    for group in (booleans, dates, durations, numeric)
    for builtin in group.BUILTINS
}


def duration_in_ticks(term: GroundTerm, other: GroundTerm, per_second: int) -> GroundTerm:
    """``term``, or how many ticks it lasts if it is a dayTimeDuration and ``other`` an integer."""
    if not isinstance(other, Literal) or other.datatype not in _INTEGERS:
        return term
    length = ticks(term)
    if length is None:
        return term
    count, rest = divmod(length * per_second, SECOND)
    if rest:
        return literal_of("decimal", divide(length * per_second, SECOND))
    return literal_of("integer", count)


def _kind(term: GroundTerm) -> str:
    return _KIND.get(term.datatype, "") if isinstance(term, Literal) else ""


def _outcome(table: _Table, left: GroundTerm, right: GroundTerm) -> Outcome:
    for evaluate in table.get((_kind(left), _kind(right)), ()):
        found = evaluate(left, right)
        if found is not None:
            return found
    return None


# comparison


def _ordered(name: str, compare: _Compare) -> _Table:
    """The built-ins that compare two values of one kind."""
    plain = {kind: (_DTB[f"{PRED}{kind}-{name}"],) for kind in ("numeric", *_MOMENTS)}
    plain["string"] = (comparison(name, string, compare).evaluate,)
    plain["boolean"] = (comparison(name, boolean, compare).evaluate,)
    of_durations = tuple(_DTB[f"{PRED}{kind}-{name}"] for kind in _DURATIONS)
    # The empty duration is of both datatypes, so any two may go together.
    pairs = [(left, right) for left in _DURATIONS for right in _DURATIONS]
    return {(kind, kind): found for kind, found in plain.items()} | dict.fromkeys(
        pairs, of_durations
    )


_EQUAL: Final[_Table] = {
    **{(kind, kind): (_DTB[f"{PRED}{kind}-equal"],) for kind in ("numeric", *_MOMENTS, "boolean")},
    ("string", "string"): (comparison("equal", string, operator.eq).evaluate,),
    **{(one, two): (_DTB[PRED + "duration-equal"],) for one in _DURATIONS for two in _DURATIONS},
}


def _equal(left: GroundTerm, right: GroundTerm) -> bool:
    """Are they equal values, of one kind? Of other terms: are they the same term?"""
    found = _outcome(_EQUAL, left, right)
    return left == right if found is None else found is True


# arithmetic


def _swapped(evaluate: _Evaluate) -> _Evaluate:
    return lambda left, right: evaluate(right, left)


def _of_durations(form: str) -> Iterator[tuple[_Kinds, tuple[_Evaluate, ...]]]:
    """Of two durations; the datatype of the first is tried first, for an empty one is of both."""
    functions = {kind: _DTB[FUNC + form.format(kind)] for kind in _DURATIONS}
    for left, other in (_DURATIONS, _DURATIONS[::-1]):
        for right in _DURATIONS:
            yield (left, right), (functions[left], functions[other])


def _moved(form: str) -> Iterator[tuple[_Kinds, tuple[_Evaluate, ...]]]:
    """Of a moment and a duration; months do not move a time."""
    for moment in _MOMENTS:
        names = (FUNC + form.format(kind, moment) for kind in _DURATIONS)
        functions = tuple(_DTB[name] for name in names if name in _DTB)
        for duration in _DURATIONS:
            yield (moment, duration), functions


def _scaled(form: str) -> Iterator[tuple[_Kinds, tuple[_Evaluate, ...]]]:
    """Of a duration and a number."""
    for kind in _DURATIONS:
        yield (kind, "numeric"), (_DTB[FUNC + form.format(kind)],)


def _either_way(rows: Iterator[tuple[_Kinds, tuple[_Evaluate, ...]]]) -> _Table:
    """These, and the same with their arguments exchanged."""
    table = dict(rows)
    return table | {
        (right, left): tuple(map(_swapped, found)) for (left, right), found in table.items()
    }


def _numbers(name: str) -> _Table:
    return {("numeric", "numeric"): (_DTB[f"{FUNC}numeric-{name}"],)}


_ADD: Final[_Table] = {
    **_numbers("add"),
    **_either_way(_moved("add-{}-to-{}")),
    **dict(_of_durations("add-{}s")),
}
_SUBTRACT: Final[_Table] = {
    **_numbers("subtract"),
    **{(kind, kind): (_DTB[f"{FUNC}subtract-{kind}s"],) for kind in _MOMENTS},
    **dict(_moved("subtract-{}-from-{}")),
    **dict(_of_durations("subtract-{}s")),
}
_MULTIPLY: Final[_Table] = {**_numbers("multiply"), **_either_way(_scaled("multiply-{}"))}
_DIVIDE: Final[_Table] = {
    **_numbers("divide"),
    **dict(_scaled("divide-{}")),
    **dict(_of_durations("divide-{0}-by-{0}")),
}


_SCALING: Final = ("multiply", "divide")
"""What a number does to a duration."""


def _operator(
    name: str, kind: Choice["predicate", "function"], table: _Table, meaning: str
) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> Outcome:
        return _outcome(table, left, right)

    evaluate.__doc__ = meaning
    return Builtin(R4_BUILTIN + name, kind, 2, 2, evaluate, in_ticks=name not in _SCALING)


_ORDER: Final = (
    ("less-than", operator.lt, "Is the first less than the second, of the same kind?"),
    ("less-than-or-equal", operator.le, "Is it less, or equal?"),
    ("greater-than", operator.gt, "Is the first greater than the second, of the same kind?"),
    ("greater-than-or-equal", operator.ge, "Is it greater, or equal?"),
)

BUILTINS: tuple[Builtin, ...] = (
    *(
        _operator(name, "predicate", _ordered(name, compare), meaning)
        for name, compare, meaning in _ORDER
    ),
    Builtin(R4_BUILTIN + "equal", "predicate", 2, 2, _equal, in_ticks=True),
    _operator(
        "add", "function", _ADD, "Numbers, durations; a dateTime, date or time so much later."
    ),
    _operator(
        "subtract",
        "function",
        _SUBTRACT,
        "Numbers, durations; a dateTime, date or time so much earlier, or how long after another.",
    ),
    _operator("multiply", "function", _MULTIPLY, "Numbers; a duration so many times."),
    _operator(
        "divide",
        "function",
        _DIVIDE,
        "Numbers, as by func:numeric-divide; a duration by a number, or by one of its kind.",
    ),
)
