"""``r4 mtl entails``: decides whether a fact follows from rules with metric time."""

from __future__ import annotations

import click

from r4.cli.mtl.inputs import MtlInput, read_input, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options, say_inconsistent, say_stopped
from r4.cli.terminal.console import LIMIT, NO, refuse, say
from rif.errors.report import RuleErrors, shorten
from temporal.errors import ArityClash, OutOfBounds
from temporal.facts.fact_parser import parse_fact
from temporal.model.least_model import Model
from temporal.model.limits import Limits
from temporal.mtl.ast import MetricFact, PredicateKey, constant
from temporal.text.writer import write_fact


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.argument("fact", metavar="FACT@INTERVAL")
@skip_option
@limit_options
def command(
    program: str,
    data: tuple[str, ...],
    fact: str,
    limits: Limits,
    *,
    skip_bad: bool,
) -> int:
    """Say whether a fact follows from PROGRAM and DATA: yes (exit 0) or no (exit 1).

    It follows if it holds at every point of its interval, however far away that is. From an
    inconsistent program every fact follows.

    \b
      r4 mtl entails program.txt facts.txt 'Alarm(a)@[5,7)'
      r4 mtl entails program.txt facts.txt 'Blink@[1000000,inf)'

    Exit 2 if the fact cannot be read, 3 if the rules are refused, 4 if the data are, 5 if a limit
    was reached and the answer is not known.
    """  # noqa: D301 - \b keeps click from filling the examples
    try:
        question = parse_fact(fact, name="FACT")
    except RuleErrors as errors:
        refuse(errors.report())
    given = read_input(program, data, limits, [question.interval], skip_bad=skip_bad)
    cells = cells_of(given, question)
    model = find_model(given)
    key = question.predicate, len(question.args)
    terms = tuple(model.terms.lookup(str(constant(arg).value)) for arg in question.args)
    is_inconsistent = say_inconsistent(model, given, ", so everything follows")
    if is_inconsistent or model.periodic.holds(key, terms, *cells):
        click.echo("yes")
        return 0
    may_be_inconsistent = model.limit is not None and given.profile.constraints > 0
    if may_be_inconsistent or not _fails(model, key, terms, *cells):
        say_stopped(model, given, "the answer is not known")
        return LIMIT
    say(f"does not follow: {write_fact(question)}")
    if question.predicate not in given.arities:
        say(f"  hint: neither the rules nor the data have {shorten(question.predicate)}")
    click.echo("no")
    return NO


def _fails(model: Model, key: PredicateKey, terms: tuple[int, ...], lo: int, hi: int) -> bool:
    """Whether a fact that was not found in all of these cells is known not to follow there."""
    if model.limit is None:
        return True
    if model.known is None:
        return False
    lo, hi = max(lo, model.known[0]), min(hi, model.known[1])
    return lo < hi and not model.periodic.holds(key, terms, lo, hi)


def cells_of(given: MtlInput, question: MetricFact) -> tuple[int, int]:
    """The cells of the question, which agrees with the rules and data."""
    known = given.arities
    if known.get(question.predicate, len(question.args)) != len(question.args):
        refuse(f"{ArityClash.code} {question.predicate} has {known[question.predicate]} arguments")
    try:
        return question.interval.cells(given.data.scale)
    except OutOfBounds as error:
        refuse(str(error))
