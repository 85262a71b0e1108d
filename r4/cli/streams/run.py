"""``r4 run``: runs rules over streams; answers come as they become final."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from r4.cli.configuration.command_configuration import CONFIGURATION, ConfigurableRunCommand
from r4.cli.options import input_options, shared_options
from r4.cli.options.bare_durations import warn_of_bare_durations
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import import_options
from r4.cli.options.run_arguments import (
    ARGUMENTS,
    SUBJECTS,
    CompiledRules,
    context_files,
    documents_of,
    end_of,
    input_formats,
    next_number,
    paths_of,
    read_run,
    warn_of_memory,
)
from r4.cli.options.run_options import RunOptions, SinkFormatChoice, choose_form, parse_ticks
from r4.cli.options.size_option import ByteSize, MemorySize
from r4.cli.sessions.stream_session import SessionOptions, StreamSession, state_exit_code
from r4.cli.terminal.console import LOST, RULES_REFUSED, read_bytes, refuse_overwriting, say
from r4.cli.terminal.status_files import StatusFiles
from r4.errors import MEANING, Flaw
from r4.extras import MissingExtra, version_of
from r4.program.option_names import unasked_names, underived_names
from r4.program.program import Program
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import is_compressed
from r4.rdf.input_limits import FREE_EXPANSION, MOST_EXPANDED
from r4.run.driver import MOST
from r4.sinks.file import ByteWriter, SinkLost
from r4.sinks.formats import find_format, open_sink
from r4.state.errors import StateError
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, TimeScale
from r4.time.wall_clock import wall_clock
from rete.terms.dictionary import LONGEST_COMPUTED
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.lexical import MAX_RESULT

if TYPE_CHECKING:
    from r4.state.folder import StateFolder
    from r4.state.manifest import RunCommandLine
    from r4.state.output_commit import CommittedFile
    from r4.state.run_state import RunState
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


QUIET: Final = "200ms"
"""How long a pipe is silent before what came is taken as complete."""
EVERY: Final = "10s"
"""How long it is from one checkpoint to the next."""
AHEAD: Final = "1m"
"""How far ahead of the wall's clock a stamp may be."""


_ANSWERS: Final = frozenset({"answer", "any", "error"})
"""Values of ``--fail-on`` that are no IRIs."""
_NOT_TOLD: Final = frozenset(
    {
        *("rules", "streams", "status", "metrics", "limit", "memory"),
        *("state", "checkpoint_every", "keep_journal", "replay", "quiet", "watch"),
    }
)
"""Options that do not decide what is told, or that are compared otherwise."""


