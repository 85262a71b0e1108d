"""Errors that end a run too early: their exit codes and messages."""

from __future__ import annotations

from typing import Final

import click

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, LOST, RULES_REFUSED, USAGE, say
from r4.engine.change_listener import TimeLimitReached
from r4.errors import BadData, InputError, SourceLost
from r4.imports import ImportErrors
from r4.run.run_bounds import MemoryFull
from r4.state.errors import NotResumable, StateError, StateLost
from rete.inference.errors import LimitReached, MemoryExhausted

RUN_ERRORS: Final = (
    *(ImportErrors, BadData, LimitReached, MemoryExhausted, MemoryFull),
    *(InputError, SourceLost),
)
"""The errors that end a run too early; see `exit_code_of`."""


def exit_code_of(error: Exception) -> int:
    """Report which of `RUN_ERRORS` ended a run; the exit code."""
    match error:
        case ImportErrors():
            say(error.report())
            return RULES_REFUSED
        case BadData():
            say(str(error))
            return INPUT_REFUSED
        case TimeLimitReached() | MemoryFull():
            say(str(error))
            return LIMIT
        case MemoryExhausted():
            say(f"{error}; --limit bounds what is derived at once, a window what is kept")
            return LIMIT
        case LimitReached():
            say(f"{error}; --limit allows more")
            return LIMIT
        case SourceLost():
            say(str(error))
            return LOST
    raise click.UsageError(str(error)) from None


def state_exit_code(error: StateError) -> int:
    """The exit code of a run whose state is refused or lost."""
    match error:
        case StateLost():
            return LOST
        case NotResumable():
            return USAGE
    return RULES_REFUSED
