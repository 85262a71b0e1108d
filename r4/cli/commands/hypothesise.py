"""``r4 hypothesise``: hypothetical answers, with their evidence and what they wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import click
from click.exceptions import Exit

from r4.cli.terminal.console import (
    INPUT_REFUSED,
    LIMIT,
    RULES_REFUSED,
    read_bytes,
    refuse,
    refuse_overwriting,
    say,
)
from r4.cli.terminal.line_filter import follow_lines
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors, shorten
from temporal.hypothetical.arrival.intake import ArrivalIntake
from temporal.hypothetical.arrival.lateness import (
    Chances,
    DelayBounds,
    answer_window,
    parse_chances,
    parse_delays,
)
from temporal.hypothetical.online_evaluation import OnlineEvaluation
from temporal.hypothetical.resolution.resolver import Resolution, resolve
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalProgram, TimeTerm
from temporal.hypothetical.syntax.atom_parser import bare_constants
from temporal.hypothetical.syntax.errors import NotDerived, QueryArity
from temporal.hypothetical.syntax.program_parser import (
    decode_program,
    parse_program,
    parse_query,
)
from temporal.text.atom_parser import CAPITAL, is_like_variable

_QUERY: Final = "--query"


class _ResolvedQuery(NamedTuple):
    """A query that was resolved, with the options that decide its answers."""

    program: TemporalProgram
    query: TemporalAtom
    delays: DelayBounds
    resolved: Resolution
    chances: Chances | None


@click.command()
@click.argument("program")
@click.argument("facts", default="-")
@click.option("--query", required=True, metavar="ATOM", help="What is asked, such as 'Malf(X,T)'.")
@click.option(
    "--delay",
    "delays",
    multiple=True,
    metavar="[PREDICATE=]N",
    help="How late facts may come: all, those of a predicate, of instances: 'Temp(wt2,_)=3'.",
)
@click.option(
    "--chance",
    "chances",
    multiple=True,
    metavar="[PREDICATE=]P,…",
    help="How probable it is that facts have come 0, at most 1 … late: 'Temp=0.8,0.95'.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    help="Hold so many possible answers; the least probable are dropped.",
)
@click.option("--drain", is_flag=True, help="End what is still open when the input ends.")
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help="Follow so many rules upon one another; what is told may be partial then.",
)
@click.option("--strict", is_flag=True, help="Exit 4 if a line was refused.")
@click.option("--output", default="-", metavar="FILE", help="Where to write.  [default: -]")
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    program: str,
    facts: str,
    query: str,
    delays: tuple[str, ...],
    chances: tuple[str, ...],
    most: int | None,
    depth: int | None,
    output: str,
    *,
    drain: bool,
    strict: bool,
) -> int:
    """Tell which answers to a query are possible, on what evidence, and what they wait for.

    PROGRAM are rules of Temporal Datalog, whose last arguments are times; FACTS are lines
    "@ARRIVAL FACT" in the order of their arrival, - is standard input. A line tells that an answer
    is supported by what has arrived, that it is certain, or that it is withdrawn, and why.

    \b
      r4 hypothesise rules.txt --query 'Malf(X,T)' facts.txt
      r4 hypothesise rules.txt --query 'Malf(wt2,T)' --delay Temp=2 < facts.txt
      r4 hypothesise rules.txt --query 'Malf(X,T)' --delay 'Temp(wt2,_)=3' facts.txt --drain
      r4 hypothesise rules.txt --query 'Malf(X,T)' --delay 1 --chance 0.8,0.95 --most 9 facts.txt

    Exit 3 if the rules are refused, 4 if a line was and --strict is given, 5 if the resolution of
    the query was cut.
    """  # noqa: D301 - \b keeps click from filling the examples
    if program == facts == "-":
        refuse("standard input can be read once: name the facts, or the rules")
    refuse_overwriting(output, (program, facts))
    question = _read_question(program, query, delays, chances, depth)
    terms = Dictionary()
    followed = _ArrivingFacts(question, _online(question, query, terms, most), terms, drain=drain)
    _say_reach(question)
    written, ended = follow_lines(followed, facts, output, "lines")
    if ended:
        return ended
    followed.report(query, most, written)
    if question.resolved.is_partial:
        say(f"resolution was cut at depth {depth}: what is told is partial")
    if strict and followed.intake.refused.counts:
        return INPUT_REFUSED
    return LIMIT if question.resolved.is_partial else 0


class _ArrivingFacts:
    """Facts of Temporal Datalog, followed as lines in the order of their arrival."""

    def __init__(
        self, question: _ResolvedQuery, online: OnlineEvaluation, terms: Dictionary, *, drain: bool
    ) -> None:
        self.intake = ArrivalIntake(question.program, question.delays, terms)
        self._online = online
        self._drain = drain

    @property
    def facts(self) -> int:
        return self.intake.facts

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        for slices in self.intake.read(blocks):
            yield _joined(self._online.push(slices))
            self._online.sweep(self.intake.pending_ids)

    def finish(self) -> Iterator[tuple[int, str]]:
        if self._drain:
            yield _joined(self._online.reports.drain())

    def faults(self) -> Iterable[RuleError]:
        return self.intake.refused.unreported()

    def report(self, query: str, most: int | None, written: int) -> None:
        """Report the counts of what was dropped, refused and ignored."""
        if dropped := self._online.reports.dropped:
            say(f"dropped: {dropped} possible answers, as more than {most} were open")
        refused = self.intake.refused
        if refused.counts:
            parts = (f"{count} × {code}" for code, count in sorted(refused.counts.items()))
            say(f"refused: {', '.join(parts)}")
        if not written:
            for each in bare_constants(query):
                if is_like_variable(each.lexical):
                    say(f"no lines: {each.lexical} in {_QUERY} is a constant; {CAPITAL}")
        if refused.ignored:
            say(f"ignored: {refused.ignored} fact(s) of predicates that no rule has")


def _joined(lines: list[str]) -> tuple[int, str]:
    return len(lines), "".join([f"{line}\n" for line in lines])


def _read_question(
    program: str,
    query: str,
    delays: tuple[str, ...],
    chances: tuple[str, ...],
    depth: int | None,
) -> _ResolvedQuery:
    name = "<stdin>" if program == "-" else program
    raw = read_bytes(program)
    if raw is None:
        raise Exit(RULES_REFUSED)
    try:
        rules = parse_program(decode_program(raw, name), name)
    except RuleErrors as errors:
        say(errors.report())
        raise Exit(RULES_REFUSED) from None
    try:
        atom = parse_query(query, _QUERY)
        late = parse_delays(delays, rules)
        likely = parse_chances(chances, rules, late) if chances else None
        resolved = resolve(rules, atom, depth=depth)
    except RuleErrors as errors:
        refuse(errors.report())
    except (NotDerived, QueryArity) as fault:
        refuse(_report(fault, query))
    except RuleError as fault:
        say(_report(fault, query))
        raise Exit(RULES_REFUSED) from None
    for option, named in (("--delay", late), ("--chance", likely)):
        for unknown in sorted(named.patterns.keys() - rules.arities if named else ()):
            say(f"warning: {option} {shorten(unknown)}: the rules have no such predicate")
    return _ResolvedQuery(rules, atom, late, resolved, likely)


def _online(
    question: _ResolvedQuery, query: str, terms: Dictionary, most: int | None
) -> OnlineEvaluation:
    try:
        premises = question.resolved.answers
        online = OnlineEvaluation(
            premises, question.query, question.delays, terms, question.chances, most=most
        )
    except RuleError as fault:
        say(_report(fault, query))
        raise Exit(RULES_REFUSED) from None
    if online.reports.warning:
        say(_report(online.reports.warning, query))
    return online


def _report(fault: RuleError, query: str) -> str:
    return RuleErrors([fault], query, _QUERY).report()


def _say_reach(question: _ResolvedQuery) -> None:
    """How long an answer may stay open, if that is known, and if there can be one."""
    if question.resolved.is_partial:
        return
    if not question.resolved.answers:
        say("warning: by these rules there is no answer, whatever comes in")
        return
    time = question.query.time
    if found := answer_window(question.resolved.answers, question.delays):
        decided = TimeTerm(time.variable, time.offset + found.delay)
        say(
            f"an answer about {time} is decided by {decided}; "
            f"what is open rests on facts of the last {found.window}"
        )
