"""The inputs of the commands of ``r4 mtl``: a program, data, and limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from math import lcm
from pathlib import Path, PurePath
from typing import Final, TypeVar

import click
from click.exceptions import Exit

from r4.checkpoint.errors import NotAState, SnapshotError
from r4.checkpoint.live_models import open_model
from r4.cli.terminal.console import INPUT_REFUSED, LOST, RULES_REFUSED, read_bytes, refuse, say
from r4.errors import InputError, SourceLost
from r4.rdf.files import ByteSource, DamagedInput
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from temporal.errors import MixedTimes
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.facts.table_parser import is_predicate
from temporal.intervals.interval import MAX_SCALE, Interval, common_scale
from temporal.intervals.notation import Notation, common_notation, notation_of_fact
from temporal.maintenance.model_state import ModelState
from temporal.model.limits import Clock, LimitReached, Limits, Meter, start_clock
from temporal.mtl.analysis import ProgramAnalysis, analyse
from temporal.mtl.ast import BOTTOM_NAME, MetricProgram
from temporal.mtl.validation import arities, notation_of
from temporal.text.program_parser import decode_program, parse_program

F = TypeVar("F", bound=Callable[..., object])

MOST: Final = 50_000_000
"""Intervals that are derived at most by default, if rules may derive for ever."""

_COMPRESSED: Final = frozenset({".gz", ".bz2", ".xz"})
_TABLE: Final = ".csv"


@dataclass(frozen=True, slots=True)
class MtlInput:
    """A program with its data, in cells.

    Attributes:
        name: what faults call the program.
        program: well-formed rules.
        profile: their analysis.
        data: the facts, in cells.
        terms: the dictionary of their ids.
        limits: the most that is done with them.
        clock: the seconds since reading began.
        unread: the limit at which the data were read no further; None: these are all.
        changes: facts of other files, which change the data.
        saved: the live model that has the data; None: they were read.
    """

    name: str
    program: MetricProgram
    profile: ProgramAnalysis
    data: Dataset
    terms: Dictionary
    limits: Limits
    clock: Clock
    unread: str | None
    changes: tuple[Dataset, ...] = ()
    saved: ModelState | None = None

    @property
    def arities(self) -> dict[str, int]:
        """The number of arguments of each predicate, of rules and of data."""
        found = arities(self.program)
        for data in (self.data, *self.changes):
            found.update(data.rows.keys())
        found.pop(BOTTOM_NAME, None)
        return found


skip_option = click.option(
    "--skip-bad", is_flag=True, help="Leave out lines that are no facts; they are counted."
)


def form_option(*forms: str, meaning: str) -> Callable[[F], F]:
    """``--as``: the form of what is printed, the first one by default."""
    choice = click.Choice(forms)
    return click.option(
        "--as", "form", type=choice, default=forms[0], show_default=True, help=meaning
    )


def name_of(path: str) -> str:
    """The name of a file in messages."""
    return "<stdin>" if path == "-" else path


@contextmanager
def report_refused(program: str) -> Iterator[None]:
    """Report faults of the rules, which end the command."""
    try:
        yield
    except RuleError as error:
        say(RuleErrors([error]).report(program))
    except RuleErrors as errors:
        say(errors.report(program))
    else:
        return
    raise Exit(RULES_REFUSED)


def read_program(path: str) -> MetricProgram:
    """The program at ``path``; all its faults are reported, and end the command."""
    raw = read_bytes(path)
    if raw is None:
        raise Exit(RULES_REFUSED)
    name = name_of(path)
    with report_refused(name):
        return parse_program(decode_program(raw, name), name=name)


def read_input(  # noqa: PLR0913 - what is read, and how
    rules: str,
    data: Sequence[str],
    limits: Limits,
    queried: Sequence[Interval] = (),
    changes: Sequence[Sequence[str]] = (),
    *,
    skip_bad: bool = False,
    state: Path | None = None,
) -> MtlInput:
    """A program and its data; the ends of the intervals ``queried`` are whole in ticks, too.

    The facts of each element of ``changes``, which are files, are read apart. With a ``state``, the
    file of a live model, that has the data.

    Raises:
        Exit: there are faults, which are reported.
    """
    sources = [data, *changes]
    if [rules, *chain(*sources)].count("-") > 1:
        refuse("standard input can be read once")
    clock = start_clock()
    program = read_program(rules)
    known = analyse(program)
    if limits.facts is None and known.may_be_endless:
        limits = replace(limits, facts=MOST)
    saved, kept = (None, None) if state is None else _read_state(state, program)
    terms, names, notation = _known(program, saved, kept)
    loaders: list[BulkLoader] = []
    unread = None
    meter = Meter(limits, clock)
    try:
        for paths in sources:
            loaders.append(BulkLoader(terms, names, notation))
            for path in _files(paths):
                _load(loaders[-1], path, lambda: meter.check(0, 0))
            notation = loaders[-1].notation
    except LimitReached as reached:
        unread = reached.limit
    loaders += [BulkLoader(terms, names, notation) for _ in sources[len(loaders) :]]
    _judge(loaders, skip_bad=skip_bad)
    before = sum(loader.bad for loader in loaders)
    notation = _notation(loaders[-1], queried)
    least = lcm(known.scale, common_scale(queried))
    if least > MAX_SCALE:
        refuse("with the numbers of the rules, what is asked about needs too fine a tick")
    found: list[Dataset] = []
    for loader in reversed(loaders):  # the data come last: their tick is short enough for all
        found.insert(0, replace(loader.data(least), notation=notation))
        least = lcm(least, found[0].scale)
    bad = sum(loader.bad for loader in loaders)
    if bad > before:
        _judge(loaders, skip_bad=skip_bad)
    if bad:
        say(f"{_no_facts(bad)} left out")
    given = found[0] if kept is None else kept
    return MtlInput(
        *(name_of(rules), program, known, given, terms, limits, clock, unread, tuple(found[1:])),
        saved=saved,
    )


def _read_state(path: Path, program: MetricProgram) -> tuple[ModelState, Dataset]:
    """The live model at ``path`` and its data; `click.UsageError`, if it is of another program."""
    try:
        found = open_model(path, program)
        return found, found.data()
    except SnapshotError as error:
        refuse(str(error))
    except ValueError as error:
        refuse(str(NotAState(f"{path} is no state of a live model: {error}")))
    except OSError as error:
        say(f"{path}: {error.strerror}")
        raise Exit(LOST) from None


def _known(
    program: MetricProgram, saved: ModelState | None, data: Dataset | None
) -> tuple[Dictionary, dict[str, int], Notation | None]:
    """Terms, numbers of arguments, and how times are written, before anything is read."""
    names, notation = arities(program), notation_of(program)
    if saved is None or data is None:
        return Dictionary(), names, notation
    names.update(data.rows.keys())
    return saved.terms, names, common_notation(notation, saved.notation)


def _notation(loader: BulkLoader, queried: Sequence[Interval]) -> Notation:
    """How times are written, in the program, the data and the intervals ``queried``."""
    found = loader.notation
    for interval in queried:
        try:
            found = common_notation(found, notation_of_fact(interval))
        except MixedTimes as fault:
            refuse(f"{interval} is asked about: {fault.message}")
    return found or Interval


def _judge(loaders: Sequence[BulkLoader], *, skip_bad: bool) -> None:
    bad = sum(loader.bad for loader in loaders)
    if not bad or skip_bad:
        return
    faults = [errors for loader in loaders for errors in loader.faults]
    for errors in faults:
        say(errors.report())
    listed = sum(len(errors.errors) for errors in faults)
    if listed < bad:
        say(f"{_no_facts(bad - listed)} not listed")
    say("nothing was derived; --skip-bad leaves such lines out")
    raise Exit(INPUT_REFUSED)


def _no_facts(number: int) -> str:
    return "1 line that is no fact is" if number == 1 else f"{number:,} lines that are no facts are"


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files that are named, and those in folders that are, by name."""
    for path in paths:
        if path != "-" and Path(path).is_dir():
            found = sorted(str(each) for each in Path(path).iterdir() if each.is_file())
            if not found:
                refuse(f"{path}: there is no file in this folder")
            yield from found
        else:
            yield path


def _load(loader: BulkLoader, path: str, look: Callable[[], None]) -> None:
    """Read a file; ``look`` is called before each piece of it."""
    pure = PurePath(path)
    plain = PurePath(pure.stem) if pure.suffix.lower() in _COMPRESSED else PurePath(pure.name)
    predicate = plain.stem if plain.suffix.lower() == _TABLE else None
    if predicate is not None and not is_predicate(predicate):
        refuse(f"{path}: {predicate!r} is no name of a predicate; that of a table is its file's")
    try:
        source = ByteSource(path)
    except InputError as error:
        refuse(str(error))
    with closing(source):
        pieces = _pieces(source, look)
        try:
            if predicate is None:
                loader.text(pieces, source.name)
            else:
                loader.table(pieces, predicate, source.name)
        except DamagedInput as error:
            say(f"{source.name}: {error}")
            raise Exit(INPUT_REFUSED) from None
        except SourceLost as error:
            say(str(error))
            raise Exit(LOST) from None


def _pieces(source: ByteSource, look: Callable[[], None]) -> Iterator[bytes]:
    look()
    while piece := source.read():
        yield piece
        look()
