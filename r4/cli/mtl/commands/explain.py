"""``r4 mtl explain``: why a fact holds in an interval, or where it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

import click

from r4.cli.mtl.commands.entails import cells_of
from r4.cli.mtl.inputs import MtlInput, form_option, read_input, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options, say_inconsistent, say_stopped
from r4.cli.terminal.console import LIMIT, NO, refuse, say
from r4.explain.datalog_mtl.explainer import ModelExplainer
from r4.explain.datalog_mtl.model_explanation import IntervalQuestion, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.output_forms import as_json, as_json_of_update, as_svg, as_text
from rif.errors.report import RuleErrors, shorten
from temporal.facts.fact_parser import parse_fact
from temporal.maintenance.explicit_data import updated_data
from temporal.model.limits import Limits
from temporal.mtl.ast import BOTTOM_NAME, MetricFact, constant
from temporal.mtl.operators import BOTTOM_WORD

_BOTTOM: Final = re.compile(rf"\s*(?:{BOTTOM_WORD}|{BOTTOM_NAME})\s*(?=@)")
_SHOWN: Final = 3
"""So many justifications by default."""


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1, required=True)
@click.argument("fact", metavar="FACT@INTERVAL")
@click.option("--delete", multiple=True, metavar="FILE", help="Facts to delete. Repeatable.")
@click.option("--insert", multiple=True, metavar="FILE", help="Facts to insert. Repeatable.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=_SHOWN,
    show_default=True,
    help="The most justifications to show.",
)
@form_option("text", "json", "svg", meaning="A tree, the same for a program, or a picture.")
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    fact: str,
    delete: tuple[str, ...],
    insert: tuple[str, ...],
    most: int,
    form: str,
    limits: Limits,
    *,
    skip_bad: bool,
) -> int:
    """Say why a fact holds at every point of an interval: from which data, by which rules, when.

    BOTTOM@INTERVAL asks why the program is inconsistent then. What holds far from the data is
    explained where the model repeats it, nearer to them. With --delete or --insert it is explained
    before that update of the data and after it, with what was deleted and inserted marked.

    \b
      r4 mtl explain program.txt facts.txt 'Alarm(a)@[5,7)'
      r4 mtl explain program.txt facts.txt 'Blink@[1000000,1000000]' --as json

    Exit 1 if it does not hold in all of the interval (after the update): then it is said where it
    does, and what rules lack elsewhere. Exit 2 if the fact cannot be read, 3 if the rules are
    refused, 4 if the data are, 5 if a limit was reached.
    """  # noqa: D301 - \b keeps click from filling the examples
    question = _parse_question(fact)
    if form == "svg" and (delete or insert):
        refuse("a picture has one model: leave out --delete and --insert, or --as svg")
    changes = [delete, insert]
    given = read_input(program, data, limits, [question.interval], changes, skip_bad=skip_bad)
    cells = cells_of(given, question)
    model = find_model(given)
    models = {"before": model}
    if delete or insert:
        models["after"] = find_model(given, updated_data(given.data, *given.changes))
    for each in models.values():
        if each.limit is not None:
            say_stopped(each, given, "a part of a model is not explained")
            return LIMIT
    texts = [str(constant(arg).value) for arg in question.args]
    _say_unknown(given, question, texts)
    terms = tuple(given.terms.encode_many(texts).tolist())
    asked = IntervalQuestion((question.predicate, len(question.args)), terms, cells)
    title = PurePath(given.name).name
    explainers = {
        side: ModelExplainer(each, given.program, asked, title, model if side == "after" else None)
        for side, each in models.items()
    }
    if "after" in models:
        explainers["before"].writer.change = models["after"], "deleted"
        explainers["after"].writer.change = models["before"], "inserted"
    elif question.predicate != BOTTOM_NAME:
        say_inconsistent(model, given, ", so everything follows")
    found = {side: (each.explain(most), each.writer) for side, each in explainers.items()}
    click.echo(_shown(found, form).encode())
    last, _ = [*found.values()][-1]
    return 0 if last.holds else NO


def _shown(found: Mapping[str, tuple[ModelExplanation, NotationWriter]], form: str) -> str:
    if len(found) > 1:
        if form == "json":
            return as_json_of_update(found)
        parts = (f"{side} the update: {as_text(*each)}" for side, each in found.items())
        return "\n\n".join(parts)
    (one,) = found.values()
    write = {"json": as_json, "svg": as_svg}.get(form, as_text)
    return write(*one)


def _say_unknown(given: MtlInput, question: MetricFact, texts: Sequence[str]) -> None:
    args = zip(question.args, texts, strict=True)
    unknown = [arg for arg, text in args if not given.terms.lookup(text)]
    if question.predicate not in {*given.arities, BOTTOM_NAME}:
        unknown.insert(0, question.predicate)
    for each in unknown:
        say(f"hint: neither the rules nor the data have {shorten(each)}")


def _parse_question(text: str) -> MetricFact:
    """The fact, or the inconsistency, that is asked about."""
    bottom = _BOTTOM.match(text)
    try:
        if bottom is None:
            return parse_fact(text, name="FACT")
        return replace(parse_fact(f"P{text[bottom.end() :]}", name="FACT"), predicate=BOTTOM_NAME)
    except RuleErrors as errors:
        refuse(errors.report())
