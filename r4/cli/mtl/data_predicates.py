"""The warning of predicates that only the data have: mostly they are misspelled."""

from __future__ import annotations

from typing import Final

from r4.cli.mtl.inputs import MtlInput
from r4.cli.terminal.console import say
from rif.errors.nearest import nearest_word
from rif.errors.report import shorten
from temporal.mtl.validation import arities

_SHOWN: Final = 5
"""So many are named."""


def warn_of_unasked(given: MtlInput) -> None:
    """Report the first predicates of the data that no rule has, each with the nearest of a rule."""
    known = arities(given.program)
    by_lower = {name.lower(): name for name in sorted(known)}
    unasked = sorted(given.arities.keys() - known.keys())
    for name in unasked[:_SHOWN]:
        near = nearest_word(name.lower(), by_lower)
        hint = "" if near is None else f"; they have {shorten(by_lower[near])}"
        say(f"warning: the data have {shorten(name)}, the rules do not{hint}")
    if len(unasked) > _SHOWN:
        say(f"warning: the data have {len(unasked) - _SHOWN} more that the rules do not have")