@dataclass(frozen=True, slots=True)
class _RunCommandOptions(RunOptions):
    """The values of all options."""

    limit: int | None
    memory: int | None
    max_term: int
    max_expanded: int | None
    idle: str | None
    clock: str
    quiet_for: str
    ahead: str | None
    late: str | None
    status: str | None
    metrics: str | None
    order: str
    fail_on: str | None
    output: str
    form: str
    stamp: str | None
    hypotheses: str | None
    expect: tuple[str, ...]
    chance: tuple[str, ...]
    most: int | None
    state: str | None
    checkpoint_every: str
    keep_journal: bool
    replay: bool
    watch: bool
    quiet: bool
    input_format: tuple[str, ...]
    mapping: tuple[str, ...]
    context: tuple[str, ...]

    def hypothesis_options(
        self, streams: StreamOptions, sources: Sequence[RdfDocument], names: IriNames
    ) -> HypothesisOptions | None:
        """The options of possible answers; None: they are not followed.

        Raises:
            click.UsageError: a chance does not fit the delays of ``sources``, or an expected name
                is no absolute IRI.
        """
        if self.hypotheses is None:
            return None
        from r4.possible.chance_option import parse_chances
        from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
        from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions

        try:
            own = streams.delays_of([document.name for document in sources])
            lateness = UnitLateness.of(own, streams.predicate_delays)
            chances = None
            if self.chance:
                chances = parse_chances(self.chance, streams.scale, lateness, names.expand)
        except RuleErrors as errors:
            raise click.UsageError(errors.report()) from None
        expected = names.iris("--expect", self.expect) or None
        return HypothesisOptions(self.hypotheses == SUBJECTS, expected, chances, self.most)

    def ahead_ticks(self, scale: TimeScale) -> Tick | None:
        """How far ahead a stamp may be; None: there is no bound.

        Raises:
            click.UsageError: it is no duration.
        """
        given = self.ahead or (AHEAD if self.clock == "wall" else None)
        return None if given is None else parse_ticks(given, "--ahead", scale)

    def status_files(self, folder: StateFolder | None) -> StatusFiles | None:
        """Where the status goes; None: nowhere.

        Raises:
            click.UsageError: what writes it is not installed.
        """
        if self.replay:
            return None
        paths = [] if self.status is None else [self.status]
        if folder is not None:
            paths.append(str(folder.status_path))
        try:
            files = StatusFiles(paths, self.metrics)
        except MissingExtra as error:
            raise click.UsageError(str(error)) from None
        return files if paths or self.metrics else None

    def command_line(self, arguments: Sequence[str]) -> RunCommandLine:
        """The command, as far as it decides what is told."""
        values = {
            each.name: _value_text(each.name, value)
            for each in fields(self)
            if each.name not in _NOT_TOLD and (value := getattr(self, each.name)) not in {None, ()}
        }
        from r4.state.manifest import RunCommandLine

        numbered = self.output == "-"
        return RunCommandLine(list(arguments), values, list(self.streams), numbered)

    def failing_answer(self, names: IriNames) -> str | None:
        """``error``, ``answer``, ``any`` or the IRI of ``--fail-on``.

        Raises:
            click.UsageError: it is none of these.
        """
        if self.fail_on is None or self.fail_on in _ANSWERS:
            return self.fail_on
        return names.iri("--fail-on", self.fail_on, ", or answer, or error")

    def bare_durations(self, documents: Sequence[ast.Document]) -> str:
        """The warning about durations without a unit in a run over dateTimes; "" if there is none.

        ``documents`` are the rules.
        """
        named = {
            "--window": self.window,
            "--idle": self.idle,
            "--quiet-for": self.quiet_for,
            "--ahead": self.ahead,
            "--drain": self.drain,
        }
        options = {name: [value] for name, value in named.items() if value is not None}
        return warn_of_bare_durations(documents, {**options, "--delay": self.delay}, self.tick)

    def files_beside(self, ctx: click.Context) -> list[str]:
        """The files that are read beside rules and data: configuration, mappings, contexts."""
        mappings = (value.partition("=")[0] for value in self.mapping)
        behind = (value.rpartition("=")[2] for value in (*self.context, *self.import_map))
        configuration = ctx.meta.get(CONFIGURATION)
        return [*mappings, *behind, *([] if configuration is None else [configuration])]

    def check(self) -> None:
        """Refuse forms that cannot express the answers."""
        message = ""
        form = find_format(self.form)
        if self.order == "arrival" and not form.undoes:
            message = f"--order arrival undoes lines, which --as {self.form} cannot say; jsonl can"
        if form.needs_file and self.output == "-":
            message = (
                f"--as {self.form} is one file of columns, and no lines: name it with --output FILE"
            )
        elif form.extra is not None and version_of(form.extra[1]) is None:
            message = str(MissingExtra(*form.extra))
        elif self.hypotheses is not None and not form.tells_possible:
            message = f"--hypotheses tells what is possible, which --as {self.form} cannot say"
        elif self.hypotheses is None:
            message = message or self._misplaced()
        if self.state is not None:
            message = message or self._stateless()
        if message:
            raise click.UsageError(message)

    def _stateless(self) -> str:
        """The fault of options with which no state can be kept; "" if there is none."""
        if self.hypotheses is not None:
            return "--hypotheses: possible answers cannot be saved, so they go without --state"
        if self.form == "parquet":
            return "--as parquet is written as a whole, so it goes without --state"
        if self.output == "-" and self.form != "jsonl" and not self.replay:
            return f"--state numbers lines, which --as {self.form} cannot say: name --output FILE"
        return ""

    def _misplaced(self) -> str:
        """The fault of options that need ``--hypotheses``, which is not given."""
        of_hypotheses = (
            (self.expect, "--expect says which hypotheses there are"),
            (self.chance, "--chance says how probable hypotheses are"),
            (self.most, "--most says how many sets of hypotheses are held"),
        )
        faults = (f"{what}: it needs --hypotheses" for value, what in of_hypotheses if value)
        return next(faults, "")


