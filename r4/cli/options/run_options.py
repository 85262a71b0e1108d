"""The options of a run over streams: their values, parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

import click

from r4.cli.options.iri_names import IriNames
from r4.cli.terminal.console import say
from r4.extras import scheme_of
from r4.rdf.documents import SUFFIXES, RdfDocument
from r4.sinks.formats import FORMATS, form_of, format_names
from r4.stream.source import StreamOptions
from r4.time.ticks import BadDuration, FinerThanTick, OutOfRange, Tick, TickUnit, TimeScale
from rif.syntax.iri import is_absolute

_OTHER_SUFFIXES: Final = {*SUFFIXES, ".csv", ".tsv", ".gz", ".bz2", ".xz"}
"""How files end that answers are not written to."""


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The options about rules, data and their time, by name."""

    rules: str
    streams: tuple[str, ...]
    static: tuple[str, ...]
    window: str | None
    entailment: str
    delay: tuple[str, ...]
    strict: bool
    lenient: bool
    time_predicate: str | None
    tick: TickUnit
    literals: str
    import_map: tuple[str, ...]
    import_root: str | None

    @property
    def by_value(self) -> bool:
        """Whether literals of equal values are one term."""
        return self.literals == "value"

    def reading(self, scale: TimeScale, iri_names: IriNames) -> StreamOptions:
        """How streams are read, but for what is late.

        Raises:
            click.UsageError: the time predicate is no absolute IRI.
        """
        predicate = self.time_predicate
        return StreamOptions(
            names=True,
            scale=scale,
            time_predicate=None
            if predicate is None
            else iri_names.iri("--time-predicate", predicate),
            strict=self.strict,
        )

    def delays(self, scale: TimeScale) -> DelayOptions:
        """How late elements may be.

        Raises:
            click.UsageError: a value is no delay, or two are for the same.
        """
        return DelayOptions.of(self.delay, lambda text: parse_ticks(text, "--delay", scale))


@dataclass(frozen=True, slots=True)
class RunOptions(InputOptions):
    """These, and the options about answers: which are written, and up to when."""

    semantics: str
    drain: str | None
    only: tuple[str, ...]
    include_input: bool
    include_background: bool

    @property
    def instances(self) -> bool:
        """Whether answers are instances, not facts."""
        return self.semantics == "instances"


def parse_ticks(text: str, option: str, scale: TimeScale) -> int:
    """The duration in an option, in ticks.

    Raises:
        click.UsageError: the text is no duration.
    """
    try:
        return scale.duration(text)
    except FinerThanTick as error:
        message = f"{option}: {error}; choose a finer --tick"
        raise click.UsageError(message) from None
    except (BadDuration, OutOfRange) as error:
        message = f"{option}: {error}"
        raise click.UsageError(message) from None


class SinkFormatChoice(click.Choice[str]):
    """A form of answers: of R4, or, if the name is none of these, of another package."""

    def __init__(self) -> None:
        super().__init__(list(FORMATS))

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the form, which exists."""
        if value not in FORMATS:
            self.choices = format_names()
        return super().convert(value, param, ctx)


def choose_form(asked: str | None, output: str) -> str:
    """The form of answers: what ``--as`` asked for, else what the suffix of the output says.

    Where that says something that answers are not, R4 warns and writes JSON lines.
    """
    if asked is not None:
        return asked
    if found := form_of(output):
        return found
    suffix = PurePath(output).suffix.lower()
    if scheme_of(output) is None and suffix in _OTHER_SUFFIXES:
        say(
            f"warning: {output} gets JSON lines, as no form of answers has the suffix {suffix}; "
            f"--as chooses one: {', '.join(format_names())}"
        )
    return "jsonl"


@dataclass(frozen=True, slots=True)
class DelayOptions:
    """The values of ``--delay``.

    Attributes:
        values: For each, what stands before the last ``=`` ("" if there is none), and the ticks.
    """

    values: tuple[tuple[str, Tick], ...]

    @classmethod
    def of(cls, values: Sequence[str], ticks: Callable[[str], Tick]) -> DelayOptions:
        """Read the values; ``ticks`` reads durations.

        Raises:
            UsageError: A value is no delay, or two are for the same.
        """
        parsed = [
            (key, ticks(text)) for key, _, text in (value.rpartition("=") for value in values)
        ]
        for key, _ in parsed:
            if [other for other, _ in parsed].count(key) > 1:
                of = f" of {key}" if key else ""
                message = f"--delay{of} is given twice"
                raise click.UsageError(message)
        return cls(tuple(parsed))

    def apply(
        self, options: StreamOptions, streams: Iterable[RdfDocument], iri_names: IriNames
    ) -> StreamOptions:
        """``options`` with these delays, where ``streams`` are read.

        Raises:
            UsageError: A value is for what is no stream and no IRI.
        """
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
                message = f"--delay: {key} is no stream of this run, and no IRI of a predicate"
                raise click.UsageError(message)
        return replace(options, delays=sources, predicate_delays=predicates)
