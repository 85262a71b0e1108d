"""``r4 mtl stream``: answers to a query along a stream of facts with metric time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click
from click.exceptions import Exit

from r4.cli.mtl.inputs import name_of, read_program, report_refused
from r4.cli.terminal.console import INPUT_REFUSED, read_bytes, refuse, refuse_overwriting, say
from r4.cli.terminal.line_filter import follow_lines
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors, shorten
from temporal.errors import MixedTimes, OutOfBounds
from temporal.mtl.ast import BOTTOM_NAME, MetricProgram
from temporal.mtl.operators import BOTTOM_WORD
from temporal.mtl.validation import arities
from temporal.streaming.point_answers import PointAnswers
from temporal.streaming.stream_query import Memory, StreamQuery
from temporal.streaming.stream_reasoner import read_options
from temporal.streaming.stream_run import StreamOptions, StreamRun


@click.command()
@click.argument("program")
@click.argument("data", default="-")
@click.option(
    "--query",
    required=True,
    metavar="PRED",
    help="The predicate that is asked for; BOTTOM: when the constraints are violated.",
)
@click.option("--every", metavar="N", help="Answer at the multiples of N, up to the last stamp.")
@click.option("--at", metavar="FILE", help="Answer at the times in FILE, one a line.")
@click.option(
    "--delay",
    default="0",
    show_default=True,
    metavar="N",
    help="How far below the largest stamp a fact may still come.",
)
@click.option(
    "--memory",
    type=click.Choice([memory.value for memory in Memory]),
    default=Memory.AUTO.value,
    show_default=True,
    help="What of the past is kept: all that is in reach, or as much as does not depend on how"
    " dense the stamps are; auto is dense where no range is one point.",
)
@click.option(
    "--retractions",
    is_flag=True,
    help="Read lines -P(a)@[1,2] that take facts back, and keep what they may take back.",
)
@click.option("--strict", is_flag=True, help="Exit 4 if a line was left out.")
@click.option("--output", default="-", metavar="FILE", help="Where to write.  [default: -]")
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    data: str,
    query: str,
    every: str | None,
    at: str | None,
    delay: str,
    memory: str,
    output: str,
    *,
    retractions: bool,
    strict: bool,
) -> int:
    """Follow a query of PROGRAM along the stream DATA: facts in the order of their stamps.

    The stamp of a fact is the left end of its interval; - is standard input. A line Q(c)@t is
    written as soon as it is certain, at the stamps of the input if nothing else is asked for.

    \b
      r4 mtl stream program.txt --query Alarm facts.txt
      r4 mtl stream program.txt --query Alarm --every 1/2 --delay 3 < facts.txt
      r4 mtl stream program.txt --query Alarm --at times.txt --retractions facts.txt

    Exit 3 if the rules are refused, or their answers never certain; 4 if a line was left out and
    --strict is given.
    """  # noqa: D301 - \b keeps click from filling the examples
    if [program, data, at].count("-") > 1:
        refuse("standard input can be read once: name the data, the rules or the times")
    refuse_overwriting(output, (program, data, *filter(None, [at])))
    rules = read_program(program)
    options = _options(every, at, delay, memory, retractions=retractions)
    run = _begin(rules, query, options, name_of(program), name_of(data))
    _, ended = follow_lines(_Facts(run), data, output, "answers")
    if ended:
        return ended
    return INPUT_REFUSED if _report(run) and strict else 0


class _Facts:
    """Facts of DatalogMTL, followed as lines."""

    def __init__(self, run: StreamRun) -> None:
        self._run = run

    @property
    def facts(self) -> int:
        return self._run.facts

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        return map(self._lines, self._run.read(blocks))

    def finish(self) -> Iterator[tuple[int, str]]:
        return map(self._lines, self._run.finish())

    def _lines(self, answers: PointAnswers) -> tuple[int, str]:
        run = self._run
        lines = answers.lines(run.query.written, run.terms, run.scale, run.notation)
        return len(answers.ticks), lines

    def faults(self) -> Iterable[RuleError]:
        return self._run.loader.unreported()


def _report(run: StreamRun) -> int:
    """Report the counts of what was left out; how many lines that are."""
    if run.bad:
        say(f"{run.bad:,} lines are no facts, and left out")
    if run.late:
        say(f"{run.late:,} facts were late, and left out: a larger --delay waits longer")
    if run.refused:
        say(f"{run.refused:,} retractions came too late, and had no effect")
    if run.without_effect:
        say(f"{run.without_effect:,} retractions found nothing that counts")
    return run.bad + run.late + run.refused


def _begin(
    rules: MetricProgram, query: str, options: StreamOptions, program: str, data: str
) -> StreamRun:
    known_names = {BOTTOM_WORD if name == BOTTOM_NAME else name for name in arities(rules)}
    if query not in known_names | {BOTTOM_NAME}.intersection(arities(rules)):
        known = ", ".join(map(shorten, sorted(known_names)[:10]))
        refuse(f"--query {shorten(query)}: no such predicate; the rules have {known}")
    with report_refused(program):
        found = StreamQuery.of(rules, query)
        try:
            run = StreamRun(found, options, data)
        except (MixedTimes, OutOfBounds) as error:
            refuse(str(error))
    if warnings := found.warnings():
        say(RuleErrors(warnings, name=program).report())
    return run


def _options(
    every: str | None, at: str | None, delay: str, memory: str, *, retractions: bool
) -> StreamOptions:
    try:
        return read_options(
            every,
            None if at is None else _times(at),
            delay,
            memory=Memory(memory),
            retractions=retractions,
        )
    except (ValueError, MixedTimes) as error:
        refuse(f"--{error}" if str(error).startswith(("every", "delay")) else str(error))


def _times(path: str) -> list[str]:
    """The times in a file, one a line."""
    raw = read_bytes(path)
    if raw is None:
        raise Exit(INPUT_REFUSED)
    try:
        return [line for line in raw.decode().splitlines() if line.strip()]
    except UnicodeDecodeError:
        refuse(f"--at {path}: not UTF-8")