def _value_text(name: str, value: object) -> str:
    """What stands behind the name of an option; of several values with the name between them."""
    if not isinstance(value, tuple):
        return str(value)
    return f" --{name.replace('_', '-')} ".join(map(str, value))


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

    Raises:
        click.UsageError: a delay is longer than ``--ahead``.
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
        message = "--ahead is shorter than --delay, so no stamp could move time"
        raise click.UsageError(message)


def _file(ctx: click.Context, path: str | None) -> ByteWriter | None:
    """The file at ``path``, closed when the command ends."""
    if path is None:
        return None
    try:
        return ctx.with_resource(open_sink(path))
    except SinkLost as error:
        say(str(error))
        ctx.exit(LOST)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise click.UsageError(message) from None


def _rules(
    options: _RunCommandOptions, first: int, scale: TimeScale
) -> tuple[bytes, CompiledRules | None]:
    """What the file of the rules says now, and the rules that the run began with.

    None: they are refused, which is reported.

    Raises:
        StateError: the state is damaged, or something else.
    """
    recorded = _recorded_rules(options)
    data = b"" if options.replay else read_bytes(options.rules)
    if data is None:
        return b"", None
    counts = options.fail_on not in {None, "error"}
    began = data if recorded is None else recorded
    return data, read_run(options, first, scale, counts=counts, data=began)


def _recorded_rules(options: _RunCommandOptions) -> bytes | None:
    """What the rules said when the run of the state began; None: no run has begun.

    Raises:
        StateError: the state is damaged, or something else.
    """
    if options.state is None or not Path(options.state).is_dir():
        return None
    from r4.state.folder import StateFolder

    manifest = StateFolder(Path(options.state)).manifest()
    if manifest is None:
        return None
    manifest.check_is_run()
    return manifest.rules.encode("latin-1")


def _state(
    ctx: click.Context,
    options: _RunCommandOptions,
    folder: StateFolder,
    scale: TimeScale,
    rules: bytes,
) -> RunState:
    """The state of a run, locked until the command ends; ``rules`` is what their file says.

    Raises:
        StateError: it is refused, or lost.
    """
    from r4.state.checkpoint_writer import CheckpointWriter
    from r4.state.run_state import RunState, StateSettings

    every = parse_ticks(options.checkpoint_every, "--checkpoint-every", scale)
    folder.open(create=not options.replay)
    ctx.call_on_close(folder.close)
    clock = wall_clock(scale)
    flags = options.watch, options.keep_journal, options.replay
    settings = StateSettings(rules, *flags, lambda: scale.text(clock()), say)
    writer = CheckpointWriter(folder.files, every / scale.per_second)
    state = RunState(folder, options.command_line(ctx.meta[ARGUMENTS]), writer, settings)
    ctx.call_on_close(state.close)
    return state


def _outputs(
    ctx: click.Context,
    options: _RunCommandOptions,
    static: Sequence[RdfDocument],
    scale: TimeScale,
    rules: bytes,
) -> tuple[StateFolder | None, RunState | None, ByteWriter, ByteWriter | None]:
    """The folder of the state, the state, where answers go, and where late elements go.

    Raises:
        StateError: the state is refused, or lost.
    """
    if options.state is None:
        to = _file(ctx, options.output)
        assert to is not None
        return None, None, to, _file(ctx, options.late)
    if any(document.format is Format.LOADED for document in static):
        message = "--state: a loaded folder cannot be --static"
        raise click.UsageError(message)
    from r4.state.folder import StateFolder

    folder = StateFolder(Path(options.state))
    state = _state(ctx, options, folder, scale, rules)
    if state.ended is None:
        return folder, state, *_committed(ctx, options, folder, state)
    standard = _file(ctx, "-")
    assert standard is not None
    return folder, state, standard, None


def _committed(
    ctx: click.Context, options: _RunCommandOptions, folder: StateFolder, state: RunState
) -> tuple[ByteWriter, CommittedFile | None]:
    """Where answers and late elements go, in a run with a state.

    Raises:
        StateError: a file cannot be continued.
    """
    from r4.state.output_commit import NumberedLines, ReplayedLines

    if options.replay:
        to = _file(ctx, options.output)
        assert to is not None
        return ReplayedLines(to, numbered=state.is_numbered), None
    late = None if options.late is None else _continued(ctx, options.late, folder)
    if options.output != "-":
        return _continued(ctx, options.output, folder), late
    standard = _file(ctx, "-")
    assert standard is not None
    return NumberedLines(standard), late


