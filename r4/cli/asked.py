"""What the command line says of a run over streams, and what that means."""

from __future__ import annotations

from dataclasses import dataclass

import click

from r4.cli.delays import Delays
from r4.streams import StreamOptions
from r4.time import BadDuration, FinerThanTick, OutOfRange, TickUnit, TimeScale


@dataclass(frozen=True, slots=True)
class Asked:
    """What it says of the rules, the data and their time: the values of options by name."""

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

    def reading(self, scale: TimeScale) -> StreamOptions:
        """How streams are read, but for what is late."""
        return StreamOptions(
            names=True,
            scale=scale,
            time_predicate=self.time_predicate,
            strict=self.strict,
        )

    def delays(self, scale: TimeScale) -> Delays:
        """How late elements may be.

        Raises:
            click.UsageError: an option says no delay, or two are of the same.
        """
        return Delays.of(self.delay, lambda text: ticks(text, "--delay", scale))


@dataclass(frozen=True, slots=True)
class AskedRun(Asked):
    """What it says also where answers are told: which ones, and up to when."""

    semantics: str
    drain: str | None
    limit: int | None
    only: tuple[str, ...]
    include_input: bool
    include_background: bool

    @property
    def instances(self) -> bool:
        """Whether answers are instances, not facts."""
        return self.semantics == "instances"


def ticks(text: str, option: str, scale: TimeScale) -> int:
    """The duration that an option says.

    Raises:
        click.UsageError: it is none.
    """
    try:
        return scale.duration(text)
    except FinerThanTick as error:
        message = f"{option}: {error}; choose a finer --tick"
        raise click.UsageError(message) from None
    except (BadDuration, OutOfRange) as error:
        message = f"{option}: {error}"
        raise click.UsageError(message) from None
