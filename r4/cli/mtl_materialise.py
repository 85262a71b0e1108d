"""``r4 mtl materialise``: all that follows from rules with metric time and facts."""

from __future__ import annotations

from fractions import Fraction

import click

from r4.cli.common import LIMIT, LOST, RULES_REFUSED, say
from r4.cli.mtl_given import Refused, limit_options, limits_of, number, read, skip_option
from r4.cli.mtl_watch import watching
from r4.sinks.file import SinkLost, opened
from rete.delta import NEG_INF, POS_INF
from rif.errors import RuleError, RuleErrors
from temporal.materialise import materialise
from temporal.metric import Interval
from temporal.model import Model
from temporal.text.bulk import write_rows


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.option("--from", "begin", metavar="A", callback=number, help="Show from A on, closed.")
@click.option("--to", "end", metavar="B", callback=number, help="Show up to B, closed.")
@click.option("--derived-only", is_flag=True, help="Show what follows less the data.")
@click.option("--periods", is_flag=True, help="Say at the end how the model goes on for ever.")
@click.option("--output", default="-", metavar="FILE", help="Where to write.  [default: -]")
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    begin: int | Fraction | None,
    end: int | Fraction | None,
    output: str,
    limit: int | None,
    rounds: int | None,
    seconds: float | None,
    *,
    derived_only: bool,
    periods: bool,
    skip_bad: bool,
) -> int:
    """Print every fact that follows from the rules of PROGRAM and the facts of DATA.

    One maximal interval a line: P(a,b)@[1,2). DATA are files of such lines, tables (P.csv with
    rows a,b,left,right), or folders of them. A model without end is shown as far as it repeats;
    --from and --to show any other part of it.

    \b
      r4 mtl materialise program.txt facts.txt
      r4 mtl materialise program.txt tables/ --derived-only --from 0 --to 100
      r4 mtl materialise program.txt facts.txt --periods

    Exit 3 if the rules are refused, 4 if a fact is, 5 if a limit was reached: then all that is
    printed is true, but it is not all.
    """  # noqa: D301 - \b keeps click from filling the examples
    if begin is not None and end is not None and begin > end:
        message = f"--from {begin} lies behind --to {end}"
        raise click.UsageError(message)
    scales = [each.denominator for each in (begin, end) if isinstance(each, Fraction)]
    try:
        given = read(program, data, scales, skip_bad=skip_bad)
        with watching() as watch:
            model = materialise(
                given.program,
                given.data,
                given.terms,
                limits=limits_of(given, limit, rounds, seconds),
                watch=watch,
            )
        lo, hi = _window(model, begin, end)
        _write(model, lo, hi, output, derived_only=derived_only, periods=periods)
    except Refused as refused:
        return refused.code
    except RuleErrors as errors:
        say(errors.report(program))
        return RULES_REFUSED
    except RuleError as error:
        say(RuleErrors([error]).report(program))
        return RULES_REFUSED
    except SinkLost as error:
        say(str(error))
        return LOST
    if model.limit is None:
        return 0
    say(f"stopped, {model.limit}: all that is printed is true, but it is not all")
    return LIMIT


def _window(
    model: Model, begin: int | Fraction | None, end: int | Fraction | None
) -> tuple[int, int]:
    """The cells that are shown."""
    first, last = model.endless.segment
    lo = first if begin is None else _cell(begin, model.scale)
    hi = last if end is None else _cell(end, model.scale) + (end != POS_INF)
    if (lo <= NEG_INF < first) or (hi >= POS_INF > last):
        message = "the model repeats for ever: give --from and --to numbers"
        raise click.UsageError(message)
    if lo >= hi and (begin is None or end is None):
        wanted = "--to" if end is None else "--from"
        shown = Interval.of_cells(first, last, model.scale)
        message = f"the model repeats beyond {shown}: give {wanted}, too"
        raise click.UsageError(message)
    sides = [
        side
        for side, given, at in (("left", begin, first), ("right", end, last))
        if given is None and NEG_INF < at < POS_INF
    ]
    if sides:
        shown = Interval.of_cells(lo, hi, model.scale)
        say(f"the model has no end to the {' and the '.join(sides)}: shown is {shown}")
    return lo, hi


def _cell(at: int | Fraction, scale: int) -> int:
    return int(2 * at * scale) if isinstance(at, Fraction) else at


def _write(  # noqa: PLR0913 - what is written, and where
    model: Model, lo: int, hi: int, output: str, *, derived_only: bool, periods: bool
) -> None:
    found = sorted(model.within(lo, hi, derived_only=derived_only), key=lambda each: each[0])
    pieces = write_rows(((name, rows) for (name, _), rows in found), model.terms, model.scale)
    try:
        with opened(output) as file:
            for piece in pieces:
                file.write(bytes(piece))
            if periods:
                lines = model.endless.period_lines(model.scale)
                file.write("".join(f"# {line}\n" for line in lines).encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{output}: {error.strerror or error}"
        raise click.UsageError(message) from None
