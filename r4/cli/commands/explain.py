"""``r4 explain``: why a fact holds at an instant, since when and until when, and why it went."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final

import click

from r4.cli.options import input_options, shared_options
from r4.cli.options.rule_documents import import_options
from r4.cli.options.run_arguments import (
    RunCommand,
    context_files,
    documents_of,
    input_formats,
    next_number,
    paths_of,
    read_program,
)
from r4.cli.options.run_options import InputOptions
from r4.cli.sessions.explain_session import ExplainSession, FactQuestion
from r4.cli.terminal.console import NO, RULES_REFUSED
from r4.engine.core import Core
from r4.explain.question.fact_parser import NoFact, parse_fact
from r4.explain.rendering.json_output import as_json
from r4.explain.rendering.names import collect_names
from r4.explain.rendering.picture import as_svg
from r4.explain.rendering.text import as_text
from r4.run.inputs import RunInput
from r4.time.ticks import NotAStamp, OutOfRange, Stamp, TimeScale
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import CUSTOMARY_PREFIXES, XSD

_DAY: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
"""A dateTime as people write it: without seconds, zone, even without a time."""
_SHOWN: Final = 3
"""So many justifications by default."""


@dataclass(frozen=True, slots=True)
class _ExplainOptions(InputOptions):
    """The values of all options."""

    fact: str
    input_format: tuple[str, ...]
    mapping: tuple[str, ...]
    context: tuple[str, ...]
    at: str | None
    limit: int
    form: str


@click.command(cls=RunCommand)
@click.argument("rules")
@click.argument("streams", nargs=-1, metavar="[STREAM]...")
@click.option(
    "--fact",
    required=True,
    metavar="'S P O'",
    help="The fact: a triple in Turtle, with the prefixes of the rules, or as the rules write it.",
)
@click.option(
    "--at",
    metavar="T",
    help="The instant: an integer, or a dateTime, perhaps without seconds, zone (UTC then) or "
    "time.  [default: the last stamp]",
)
@click.option(
    "--limit",
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
@shared_options.static
@input_options.input_format
@input_options.mapping
@input_options.context
@shared_options.window
@shared_options.entailment
@shared_options.delay
@shared_options.strict
@shared_options.lenient
@shared_options.time_predicate
@shared_options.tick
@shared_options.literals
@import_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:  # noqa: ANN401 - what click has parsed
    """Say why a fact holds at T: the asserted facts and the rules it rests on, as a tree.

    RULES and STREAMs are those of r4 run. They are read as far as need be: up to T, and on to where
    the fact ends. Exit 1: it does not hold at T; then it is said what the rules lack.
    """
    options = _ExplainOptions(**given)
    scale = TimeScale(options.tick)
    paths = paths_of(ctx, options.rules)
    formats = input_formats(options.input_format, options.mapping, paths)
    input_options.warn_of_unused_format(ctx, formats, paths)
    ready = read_program(options, next_number(paths, formats), scale)
    if ready is None:
        return RULES_REFUSED
    closure, limit = ready.closure, ready.limit
    # By rules, an explanation has the facts that make terms equal; representatives would hide them.
    program = replace(ready.program, unites=False)
    names = collect_names(closure.documents, program, scale, PurePath(options.rules).name)
    static, sources = documents_of(paths, closure, formats=formats)
    input_options.refuse_ignored(ctx, static, sources)
    contexts = context_files(options.context)
    static, sources = (
        [replace(document, contexts=contexts) for document in some] for some in (static, sources)
    )
    try:
        fact = parse_fact(options.fact, {**CUSTOMARY_PREFIXES, **dict(names.prefixes)})
        at = None if options.at is None else _instant(options.at, scale)
    except NoFact as error:
        raise click.UsageError(str(error)) from None
    delays = options.delays(scale)
    streams = options.reading(scale, ready.iri_names)
    core = Core(program, Dictionary(by_value=options.by_value), limit=limit)
    question = FactQuestion(*fact, at, names, options.limit)
    streams = delays.apply(streams, sources, ready.iri_names)
    run = ExplainSession(core, RunInput(closure, program, static, sources, streams))
    found = run.explanation(question)
    if isinstance(found, int):
        return found
    match options.form:
        case "json":
            shown = as_json(found, names, run.clock)
        case "svg":
            shown = as_svg(found, names, run.clock)
        case _:
            shown = as_text(found, names, run.clock)
    click.echo(shown.encode())
    return 0 if found.holds else NO


def _instant(text: str, scale: TimeScale) -> Stamp:
    kind = "integer" if text.lstrip("+-").isdecimal() else "dateTime"
    parts = _DAY.fullmatch(text.strip())
    if parts is not None:
        day, clock, seconds, zone = parts.groups()
        text = f"{day}T{clock or '00:00'}{seconds or ':00'}{zone or 'Z'}"
    try:
        return scale.stamp(f'"{text}"^^<{XSD}{kind}>')
    except (NotAStamp, OutOfRange):
        message = f"--at {text}: write an integer, or a dateTime such as 2013-01-31T08:30:00Z"
        raise click.UsageError(message) from None
