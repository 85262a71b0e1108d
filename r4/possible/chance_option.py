"""Chances from text: ``0.9`` of all that may come, ``urn:ex:a=0:0.8,1m:0.95`` of a predicate."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Final

from r4.time.ticks import BadDuration, FinerThanTick, OutOfRange, Tick, TimeScale
from rif.errors.base import Span
from rif.errors.report import RuleErrors, shorten
from rif.syntax.iri import is_absolute
from temporal.hypothetical.ranking.arrival_probability import StepFunction, parse_probability
from temporal.hypothetical.rif_rules.arrival_chances import ArrivalChances, UnitLateness
from temporal.hypothetical.rif_rules.errors import BadUnitChance

OPTION: Final = "--chance"
_OTHERS: Final = ""
_IRI: Final = re.compile(r"<?([^<>]*)>?")


def parse_chances(
    texts: Iterable[str],
    scale: TimeScale,
    delays: UnitLateness,
    expand: Callable[[str], str] = str,
) -> ArrivalChances:
    """The chances in texts: each a histogram, or an IRI, ``=`` and one.

    A histogram is ``DELAY:NUMBER`` with commas between, of which ``0:`` may be left out. ``expand``
    gives the IRI that a name stands for.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    faults: list[BadUnitChance] = []
    found: dict[str, StepFunction] = {}
    given = list(texts)
    for line, text in enumerate(given, 1):
        name, _, value = text.rpartition("=")
        try:
            found[_key(name, expand, found)] = _histogram(value, scale, max(delays.longest))
        except _Fault as fault:
            span = Span(line, 1, line, len(text) + 1)
            faults.append(BadUnitChance(str(fault), span, *fault.args[1:]))
    if faults:
        raise RuleErrors(faults, "\n".join(given), OPTION)
    return ArrivalChances(found.pop(_OTHERS, None), found)


class _Fault(Exception):
    """What is wrong with a text, and perhaps a hint."""

    def __str__(self) -> str:
        return str(self.args[0])


def _key(name: str, expand: Callable[[str], str], known: Container[str]) -> str:
    """The canonical text of a name, of which nothing is ``known`` yet."""
    iri = _IRI.fullmatch(expand(name))
    if name and (iri is None or not is_absolute(iri[1])):
        message = f"{shorten(name)} is no absolute IRI"
        raise _Fault(message)
    key = f"<{iri[1]}>" if name and iri else _OTHERS
    if key in known:
        message = f"two chances of {shorten(name) if name else 'all others'}"
        raise _Fault(message)
    return key


def _histogram(text: str, scale: TimeScale, latest: Tick) -> StepFunction:
    steps = [_step(each, scale) for each in text.split(",")]
    for (delay, p), (later, more) in pairwise(steps):
        if later <= delay:
            message = f"{shorten(text)}: delays ascend"
            raise _Fault(message)
        if more < p:
            message = f"{shorten(text)}: what has come stays, so no number is less than before"
            raise _Fault(message)
    delay = steps[-1][0]
    if delay > latest:
        message = f"{shorten(text)}: no element may be so late"
        hint = "--delay says how late elements may be; the last number holds up to that"
        raise _Fault(message, hint)
    return StepFunction(tuple(delay for delay, _ in steps), (Fraction(0), *(p for _, p in steps)))


def _step(text: str, scale: TimeScale) -> tuple[Tick, Fraction]:
    delay, colon, number = text.rpartition(":")
    try:
        return scale.duration(delay) if colon else 0, parse_probability(number.strip())
    except FinerThanTick as error:
        message = f"{error}"
        hint = "choose a finer --tick"
        raise _Fault(message, hint) from None
    except (BadDuration, OutOfRange, ValueError) as error:
        raise _Fault(str(error)) from None
