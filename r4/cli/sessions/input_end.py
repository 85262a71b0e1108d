"""Standard input after the end of the run: what comes there is refused, however late it comes."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from typing import Final

from r4.cli.terminal.console import say
from r4.cli.terminal.run_errors import exit_code_of
from r4.state.run_state import RunState

PATIENCE: Final = 1.0
"""Seconds after which a person is told what is waited for."""


def await_input_end(state: RunState, code: int) -> int:
    """Wait for the end of standard input, unless it is a terminal; the exit code of the command.

    It is ``code``, which Ctrl-C gives at once, but for what comes before the end: that is refused.
    The wait has no bound, as nobody can say of a silent pipe that nothing is lost. So the state is
    closed before, and who reads standard output gets its end.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return code
    try:
        _end_output()
        if not _speaks(PATIENCE):
            say(
                "the run has ended; waiting for the end of standard input, of which nothing is "
                "read; Ctrl-C ends the wait"
            )
        while (found := sys.stdin.buffer.read(1)) is None:  # a pipe that does not block is silent
            _speaks()
    except KeyboardInterrupt:
        return code
    if not found:
        return code
    return exit_code_of(state.refusal_of_input())


def _end_output() -> None:
    """Let the reader of standard output have its end; what is written there later is dropped."""
    if sys.stdout is None:
        return
    sys.stdout.flush()
    with suppress(OSError, ValueError):  # no file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, sys.stdout.fileno())
        finally:
            os.close(nowhere)


def _speaks(seconds: float | None = None) -> bool:
    """Whether a byte or the end comes within so many seconds, or nobody knows; None: it has to."""
    try:
        return bool(select.select([sys.stdin], [], [], seconds)[0])
    except (OSError, ValueError):  # no file of the system, or one that it cannot wait for
        return True
