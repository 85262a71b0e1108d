"""What the commands of ``r4 mtl`` say of a model that violates a constraint."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Final

from r4.cli.mtl.inputs import MtlInput
from r4.cli.terminal.console import say
from rete.arrays.delta import Rows
from temporal.intervals.notation import format_distance
from temporal.model.least_model import Model
from temporal.model.violations import Violation, find_violations, inconsistent_times
from temporal.periods.unfolding import clip
from temporal.text.writer import write_rule

_SHOWN: Final = 10
"""So many instances are shown."""
_TIMES: Final = 5
"""So many intervals of each."""


def say_inconsistent(model: Model, given: MtlInput, meaning: str = "") -> bool:
    """Whether a model violates constraints; if so, report where, and which instances of rules do.

    ``meaning`` says what follows from that.
    """
    times = inconsistent_times(model)
    if not len(times):
        return False
    say(f"inconsistent at {_times(model, times)}{meaning}")
    found = find_violations(model, given.program)
    for each in islice(found, _SHOWN):
        say(f"  {_place(given, each)}: {write_rule(each.rule)}")
        say(f"    at {_times(model, each.times)}")
    if len(found) > _SHOWN:
        say(f"  and {len(found) - _SHOWN:,} more instances")
    for line in _repetitions(model, times):
        say(f"  {line}")
    return True


def _place(given: MtlInput, found: Violation) -> str:
    span = found.rule.span
    return f"{given.name}:{span.line}:{span.column}"


def _times(model: Model, times: Rows) -> str:
    shown = ", ".join(str(model.interval(lo, hi)) for lo, hi in times[:_TIMES].tolist())
    more = len(times) - _TIMES
    return f"{shown} and {more:,} more intervals" if more > 0 else shown


def _repetitions(model: Model, times: Rows) -> list[str]:
    """On which sides inconsistency comes again and again, and how often."""
    begin, end = model.periodic.segment
    found = []
    for side, word in ((model.periodic.left, "before"), (model.periodic.right, "after")):
        if not side.is_constant and len(clip(times, *side.period)):
            inside = model.interval(begin, end)
            shift = format_distance(Fraction(side.shift, model.scale), model.notation)
            found.append(f"and so on {word} {inside}, every {shift}")
    return found
