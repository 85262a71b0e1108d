"""Errors that end a run too early, and those of states: their exit codes and messages."""

from __future__ import annotations

from typing import Final

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, LOST, RULES_REFUSED, USAGE, refuse, say
from r4.engine.change_listener import TimeLimitReached
from r4.errors import BadData, InputError, SourceLost
from r4.imports import ImportErrors
from r4.program.range_ends import RangeEndsRefused
from r4.run.run_bounds import MemoryFull
from r4.state.errors import NotResumable, StateError, StateLost
from rete.inference.errors import LimitReached, MemoryExhausted

RUN_ERRORS: Final = (
    *(ImportErrors, BadData, LimitReached, MemoryExhausted, MemoryFull),
    *(InputError, SourceLost, RangeEndsRefused),
)
"""The errors that end a run too early; see `exit_code_of`."""


def exit_code_of(error: Exception) -> int:
    """Report which of `RUN_ERRORS`, or which error of a state, ended a run; the exit code."""
    hint = ""
    match error:
        case TimeLimitReached() | MemoryFull():
            code = LIMIT
        case MemoryExhausted():
            code, hint = LIMIT, "; --limit bounds what is derived at once, a window what is kept"
        case LimitReached():
            code, hint = LIMIT, "; --limit allows more"
        case BadData():
            code = INPUT_REFUSED
        case SourceLost() | StateLost():
            code = LOST
        case NotResumable():
            code = USAGE
        case ImportErrors() | StateError() | RangeEndsRefused():
            code = RULES_REFUSED
        case _:
            refuse(str(error))
    say(f"{error}{hint}")
    return code
