"""What the engine tells of a world, held against the oracle, state by state and line by line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from unittest.mock import patch

from r4.time.ticks import NEG_INF
from temporal.hypothetical.rif_rules.reports.status_reports import (
    Status,
    StatusReport,
    StatusReports,
)
from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker
from tests.generators.hypothetical.worlds import DOMAIN, FRESH, texts
from tests.oracles.hypothetical.confidence import shown_number
from tests.oracles.possible.confidence import Rank, confidence, held
from tests.oracles.possible.derivations import derivations
from tests.oracles.possible.states import (
    Piece,
    State,
    is_part,
    least,
    states,
)
from tests.oracles.possible.worlds import (
    ALWAYS,
    Binding,
    Hypotheses,
    Hypothesis,
    Triple,
    World,
    is_variable,
    number,
    written,
)
from tests.simulation.command import CommandOutput, call
from tests.simulation.possible.line_checks import LineChecks, key_of

INFINITE = float("inf")


@dataclass
class WorldRun:
    """A run of the engine: its lines, and what it holds at each stamp."""

    printed: CommandOutput
    states: list[tuple[int, list[StatusReport]]] = field(default_factory=list)
    told: list[list[StatusReport]] = field(default_factory=list)


def run(world: World, folder: Path, *, hypotheses: bool = True) -> WorldRun:
    """Run ``r4 run`` on a world, with its ``hypotheses`` or without."""
    written_as = texts(world)
    for name, text in (
        ("rules.rif", written_as.rules),
        ("static.nt", written_as.static),
        ("stream.nq", written_as.stream),
    ):
        (folder / name).write_text(text)
    found: list[tuple[int, list[StatusReport]]] = []
    told: defaultdict[int, list[StatusReport]] = defaultdict(list)
    close, take = PossibleAnswerTracker.close, PossibleAnswerTracker.take

    def spy_on_state(moments: PossibleAnswerTracker) -> None:
        close(moments)
        if moments.at > NEG_INF:
            found.append((moments.at, moments.possible()))

    def spy_on_reports(moments: PossibleAnswerTracker) -> StatusReports | None:
        reports = take(moments)
        for each in reports or ():
            told[each.at].append(each)
        return reports

    with (
        patch.object(PossibleAnswerTracker, "close", spy_on_state),
        patch.object(PossibleAnswerTracker, "take", spy_on_reports),
    ):
        printed = call(
            [
                "run",
                str(folder / "rules.rif"),
                str(folder / "stream.nq"),
                "--static",
                str(folder / "static.nt"),
                "--literals",
                "term",
                *written_as.delays,
                *(written_as.wishes if hypotheses else ()),
            ]
        )
    return WorldRun(printed, found, [told[at] for at, _ in found])


def disagreement(world: World, folder: Path) -> str | None:
    """Where engine and oracle differ on a world; None: nowhere.

    Raises:
        TooBig: the oracle cannot tell.
    """
    ran = run(replace(world, most=None), folder)
    due = list(states(world, DOMAIN, FRESH))
    if ran.printed.code == 3:
        return None if not derivations(world) else f"refused: {ran.printed.err}"
    if ran.printed.code != 0:
        return f"exit {ran.printed.code}: {ran.printed.err}"
    if [at for at, _ in ran.states] != [state.at for state in due]:
        return f"stamps {[at for at, _ in ran.states]} are {[state.at for state in due]}"
    for (_, entries), state in zip(ran.states, due, strict=True):
        fault = _of_state(world, entries, state)
        if fault:
            return f"at {state.at}: {fault}"
    capped = ran if world.most is None else run(world, folder)
    return _of_lines(world, capped, ran, due)


def _of_state(world: World, entries: Sequence[StatusReport], state: State) -> str | None:
    instances = {
        found
        for entry in entries
        for found in ground_instances(entry)
        if found[0] not in state.certain
    }
    mine, due = least(state.needed(instances)), state.minimal()
    if mine != due:
        return f"too much {sorted(map(str, mine - due))}, too little {sorted(map(str, due - mine))}"
    faults = (fault for entry in entries for fault in _of_entry(world, entry, entries, state))
    return next(faults, None)


def _of_entry(
    world: World, entry: StatusReport, entries: Sequence[StatusReport], state: State
) -> Iterator[str]:
    """What is wrong with an entry, by its instance with new terms."""
    generic = _generic(entry)
    if generic is None:
        return
    fact, missing = generic
    if fact in state.certain:
        yield f"{entry.fact} is certain"
    others = (each for each in entries if each is not entry and each.fact == entry.fact)
    if any(_is_part(other, fact, missing) for other in others) or any(
        state.completes(each, fact, missing) for each in state.derivations
    ):
        yield f"{missing} is more than is needed"
    chances = {way: confidence(world, way, state.at) for way in state.possible[generic]}
    best = max(each for way, each in chances.items() if way.exact)
    if entry.confidence != (best if world.chances else None):
        yield f"the confidence of {entry} is {best}"
    ways = [way for way, each in chances.items() if way.exact and each == best]
    latest = max(way.deadline for way in ways)
    if (INFINITE if entry.deadline is None else entry.deadline) != latest:
        yield f"the deadline of {entry} is {latest}"
    found = [sorted(map(_in_ticks, way.evidence)) for way in ways if way.deadline == latest]
    first = min([triple for triple, *_ in some] for some in found)
    told = [(each.triple, each.start, each.until) for each in entry.evidence]
    if told not in [some for some in found if [triple for triple, *_ in some] == first]:
        yield f"the evidence of {entry} is one of {found}"


def _is_part(other: StatusReport, fact: Triple, missing: Hypotheses) -> bool:
    return any(f == fact and is_part(some, missing) for f, some in ground_instances(other))


def _in_ticks(piece: Piece) -> tuple[Triple, int | None, int | None]:
    """A piece of evidence with the ticks of its interval."""
    triple, start, end = piece
    if (start, end) == (min(ALWAYS), max(ALWAYS)):
        return triple, None, None
    return triple, (1 + start) >> 1, None if end > 190 else (end + 2) >> 1


_GREATER = re.compile(r"External\(<[^>]*numeric-greater-than>\((\S+) (\S+)\)\)")
_SUM = re.compile(r"(\S+) = External\(<[^>]*numeric-add>\((\S+) (\S+)\)\)")


def _value(text: str, full: Binding) -> int | None:
    if is_variable(text):
        return number(full[text]) if text in full else None
    return int(text) if text.lstrip("-").isdigit() else None


def _passes(test: str, full: Binding) -> bool:
    if found := _GREATER.fullmatch(test):
        one, other = (_value(text, full) for text in found.groups())
        return one is not None and other is not None and one > other
    summed = _SUM.fullmatch(test)
    assert summed, test
    total, left, right = summed.groups()
    one, other = _value(left, full), _value(right, full)
    if one is None or other is None:
        return False
    if is_variable(total) and total not in full:
        full[total] = written(one + other)
        return True
    return _value(total, full) == one + other


def _variables(entry: StatusReport) -> list[str]:
    """The free variables of an entry that no sum gives a value."""
    sums = {found[1] for test in entry.tests if (found := _SUM.fullmatch(test))}
    terms = [t for each in entry.hypotheses for t in each.triple]
    mentioned = [t for t in dict.fromkeys(terms) if is_variable(t)]
    own = [t for t in dict.fromkeys(entry.fact.args) if is_variable(t)]
    return list(dict.fromkeys([*mentioned, *(t for t in own if t not in sums)]))


def _instance(entry: StatusReport, full: Binding) -> tuple[Triple, Hypotheses]:
    def put(triple: Sequence[str]) -> Triple:
        s, p, o = (full.get(term, term) for term in triple)
        return s, p, o

    found: set[Hypothesis] = set()
    times = Counter[Triple]()
    for each in entry.hypotheses:
        if each.is_known:
            assert each.until is not None
            found.add((put(each.triple), "at", each.until))
        else:
            kind = "any" if any(map(is_variable, each.triple)) else "range"
            found.add((put(each.triple), kind, times[each.triple]))
            times[each.triple] += 1
    return put(entry.fact.args), frozenset(found)


def ground_instances(entry: StatusReport) -> Iterator[tuple[Triple, Hypotheses]]:
    """The ground facts and sets of hypotheses that an entry stands for."""
    names = _variables(entry)
    for values in product(DOMAIN, repeat=len(names)):
        full = dict(zip(names, values, strict=True))
        if all(_passes(test, full) for test in entry.tests):
            yield _instance(entry, full)


def _generic(entry: StatusReport) -> tuple[Triple, Hypotheses] | None:
    """An instance with new and different terms for free variables, if there are enough."""
    names = _variables(entry)
    if entry.tests or len(names) > len(FRESH):
        return None
    return _instance(entry, dict(zip(names, FRESH, strict=False)))


# Lines, and what is held.


def _of_lines(world: World, ran: WorldRun, whole: WorldRun, due: Sequence[State]) -> str | None:
    """Whether what is held, and told, follows from the states, and is what is printed.

    ``whole`` is a run that holds all that is possible.
    """
    followed = LineChecks(any(each.retracts for each in world.elements))
    moments = zip(ran.states, ran.told, due, whole.states, _held(world, whole), strict=True)
    dropped = 0
    for (at, entries), told, state, (_, possible), (keys, lost) in moments:
        dropped += lost
        if {key_of(each) for each in entries} != keys or any(e not in possible for e in entries):
            return f"at {at}: {entries} are held of {possible}, due are {keys}"
        for fault in followed.faults(entries, told, state, possible):
            return f"at {at}: {fault}"
    counts = re.findall(r"^dropped: (\d+) ", ran.printed.err, re.MULTILINE)
    if counts != ([f"{dropped}"] if dropped else []):
        return f"{counts} dropped, due are {dropped}"
    lines = [line for line in ran.printed.lines() if line.startswith('{"status"')]
    ends = [_end(world, each) for some in ran.told for each in some]
    if len(lines) != len(ends) or not all(map(str.endswith, lines, ends)):
        return f"{lines} are printed, they end as {ends}"
    return None


def _held(world: World, whole: WorldRun) -> Iterator[tuple[set[str], int]]:
    """What is due to be held at each moment, and how many are dropped."""
    moments = [{key_of(each): _rank(each) for each in entries} for _, entries in whole.states]
    return held(moments, sum(map(len, moments)) if world.most is None else world.most)


def _rank(entry: StatusReport) -> Rank:
    triples = sorted({each.triple for each in entry.hypotheses})
    sure = Fraction(1) if entry.confidence is None else entry.confidence
    known = [each.until for each in entry.hypotheses if each.is_known]
    return sure, (entry.fact.key, triples, sorted(entry.tests), known)


def _end(world: World, told: StatusReport) -> str:
    """How its line ends."""
    if not world.chances:
        return f'"rule":{told.rule}}}'
    sure = {Status.CONFIRMED: Fraction(1), Status.WITHDRAWN: Fraction(0)}
    due = sure.get(told.status, told.confidence)
    assert due is not None
    return f',"confidence":{shown_number(due)}}}'
