"""Durations in options, and the warning of those without a unit in a run over dateTimes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from r4.cli.options.iri_names import IriNames
from r4.cli.terminal.console import refuse
from r4.errors import Flaw
from r4.options.values import Duration, duration_text
from r4.program.lookahead import operators
from r4.rdf.documents import RdfDocument
from r4.stream.source import StreamOptions
from r4.time.ticks import BadDuration, FinerThanTick, OutOfRange, Tick, TickUnit, TimeScale
from rif.syntax import ast
from rif.syntax.iri import is_absolute
from temporal.intervals.durations import Durations


def parse_ticks(value: Duration, option: str, scale: TimeScale) -> int:
    """The duration in an option, in ticks."""
    try:
        return scale.duration(duration_text(value))
    except (BadDuration, FinerThanTick, OutOfRange) as error:
        finer = "; choose a finer --tick" if isinstance(error, FinerThanTick) else ""
        refuse(f"{option}: {error}{finer}")


def is_duration(text: str) -> bool:
    """Whether a text is a duration, be it too long or too fine for some ticks."""
    try:
        TimeScale().duration(text)
    except BadDuration:
        return False
    except (FinerThanTick, OutOfRange):
        pass
    return True


def maybe_ticks(value: Duration | None, option: str, scale: TimeScale) -> int | None:
    """The same; None: the option is not given."""
    return None if value is None else parse_ticks(value, option, scale)


@dataclass(frozen=True, slots=True)
class DelayOptions:
    """The values of ``--delay``.

    Attributes:
        values: For each, what stands before the last ``=`` ("" if there is none), and the ticks.
    """

    values: tuple[tuple[str, Tick], ...]

    @classmethod
    def of(cls, values: Sequence[str], scale: TimeScale) -> DelayOptions:
        """Read the values."""
        parsed = [
            (key, parse_ticks(text, "--delay", scale))
            for key, _, text in (value.rpartition("=") for value in values)
        ]
        for key, _ in parsed:
            if [other for other, _ in parsed].count(key) > 1:
                of = f" of {key}" if key else ""
                refuse(f"--delay{of} is given twice")
        return cls(tuple(parsed))

    def apply(
        self, options: StreamOptions, streams: Iterable[RdfDocument], iri_names: IriNames
    ) -> StreamOptions:
        """``options`` with these delays, where ``streams`` are read."""
        names = {stream.path: stream.name for stream in streams}
        sources: dict[str, Tick] = {}
        predicates: dict[str, Tick] = {}
        for key, ticks in self.values:
            if not key:
                options = replace(options, delay=ticks)
            elif key in names:
                sources[names[key]] = ticks
            elif is_absolute(iri := iri_names.expand(key)):
                predicates[iri] = ticks
            else:
                refuse(f"--delay: {key} is no stream of this run, and no IRI of a predicate")
        return replace(options, delays=sources, predicate_delays=predicates)


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
