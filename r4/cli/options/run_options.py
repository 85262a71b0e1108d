"""The options of a run over streams: their values, parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import click

from r4.cli.options.iri_names import IriNames
from r4.options.run_options import InputOptions
from r4.options.values import Duration, duration_text
from r4.rdf.documents import RdfDocument
from r4.stream.source import StreamOptions
from r4.time.ticks import BadDuration, FinerThanTick, OutOfRange, Tick, TimeScale
from rif.syntax.iri import is_absolute


def stream_options(options: InputOptions, scale: TimeScale, iri_names: IriNames) -> StreamOptions:
    """How streams are read, but for what is late.

    Raises:
        click.UsageError: the time predicate is no absolute IRI.
    """
    predicate = options.time_predicate
    if predicate is not None:
        predicate = iri_names.iri("--time-predicate", predicate)
    return StreamOptions(names=True, scale=scale, time_predicate=predicate, strict=options.strict)


def parse_ticks(value: Duration, option: str, scale: TimeScale) -> int:
    """The duration in an option, in ticks.

    Raises:
        click.UsageError: it is no duration.
    """
    try:
        return scale.duration(duration_text(value))
    except FinerThanTick as error:
        message = f"{option}: {error}; choose a finer --tick"
        raise click.UsageError(message) from None
    except (BadDuration, OutOfRange) as error:
        message = f"{option}: {error}"
        raise click.UsageError(message) from None


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
        """Read the values.

        Raises:
            UsageError: A value is no delay, or two are for the same.
        """
        parsed = [
            (key, parse_ticks(text, "--delay", scale))
            for key, _, text in (value.rpartition("=") for value in values)
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
