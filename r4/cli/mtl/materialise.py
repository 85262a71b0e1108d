"""``r4 mtl materialise``: prints all that follows from rules with metric time and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import click

from r4.cli.mtl.answer_filter import check_patterns, parse_patterns, say_sides, shown_window
from r4.cli.mtl.inconsistency import say_inconsistent
from r4.cli.mtl.inputs import parse_from, parse_to, read_input, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options, say_stopped
from r4.cli.terminal.console import LIMIT, LOST, NO, say
from r4.sinks.file import SinkLost, open_file
from temporal.facts.bulk_writer import write_rows
from temporal.facts.fact_patterns import FactPattern
from temporal.intervals.interval import Interval
from temporal.model.least_model import Model, select_facts
from temporal.model.limits import Limits


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.option("--from", "begin", metavar="A", callback=parse_from, help="Show from A on, closed.")
@click.option("--to", "end", metavar="B", callback=parse_to, help="Show up to B, closed.")
@click.option("--derived-only", is_flag=True, help="Show what follows less the data.")
@click.option("--periods", is_flag=True, help="Say at the end how the model goes on for ever.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    callback=parse_patterns,
    help="Show these facts alone: P, P(a) or P(_,b), where _ is any constant. Repeatable.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "svg"]),
    default="text",
    show_default=True,
    help="A fact a line, or a picture: facts on a line of time.",
)
@click.option(
    "--fail-on", type=click.Choice(["error"]), help="Exit 1 if the program is inconsistent."
)
@click.option("--output", default="-", metavar="FILE", help="Where to write.  [default: -]")
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    begin: Interval | None,
    end: Interval | None,
    only: tuple[FactPattern, ...],
    form: str,
    fail_on: str | None,
    output: str,
    limits: Limits,
    *,
    derived_only: bool,
    periods: bool,
    skip_bad: bool,
) -> int:
    """Print every fact that follows from the rules of PROGRAM and the facts of DATA.

    One maximal interval a line: P(a,b)@[1,2). DATA are files of such lines, tables (P.csv with
    rows a,b,left,right), or folders of them; - is standard input. A model without end is shown as
    far as it repeats; --from and --to show any other part of it. Where a rule with the head BOTTOM
    applies the program is inconsistent, which is said on standard error.

    \b
      r4 mtl materialise program.txt facts.txt
      r4 mtl materialise program.txt tables/ --derived-only --from 0 --to 100
      r4 mtl materialise program.txt facts.txt --periods
      r4 mtl materialise program.txt facts.txt --as svg --output model.svg

    Exit 1 if it is inconsistent and --fail-on error is given, 3 if the rules are refused, 4 if a
    fact is, 5 if a limit was reached: then all that is
    printed is true, but it is not all.
    """  # noqa: D301 - \b keeps click from filling the examples
    if begin and end and Interval(begin.left, end.right).is_empty:
        message = "--from lies behind --to"
        raise click.UsageError(message)
    ends = [each for each in (begin, end) if each is not None]
    given = read_input(program, data, limits, ends, skip_bad=skip_bad)
    check_patterns(only, given)
    whole = find_model(given)
    model = select_facts(whole, only)
    if form == "svg":
        pieces = _picture(model, begin, end, given.name, derived_only=derived_only)
    else:
        lo, hi = shown_window(model, begin, end, model.periodic.segment)
        say_sides(model, begin, end, lo, hi)
        model, hi = _affordable(model, lo, hi, given.limits.facts)
        pieces = _lines(model, lo, hi, derived_only=derived_only, periods=periods)
    try:
        _write(pieces, output)
    except SinkLost as error:
        say(str(error))
        return LOST
    is_inconsistent = say_inconsistent(whole, given)
    if model.limit is not None:
        say_stopped(model, given, "all that is printed is true, but it is not all")
    if is_inconsistent and fail_on:
        return NO
    return 0 if model.limit is None else LIMIT


def _affordable(model: Model, lo: int, hi: int, most: int | None) -> tuple[Model, int]:
    """The model, and up to where it is written; with ``most`` exceeded the model has that limit."""
    end = hi if most is None else model.periodic.until(lo, hi, most)
    if end == hi:
        return model, hi
    limit = f"more than {most:,} intervals to write; --from goes on behind them"
    return replace(model, limit=limit, known=(lo, end)), end


def _lines(
    model: Model, lo: int, hi: int, *, derived_only: bool, periods: bool
) -> Iterator[bytes | bytearray]:
    found = sorted(model.within(lo, hi, derived_only=derived_only), key=lambda each: each[0])
    relations = ((name, rows) for (name, _), rows in found)
    yield from write_rows(relations, model.terms, model.scale, model.notation)
    if periods:
        lines = model.period_lines()
        yield "".join(f"# {line}\n" for line in lines).encode()


def _picture(
    model: Model, begin: Interval | None, end: Interval | None, name: str, *, derived_only: bool
) -> Iterator[bytes | bytearray]:
    from temporal.picture import ModelPicture, TooManyIntervals, window_of

    lo, hi = shown_window(model, begin, end, window_of(model))
    try:
        drawing = ModelPicture(model, lo, hi, f"Model of {name}", derived_only=derived_only)
    except TooManyIntervals as crowded:
        message = f"{crowded.most:,} intervals are no picture: give --from and --to, or --only"
        raise click.UsageError(message) from None
    if drawing.left_out:
        say(f"{drawing.left_out:,} more facts are not drawn; --only says which are")
    yield drawing.svg().encode()


def _write(pieces: Iterable[bytes | bytearray], output: str) -> None:
    try:
        with open_file(output) as file:
            for piece in pieces:
                file.write(bytes(piece))
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{output}: {error.strerror or error}"
        raise click.UsageError(message) from None
