"""What commands of ``r4 mtl`` are given: a program, data, and limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path, PurePath
from typing import Final, TypeVar

import click

from r4.cli.common import INPUT_REFUSED, LOST, RULES_REFUSED, read_bytes, say
from r4.faults import InputError, SourceLost
from r4.files import ByteSource, Damaged
from rete.delta import NEG_INF, POS_INF
from rete.dictionary import Dictionary
from rif.errors import RuleErrors
from temporal.ast import Program
from temporal.limits import Limits
from temporal.loading import Data, Loader
from temporal.program import Profile, profile
from temporal.text.intervals import parse_number
from temporal.text.programs import parse_program
from temporal.text.tables import is_predicate
from temporal.wellformed import arities

F = TypeVar("F", bound=Callable[..., object])

MOST: Final = 50_000_000
"""Intervals that are derived at most, if nothing else is said and rules may derive for ever."""

_COMPRESSED: Final = frozenset({".gz", ".bz2", ".xz"})
_TABLE: Final = ".csv"


class Refused(Exception):
    """Something cannot be read, and that is said.

    Attributes:
        code: how the command exits.
    """

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Question:
    """A program with its data, in cells.

    Attributes:
        program: well-formed rules.
        profile: what is known of them.
        data: the facts.
        terms: the dictionary of their ids.
    """

    program: Program
    profile: Profile
    data: Data
    terms: Dictionary

    @property
    def arities(self) -> dict[str, int]:
        """The number of arguments of each predicate, of rules and of data."""
        return {**arities(self.program), **dict(self.data.rows.keys())}


def limit_options(command: F) -> F:
    """``--limit``, ``--rounds``, ``--seconds``: the most that is done."""
    for option in (
        click.option("--seconds", type=click.FloatRange(0), help="The most time to take."),
        click.option(
            "--rounds",
            type=click.IntRange(1),
            help="The most rounds; in each every rule sees what was new in the last.",
        ),
        click.option(
            "--limit",
            type=click.IntRange(1),
            help="The most intervals of facts to derive."
            f"  [default: {MOST:,} if rules may derive for ever]",
        ),
    ):
        command = option(command)
    return command


def skip_option(command: F) -> F:
    """``--skip-bad``: go on without lines that are no facts."""
    return click.option(
        "--skip-bad", is_flag=True, help="Leave out lines that are no facts; they are counted."
    )(command)


def limits_of(
    given: Question, limit: int | None, rounds: int | None, seconds: float | None
) -> Limits:
    """The limits that options say."""
    if limit is None and given.profile.may_be_endless:
        limit = MOST
    return Limits(limit, rounds, seconds)


def number(_: click.Context, parameter: click.Parameter, text: str | None) -> int | Fraction | None:
    """A time point of an option: a number, or the cell of an infinity."""
    if text is None:
        return None
    found = parse_number(text.strip())
    if found is None:
        message = f"--{parameter.opts[0].lstrip('-')} {text}: write 5, 2.5, 5/2 or inf"
        raise click.UsageError(message)
    if found[0] is None:
        return POS_INF if found[1] > 0 else NEG_INF
    return found[0]


def read_program(path: str) -> Program:
    """The program at ``path``.

    Raises:
        Refused: it has faults, all of which are said.
    """
    raw = read_bytes(path)
    if raw is None:
        raise Refused(RULES_REFUSED)
    name = "<stdin>" if path == "-" else path
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        say(f"{name}:{line}: the program is no UTF-8")
        raise Refused(RULES_REFUSED) from None
    try:
        return parse_program(text, name=name)
    except RuleErrors as errors:
        say(errors.report())
        raise Refused(RULES_REFUSED) from None


def read(
    rules: str, data: Sequence[str], scales: Sequence[int] = (), *, skip_bad: bool = False
) -> Question:
    """A program and its data; numbers of ``scales`` are whole in ticks, too.

    Raises:
        Refused: there are faults, which are said.
    """
    if [rules, *data].count("-") > 1:
        message = "standard input can be read once"
        raise click.UsageError(message)
    program = read_program(rules)
    terms = Dictionary()
    loader = Loader(terms, arities(program))
    for path in _files(data):
        _load(loader, path)
    _judge(loader, skip_bad=skip_bad)
    before = loader.bad
    known = profile(program)
    found = loader.data(lcm(known.scale, *scales))
    if loader.bad > before:
        _judge(loader, skip_bad=skip_bad)
    if loader.bad:
        say(f"{loader.bad:,} lines are no facts and are left out")
    return Question(program, known, found, terms)


def _judge(loader: Loader, *, skip_bad: bool) -> None:
    if not loader.bad or skip_bad:
        return
    for errors in loader.faults:
        say(errors.report())
    listed = sum(len(errors.errors) for errors in loader.faults)
    if listed < loader.bad:
        say(f"{loader.bad - listed:,} more lines are no facts")
    say("nothing was derived; --skip-bad leaves such lines out")
    raise Refused(INPUT_REFUSED)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files that are named, and those in folders that are, by name."""
    for path in paths:
        if path != "-" and Path(path).is_dir():
            yield from sorted(str(each) for each in Path(path).iterdir() if each.is_file())
        else:
            yield path


def _load(loader: Loader, path: str) -> None:
    pure = PurePath(path)
    plain = PurePath(pure.stem) if pure.suffix.lower() in _COMPRESSED else PurePath(pure.name)
    predicate = plain.stem if plain.suffix.lower() == _TABLE else None
    if predicate is not None and not is_predicate(predicate):
        message = f"{path}: {predicate!r} is no name of a predicate; that of a table is its file's"
        raise click.UsageError(message)
    try:
        source = ByteSource(path)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    with closing(source):
        pieces = iter(source.read, b"")
        try:
            if predicate is None:
                loader.text(pieces, source.name)
            else:
                loader.table(pieces, predicate, source.name)
        except Damaged as error:
            say(f"{source.name}: {error}")
            raise Refused(INPUT_REFUSED) from None
        except SourceLost as error:
            say(str(error))
            raise Refused(LOST) from None
