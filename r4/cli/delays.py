"""``--delay``: how late elements may be, all of them, those of a source, those with a predicate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import click

from r4.rdf import Document
from r4.streams import StreamOptions
from r4.time import Tick

_IRI = re.compile(r"<?([A-Za-z][A-Za-z0-9+.-]*:[^<>\"{}|^`\\\s]*)>?")


@dataclass(frozen=True, slots=True)
class Delays:
    """What the values of the option say.

    Attributes:
        given: For each, what stands before the last ``=`` ("" if there is none), and the ticks.
    """

    given: tuple[tuple[str, Tick], ...]

    @classmethod
    def of(cls, values: Sequence[str], ticks: Callable[[str], Tick]) -> Delays:
        """Read the values; ``ticks`` reads durations.

        Raises:
            UsageError: One is no delay, or two are of the same.
        """
        given = [(key, ticks(text)) for key, _, text in (value.rpartition("=") for value in values)]
        for key, _ in given:
            if [other for other, _ in given].count(key) > 1:
                of = f" of {key}" if key else ""
                message = f"--delay{of} is given twice"
                raise click.UsageError(message)
        return cls(tuple(given))

    def apply(self, options: StreamOptions, streams: Iterable[Document]) -> StreamOptions:
        """``options`` with these delays, where ``streams`` are read.

        Raises:
            UsageError: One is of what is no stream and no IRI.
        """
        names = {stream.path: stream.name for stream in streams}
        sources: dict[str, Tick] = {}
        predicates: dict[str, Tick] = {}
        for key, ticks in self.given:
            if not key:
                options = replace(options, delay=ticks)
            elif key in names:
                sources[names[key]] = ticks
            elif found := _IRI.fullmatch(key):
                predicates[found[1]] = ticks
            else:
                message = f"--delay: {key} is no stream of this run, and no IRI of a predicate"
                raise click.UsageError(message)
        return replace(options, delays=sources, predicate_delays=predicates)
