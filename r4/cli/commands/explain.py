"""``r4 explain``: why a fact holds at an instant, since when and until when, and why it went."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import PurePath
from typing import Final, Literal

import click

from r4.cli.options.declared_options import with_options
from r4.cli.options.durations import KeyedDurations, maybe_ticks
from r4.cli.options.input_options import context_files, input_formats, refuse_ignored
from r4.cli.options.run_arguments import (
    RunCommand,
    documents_of,
    next_number,
    paths_of,
    read_program,
    stream_options,
    warn_of_unread_windows,
)
from r4.cli.terminal.console import LIMIT, NO, refuse, say
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.engine.core import Core
from r4.errors import Counters
from r4.explain.explanation import Explanation
from r4.explain.question.explainer import Explainer
from r4.explain.question.fact_parser import NoFact, parse_fact, unknown_iris
from r4.explain.question.playback import Playback
from r4.explain.rendering.json_output import as_json
from r4.explain.rendering.names import collect_names
from r4.explain.rendering.picture import as_svg
from r4.explain.rendering.text import as_text
from r4.options.option import REQUIRED, Topic, option
from r4.options.run_options import FormatOptions, InputOptions
from r4.options.shared_options import RetractionOptions
from r4.rdf.files import STDIN
from r4.run.inputs import RunInput
from r4.run.notes import RunNotes
from r4.time.ticks import Kind, NotAStamp, OutOfRange, Stamp, StampFormat, TimeScale
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from rif.syntax.terms import CUSTOMARY_PREFIXES, XSD

_DAY: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
"""A dateTime as people write it: without seconds, zone, even without a time."""
_SHOWN: Final = 3
"""So many justifications by default."""


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(InputOptions, FormatOptions, RetractionOptions):
    """All options of ``r4 explain``."""

    fact: str = option(
        "The fact: a triple in Turtle, with the prefixes of the rules, or as the rules write it.",
        Topic.COMMAND,
        metavar="'S P O'",
        default=REQUIRED,
    )
    at: str | None = option(
        "The instant: an integer, or a dateTime, perhaps without seconds, zone (UTC then) or time.",
        Topic.COMMAND,
        metavar="T",
        otherwise="the last stamp",
    )
    limit: int = option(
        "The most justifications to show.",
        Topic.COMMAND,
        least=1,
        shows_default=True,
        default=_SHOWN,
    )
    form: Literal["text", "json", "svg"] = option(
        "A tree, the same for a program, or a picture.",
        Topic.COMMAND,
        spelling="--as",
        shows_default=True,
        default="text",
    )


@click.command(cls=RunCommand)
@with_options(ExplainOptions)
@click.pass_context
def command(ctx: click.Context, options: ExplainOptions) -> int:
    """Say why a fact holds at T: the asserted facts and the rules it rests on, as a tree.

    RULES and STREAMs are those of r4 run. They are read as far as need be: up to T, and on to where
    the fact ends. Exit 1: it does not hold at T; then it is said what the rules lack.
    """
    scale = TimeScale(options.tick, options.epoch, options.inclusive_dates)
    paths = paths_of(ctx, options.rules)
    formats = input_formats(ctx, options, paths)
    ready = read_program(options, paths, next_number(paths, formats), scale)
    warn_of_unread_windows(ready.program, ready.iri_names)
    closure, limit = ready.closure, ready.limit
    # By rules, an explanation has the facts that make terms equal; representatives would hide them.
    program = replace(ready.program, unites=False)
    title = PurePath(options.rules).name
    names = collect_names(closure.documents, program, scale, title)
    static, sources = documents_of(paths, closure, formats=formats)
    refuse_ignored(ctx, static, sources)
    contexts = context_files(options.context)
    static, sources = (
        [replace(document, contexts=contexts) for document in some] for some in (static, sources)
    )
    try:
        fact = parse_fact(options.fact, {**CUSTOMARY_PREFIXES, **dict(names.prefixes)})
        at = None if options.at is None else _instant(options.at, scale)
    except NoFact as error:
        refuse(str(error))
    delays = KeyedDurations.of("--delay", options.delay, scale)
    streams = stream_options(options, scale, ready)
    within = maybe_ticks(options.retract_within, "--retract-within", scale)
    core = Core(
        *(program, Dictionary(by_value=options.by_value)), limit=limit, retract_within=within
    )
    streams = delays.resolved(sources, ready.iri_names).delaying(streams)
    given = RunInput(closure, program, static, sources, streams)
    clock, counters, notes = StampFormat(scale), Counters(), RunNotes(say)
    core.terms.clock = clock
    try:
        statics = given.static_data(core.terms, counters, notes)
        for rows in statics.rows():
            core.assert_static(rows)
        unknown = unknown_iris(core.terms, fact[1])

        def explainer() -> Explainer:
            nonlocal names
            if core.program.end_values is not None:
                names = collect_names(closure.documents, core.program, scale, title)
            return Explainer(core, names, options.limit, unknown=unknown)

        found = _explanation(explainer, core, given, counters, fact, at, clock)
    except LimitReached as error:  # --limit of this command says something else
        say(str(error))
        return LIMIT
    except RUN_ERRORS as error:
        return exit_code_of(error)
    finally:
        notes.samples(counters)
    write = {"json": as_json, "svg": as_svg}.get(options.form, as_text)
    click.echo(write(found, names, clock).encode())
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
        refuse(f"--at {text}: write an integer, or a dateTime such as 2013-01-31T08:30:00Z")


def _explanation(  # noqa: PLR0913, PLR0917 - what is asked, of what
    make_explainer: Callable[[], Explainer],
    core: Core,
    given: RunInput,
    counters: Counters,
    fact: tuple[Relation, tuple[str, ...]],
    at: Stamp | None,
    clock: StampFormat,
) -> Explanation:
    """The explanation, from streams that are read as far as need be; ``clock`` gets their kind."""
    relation, texts = fact
    ids = core.terms.encode_many(texts)
    core.terms.pin(ids)
    intake = given.open(core.terms, counters)
    onward = all(document.path != STDIN for document in given.streams)
    tick = None if at is None else at.tick
    with closing(intake):
        batches = iter(intake)
        first = list(islice(batches, 1))
        clock.kind = intake.kind  # static data end ranges by the kind of the stamps
        core.close_ranges()
        explainer = make_explainer()
        playback = Playback(core, explainer, relation, ids.tolist(), tick, onward=onward)
        found = playback.run(chain(first, batches), lambda: intake.last)
    kind = intake.kind
    clock.kind = kind if kind != Kind.NONE or at is None else at.kind
    if at is not None and kind not in {Kind.NONE, at.kind}:
        refuse(f"--at is {_kind(at.kind)}, but the stamps of the streams are {_kind(kind)}s")
    return found


def _kind(kind: Kind) -> str:
    return "a dateTime" if kind is Kind.DATE_TIME else "an integer"
