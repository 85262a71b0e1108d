"""Standard input after the end of the run: what comes there is refused, however late it comes."""

from __future__ import annotations

import select
import sys
from typing import Final

from r4.cli.terminal.console import say
from r4.state.run_state import RunState

PATIENCE: Final = 1.0
"""Seconds after which a person is told what is waited for."""


def refuse_more_input(state: RunState) -> None:
    """Return at the end of standard input, or if it is a terminal; a byte before that is refused.

    It waits for as long as neither comes: nobody can say of a silent pipe that nothing is lost.

    Raises:
        InputEnded: a byte has come.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return
    if not _speaks():
        say("the run has ended; waiting for the end of standard input, of which nothing is read")
    if sys.stdin.buffer.read(1):
        state.refuse_more_input()


def _speaks() -> bool:
    """Whether a byte or the end comes soon, or nobody knows."""
    try:
        return bool(select.select([sys.stdin], [], [], PATIENCE)[0])
    except (OSError, ValueError):  # no file of the system, or one that it cannot wait for
        return True
