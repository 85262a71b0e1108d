"""The rules, static data and streams that the command line names."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import click
from click.exceptions import Exit

from r4.cli.options.declared_options import declared_options
from r4.cli.options.durations import KeyedDurations, is_duration, parse_ticks
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import (
    compile_closure,
    locations,
    may_not_end,
    read_closure,
    read_rules,
    say_faults,
    say_faults_of_use,
    say_regime_limits,
)
from r4.cli.terminal.console import RULES_REFUSED, refuse, say
from r4.errors import InputError
from r4.imports import Closure
from r4.options.option import ValueKind
from r4.options.run_options import ALL, InputOptions, RunOptions
from r4.program.lookahead import memory_warning
from r4.program.option_names import unasked_names
from r4.program.program import Program, with_state_output
from r4.program.regimes.background import background_of, regimes_of
from r4.rdf.documents import Format, RdfDocument
from r4.run.driver import MOST
from r4.sources.input_formats import SUFFIXES_ALONE, InputFormats, find_document
from r4.stream.source import StreamOptions
from r4.stream.windows import Windows
from r4.time.ticks import OutOfRange, TimeScale

_OTHER_FILES: Final = 64
"""So many files a run has open beside its streams, at most."""
_DOCUMENTS: Final = "r4.documents"
ARGUMENTS: Final = "r4.arguments"
"""Where a context has the arguments of a run."""


class RunCommand(click.Command):
    """Keeps the order in which documents stand on the command line, which numbers them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note the documents, then parse the arguments."""
        given = self.with_values(args)
        ctx.meta[_DOCUMENTS] = list(self._documents(given))
        ctx.meta[ARGUMENTS] = tuple(given)
        return super().parse_args(ctx, given)

    def with_values(self, args: list[str]) -> list[str]:
        """Arguments in which each option that needs a value has one.

        Some may lack it, so that a stream may follow them. After one whose value is a duration,
        the next word is that, unless it is no duration, or the name of a file.
        """
        bare = {
            f"--{key}": each.declared
            for key, each in declared_options(self.params).items()
            if each.declared.bare is not None
        }
        end = args.index("--") if "--" in args else len(args)
        whole, rest = [], deque(args[:end])
        while rest:
            arg = rest.popleft()
            if arg in bare:
                is_timed = bare[arg].kind is ValueKind.DURATION
                takes = is_timed and rest and is_duration(rest[0]) and not Path(rest[0]).exists()
                arg = f"{arg}={rest.popleft() if takes else bare[arg].bare}"
            whole.append(arg)
        return whole + args[end:]

    def _documents(self, args: Sequence[str]) -> Iterator[tuple[bool, str]]:
        """(is static, path) of each document of data, in order."""
        valued = {
            name
            for param in self.params
            if isinstance(param, click.Option) and not param.is_flag
            for name in param.opts
        }
        rest = iter(args)
        rules_seen = False
        for arg in rest:
            name, equals, value = arg.partition("=")
            if arg == "--":
                yield from ((False, path) for path in list(rest)[0 if rules_seen else 1 :])
            elif arg.startswith("-") and arg != "-":
                if name in valued:
                    value = value if equals else next(rest, "")
                    if name in {"--static", "--input"}:
                        yield name == "--static", value
            elif rules_seen:
                yield False, arg
            else:
                rules_seen = True


class CompiledRules(NamedTuple):
    """Rules that can run.

    Attributes:
        closure: with what they import.
        program: compiled, with the windows of ``--window``.
        limit: the most facts to derive at once; None: any number, as they come to an end.
    """

    closure: Closure
    program: Program
    limit: int | None

    @property
    def iri_names(self) -> IriNames:
        """What names in options stand for."""
        return IriNames.of(self.closure.documents[0])


def paths_of(ctx: click.Context, rules: str) -> list[tuple[bool, str]]:
    """(is static, path) of each document of data, in order."""
    paths: list[tuple[bool, str]] = ctx.meta[_DOCUMENTS]
    if [rules, *(path for _, path in paths)].count("-") > 1:
        refuse("standard input can be read once")
    return paths


def read_program(  # noqa: PLR0913 - what decides, and where documents are
    options: InputOptions,
    paths: Sequence[tuple[bool, str]],
    first: int,
    scale: TimeScale,
    *,
    instances: bool = False,
    data: bytes | None = None,
) -> CompiledRules:
    """The rules with what they import, compiled; `Exit`: they are refused, which is reported.

    ``paths`` are those of the data, see `paths_of`; ``first`` is the number of the first document
    that the rules import; ``data`` as of `read_rules`.
    """
    durations = KeyedDurations.of("--window", options.window, scale)
    report = say_faults if options.strict else say_faults_of_use
    parsed = read_rules(options.rules, options, data=data, report=report)
    if parsed is None:
        raise Exit(RULES_REFUSED)
    iri_names = IriNames.of(parsed.document)
    where = locations(options.import_map, options.import_root, iri_names)
    closure = read_closure(
        *(parsed, options.rules, where, first),
        lenient=options.lenient,
        numbers_by_value=options.numbers_by_value,
        report=report,
    )
    if closure is None:
        raise Exit(RULES_REFUSED)
    background = background_of(options.entailment, closure.profile)
    streams = [path for is_static, path in paths if not is_static]
    streams += [stream.path for stream in closure.streams]
    documents = [RdfDocument(path, 0, Format.N_QUADS) for path in streams]
    windows = Windows.of(*durations.resolved(documents, iri_names))
    try:
        program = compile_closure(
            *(closure, scale, background),
            instances=instances,
            by_value=options.by_value,
            windows=windows,
        )
    except OutOfRange as error:
        refuse(f"--window: {error}")
    if program is None:
        raise Exit(RULES_REFUSED)
    say_regime_limits(
        closure, regimes_of(options.entailment, closure.profile), by_value=options.by_value
    )
    return CompiledRules(closure, program, MOST if may_not_end(parsed, closure) else None)


def warn_of_unread_windows(program: Program, names: IriNames) -> None:
    """Warn of windows of predicates that no rule asks for, which have no effect on it."""
    for name in unasked_names(program, (iri for iri, _ in program.windows.predicates)):
        near = "" if name.near is None else f"; {names.written.iri(name.near)} is asked for"
        say(f"warning: --window of {names.written.iri(name.iri)}: no rule asks for it{near}")


def read_run(  # noqa: PLR0913 - as `read_program`
    options: RunOptions,
    paths: Sequence[tuple[bool, str]],
    first: int,
    scale: TimeScale,
    *,
    counts: bool = False,
    data: bytes | None = None,
) -> CompiledRules:
    """The same, with what ``--include-…`` adds; with ``counts`` what is derived is counted."""
    ready = read_program(options, paths, first, scale, instances=options.instances, data=data)
    program = ready.program
    if options.include_background:
        program = program.in_front()
    if not options.include_input:
        warn_of_unread_windows(program, ready.iri_names)
    else:
        program = with_state_output(program, counts=counts)
    return ready._replace(program=program)


_STEPS: Final = 64
"""Elements of a batch at most, where rules read their own earlier answers: after each of these what
follows from the others that have come is found anew."""


def stream_options(options: InputOptions, scale: TimeScale, ready: CompiledRules) -> StreamOptions:
    """How streams are read, but for what is late."""
    names = ready.iri_names
    start = names.path("--time-predicate", options.time_predicate)
    end = names.path("--end-predicate", options.end_predicate)
    if end is not None and start == end and not options.inclusive_dates:
        refuse(
            "--end-predicate is --time-predicate: what ends when it begins never holds; with "
            "--inclusive-dates it holds for its day, month or year"
        )
    return StreamOptions(
        names=True,
        scale=scale,
        time_predicate=start,
        end_predicate=end,
        windows=ready.program.windows,
        strict=options.strict,
        most=_STEPS if ready.program.reach.reads_itself else None,
    )


def warn_of_memory(
    program: Program, streams: Sequence[RdfDocument], *, forgets: bool = False, remedy: str = ""
) -> None:
    """Warn if memory is not bounded where ``streams`` are read; see `memory_warning`."""
    names = [each.name for each in streams]
    if names and (reason := memory_warning(program, names, forgets=forgets, remedy=remedy)):
        say(f"warning: {reason}")


def width_of(document: RdfDocument) -> int:
    """How many documents it stands for: 1, or as many as were loaded into a folder.

    Raises:
        InputError: nothing was loaded into it, or it is no static document.
    """
    if document.format != Format.LOADED:
        return 1
    from r4.store.index import read_index
    from r4.store.layout import FolderLayout

    return len(read_index(FolderLayout(Path(document.path))).files)


def next_number(paths: Sequence[tuple[bool, str]], formats: InputFormats = SUFFIXES_ALONE) -> int:
    """The number of the first document after all of these."""
    try:
        return 1 + sum(
            width_of(find_document(path, 1, formats)) if is_static else 1
            for is_static, path in paths
        )
    except InputError as error:
        refuse(str(error))


def documents_of(
    paths: Sequence[tuple[bool, str]],
    closure: Closure,
    *,
    folders: bool = False,
    formats: InputFormats = SUFFIXES_ALONE,
    reads_answers: bool = False,
) -> tuple[list[RdfDocument], list[RdfDocument]]:
    """The static documents, and the streams, those that rules import last.

    With ``folders`` a folder may be a stream; it has the format of N-Quads here. Answers of other
    runs may be streams if the command ``reads_answers``.
    """
    static: list[RdfDocument] = []
    streams: list[RdfDocument] = []
    try:
        number = 1
        for is_static, path in paths:
            document = find_document(path, number, formats)
            if not is_static and document.format == Format.LOADED:
                if folders:
                    streams.append(RdfDocument(path, number, Format.N_QUADS))
                    number += 1
                    continue
                message = f"{path}: a folder is static data, and only that: --static {path}"
                raise InputError(message)  # noqa: TRY301 - reported like the others
            (static if is_static else streams).append(document)
            number += width_of(document)
        mapped = InputFormats(mapping=formats.mapping)
        for number, stream in enumerate(closure.streams, closure.next_number):
            streams.append(find_document(stream.path, number, mapped))
        for each in () if reads_answers else streams:
            if each.format is Format.ANSWERS:
                message = f"{each.name}: {each.format.value} are a stream of r4 run alone"
                raise InputError(message)  # noqa: TRY301 - reported like the others
    except InputError as error:
        refuse(str(error))
    _allow_open_files(len(streams))
    return static, streams


def _allow_open_files(streams: int) -> None:
    """Let the process have so many streams open, up to what the system lets it allow itself."""
    if sys.platform == "win32":
        return
    import resource

    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = streams + _OTHER_FILES
    if resource.RLIM_INFINITY != few < wanted:
        wanted = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with suppress(OSError, ValueError):  # then a stream cannot be opened, which is reported
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def end_of(
    options: RunOptions, ready: CompiledRules, scale: TimeScale
) -> tuple[int | None, int | None]:
    """Ticks after the last stamp up to which changes are written, and the most facts at once.

    None: all, and any number.
    """
    limit = options.limit or ready.limit
    if options.drain is None:
        return 0, limit
    if options.drain != ALL:
        return parse_ticks(options.drain, "--drain", scale), limit
    return None, limit or (MOST if ready.program.reach.derives_on else None)
