"""``r4 mtl update``: prints what follows after facts were deleted and inserted."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click

from r4.checkpoint.errors import SnapshotError
from r4.checkpoint.live_models import load_model, save_model
from r4.cli.mtl.inputs import MtlInput, read_input, report_refused, skip_option
from r4.cli.mtl.limited_model import find_model, limit_options, watching
from r4.cli.mtl.model_text import (
    check_patterns,
    checked_ends,
    model_options,
    only_option,
    report_model,
    write_model,
    write_pieces,
)
from r4.cli.terminal.console import LOST, refuse, say
from r4.path_lock import lock
from r4.sinks.file import is_named
from rif.errors.report import quantity
from temporal.facts.fact_patterns import FactPattern
from temporal.intervals.interval import Interval
from temporal.maintenance.explicit_data import updated_data
from temporal.maintenance.live_model import LiveModel, Update
from temporal.maintenance.update_method import Method, UpdateStatistics
from temporal.model.least_model import Model, select_facts
from temporal.model.limits import LimitReached, Limits, ProgressCallback


@click.command()
@click.argument("program")
@click.argument("data", nargs=-1)
@click.option("--delete", multiple=True, metavar="FILE", help="Facts to delete. Repeatable.")
@click.option("--insert", multiple=True, metavar="FILE", help="Facts to insert. Repeatable.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the model in FILE: if it is there, in place of DATA; it is replaced at the end.",
)
@only_option
@click.option("--derived-only", is_flag=True, help="Show what follows less the data.")
@click.option("--changes", is_flag=True, help="Show what the update took away, -, and gave, +.")
@click.option("--stats", is_flag=True, help="Report facts and seconds of each phase.")
@click.option(
    "--method",
    type=click.Choice([method.value for method in Method]),
    default=Method.AUTO.value,
    show_default=True,
    help="How the model follows: by Delete/Rederive, or derived anew.",
)
@model_options
@skip_option
@limit_options
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: tuple[str, ...],
    delete: tuple[str, ...],
    insert: tuple[str, ...],
    state: Path | None,
    begin: Interval | None,
    end: Interval | None,
    only: tuple[FactPattern, ...],
    method: str,
    fail_on: str | None,
    output: str,
    limits: Limits,
    *,
    derived_only: bool,
    changes: bool,
    periods: bool,
    stats: bool,
    skip_bad: bool,
) -> int:
    """Print every fact that follows once facts were deleted from DATA, and others inserted.

    Facts to delete lose the time that they have in the file, and keep the rest of theirs. What is
    printed is what r4 mtl materialise prints of the new data; with --changes, what it has no more
    and what is new in it.

    \b
      r4 mtl update program.txt facts.txt --delete gone.txt --insert come.txt
      r4 mtl update program.txt facts.txt --delete gone.txt --changes
      r4 mtl update program.txt facts.txt --delete gone.txt --stats --periods
      r4 mtl update program.txt facts.txt --insert come.txt --method recompute
      r4 mtl update program.txt --insert come.txt --state model.r4

    Exit 1 if it is inconsistent then and --fail-on error is given, 3 if the rules are refused, 4 if
    a fact is, 5 if a limit was reached: then all that is printed is true, but it is not all.
    """  # noqa: D301 - \b keeps click from filling the examples
    if changes and derived_only:
        refuse("--changes shows what holds, derived or not: it goes without --derived-only")
    ends = checked_ends(begin, end)
    known = _known_state(state, data)
    given = read_input(
        program, data, limits, ends, [delete, insert], skip_bad=skip_bad, state=known
    )
    check_patterns(only, given)
    live, whole, update = _updated(given, Method(method), known)
    if update is not None:
        _report(update.statistics, is_whole=stats)
    most = given.limits.facts
    model = whole
    pieces: Iterator[bytes | bytearray] = iter(())
    if not changes:
        model, pieces = write_model(
            select_facts(whole, only),
            *(begin, end, most),
            derived_only=derived_only,
            periods=periods,
        )
    elif update is not None:
        change = update.change
        for mark, part in (b"- ", change.lost), (b"+ ", change.gained):
            changed = select_facts(replace(whole, periodic=part), only)
            shown, lines = write_model(changed, begin, end, most, periods=periods)
            model = shown if model.limit is None else model
            pieces = chain(pieces, _marked(lines, mark))
    if lost := write_pieces(pieces, output):
        return lost
    if state is not None and live is not None:
        try:
            save_model(state, live)
        except OSError as error:
            say(f"{state}: {error.strerror}")
            return LOST
    return report_model(whole, model, given, fail_on)


def _marked(pieces: Iterable[bytes | bytearray], mark: bytes) -> Iterator[bytes]:
    """Pieces of whole lines, with a mark before each line."""
    for piece in pieces:
        yield b"".join(mark + line for line in bytes(piece).splitlines(keepends=True))


def _known_state(state: Path | None, data: tuple[str, ...]) -> Path | None:
    """The file that has the data; None: there is none yet, or none is wanted."""
    is_there = state is not None and state.exists()
    if is_there and data:
        refuse(f"{state} has the data already; --insert adds others")
    if not is_there and not data:
        refuse("Missing argument 'DATA...'.")
    if state is None or not is_there:
        return None
    _lock(state)
    return state


def _lock(state: Path) -> None:
    """Keep a file from other updates until the command ends: theirs or this one would be lost."""
    if sys.platform == "win32":  # which has no locks, and replaces no file that is open
        return
    try:
        file = state.open("rb")
    except OSError as error:
        refuse(f"{state}: {error.strerror or error}")
    click.get_current_context().call_on_close(file.close)
    try:
        lock(file.fileno())
    except BlockingIOError:
        refuse(f"{state}: another process writes it")
    if not is_named(file, state):  # it was replaced before it was locked
        refuse(f"{state}: another process has written it just now")


def _updated(
    given: MtlInput, method: Method, state: Path | None
) -> tuple[LiveModel | None, Model, Update | None]:
    """The model of the new data, or the part that the limits allow: then that is all there is."""
    gone, come = given.changes
    if given.unread is None:
        try:
            with report_refused(given.name), watching() as watch:
                live = _live_model(given, state, watch)
                found = live.update(gone, come, method)
                return live, live.model(), found
        except LimitReached:
            pass
    return None, find_model(given, updated_data(given.data, gone, come)), None


def _live_model(given: MtlInput, state: Path | None, watch: ProgressCallback | None) -> LiveModel:
    limits, clock = given.limits, given.clock
    if state is None or given.saved is None:
        return LiveModel(
            given.program, given.data, given.terms, limits=limits, clock=clock, watch=watch
        )
    try:
        return load_model(
            state, given.program, given.saved, limits=limits, clock=clock, watch=watch
        )
    except SnapshotError as error:
        refuse(str(error))


def _report(found: UpdateStatistics, *, is_whole: bool) -> None:
    """Say what could not be deleted, and, if asked for, facts and seconds of the phases."""
    if found.without_effect:
        say(f"{quantity(found.without_effect, 'fact')} to delete without effect: not explicit")
    for line in _lines(found) if is_whole else ():
        say(line)


def _lines(found: UpdateStatistics) -> Iterator[str]:
    yield f"{quantity(found.deleted, 'explicit interval')} deleted, {found.added:,} inserted"
    if found.method is Method.RECOMPUTE:
        yield f"recomputed{found.reason and f': {found.reason}'}, {found.recomputation:.6f} s"
    yield f"overdeleted {quantity(found.overdeleted, 'fact')}, {found.overdeletion:.6f} s"
    yield f"rederived {quantity(found.rederived, 'fact')}, {found.rederivation:.6f} s"
    yield f"inserted {quantity(found.inserted, 'fact')}, {found.insertion:.6f} s"
    yield f"periods, {found.periods:.6f} s"
