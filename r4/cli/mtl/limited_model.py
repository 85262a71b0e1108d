"""The model of a program and its data, as far as the limits allow, and its inconsistencies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from itertools import islice
from typing import Final

import click

from r4.cli.mtl.inputs import MOST, MtlInput, report_refused
from r4.cli.options.declared_options import with_option
from r4.cli.terminal.console import say
from r4.cli.terminal.progress import Progress
from r4.options.option import by_key
from r4.options.values import MemoryOptions
from rete.arrays.delta import Rows
from rete.kernels import clip
from rete.memory_limit import resident_bytes
from rif.errors.report import quantity
from temporal.facts.bulk_loader import Dataset
from temporal.intervals.notation import format_distance
from temporal.model.least_model import Model
from temporal.model.limits import Limits, ProgressCallback
from temporal.model.limits import Progress as Done
from temporal.model.materialisation import materialise
from temporal.model.violations import find_violations, inconsistent_times
from temporal.text.writer import write_rule


def limit_options(command: Callable[..., int]) -> Callable[..., int]:
    """``--limit``, ``--rounds``, ``--seconds``, ``--memory``: the most that is done: ``limits``."""

    @wraps(command)
    def limited(
        *args: object,
        limit: int | None,
        rounds: int | None,
        seconds: float | None,
        memory: int | None,
        **options: object,
    ) -> int:
        return command(*args, limits=Limits(limit, rounds, seconds, memory), **options)

    for option in (
        with_option(by_key(MemoryOptions)["memory"]),
        click.option(
            "--seconds", type=click.FloatRange(0), help="The most time to take, reading included."
        ),
        click.option(
            "--rounds",
            type=click.IntRange(1),
            help="The most rounds; in each every rule sees what was new in the last.",
        ),
        click.option(
            "--limit",
            type=click.IntRange(1),
            help="The most intervals of facts to derive, and to write where they repeat."
            f"  [default: {MOST:,} if rules may derive for ever]",
        ),
    ):
        limited = option(limited)
    return limited


def find_model(given: MtlInput, data: Dataset | None = None) -> Model:
    """The model of ``data``, else of those given, or the part that the limits allow.

    Progress is shown on a terminal.

    Raises:
        Exit: the rules are refused, which is reported.
    """
    with report_refused(given.name), watching() as watch:
        model = materialise(
            given.program,
            given.data if data is None else data,
            given.terms,
            limits=given.limits,
            clock=given.clock,
            watch=watch,
        )
    if given.unread is not None:
        return replace(model, limit=given.unread, known=None)
    return model


def say_stopped(model: Model, given: MtlInput, meaning: str) -> None:
    """Report which limit ended the model, what that means, how far it is, and what helps."""
    say(f"stopped, {model.limit}: {meaning}")
    if given.unread is not None:
        say("  the data were not read to their end, and no rule was applied")
    else:
        say(f"  {quantity(model.derived, 'interval')} derived in {quantity(model.rounds, 'round')}")
    if model.known is not None:
        say(f"  nothing is missing in {model.interval(*model.known)}")
    limits, used = given.limits, resident_bytes() or 0
    for option, most, done in (
        ("--limit", limits.facts, model.derived),
        ("--rounds", limits.rounds, model.rounds),
        ("--seconds", limits.seconds, given.clock()),
        ("--memory", limits.memory, used),
    ):
        if most is not None and done > most:
            say(f"  hint: a higher {option} goes further; r4 mtl check tells of rules without end")
            return


@contextmanager
def watching() -> Iterator[ProgressCallback]:
    """A line on standard error that follows what is derived; only on a terminal."""
    with Progress() as line:

        def show(done: Done) -> None:
            line.update(f"{done.facts:,} facts derived in {done.rounds:,} rounds")

        yield show


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
        span = each.rule.span
        say(f"  {given.name}:{span.line}:{span.column}: {write_rule(each.rule)}")
        say(f"    at {_times(model, each.times)}")
    if len(found) > _SHOWN:
        say(f"  and {len(found) - _SHOWN:,} more instances")
    for line in _repetitions(model, times):
        say(f"  {line}")
    return True


def _times(model: Model, times: Rows) -> str:
    shown = ", ".join(str(model.interval(lo, hi)) for lo, hi in times[:_TIMES].tolist())
    more = len(times) - _TIMES
    return f"{shown} and {more:,} more intervals" if more > 0 else shown


def _repetitions(model: Model, times: Rows) -> list[str]:
    """On which sides inconsistency comes again and again, and how often."""
    found = []
    for side, word in ((model.periodic.left, "before"), (model.periodic.right, "after")):
        if not side.is_constant and len(clip(times, *side.period)):
            inside = model.interval(*model.periodic.segment)
            shift = format_distance(Fraction(side.shift, model.scale), model.notation)
            found.append(f"and so on {word} {inside}, every {shift}")
    return found
