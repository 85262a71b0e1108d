"""``r4 check``: all that is wrong with a rule document."""

from __future__ import annotations

from collections.abc import Iterator

import click

from r4.cli.options import shared_options
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import (
    compile_closure,
    import_options,
    locations,
    read_closure,
    read_rules,
    say_regime_limits,
)
from r4.cli.terminal.console import RULES_REFUSED, say
from r4.engine.core import Core
from r4.imports import Closure, ImportErrors, judge_graphs
from r4.program.lookahead import duration_text, memory_warning
from r4.program.program import BACKGROUND, Program
from r4.program.regimes.background import background_of, regimes_of
from r4.time.ticks import TickUnit, TimeScale
from rete.arrays.delta import POS_INF
from rete.drawing import Names, diagram, names_of, plain
from rete.terms.dictionary import Dictionary
from rif.errors.report import counted
from rif.syntax.clauses import merge


@click.command()
@click.argument("rules")
@shared_options.lenient
@shared_options.tick
@shared_options.entailment
@shared_options.literals
@import_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    rules: str,
    tick: TickUnit,
    entailment: str,
    literals: str,
    import_map: tuple[str, ...],
    import_root: str | None,
    *,
    lenient: bool,
) -> int:
    """Say all that is wrong with RULES and what they import, with place and hint.

    --entailment and --literals are those of the run: what they mean is checked with the rules.
    Exit 3 if they cannot be run.
    """
    parsed = read_rules(rules, lenient=lenient)
    if parsed is None:
        return RULES_REFUSED
    where = locations(import_map, import_root, IriNames.of(parsed.document))
    closure = read_closure(parsed, rules, where, 1, lenient=lenient)
    if closure is None:
        return RULES_REFUSED
    background, by_value = background_of(entailment, closure.profile), literals == "value"
    program = compile_closure(closure, TimeScale(tick), background, by_value=by_value)
    try:
        graphs = judge_graphs(closure)
    except ImportErrors as errors:
        say(errors.report())
        return RULES_REFUSED
    for graph in graphs:
        say(graph.report())
    if program is None:
        return RULES_REFUSED
    warnings = [*closure.warnings, *graphs]
    count = len(parsed.warnings) + sum(len(each.errors) for each in warnings)
    regimes = regimes_of(entailment, closure.profile)
    count += say_regime_limits(closure, regimes, by_value=by_value)
    click.echo(f"{closure.name}: {_summary(closure, program, count)}")
    if program.metric:
        scale, core = TimeScale(tick), Core(program, Dictionary())
        click.echo(f"metric time: {_times(core, scale)}")
        for line in _retention_lines(core, names_of(merge(closure.documents)), scale):
            click.echo(line)
    return 0


def _times(core: Core, scale: TimeScale) -> str:
    """How far answers reach in time, and what that takes."""
    program = core.program
    holds = "at their instant alone" if program.window is None else "as long as the window says"
    parts = [f"elements hold {holds}"]
    ahead = core.lookahead
    looked = f"answers look back {duration_text(program.reach.back, scale)}"
    if ahead:
        looked += f" and ahead {duration_text(ahead, scale)}: they are final that much later"
    parts.append(looked)
    parts.append(memory_warning(program.reach) or "memory is bounded")
    return "; ".join(parts)


def _retention_lines(core: Core, names: Names, scale: TimeScale) -> Iterator[str]:
    """Which facts are kept for how long after they ended; all others are forgotten then."""
    kept = {
        plain(label): node.retention
        for node in diagram(core.network, names).nodes
        for label in node.label
        if node.kind == "pattern" and node.retention >> 1
    }
    if kept:
        yield "kept after they end, as rules look back on them:"
    for pattern, cells in kept.items():
        time = "for ever" if cells >= POS_INF else duration_text(cells >> 1, scale)
        yield f"  {pattern}: {time}"


def _summary(closure: Closure, program: Program, warnings: int) -> str:
    document = closure.documents[0]
    numbers = {emit.rule for emit in program.emits}
    rules = sum(program.places[number - 1].document != BACKGROUND for number in numbers)
    parts = [counted(rules, "rule"), counted(len(program.facts), "fact")]
    imported = len(closure.documents) - 1 + len(closure.graphs) + len(closure.streams)
    if imported:
        parts.append(counted(imported, "import"))
    if document.window is None:
        parts.append("no window")
    else:
        parts.append(f"window {document.window.amount} {document.window.unit or 'ticks'}")
    parts.append(counted(warnings, "warning"))
    return ", ".join(parts)
