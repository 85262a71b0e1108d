"""Ports of a run: what is handed in from outside, as a command, a library or a service has it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, Protocol, Self

from r4.answers.output_order import Changes
from r4.time.ticks import Tick
from rete.arrays.delta import Column

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports


class RunStopped(Exception):
    """A run is to end before its input does; its state is to be saved."""


class ReplayEnded(Exception):
    """All recorded events of a run have happened again, and no new ones are wanted."""


Say = Callable[[str], object]
"""Takes lines for a person: what is wrong with the data, what becomes of the run."""


class Report(Protocol):
    """Where the answers of a run go: as they come, at marks of time, or at the end."""

    def changes(self, changes: Changes, before: Tick | None = None) -> None:
        """Answers began or ceased to hold; their ids hold until the next step of the run.

        If possible answers of stamps ``before`` one are reported later, these come in front.
        """

    def possible(self, reports: StatusReports) -> None:
        """Possible answers began, became certain, or were withdrawn."""

    def advance(self, frontier: Tick, before: Tick | None = None) -> None:
        """All instants before ``frontier`` are final, and their changes were reported.

        ``before`` is as of `changes`.
        """

    @property
    def needed_ids(self) -> Column:
        """Ids of what was reported to it that it needs after the step, too."""


class StreamReport(Report, Protocol):
    """A report of a run over streams, which counts its answers and has an end."""

    @property
    def written(self) -> int:
        """How many answers were written so far."""

    def finish(self) -> None:
        """Nothing more comes; called once, last, after an error too."""


class Stop(AbstractContextManager["Stop"], Protocol):
    """Whether a run is to end; entered while it reads its streams."""

    @property
    def is_set(self) -> bool:
        """Whether the run is to end before its input does."""

    @property
    def descriptor(self) -> int | None:
        """Can be read once the run is to end, or is asked to read again; None: nobody waits."""

    def check(self) -> None:
        """Raise where the run is to end at once, though rules derive."""

    def comes_within(self, seconds: float) -> bool:
        """Whether the run is to end now, or within so many seconds."""

    def take_reading(self) -> bool:
        """Whether static data and rules are to be read again; True once each time it was asked."""

    def take_reopening(self) -> bool:
        """Whether outputs whose files were moved away are to be opened again; likewise."""


class _Never:
    """Nobody stops a run."""

    is_set = False
    descriptor = None

    def check(self) -> None:
        """Let it go on."""

    def comes_within(self, _: float) -> bool:
        """It does not end."""
        return False

    def take_reading(self) -> bool:
        """Nothing is read again."""
        return False

    def take_reopening(self) -> bool:
        """Nothing is opened again."""
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was set up."""


NEVER: Final[Stop] = _Never()
"""Nobody stops a run."""
