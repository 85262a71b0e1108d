"""``r4 check``: all that is wrong with a rule document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final, Literal, NamedTuple

import click

from r4.cli.findings import FaultCollection, json_lines, sarif
from r4.cli.options.declared_options import with_options
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import (
    RETRACT_WITHIN,
    Report,
    compile_closure,
    locations,
    may_not_end,
    read_closure,
    read_rules,
    say_faults,
    say_regime_limits,
)
from r4.cli.terminal.console import RULES_REFUSED, refuse, say
from r4.engine.core import Core
from r4.foreign.rule_parser import LANGUAGES, language_of
from r4.imports import Closure, ImportErrors, judge_graphs
from r4.imports.errors import Unreadable
from r4.options.option import Topic, argument, option, several
from r4.options.run_options import FormatOptions
from r4.options.shared_options import (
    EntailmentOptions,
    ImportOptions,
    LenientOptions,
    LiteralOptions,
)
from r4.program.box_conditions import box_conditions
from r4.program.errors import OperatorFinerThanTick, TooManyConditions
from r4.program.lookahead import memory_warning
from r4.program.option_names import rule_names
from r4.program.program import BACKGROUND, Program
from r4.program.regimes.background import background_of, regimes_of
from r4.program.windows_under_operators import window_warnings
from r4.time.ticks import TimeScale
from rete.arrays.delta import POS_INF
from rete.drawing.diagram import diagram
from rete.drawing.names import Names, duration_text, plain
from rete.network.lookback import measure_lookback
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors, counted

_BEFORE_STRATIFICATION: Final = frozenset(
    each.code for each in (OperatorFinerThanTick, TooManyConditions)
)
"""Faults of rules that are not compiled to the end."""
_OF_LASTING: Final = (
    "can be true if static data, or elements with an end of their own, give what it asks for, "
    "themselves or by rules; an element without one holds at its instant alone, as there is no "
    "Window that says for how long; --with FILE says whether it is true"
)
"""When a box is true, if rules do not say that what it asks for lasts."""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(EntailmentOptions, ImportOptions, LenientOptions, LiteralOptions, FormatOptions):
    """All options of ``r4 check``: what is checked, and in which form faults are written."""

    rules: str = argument()
    form: Literal["text", "json", "sarif"] = option(
        "For a person, an object a line, or a log of SARIF 2.1.0; the latter two on standard "
        "output, with nothing else.",
        Topic.COMMAND,
        spelling="--format --as",
        shows_default=True,
        default="text",
    )

    data: tuple[str, ...] = several(
        "Read the stream FILE, and say which patterns and joins of the rules it does not meet.",
        Topic.COMMAND,
        spelling="--with",
        metavar="FILE",
    )
    static: tuple[str, ...] = several("RDF that always holds.", Topic.COMMAND, metavar="FILE")
    time_predicate: str | None = option(
        "In place of prov:generatedAtTime.", Topic.COMMAND, metavar="IRI"
    )

    def say_unchecked(self, what: str) -> None:
        """Say what is not known yet, so that nobody takes the faults for all that there are."""
        if self.form == "text":
            say(f"not checked yet: {what}; mend the faults above first")


@click.command()
@with_options(CheckOptions)
@click.pass_context
def command(ctx: click.Context, options: CheckOptions) -> int:
    """Say all that is wrong with RULES and what they import, with place and hint.

    --entailment and --literals are those of the run: what they mean is checked with the rules.
    --with FILE reads data as r4 run does, and says what of the rules they do not meet, and why.
    Exit 3 if they cannot be run. docs/errors.md says of each code what it means and what to do.
    """
    faults = FaultCollection()
    checked = _check(options, say_faults if options.form == "text" else faults.add)
    match options.form:
        case "json":
            for line in json_lines(faults.found):
                click.echo(line)
        case "sarif":
            click.echo(sarif(faults.found))
        case _ if checked is not None:
            _print(checked, TimeScale(options.tick), has_data=bool(options.data))
    if faults.more:
        say(f"{faults.more} more faults are not listed")
    if checked is None:
        return RULES_REFUSED
    return _check_data(ctx, options, checked) if options.data or options.static else 0


def _check_data(ctx: click.Context, options: CheckOptions, checked: _Checked) -> int:
    """Say what of the rules the data do not meet; the exit code."""
    from r4.cli.options.input_options import context_files, input_formats
    from r4.cli.options.run_arguments import documents_of, next_number
    from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
    from r4.explain.rendering.names import collect_names
    from r4.run.driver import MOST
    from r4.run.findings.data_check import DataCheck
    from r4.run.inputs import RunInput
    from r4.run.notes import RunNotes
    from r4.stream.source import StreamOptions

    if options.form != "text":
        refuse("--with and --static tell a person: with --format text alone")
    paths = [(True, path) for path in options.static] + [(False, path) for path in options.data]
    formats = input_formats(ctx, options, paths)
    first = next_number(paths, formats)
    closure, program = checked.closure, checked.program
    if closure.graphs or closure.streams:
        closure = _numbered(options, first)
    static, streams = documents_of(paths, closure, formats=formats)
    contexts = context_files(options.context)
    static, streams = (
        [replace(document, contexts=contexts) for document in some] for some in (static, streams)
    )
    predicate = options.time_predicate
    if predicate is not None:
        predicate = IriNames.of(closure.documents[0]).iri("--time-predicate", predicate)
    reading = StreamOptions(
        names=True,
        scale=TimeScale(options.tick),
        time_predicate=predicate,
        windows=program.windows,
    )
    given = RunInput(closure, program, static, streams, reading)
    limit = MOST if checked.may_not_end else None
    check = DataCheck(given, RunNotes(say), by_value=options.by_value, limit=limit)
    try:
        check.read()
        names = collect_names(closure.documents, check.program, reading.scale)
        for line in check.lines(names):
            click.echo(line)
    except RUN_ERRORS as error:
        return exit_code_of(error)
    return 0


def _numbered(options: CheckOptions, first: int) -> Closure:
    """The closure once more, whose documents have numbers behind those of the data."""
    parsed = read_rules(options.rules, options, report=lambda _: None)
    assert parsed is not None
    found = locations(options.import_map, options.import_root, IriNames.of(parsed.document))
    closure = read_closure(
        *(parsed, options.rules, found, first),
        lenient=options.lenient,
        numbers_by_value=options.numbers_by_value,
        report=lambda _: None,
    )
    assert closure is not None
    return closure


class _Checked(NamedTuple):
    """Rules that can run, how many warnings they have, and whether they may derive for ever."""

    closure: Closure
    program: Program
    warnings: int
    may_not_end: bool


def _check(options: CheckOptions, report: Report) -> _Checked | None:
    """What can be run; None: it is refused. All that is wrong is reported."""
    codes: set[str] = set()
    report = partial(_note, codes, report)
    parsed = read_rules(options.rules, options, report=report)
    if parsed is None:
        if Unreadable.code not in codes:
            options.say_unchecked("imports, stratification and time")
        return None
    found = locations(options.import_map, options.import_root, IriNames.of(parsed.document))
    closure = read_closure(
        *(parsed, options.rules, found, 1),
        lenient=options.lenient,
        numbers_by_value=options.numbers_by_value,
        report=report,
    )
    if closure is None:
        options.say_unchecked("stratification and time")
        return None
    codes.clear()
    program = compile_closure(
        closure,
        TimeScale(options.tick),
        background_of(options.entailment, closure.profile),
        by_value=options.by_value,
        report=report,
    )
    try:
        graphs = judge_graphs(closure)
    except ImportErrors as errors:
        report(errors)
        return None
    for graph in graphs:
        report(graph)
    if program is None:
        if codes & _BEFORE_STRATIFICATION:
            options.say_unchecked("stratification and time")
        return None
    warnings = [*closure.warnings, *graphs]
    count = len(parsed.warnings) + sum(len(each.errors) for each in warnings)
    regimes = regimes_of(options.entailment, closure.profile)
    count += say_regime_limits(closure, regimes, by_value=options.by_value, report=report)
    if faults := window_warnings(closure.documents[0]):
        report(closure.sources[0].notes(faults))
    endless = may_not_end(parsed, closure)
    return _Checked(closure, program, count + len(faults), endless)


def _note(codes: set[str], report: Report, faults: RuleErrors) -> None:
    """Report faults, and note their codes in ``codes``."""
    codes.update(fault.code for fault in faults.errors)
    report(faults)


def _print(checked: _Checked, scale: TimeScale, *, has_data: bool) -> None:
    closure, program, count, _ = checked
    click.echo(f"{closure.name}: {_summary(closure, program, count)}")
    if program.metric:
        core = Core(program, Dictionary())
        names = rule_names(closure.documents, scale, language=closure.language)
        click.echo(f"metric time: {_times(core, scale)}")
        boxes = _box_lines(closure, program, names, scale, has_data=has_data)
        kept = () if program.open_ends is not None else _retention_lines(core, names, scale)
        for line in chain(boxes, kept):
            click.echo(line)


def _times(core: Core, scale: TimeScale) -> str:
    """How far answers reach in time, and what that takes."""
    program = core.program
    holds = "at their instant alone" if program.window is None else "as long as the window says"
    ahead = int(core.lookahead)
    back = program.reach.back
    far = "without end" if back == math.inf else duration_text(int(back), scale.per_second)
    looked = f"answers look back {far}"
    if program.open_ends is not None:
        looked = "static data say how far answers look, as variables end ranges"
    elif ahead:
        looked += (
            f" and ahead {duration_text(ahead, scale.per_second)}: they are final that much later"
        )
    memory = memory_warning(program, remedy=RETRACT_WITHIN) or "memory is bounded"
    return f"elements without an end hold {holds}; {looked}; {memory}"


def _box_lines(
    closure: Closure, program: Program, names: Names, scale: TimeScale, *, has_data: bool
) -> Iterator[str]:
    """Boxes that few elements make true, and those that ask for one value where some may do.

    If there are data these say themselves which boxes were never true.
    """
    for key, condition in box_conditions(program, closure.documents, scale).items():
        box = names.operator(key.name, key.rho)
        if condition.is_brief and condition.window is None and not has_data:
            yield f"{names.rule(key.rule)}: {box} {_OF_LASTING}"
        for line in condition.fixed_values(compared=True):
            yield f"{names.rule(key.rule)}: in {box} {line}"


def _retention_lines(core: Core, names: Names, scale: TimeScale) -> Iterator[str]:
    """Which facts are kept for how long after they ended; all others are forgotten then.

    Those that are kept for ever, also if nothing is retracted: what `--retract-within` makes of it.
    """
    kept = _retentions(core, names)
    core.layers.retractable = 0
    measure_lookback(core.layers)
    unless_retracted = _retentions(core, names)
    if kept:
        yield "kept after they end, as rules look back on them:"
    for pattern, cells in kept.items():
        time, least = "for ever", unless_retracted.get(pattern, 0)
        if cells < POS_INF:
            time = duration_text(cells >> 1, scale.per_second)
        elif least < POS_INF:
            time += f"; {duration_text(least >> 1, scale.per_second)} with --retract-within 0s"
        yield f"  {pattern}: {time}"


def _retentions(core: Core, names: Names) -> dict[str, int]:
    """For how many cells the facts of patterns are kept, by their texts."""
    return {
        plain(label): node.retention
        for node in diagram(core.network, names).nodes
        for label in node.label
        if node.kind == "pattern" and node.retention >> 1
    }


def _summary(closure: Closure, program: Program, warnings: int) -> str:
    document = closure.documents[0]
    numbers = {emit.rule for emit in program.emits}
    rules = sum(program.places[number - 1].document != BACKGROUND for number in numbers)
    main = closure.sources[0]
    foreign = language_of(main.text.encode(), main.name)
    origin = "" if foreign is None else f" from {LANGUAGES[foreign]}"
    parts = [counted(rules, "rule") + origin, counted(len(program.facts), "fact")]
    imported = len(closure.documents) - 1 + len(closure.graphs) + len(closure.streams)
    if imported:
        parts.append(counted(imported, "import"))
    if document.window is None:
        parts.append("no window")
    else:
        parts.append(f"window {document.window.amount} {document.window.unit or 'ticks'}")
    parts.append(counted(warnings, "warning"))
    return ", ".join(parts)
