"""``r4 check``: all that is wrong with a rule document."""

from __future__ import annotations

import click

from r4.cli.common import RULES_REFUSED, not_built, read_rules, say
from r4.compile import Program, compile_document
from r4.time import TickUnit, TimeScale
from rif.ast import Document
from rif.errors import RuleErrors


@click.command()
@click.argument("rules")
@click.option("--lenient", is_flag=True, help="Accept undeclared variables and bare words.")
@click.option("--tick", type=click.Choice(["ms", "us", "ns"]), default="ms", show_default=True)
@not_built("--import-map")
def command(rules: str, tick: TickUnit, *, lenient: bool) -> int:
    """Say all that is wrong with RULES, with place and hint. Exit 3 if they cannot be run."""
    parsed = read_rules(rules, lenient=lenient)
    if parsed is None:
        return RULES_REFUSED
    name = "<stdin>" if rules == "-" else rules
    try:
        program = compile_document(parsed.document, TimeScale(tick))
    except RuleErrors as errors:
        say(RuleErrors(errors.errors, parsed.source, name).report())
        return RULES_REFUSED
    click.echo(f"{name}: {_summary(parsed.document, program, len(parsed.warnings))}")
    return 0


def _summary(document: Document, program: Program, warnings: int) -> str:
    rules = len({emit.rule for emit in program.emits})
    parts = [_counted(rules, "rule"), _counted(len(program.facts), "fact")]
    if document.imports:
        parts.append(_counted(len(document.imports), "import"))
    if document.window is None:
        parts.append("no window")
    else:
        parts.append(f"window {document.window.amount} {document.window.unit or 'ticks'}")
    parts.append(_counted(warnings, "warning"))
    return ", ".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"