def _continued(ctx: click.Context, path: str, folder: StateFolder) -> CommittedFile:
    """The file at ``path``, locked and as it is, closed when the command ends.

    Raises:
        StateError: it cannot be continued.
    """
    from r4.state.output_commit import CommittedFile

    try:
        file = CommittedFile(Path(path), folder.files)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise click.UsageError(message) from None
    ctx.call_on_close(file.close)
    return file


@click.command(cls=ConfigurableRunCommand)
@click.argument("rules")
@click.argument("streams", nargs=-1, metavar="[STREAM]...")
@shared_options.static
@input_options.input_format
@input_options.mapping
@input_options.context
@shared_options.window
@shared_options.semantics
@shared_options.entailment
@shared_options.delay
@click.option("--idle", metavar="DURATION", help="How long a silent stream holds time back.")
@click.option(
    "--clock",
    type=click.Choice(["data", "wall"]),
    default="data",
    help="What moves time: stamps alone, or the wall's clock too.",
)
@click.option(
    "--quiet-for",
    metavar="DURATION",
    default=QUIET,
    show_default=True,
    help="An element from a pipe is complete if no more of it comes for so long.",
)
@click.option(
    "--ahead",
    metavar="DURATION",
    help=f"How far ahead a stamp may be.  [default: {AHEAD} of the wall's clock, else no bound]",
)
@click.option("--late", metavar="FILE", help="Where elements go that come later than that.")
@click.option("--status", metavar="FILE", help="Where the status goes every second, as JSON.")
@click.option("--metrics", metavar="FILE", help="The same as text of Prometheus.")
@click.option(
    "--order",
    type=click.Choice(["time", "arrival"]),
    default="time",
    help="Tell what is final, or at once what may be undone.",
)
@shared_options.drain
@shared_options.strict
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    help=f"The most facts to derive at once.  [default: {MOST:,} if rules may derive for ever]",
)
@click.option(
    "--memory",
    type=MemorySize(),
    metavar="SIZE",
    help="The most memory to use, as 2GB; near it less is kept, then nothing more is read.",
)
@click.option(
    "--max-term",
    type=click.IntRange(1, MAX_RESULT),
    metavar="N",
    default=LONGEST_COMPUTED,
    show_default=True,
    help="Characters of the longest term that a built-in computes.",
)
@click.option(
    "--max-expanded",
    type=ByteSize(),
    metavar="SIZE",
    help="The most that a compressed RDF/XML or JSON-LD file may hold."
    f"  [default: {FREE_EXPANSION >> 20}MiB, or {MOST_EXPANDED} times the file]",
)
@shared_options.lenient
@click.option("--fail-on", metavar="ANSWER|error", help="Exit 1 if there is such an answer.")
@click.option(
    "--output", metavar="FILE", default="-", help="Where answers go; - is standard output."
)
@click.option(
    "--as",
    "form",
    type=SinkFormatChoice(),
    help="The form of answers.  [default: by the suffix of --output, else jsonl]",
)
@shared_options.only
@shared_options.time_predicate
@click.option("--stamp", type=click.Choice(["arrival"]), help="Stamp elements that have no time.")
@shared_options.tick
@shared_options.literals
@click.option(
    "--hypotheses",
    type=click.Choice([SUBJECTS, "triples"]),
    metavar="[subjects|triples]",
    help="Tell also what is possible, on what evidence, waiting for what.",
)
@click.option("--expect", multiple=True, metavar="IRI", help="A predicate or class that may come.")
@click.option(
    "--chance",
    multiple=True,
    metavar="[IRI=]DELAY:P,…",
    help="How probable it is that it comes so late at most: all, a predicate, a class.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    help="Hold so many possible answers; the least probable are dropped.",
)
@click.option("--state", metavar="DIR", help="Where the run is saved, so that it can go on.")
@click.option(
    "--checkpoint-every",
    metavar="DURATION",
    default=EVERY,
    show_default=True,
    help="How long it is from one checkpoint to the next.",
)
@click.option("--keep-journal", is_flag=True, help="Keep all of the input, for r4 replay.")
@click.option("--replay", is_flag=True, hidden=True)
@click.option("--watch", is_flag=True, help="Read rules and static files again when they change.")
@click.option("--quiet", is_flag=True, help="Say nothing at the end about what the run did.")
@shared_options.include_input
@shared_options.include_background
@import_options
@click.option(
    "--config",
    metavar="FILE",
    expose_value=False,
    help="TOML whose table [run] gives options; so do variables such as R4_RUN_DELAY.",
)
@click.option(
    "--print-config",
    is_flag=True,
    expose_value=False,
    help="Print the options in effect as such a table, and exit.",
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:  # noqa: ANN401 - what click has parsed
    """Run RULES over the streams; answers are written as they become final.

    With --order arrival they are written as soon as time reaches them, and undone if need be.

    A STREAM is N-Quads or TriG, one named graph an element, stamped by prov:generatedAtTime in
    the default graph; or another format, by its suffix or -i: tables with --mapping, graphs with
    --time-predicate. - is standard input; files may end in .gz, .bz2 or .xz.
    """
    given["form"] = choose_form(given["form"], given["output"])
    options = _RunCommandOptions(**given)
    options.check()
    scale = TimeScale(options.tick)
    delays = options.delays(scale)
    idle = None if options.idle is None else parse_ticks(options.idle, "--idle", scale)
    quiet = parse_ticks(options.quiet_for, "--quiet-for", scale)
    paths = paths_of(ctx, options.rules)
    formats = input_formats(options.input_format, options.mapping, paths)
    inputs = [options.rules, *(path for _, path in paths), *options.files_beside(ctx)]
    for output in filter(None, (options.output, options.late, options.status, options.metrics)):
        refuse_overwriting(output, inputs)
    try:
        rules, ready = _rules(options, next_number(paths, formats), scale)
    except StateError as error:
        say(str(error))
        return state_exit_code(error)
    if ready is None:
        return RULES_REFUSED
    closure, program, names = ready.closure, ready.program, ready.iri_names
    streams = replace(
        options.reading(scale, names),
        each=options.order == "arrival",
        late_bounds=options.hypotheses is not None,
        arrival=options.stamp is not None,
        wall=options.clock == "wall",
        ahead=options.ahead_ticks(scale),
    )
    if options.streams or closure.streams:
        warn_of_memory(program)
    static, sources = documents_of(
        paths, closure, formats=formats, reads_answers=options.hypotheses is None
    )
    streams = delays.apply(streams, sources, names)
    _check_clock(streams, sources, quiet, has_idle=idle is not None)
    contexts = context_files(options.context)
    static, sources = (
        [
            replace(document, most_expanded=options.max_expanded, contexts=contexts)
            for document in some
        ]
        for some in (static, sources)
    )
    drain, limit = end_of(options, options.limit, ready, scale)
    try:
        folder, state, to, late = _outputs(ctx, options, static, scale, rules)
    except StateError as error:
        say(str(error))
        return state_exit_code(error)
    only, fail_on = names.iris("--only", options.only), options.failing_answer(names)
    failing = () if fail_on in _ANSWERS or fail_on is None else (fail_on,)
    expected = names.iris("--expect", options.expect)
    _warn_of_unknown_names(program, names, {"--only": only, "--fail-on": failing}, expected)
    session_options = SessionOptions(
        instances=options.instances,
        form=options.form,
        only=only,
        fail_on=fail_on,
        names=names.written,
        drain=drain,
        late=late,
        limit=limit,
        memory=options.memory,
        max_term=options.max_term,
        by_value=options.by_value,
        idle=None if idle is None else idle / scale.per_second,
        quiet=quiet / scale.per_second,
        arrival=options.order == "arrival",
        status=options.status_files(folder),
        is_quiet=options.quiet,
        hypotheses=options.hypothesis_options(streams, sources, names),
        state=state,
        lenient=options.lenient,
        watch=options.watch and not options.replay,
        of_dates="" if options.quiet else options.bare_durations(closure.documents),
    )
    return StreamSession(program, closure, streams, session_options).run(static, sources, to)
