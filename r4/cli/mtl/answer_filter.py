"""The answer filter: which facts of a model are shown, and from when to when."""

from __future__ import annotations

from typing import Final

import click

from r4.cli.mtl.inputs import MtlInput
from r4.cli.terminal.console import say
from rete.arrays.delta import NEG_INF, POS_INF
from rif.errors.report import RuleErrors, shorten
from temporal.errors import OutOfBounds
from temporal.facts.fact_patterns import FactPattern, parse_pattern
from temporal.intervals.interval import Interval
from temporal.model.least_model import Model

_NAMED: Final = 10
"""So many predicates are named, of those there are."""


def parse_patterns(
    _: click.Context, __: click.Parameter, texts: tuple[str, ...]
) -> tuple[FactPattern, ...]:
    """The patterns of an option."""
    try:
        return tuple(map(parse_pattern, texts))
    except RuleErrors as errors:
        raise click.UsageError(errors.report()) from None


def check_patterns(patterns: tuple[FactPattern, ...], given: MtlInput) -> None:
    """Refuse patterns that no fact of rules or data can match."""
    known = given.arities
    for pattern in patterns:
        name = pattern.predicate
        if any(pattern.matches(key) for key in known.items()):
            continue
        if name in known:
            fault = f"it has {known[name]} arguments"
        else:
            named = ", ".join(map(shorten, sorted(known)[:_NAMED]))
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            fault = f"no such predicate; there are {named}{more}"
        message = f"--only {shorten(name)}: {fault}"
        raise click.UsageError(message)


only_option = click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    callback=parse_patterns,
    help="Show these facts alone: P, P(a) or P(_,b), where _ is any constant. Repeatable.",
)


def checked_ends(begin: Interval | None, end: Interval | None) -> list[Interval]:
    """The values of ``--from`` and ``--to`` that are given, in order."""
    if begin and end and Interval(begin.left, end.right).is_empty:
        message = "--from lies behind --to"
        raise click.UsageError(message)
    return [each for each in (begin, end) if each is not None]


def shown_window(
    model: Model, begin: Interval | None, end: Interval | None, shown: tuple[int, int]
) -> tuple[int, int]:
    """The cells from where ``begin`` begins to where ``end`` ends; else those of ``shown``."""
    first, last = shown
    try:
        lo = first if begin is None else begin.cells(model.scale)[0]
        hi = last if end is None else end.cells(model.scale)[1]
    except OutOfBounds as error:
        raise click.UsageError(str(error)) from None
    if (lo <= NEG_INF < first) or (hi >= POS_INF > last):
        message = "nothing without an end can be shown here: give --from and --to times"
        raise click.UsageError(message)
    if lo >= hi:
        given, wanted = ("--to", "--from") if begin is None else ("--from", "--to")
        text = model.interval(first, last)
        message = f"{given} lies outside of {text}, which is shown of itself: give {wanted}, too"
        raise click.UsageError(message)
    return lo, hi


def say_sides(model: Model, begin: Interval | None, end: Interval | None, lo: int, hi: int) -> None:
    """Report on which sides the model goes on beyond what is shown, unless the ends were given."""
    sides = [
        side
        for side, given, at in (("left", begin, lo), ("right", end, hi))
        if given is None and NEG_INF < at < POS_INF
    ]
    if sides:
        shown = model.interval(lo, hi)
        say(f"the model has no end to the {' and the '.join(sides)}: shown is {shown}")
