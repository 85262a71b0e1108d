"""Models as text: which facts a command writes, from when to when, and what it says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

import click

from r4.cli.mtl.inputs import MtlInput
from r4.cli.mtl.limited_model import say_inconsistent, say_stopped
from r4.cli.terminal.console import LIMIT, LOST, NO, refuse, say
from r4.sinks.file import SinkLost, open_file
from rete.arrays.delta import NEG_INF, POS_INF
from rif.errors.report import RuleErrors, shorten
from temporal.errors import OutOfBounds
from temporal.facts.bulk_writer import write_rows
from temporal.facts.fact_patterns import FactPattern, parse_pattern
from temporal.intervals.interval import Interval
from temporal.intervals.literals import parse_point
from temporal.model.least_model import Model

F = TypeVar("F", bound=Callable[..., object])


def model_options(command: F) -> F:
    """Which part of a model is written and where: from ``--from`` to ``--output``."""
    for option in (
        click.option("--output", default="-", metavar="FILE", help="Where to write.  [default: -]"),
        click.option(
            "--fail-on", type=click.Choice(["error"]), help="Exit 1 if the program is inconsistent."
        ),
        click.option(
            "--periods", is_flag=True, help="Say at the end how the model goes on for ever."
        ),
        click.option("--to", "end", metavar="B", callback=_side, help="Show up to B, closed."),
        click.option(
            "--from", "begin", metavar="A", callback=_side, help="Show from A on, closed."
        ),
    ):
        command = option(command)
    return command


def _side(_: click.Context, parameter: click.Parameter, text: str | None) -> Interval | None:
    """All from ``--from`` on, or up to ``--to``; its point is not the infinity beyond."""
    if text is None:
        return None
    found, begins = parse_point(text.strip()), parameter.name == "begin"
    if found is None or found.side == (1 if begins else -1):
        refuse(f"{parameter.opts[0]} {shorten(text)}: write 5, 2.5, 5/2, or 2024-01-31T08:00:00Z")
    kind = found.kind or Interval
    return kind(found.at, None) if begins else kind(None, found.at)


def write_model(  # noqa: PLR0913 - what is shown of it
    model: Model,
    begin: Interval | None,
    end: Interval | None,
    most: int | None,
    *,
    derived_only: bool = False,
    periods: bool = False,
) -> tuple[Model, Iterator[bytes | bytearray]]:
    """The lines of a model, in pieces, and the model, with a limit if there are too many lines.

    It is shown from ``begin`` to ``end``, else its segment; where it repeats ``most`` intervals are
    written, None: any number. ``periods``: how it goes on is shown, too.
    """
    lo, hi = shown_window(model, begin, end, model.periodic.segment)
    say_sides(model, begin, end, lo, hi)
    last = hi if most is None else model.periodic.until(lo, hi, most)
    if last != hi:
        limit = f"more than {most:,} intervals to write; --from goes on behind them"
        model = replace(model, limit=limit, known=(lo, last))
    return model, _lines(model, lo, last, derived_only=derived_only, periods=periods)


def _lines(
    model: Model, lo: int, hi: int, *, derived_only: bool, periods: bool
) -> Iterator[bytes | bytearray]:
    found = sorted(model.within(lo, hi, derived_only=derived_only), key=lambda each: each[0])
    relations = ((name, rows) for (name, _), rows in found)
    yield from write_rows(relations, model.terms, model.scale, model.notation)
    if periods:
        lines = model.period_lines()
        yield "".join(f"# {line}\n" for line in lines).encode()


def write_pieces(pieces: Iterable[bytes | bytearray], output: str) -> int:
    """Write pieces to a file, or to standard output; `LOST` if that ended, which is reported."""
    try:
        with open_file(output) as file:
            for piece in pieces:
                file.write(bytes(piece))
    except BrokenPipeError:
        raise
    except OSError as error:
        refuse(f"{output}: {error.strerror or error}")
    except SinkLost as error:
        say(str(error))
        return LOST
    return 0


def report_model(whole: Model, shown: Model, given: MtlInput, fail_on: str | None) -> int:
    """Report the constraints that a model violates, and the limit of what was shown; the exit code.

    With ``fail_on`` an inconsistent model is `NO`.
    """
    is_inconsistent = say_inconsistent(whole, given)
    if shown.limit is not None:
        say_stopped(shown, given, "all that is printed is true, but it is not all")
    if is_inconsistent and fail_on:
        return NO
    return 0 if shown.limit is None else LIMIT


_NAMED: Final = 10
"""So many predicates are named, of those there are."""


def parse_patterns(
    _: click.Context, __: click.Parameter, texts: tuple[str, ...]
) -> tuple[FactPattern, ...]:
    """The patterns of an option."""
    try:
        return tuple(map(parse_pattern, texts))
    except RuleErrors as errors:
        refuse(errors.report())


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
        refuse(f"--only {shorten(name)}: {fault}")


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
        refuse("--from lies behind --to")
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
        refuse(str(error))
    if (lo <= NEG_INF < first) or (hi >= POS_INF > last):
        refuse("nothing without an end can be shown here: give --from and --to times")
    if lo >= hi:
        given, wanted = ("--to", "--from") if begin is None else ("--from", "--to")
        text = model.interval(first, last)
        refuse(f"{given} lies outside of {text}, which is shown of itself: give {wanted}, too")
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
