"""``r4 run``: runs rules over streams; answers come as they become final."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
from click.exceptions import Exit

from r4.cli.configuration import ConfigurableRunCommand
from r4.cli.options.declared_options import with_options
from r4.cli.options.durations import KeyedDurations, maybe_ticks, parse_ticks
from r4.cli.options.input_options import context_files, input_formats, refuse_ignored
from r4.cli.options.iri_names import IriNames
from r4.cli.options.report_arguments import report_of
from r4.cli.options.rule_documents import RETRACT_WITHIN, refuse_open_ranges
from r4.cli.options.run_arguments import (
    CompiledRules,
    documents_of,
    end_of,
    next_number,
    paths_of,
    read_run,
    stream_options,
    warn_of_memory,
)
from r4.cli.options.sink_format_choice import choose_form
from r4.cli.sessions.stream_session import SessionOptions, StreamSession
from r4.cli.streams.query_reports import as_query_says
from r4.cli.streams.run_command_options import ANSWERS, RunCommandValues
from r4.cli.streams.run_outputs import open_outputs
from r4.cli.terminal.console import (
    RULES_REFUSED,
    read_bytes,
    refuse,
    refuse_overwriting,
    refuse_shared_outputs,
    say,
)
from r4.cli.terminal.run_errors import exit_code_of
from r4.errors import MEANING, Flaw
from r4.options.values import byte_count
from r4.program.option_names import unasked_names, underived_names
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.rdf.files import is_compressed
from r4.run.inputs import RunInput
from r4.run.settings import RunSettings
from r4.state.errors import StateError
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, TimeScale


def _warn_of_unknown_names(
    program: Program, names: IriNames, derived: Mapping[str, Sequence[str]], expect: Sequence[str]
) -> None:
    """Warn of names in options that no rule derives, or that none asks for where they may come.

    ``derived`` has those that should be derived, by option; ``expect`` those that may come.
    """
    unknown = [
        (option, name, "derives it", "is derived")
        for option, iris in derived.items()
        for name in underived_names(program, iris)
    ]
    unknown += [
        ("--expect", name, "asks for it", "is asked for") for name in unasked_names(program, expect)
    ]
    written = names.written
    for option, name, does, known in unknown:
        hint = "" if name.near is None else f"; {written.iri(name.near)} {known}"
        say(f"warning: {option} {written.iri(name.iri)}: no rule {does}{hint}")


def _check_clock(
    streams: StreamOptions, sources: Sequence[RdfDocument], quiet: Tick, *, has_idle: bool
) -> None:
    """Refuse bounds within which no stamp could move time; warn of delays that are too short.

    Warn also of pipes whose silence is not seen, where it counts.
    """
    delays = streams.delays_of([document.name for document in sources])
    if streams.wall and sources and min(delays) < quiet:
        say(
            "warning: --delay is shorter than --quiet-for: with --clock wall an element is late "
            "once the clock shows its stamp plus the delay, and silence may complete it only then"
        )
    for document in sources if streams.wall or has_idle else ():
        if is_compressed(document.path) and not Path(document.path).is_file():
            say(f"{document.name}: {Flaw.UNSEEN.code} warning: {MEANING[Flaw.UNSEEN]}")
    if streams.ahead is not None and not streams.wall and streams.ahead < max(delays):
        refuse("--ahead is shorter than --delay, so no stamp could move time")


def _rules(
    options: RunCommandValues, paths: Sequence[tuple[bool, str]], first: int, scale: TimeScale
) -> tuple[bytes, bytes, CompiledRules]:
    """What the file of the rules says now, what it said when the run began, and these rules.

    `Exit`: they are refused, which is reported.
    """
    recorded = _recorded_rules(options)
    data = b"" if options.replay else read_bytes(options.migrate or options.rules)
    if data is None:
        raise Exit(RULES_REFUSED)
    counts = options.fail_on not in {None, "error"}
    began = data if recorded is None else recorded
    return data, began, read_run(options, paths, first, scale, counts=counts, data=began)


def _recorded_rules(options: RunCommandValues) -> bytes | None:
    """What the rules said when the run of the state began; None: no run has begun."""
    if options.state is None or not Path(options.state).is_dir():
        return None
    from r4.state.folder import StateFolder

    manifest = StateFolder(Path(options.state)).manifest()
    if manifest is None:
        return None
    manifest.check_is_run()
    return manifest.rules.encode("latin-1")


@click.command(cls=ConfigurableRunCommand)
@with_options(RunCommandValues)
@click.pass_context
def command(ctx: click.Context, options: RunCommandValues) -> int:
    """Run RULES over the streams; answers are written as they become final.

    With --order arrival they are written as soon as time reaches them, and undone if need be.

    A STREAM is N-Quads or TriG, one named graph an element, stamped by prov:generatedAtTime in
    the default graph; or another format, by its suffix or -i: tables with --mapping, graphs with
    --time-predicate. - is standard input; files may end in .gz, .bz2 or .xz.
    """
    options = replace(options, form=choose_form(options.form, options.output))
    options.check()
    scale = TimeScale(options.tick, options.epoch, options.inclusive_dates)
    delays = KeyedDurations.of("--delay", options.delay, scale)
    idle = maybe_ticks(options.idle, "--idle", scale)
    quiet = parse_ticks(options.quiet_for, "--quiet-for", scale)
    lookback = maybe_ticks(options.lookback, "--lookback", scale)
    retract_within = maybe_ticks(options.retract_within, "--retract-within", scale)
    paths = paths_of(ctx, options.rules)
    formats = input_formats(ctx, options, paths)
    inputs = [options.rules, *(path for _, path in paths), *options.files_beside(ctx)]
    outputs = {
        "--output": options.output,
        "--late": options.late,
        "--status": options.status,
        "--metrics": options.metrics,
    }
    for output in filter(None, outputs.values()):
        refuse_overwriting(output, inputs)
    refuse_shared_outputs(outputs, options.state)
    try:
        rules, began, ready = _rules(options, paths, next_number(paths, formats), scale)
    except StateError as error:
        return exit_code_of(error)
    options = as_query_says(options, began)
    options.check()
    closure, program, names = ready.closure, ready.program, ready.iri_names
    if options.hypotheses is not None:
        refuse_open_ranges(closure, "under --hypotheses")
    streams = replace(
        stream_options(options, scale, ready),
        each=options.arrival,
        late_bounds=options.hypotheses is not None,
        arrival=options.stamp is not None,
        wall=options.clock == "wall",
        ahead=options.ahead_ticks(scale),
        dated=options.zone is not None,
    )
    static, sources = documents_of(
        paths, closure, formats=formats, reads_answers=options.hypotheses is None
    )
    refuse_ignored(ctx, static, sources)
    forgets = retract_within is not None
    warn_of_memory(program, sources, forgets=forgets, remedy=RETRACT_WITHIN)
    streams = delays.resolved(sources, names).delaying(streams)
    _check_clock(streams, sources, quiet, has_idle=idle is not None)
    contexts = context_files(options.context)
    static, sources = (
        [
            replace(document, most_expanded=options.max_expanded, contexts=contexts)
            for document in some
        ]
        for some in (static, sources)
    )
    drain, limit = end_of(options, ready, scale)
    try:
        folder, state, to, late = open_outputs(ctx, options, static, scale, rules)
    except StateError as error:
        return exit_code_of(error)
    only, fail_on = names.iris("--only", options.only), options.failing_answer(names)
    failing = () if fail_on in ANSWERS or fail_on is None else (fail_on,)
    expected = names.iris("--expect", options.expect)
    _warn_of_unknown_names(program, names, {"--only": only, "--fail-on": failing}, expected)
    settings = RunSettings(
        instances=options.instances,
        by_value=options.by_value,
        arrival=options.arrival,
        keep=lookback is not None,
        lookback=lookback,
        retract_within=retract_within,
        hypotheses=options.hypothesis_options(streams, sources, names),
        limit=limit,
        memory=None if options.memory is None else byte_count(options.memory),
        max_term=options.max_term,
        idle=None if idle is None else idle / scale.per_second,
        quiet=quiet / scale.per_second,
        drain=drain,
        lenient=options.lenient,
        watch=options.watch and not options.replay and options.migrate is None,
        covers=not options.quiet,
        report=report_of(options, scale),
        ops=options.ops,
    )
    session_options = SessionOptions(
        form=options.chosen_form,
        only=only,
        fail_on=fail_on,
        late=late,
        status=options.status_files(folder),
        state=state,
        is_quiet=options.quiet,
        names=names.written,
        prefixes=names.prefixes,
        of_dates="" if options.quiet else options.bare_durations(closure.documents),
    )
    documents = RunInput(closure, program, static, sources, streams)
    session = StreamSession(documents, settings, session_options)
    code = session.run(to)
    if state is None or not state.leaves_input or session.is_stopped:
        return code
    from r4.cli.sessions.input_end import await_input_end

    ctx.close()  # nothing is written any more, so others may have the folder and the files
    return await_input_end(state, code)
