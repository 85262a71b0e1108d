"""Bare durations: those without a unit, which count ticks even where stamps are dateTimes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from r4.errors import Flaw
from r4.program.lookahead import operators
from r4.time.ticks import TickUnit
from rif.syntax import ast
from temporal.intervals.durations import Durations

_SHOWN: Final = 3
"""How many are named."""
_BARE: Final = re.compile(r"(?:.*=)?\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*\Z", re.ASCII | re.DOTALL)
"""The value of an option that is a number, behind ``FILE=`` or ``IRI=`` if there is one."""


class BareDuration(NamedTuple):
    """A duration without a unit: as it is written, what it is before the unit, and its number."""

    written: str
    meaning: str
    number: str


def warn_of_bare_durations(
    documents: Sequence[ast.Document], options: Mapping[str, Iterable[str]], unit: TickUnit
) -> str:
    """The warning about bare durations in a run over dateTimes; "" if there are none but 0.

    Args:
        documents: the rules; the Window of the first of them counts.
        options: the values of options that are durations, by option; ``--window`` replaces the
            Window of the rules.
        unit: the length of a tick.
    """
    found = list(dict.fromkeys((*_in_rules(documents, options), *_in_options(options))))
    if not found:
        return ""
    named = ", ".join(f"{each.written} is {each.meaning} {unit}" for each in found[:_SHOWN])
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    number, code = found[0].number, Flaw.NO_UNIT.code
    example = f"write {number} s, {number} m …"
    return f"{code} warning: {named}{more}, as stamps are dateTimes: {example}"


def _in_rules(
    documents: Sequence[ast.Document], options: Mapping[str, Iterable[str]]
) -> Iterator[BareDuration]:
    window = None if options.get("--window") else documents[0].window
    if window is not None and not window.unit and float(window.amount):
        yield BareDuration(f"Window({window.amount})", window.amount, window.amount)
    for document in documents:
        for each in operators(document):
            rho = each.rho
            if isinstance(rho, Durations) and rho.in_ticks and (rho.left or rho.right):
                name = type(each).__name__
                yield BareDuration(f"{name} {rho}", f"{rho} in", str(rho.right or rho.left))


def _in_options(options: Mapping[str, Iterable[str]]) -> Iterator[BareDuration]:
    for option, values in options.items():
        for value in values:
            if (found := _BARE.match(value)) and float(found[1]):
                yield BareDuration(f"{option} {value}", found[1], found[1])
