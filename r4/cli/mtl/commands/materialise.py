"""``r4 mtl materialise``: prints all that follows from rules with metric time and facts."""

from __future__ import annotations

from collections.abc import Iterator

import click

from r4.cli.mtl.inputs import form_option, read_input, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options
from r4.cli.mtl.misspellings import warn_of_predicates
from r4.cli.mtl.model_text import (
    check_patterns,
    checked_ends,
    model_options,
    only_option,
    report_model,
    shown_window,
    write_model,
    write_pieces,
)
from r4.cli.terminal.console import refuse, say
from temporal.facts.fact_patterns import FactPattern
from temporal.intervals.interval import Interval
from temporal.model.least_model import Model, select_facts
from temporal.model.limits import Limits


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.option("--derived-only", is_flag=True, help="Show what follows less the data.")
@only_option
@form_option("text", "svg", meaning="A fact a line, or a picture: facts on a line of time.")
@model_options
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
    fact is, 5 if a limit was reached: then all that is printed is true, but it is not all.
    """  # noqa: D301 - \b keeps click from filling the examples
    ends = checked_ends(begin, end)
    given = read_input(program, data, limits, ends, skip_bad=skip_bad)
    check_patterns(only, given)
    warn_of_predicates(given)
    whole = find_model(given)
    model = select_facts(whole, only)
    if form == "svg":
        pieces = _picture(model, begin, end, given.name, derived_only=derived_only)
    else:
        model, pieces = write_model(
            model, begin, end, given.limits.facts, derived_only=derived_only, periods=periods
        )
    if lost := write_pieces(pieces, output):
        return lost
    return report_model(whole, model, given, fail_on)


def _picture(
    model: Model, begin: Interval | None, end: Interval | None, name: str, *, derived_only: bool
) -> Iterator[bytes | bytearray]:
    from temporal.picture import ModelPicture, TooManyIntervals, window_of

    lo, hi = shown_window(model, begin, end, window_of(model))
    try:
        drawing = ModelPicture(model, lo, hi, f"Model of {name}", derived_only=derived_only)
    except TooManyIntervals as crowded:
        refuse(f"{crowded} are no picture: give --from and --to, or --only")
    if drawing.left_out:
        say(f"{drawing.left_out:,} more facts are not drawn; --only says which are")
    yield drawing.svg().encode()
