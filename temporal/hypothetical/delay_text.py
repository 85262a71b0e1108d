"""Delays as text: ``2`` of all facts, ``Temp=2`` of a predicate, ``Temp(wt2,_)=3`` of instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, TypeAlias

from rif.ast import Span
from rif.cursor import shorten
from rif.errors import RuleError, RuleErrors
from temporal.hypothetical.ast import Program
from temporal.hypothetical.atoms import MOST
from temporal.hypothetical.delays import Args, Delays, meet
from temporal.hypothetical.errors import (
    AmbiguousDelay,
    BadDelay,
    OutOfBounds,
    coded,
)
from temporal.hypothetical.wellformed import arities
from temporal.selection import ANY, parse_pattern
from temporal.wellformed import clash

_Key: TypeAlias = tuple[str, Args] | None
"""Of what a delay is; None: of all."""

_NAME: Final = "--delay"


def parse_delays(texts: Sequence[str], program: Program) -> Delays:
    """The delays that texts say, one a text, of what comes in where a program runs.

    Of predicates that the program does not have the result has no pattern, but their names.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    known = arities(program)
    delays, faults = Delays(), list[RuleError]()
    places: dict[_Key, Span] = {}
    for number, text in enumerate(texts, 1):
        span = Span(number, 1, number, len(text) + 1)
        try:
            key, delay = _parsed(text, span, known, program.intensional)
            if key in places:
                message = f"{shorten(text.rpartition('=')[0]) or 'a delay of all'} is given twice"
                raise BadDelay(message, span, "")
        except RuleErrors as errors:
            first = errors.errors[0]
            faults.append(coded(type(first)(first.message, span, first.hint)))
        except RuleError as fault:
            faults.append(fault)
        else:
            places[key] = span
            delays = _with(delays, key, delay, known)
    faults += _ambiguous(delays, places)
    if faults:
        raise RuleErrors(faults, "\n".join(texts), _NAME)
    return delays


def _parsed(
    text: str, span: Span, known: Mapping[str, int], derived: frozenset[str]
) -> tuple[_Key, int]:
    """Of what a delay is; and the delay."""
    written, equals, number = text.rpartition("=")
    delay = _number(number.strip(), span)
    if not equals:
        return None, delay
    pattern = parse_pattern(written)
    name = pattern.predicate
    if name in derived:
        message = f"{shorten(name)} is concluded by rules; only what comes in is late"
        raise BadDelay(message, span, "")
    args = (ANY,) * known.get(name, 0) if pattern.args is None else pattern.args
    if len(args) != known.get(name, len(args)):
        fault = coded(clash(name, len(args), known[name], span))
        fault.hint = "a pattern has all arguments but time"
        raise fault
    return (name, args), delay


def _number(text: str, span: Span) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{shorten(text) or 'nothing'} is no natural number"
        raise BadDelay(message, span)
    if len(text) > len(str(MOST)) or int(text) > MOST:
        message = f"{shorten(text)} is more than {MOST}"
        raise OutOfBounds(message, span)
    return int(text)


def _with(delays: Delays, key: _Key, delay: int, known: Mapping[str, int]) -> Delays:
    if key is None:
        return replace(delays, default=delay)
    name, args = key
    said = delays.patterns.get(name, ())
    if name in known:
        said = (*said, (args, delay))
    ordered = tuple(sorted(said, key=lambda each: each[0].count(ANY)))
    return replace(delays, patterns={**delays.patterns, name: ordered})


def _ambiguous(delays: Delays, places: dict[_Key, Span]) -> Iterator[RuleError]:
    """Pairs of patterns that say different things of the instances that match both."""
    for name, patterns in delays.patterns.items():
        given = {args for args, _ in patterns}
        for (one, first), (other, second) in combinations(patterns, 2):
            both = meet(one, other)
            if first != second and both is not None and both not in given:
                span = max(places[name, one], places[name, other], key=lambda span: span.line)
                message = f"this says {second}, and another {first}, of the same instances"
                hint = f"say what holds for {name}({','.join(both)})"
                yield AmbiguousDelay(message, span, hint)
