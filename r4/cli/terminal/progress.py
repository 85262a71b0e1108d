"""How far a run is, for a person who watches: on a terminal only."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Self

from rif.errors.report import visible

if TYPE_CHECKING:
    from rich.status import Status

_EVERY = 0.2
"""Seconds between two changes of the line."""


class Progress:
    """A line on standard error with what was read and written; only on a terminal."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._next = 0.0
        self._began = monotonic()

    def __enter__(self) -> Self:
        # Answers on the same terminal are progress enough.
        if sys.stderr.isatty() and not (sys.stdout and sys.stdout.isatty()):
            from rich.console import Console

            self._status = Console(stderr=True).status("reading …")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, statements: int, answers: int, holding: str | None = None) -> None:
        """Show how many statements were read and answers written, and what holds time back."""
        rate = statements / max(monotonic() - self._began, _EVERY)
        waits = f", time waits for {holding}" if holding else ""
        self.update(f"{statements:,} statements, {rate:,.0f}/s, {answers:,} answers{waits}")

    def update(self, text: str) -> None:
        """Show ``text``, unless the line has changed just now."""
        now = monotonic()
        if self._status is None or now < self._next:
            return
        self._next = now + _EVERY
        from rich.text import Text

        self._status.update(Text(visible(text)))
