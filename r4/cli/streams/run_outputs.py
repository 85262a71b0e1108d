"""Where the answers of ``r4 run`` go, and the state of a run that keeps one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from r4.cli.options.durations import parse_ticks
from r4.cli.options.run_arguments import ARGUMENTS
from r4.cli.streams.run_command_options import RunCommandValues
from r4.cli.terminal.console import LOST, refuse, say
from r4.rdf.documents import Format, RdfDocument
from r4.sinks.file import ByteWriter, SinkLost
from r4.sinks.formats import open_sink
from r4.time.ticks import TimeScale, wall_clock

if TYPE_CHECKING:
    from r4.state.folder import StateFolder
    from r4.state.output_commit import CommittedFile
    from r4.state.run_state import RunState


def _file(ctx: click.Context, path: str) -> ByteWriter:
    try:
        return ctx.with_resource(open_sink(path))
    except SinkLost as error:
        say(str(error))
        ctx.exit(LOST)
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}")


def _state(
    ctx: click.Context,
    options: RunCommandValues,
    folder: StateFolder,
    scale: TimeScale,
    rules: bytes,
) -> RunState:
    """The state of a run, locked until the command ends; ``rules`` is what their file says."""
    from r4.state.checkpoint_writer import CheckpointWriter
    from r4.state.run_state import RunState, StateSettings

    every = parse_ticks(options.checkpoint_every, "--checkpoint-every", scale)
    folder.open(create=not options.replay and options.migrate is None)
    ctx.call_on_close(folder.close)
    clock = wall_clock(scale)
    flags = options.watch, options.keep_journal, options.replay, options.migrate is not None
    settings = StateSettings(rules, options.journal_size, *flags, lambda: scale.text(clock()), say)
    writer = CheckpointWriter(folder.files, every / scale.per_second)
    state = RunState(folder, options.command_line(ctx.meta[ARGUMENTS]), writer, settings)
    ctx.call_on_close(state.close)
    return state


def open_outputs(
    ctx: click.Context,
    options: RunCommandValues,
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
        return None, None, to, None if options.late is None else _file(ctx, options.late)
    if any(document.format is Format.LOADED for document in static):
        refuse("--state: a loaded folder cannot be --static")
    from r4.state.folder import StateFolder

    folder = StateFolder(Path(options.state))
    state = _state(ctx, options, folder, scale, rules)
    if state.ended is None:
        return folder, state, *_committed(ctx, options, folder, state)
    if not options.replay:
        _check_outputs(options, state)
    return folder, state, _file(ctx, "-"), None


def _check_outputs(options: RunCommandValues, state: RunState) -> None:
    """Refuse files of a run that has ended if they have less than it wrote."""
    output = None if options.output == "-" else Path(options.output)
    try:
        state.check_outputs(output, None if options.late is None else Path(options.late))
    except OSError as error:
        refuse(f"{error.filename}: {error.strerror or error}")


def _committed(
    ctx: click.Context, options: RunCommandValues, folder: StateFolder, state: RunState
) -> tuple[ByteWriter, CommittedFile | None]:
    """Where answers and late elements go, in a run with a state."""
    from r4.state.output_commit import NumberedLines

    if options.replay:
        return NumberedLines(_file(ctx, options.output), numbered=state.is_numbered), None
    creates = not state.has_begun  # a state that is refused changes nothing
    late = None if options.late is None else _continued(ctx, options.late, folder, creates=creates)
    if options.output != "-":
        return _continued(ctx, options.output, folder, creates=creates), late
    return NumberedLines(_file(ctx, "-")), late


def _continued(
    ctx: click.Context, path: str, folder: StateFolder, *, creates: bool
) -> CommittedFile:
    """The file at ``path``, locked and as it is, closed when the command ends.

    ``creates`` says whether it is made now if it is not there.
    """
    from r4.state.output_commit import CommittedFile

    try:
        file = CommittedFile(Path(path), folder.files, creates=creates)
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}")
    ctx.call_on_close(file.close)
    return file
