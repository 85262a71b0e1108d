"""``r4 mtl entails``: does a fact follow from rules with metric time?"""

from __future__ import annotations

import click

from r4.cli.common import LIMIT, NO, RULES_REFUSED, say
from r4.cli.mtl_given import (
    Question,
    Refused,
    limit_options,
    limits_of,
    read,
    skip_option,
)
from r4.cli.mtl_watch import watching
from rif.errors import RuleError, RuleErrors
from temporal.ast import Fact, constant
from temporal.errors import ArityClash, OutOfBounds
from temporal.materialise import materialise
from temporal.metric import common_scale
from temporal.model import Model
from temporal.text.facts import parse_fact
from temporal.text.writer import write_fact


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.argument("fact", metavar="FACT@INTERVAL")
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    fact: str,
    limit: int | None,
    rounds: int | None,
    seconds: float | None,
    *,
    skip_bad: bool,
) -> int:
    """Say whether a fact follows from PROGRAM and DATA: yes (exit 0) or no (exit 1).

    It follows if it holds at every point of its interval, however far away that is.

    \b
      r4 mtl entails program.txt facts.txt 'Alarm(a)@[5,7)'
      r4 mtl entails program.txt facts.txt 'Blink@[1000000,inf)'

    Exit 2 if the fact cannot be read, 3 if the rules are refused, 4 if the data are, 5 if a limit
    was reached and the answer is not known.
    """  # noqa: D301 - \b keeps click from filling the examples
    try:
        asked = parse_fact(fact, name="FACT")
    except RuleErrors as errors:
        raise click.UsageError(errors.report()) from None
    try:
        given = read(program, data, [common_scale([asked.interval])], skip_bad=skip_bad)
        cells = _cells(given, asked)
        with watching() as watch:
            model = materialise(
                given.program,
                given.data,
                given.terms,
                limits=limits_of(given, limit, rounds, seconds),
                watch=watch,
            )
    except Refused as refused:
        return refused.code
    except RuleErrors as errors:
        say(errors.report(program))
        return RULES_REFUSED
    except RuleError as error:
        say(RuleErrors([error]).report(program))
        return RULES_REFUSED
    return _answer(model, asked, cells)


def _cells(given: Question, asked: Fact) -> tuple[int, int]:
    """The cells of the question, which agrees with the rules and data."""
    known = given.arities
    if known.get(asked.predicate, len(asked.args)) != len(asked.args):
        message = f"{ArityClash.code} {asked.predicate} has {known[asked.predicate]} arguments"
        raise click.UsageError(message)
    try:
        return asked.interval.cells(given.data.scale)
    except OutOfBounds as error:
        raise click.UsageError(str(error)) from None


def _answer(model: Model, asked: Fact, cells: tuple[int, int]) -> int:
    terms = tuple(model.terms.lookup(str(constant(arg).value)) for arg in asked.args)
    key = asked.predicate, len(asked.args)
    if model.endless.holds(key, terms, *cells):
        click.echo("yes")
        return 0
    if model.limit is not None:
        say(f"not known, {model.limit}")
        return LIMIT
    say(f"does not follow: {write_fact(asked)}")
    click.echo("no")
    return NO
