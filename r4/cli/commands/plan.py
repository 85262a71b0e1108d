"""``r4 plan``: the network of a rule document, with what is shared, or its partition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final, Literal

import click

from r4.cli.options.declared_options import with_options
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import (
    compile_closure,
    locations,
    read_closure,
    read_rules,
    refuse_open_ranges,
)
from r4.cli.options.spark_options import MOST_SHARDS, render_partition
from r4.cli.terminal.console import RULES_REFUSED, refuse, say
from r4.engine.core import Core
from r4.options.option import Topic, argument, option
from r4.options.shared_options import ImportOptions, LenientOptions, LiteralOptions
from r4.program.option_names import rule_names
from r4.run.single_elements import refusal
from r4.time.ticks import TimeScale
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.picture.network_picture import Picture
from rete.drawing.text_tree import as_text
from rete.terms.dictionary import Dictionary

_MANY: Final = 400
"""A picture of more nodes than these comes with a line about its size."""


@dataclass(frozen=True, kw_only=True)
class PlanOptions(ImportOptions, LenientOptions, LiteralOptions):
    """All options of ``r4 plan``."""

    rules: str = argument()
    form: Literal["text", "dot", "svg", "json"] = option(
        "A tree, Graphviz, a picture, or all of it for a program.",
        Topic.COMMAND,
        spelling="--as",
        shows_default=True,
        default="text",
    )
    shards: int | None = option(
        "Show instead how the rules fall apart into so many shards.",
        Topic.SPARK,
        least=1,
        most=MOST_SHARDS,
    )
    rates: str | None = option(
        "With --shards: how much comes of a predicate, as a JSON object of IRIs and numbers; "
        "0 for static data.",
        Topic.SPARK,
        metavar="FILE",
    )


@click.command()
@with_options(PlanOptions)
def command(options: PlanOptions) -> int:
    """Show the network of RULES: patterns, joins, tests, and which rules share them."""
    rules, lenient = options.rules, options.lenient
    parsed = read_rules(rules, options)
    if parsed is None:
        return RULES_REFUSED
    path = "<stdin>" if rules == "-" else rules
    where = locations(options.import_map, options.import_root, IriNames.of(parsed.document))
    by_value, numbers = options.by_value, options.numbers_by_value
    closure = read_closure(parsed, rules, where, 1, lenient=lenient, numbers_by_value=numbers)
    if closure is None:
        return RULES_REFUSED
    scale = TimeScale(options.tick)
    program = compile_closure(closure, scale, by_value=by_value)
    if program is None:
        return RULES_REFUSED
    names = rule_names(closure.documents, scale, PurePath(path).name, closure.language)
    shards, rates, form = options.shards, options.rates, options.form
    if rates is not None and shards is None:
        refuse("--rates weighs what goes to shards: it needs --shards")
    if shards is not None:
        refuse_open_ranges(closure, "in shards")
        shown = render_partition(program, shards, names, form, rates, by_value=by_value)
        click.echo(shown.encode())
        return 0
    core = Core(program, Dictionary(by_value=by_value))
    network = diagram(core.network, names)
    if program.open_ends is not None:  # static data say how long rows are kept
        nodes = tuple(replace(node, retention=0) for node in network.nodes)
        network = replace(network, nodes=nodes)
    if form == "svg":
        picture = Picture(network)
        if len(network.nodes) > _MANY:
            size = f"{round(picture.width)} × {round(picture.height)} pixels"
            say(f"{len(network.nodes)} nodes make a picture of {size}; --as text is shorter")
        shown = picture.svg()
    else:
        shown = {"dot": as_dot, "json": as_json}.get(form, as_text)(network)
    click.echo(shown.encode())
    if form == "text":
        reason = refusal(core, core.row_plan())
        how = f"as batches, because of {reason}" if reason else "row by row"
        say(f"single elements go through it {how}")
    return 0
