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
from rif.errors.nearest import nearest_word
from rif.syntax import ast
from rif.syntax.iri import is_absolute
from temporal.intervals.durations import Durations, VariableRange


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
class KeyedDurations:
    """The values of an option: a duration for all, those of streams, those of predicates.

    Attributes:
        option: ``--delay``, ``--window``.
        values: For each, what stands before the last ``=`` ("" if there is none), and the ticks.
    """

    option: str
    values: tuple[tuple[str, Tick], ...]

    @classmethod
    def of(cls, option: str, values: Sequence[str], scale: TimeScale) -> KeyedDurations:
        """Read the values."""
        parsed = [
            (key, parse_ticks(text, option, scale))
            for key, _, text in (value.rpartition("=") for value in values)
        ]
        for key, _ in parsed:
            if [other for other, _ in parsed].count(key) > 1:
                of = f" of {key}" if key else ""
                refuse(f"{option}{of} is given twice")
        return cls(option, tuple(parsed))

    def resolved(self, streams: Iterable[RdfDocument], iri_names: IriNames) -> ResolvedDurations:
        """What the keys stand for where ``streams`` are read."""
        names = {stream.path: stream.name for stream in streams}
        others: Tick | None = None
        sources: dict[str, Tick] = {}
        predicates: dict[str, Tick] = {}
        for key, ticks in self.values:
            if not key:
                others = ticks
            elif key in names:
                sources[names[key]] = ticks
            elif not is_absolute(iri := iri_names.expand(key)):
                known = nearest_word(key, [*names])
                hint = "" if known is None else f"; did you mean {known}?"
                what = "is no stream of this run, and no IRI of a predicate"
                refuse(f"{self.option}: {key} {what}{hint}")
            elif iri in predicates:
                refuse(f"{self.option} of {key} is given twice")
            else:
                predicates[iri] = ticks
        return ResolvedDurations(others, sources, predicates)


class ResolvedDurations(NamedTuple):
    """Ticks: for all, None if that is not given; by the names of sources; by predicates."""

    others: Tick | None
    sources: Mapping[str, Tick]
    predicates: Mapping[str, Tick]

    def delaying(self, options: StreamOptions) -> StreamOptions:
        """``options`` with these delays."""
        others, sources, predicates = self
        delay = options.delay if others is None else others
        return replace(options, delay=delay, delays=sources, predicate_delays=predicates)


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
        options: the values of options that are durations, by option; a ``--window`` for all
            replaces the Window of the rules.
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
    is_replaced = any("=" not in value for value in options.get("--window", ()))
    window = None if is_replaced else documents[0].window
    if window is not None and not window.unit and float(window.amount):
        yield BareDuration(f"Window({window.amount})", window.amount, window.amount)
    for document in documents:
        for each in operators(document):
            rho = each.rho
            end = None if isinstance(rho, VariableRange) else rho.right
            if isinstance(rho, Durations) and rho.in_ticks and (rho.left or end):
                name = type(each).__name__
                yield BareDuration(f"{name} {rho}", f"{rho} in", str(end or rho.left))


def _in_options(options: Mapping[str, Iterable[str]]) -> Iterator[BareDuration]:
    for option, values in options.items():
        for value in values:
            if (found := _BARE.match(value)) and float(found[1]):
                yield BareDuration(f"{option} {value}", found[1], found[1])
