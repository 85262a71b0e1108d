"""Options that commands share: each has one name, one meaning, one line of help."""

from __future__ import annotations

import click

static = click.option("--static", multiple=True, metavar="FILE", help="RDF that always holds.")
window = click.option(
    "--window",
    metavar="DURATION",
    help="In place of the Window of the rules, as 5s; a number alone counts ticks (ms).",
)
semantics = click.option("--semantics", type=click.Choice(["facts", "instances"]), default="facts")
entailment = click.option(
    "--entailment", type=click.Choice(["none", "rdfs", "owl-rl"]), default="none"
)
delay = click.option(
    "--delay",
    multiple=True,
    metavar="[FILE=|IRI=]DURATION",
    help="How late data may come, as 2s: all, those of a stream, those with a predicate;"
    " a number alone counts ticks (ms).",
)
drain = click.option(
    "--drain", metavar="[DURATION]", help="Tell also what changes after the last stamp."
)
strict = click.option("--strict", is_flag=True, help="End at the first bad datum.")
lenient = click.option(
    "--lenient", is_flag=True, help="Accept undeclared variables and bare words."
)
only = click.option(
    "--only", multiple=True, metavar="IRI", help="Answers of this predicate or class."
)
time_predicate = click.option(
    "--time-predicate", metavar="IRI", help="In place of prov:generatedAtTime."
)
tick = click.option(
    "--tick", type=click.Choice(["ms", "us", "ns"]), default="ms", show_default=True
)
literals = click.option(
    "--literals",
    type=click.Choice(["term", "value"]),
    default="term",
    help="Whether literals of equal values are one term.",
)
include_input = click.option("--include-input", is_flag=True, help="Print what is asserted, too.")
include_background = click.option(
    "--include-background", is_flag=True, help="Print what the entailment regime derives, too."
)
