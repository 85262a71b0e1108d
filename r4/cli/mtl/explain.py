"""``r4 mtl explain``: why a fact holds in an interval, or where it does not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import click

from r4.cli.mtl.entails import cells_of
from r4.cli.mtl.inconsistency import say_inconsistent
from r4.cli.mtl.inputs import read_input, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options, say_stopped
from r4.cli.terminal.console import LIMIT, NO, say
from r4.explain.datalog_mtl.explainer import ModelExplainer
from r4.explain.datalog_mtl.explanation import IntervalQuestion
from r4.explain.datalog_mtl.json_output import as_json
from r4.explain.datalog_mtl.picture import as_svg
from r4.explain.datalog_mtl.text import as_text
from rif.errors.report import RuleErrors, shorten
from temporal.facts.fact_parser import parse_fact
from temporal.model.limits import Limits
from temporal.mtl.ast import BOTTOM_NAME, MetricFact, constant
from temporal.text.operator_names import BOTTOM_WORD

_BOTTOM: Final = re.compile(rf"\s*(?:{BOTTOM_WORD}|{BOTTOM_NAME})\s*(?=@)")
_SHOWN: Final = 3
"""So many justifications by default."""


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.argument("fact", metavar="FACT@INTERVAL")
@click.option(
    "--most",
    "most",
    type=click.IntRange(1),
    default=_SHOWN,
    show_default=True,
    help="The most justifications to show.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "json", "svg"]),
    default="text",
    show_default=True,
    help="A tree, the same for a program, or a picture.",
)
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    fact: str,
    most: int,
    form: str,
    limits: Limits,
    *,
    skip_bad: bool,
) -> int:
    """Say why a fact holds at every point of an interval: from which data, by which rules, when.

    BOTTOM@INTERVAL asks why the program is inconsistent then. What holds far from the data is
    explained where the model repeats it, nearer to them.

    \b
      r4 mtl explain program.txt facts.txt 'Alarm(a)@[5,7)'
      r4 mtl explain program.txt facts.txt 'Blink@[1000000,1000000]' --as json

    Exit 1 if it does not hold in all of the interval: then it is said where it does, and what rules
    lack elsewhere. Exit 2 if the fact cannot be read, 3 if the rules are refused, 4 if the data
    are, 5 if a limit was reached.
    """  # noqa: D301 - \b keeps click from filling the examples
    question = _parse_question(fact)
    given = read_input(program, data, limits, [question.interval], skip_bad=skip_bad)
    cells = cells_of(given, question)
    model = find_model(given)
    if model.limit is not None:
        say_stopped(model, given, "a part of a model is not explained")
        return LIMIT
    if question.predicate != BOTTOM_NAME:
        say_inconsistent(model, given, ", so everything follows")
    texts = [str(constant(arg).value) for arg in question.args]
    unknown = [
        arg for arg, text in zip(question.args, texts, strict=True) if not model.terms.lookup(text)
    ]
    terms = tuple(model.terms.encode_many(texts).tolist())
    asked = IntervalQuestion((question.predicate, len(question.args)), terms, cells)
    explainer = ModelExplainer(model, given.program, asked, given.name)
    found = explainer.explain(most)
    if question.predicate not in {*given.arities, BOTTOM_NAME}:
        unknown.insert(0, question.predicate)
    for each in unknown:
        say(f"hint: neither the rules nor the data have {shorten(each)}")
    match form:
        case "json":
            shown = as_json(found, explainer.writer)
        case "svg":
            shown = as_svg(found, explainer.writer)
        case _:
            shown = as_text(found, explainer.writer)
    click.echo(shown.encode())
    return 0 if found.holds else NO


def _parse_question(text: str) -> MetricFact:
    """The fact, or the inconsistency, that is asked about."""
    bottom = _BOTTOM.match(text)
    try:
        if bottom is None:
            return parse_fact(text, name="FACT")
        return replace(parse_fact(f"P{text[bottom.end() :]}", name="FACT"), predicate=BOTTOM_NAME)
    except RuleErrors as errors:
        raise click.UsageError(errors.report()) from None
