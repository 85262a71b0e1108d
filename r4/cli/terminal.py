"""Rich text on a terminal, plain text elsewhere."""

from __future__ import annotations

from rich.console import Console


class Terminal(Console):
    """A console that leaves a closed pipe to the command line, which ends quietly then."""

    def on_broken_pipe(self) -> None:
        """Raise what rich has caught; its own way is to end with exit code 1, which says no."""
        raise BrokenPipeError
