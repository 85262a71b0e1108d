"""What the engine tells of a world, held against the oracle, state by state and line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from unittest.mock import patch

from r4.possible.moments import Moments
from r4.possible.told import Possible, Status, Told
from tests.drive import Printed, call
from tests.oracles.possible import (
    ALWAYS,
    Binding,
    State,
    Triple,
    World,
    derivations,
    is_variable,
    least,
    number,
    states,
    written,
)
from tests.possible.cases import DOMAIN, FRESH, texts

INFINITE = float("inf")


@dataclass
class Run:
    """A run of the engine: its lines, and what it holds at each stamp."""

    printed: Printed
    states: list[tuple[int, list[Possible]]] = field(default_factory=list)
    told: list[list[Told]] = field(default_factory=list)


def run(world: World, folder: Path, *, hypotheses: bool = True) -> Run:
    """Run ``r4 run`` on a world, with its ``hypotheses`` or without."""
    written_as = texts(world)
    for name, text in (
        ("rules.rif", written_as.rules),
        ("static.nt", written_as.static),
        ("stream.nq", written_as.stream),
    ):
        (folder / name).write_text(text)
    found: list[tuple[int, list[Possible]]] = []
    told: list[list[Told]] = []
    close = Moments.close

    def spy(moments: Moments) -> list[Told]:
        lines = close(moments)
        if moments.at > -(2**61):
            found.append((moments.at, moments.possible()))
            told.append(lines)
        return lines

    with patch.object(Moments, "close", spy):
        printed = call(
            [
                "run",
                str(folder / "rules.rif"),
                str(folder / "stream.nq"),
                "--static",
                str(folder / "static.nt"),
                *written_as.delays,
                *(written_as.wishes if hypotheses else ()),
            ]
        )
    return Run(printed, found, told)


def disagreement(world: World, folder: Path) -> str | None:
    """Where engine and oracle differ on a world; None: nowhere.

    Raises:
        TooBig: the oracle cannot tell.
    """
    ran = run(world, folder)
    due = list(states(world, DOMAIN, FRESH))
    if ran.printed.code == 3:
        return None if not derivations(world) else f"refused: {ran.printed.err}"
    if ran.printed.code != 0:
        return f"exit {ran.printed.code}: {ran.printed.err}"
    if [at for at, _ in ran.states] != [state.at for state in due]:
        return f"stamps {[at for at, _ in ran.states]} are {[state.at for state in due]}"
    for (_, entries), state in zip(ran.states, due, strict=True):
        fault = _of_state(entries, state)
        if fault:
            return f"at {state.at}: {fault}"
    return _of_lines(ran, due, any(each.retracts for each in world.elements))


def _of_state(entries: Sequence[Possible], state: State) -> str | None:
    instances = {
        found for entry in entries for found in denoted(entry) if found[0] not in state.certain
    }
    mine, due = least(instances), state.minimal()
    if mine != due:
        return f"too much {sorted(map(str, mine - due))}, too little {sorted(map(str, due - mine))}"
    faults = (fault for entry in entries for fault in _of_entry(entry, entries, state))
    return next(faults, None)


def _of_entry(entry: Possible, entries: Sequence[Possible], state: State) -> Iterator[str]:
    """What is wrong with an entry, by its instance with new terms."""
    generic = _generic(entry)
    if generic is None:
        return
    fact, missing = generic
    if fact in state.certain:
        yield f"{entry.fact} is certain"
    others = (each for each in entries if each is not entry and each.fact == entry.fact)
    if any(_is_part(other, fact, missing) for other in others):
        yield f"{missing} is more than is needed"
    ways = [way for way in state.possible[generic] if way.exact]
    latest = max(way.deadline for way in ways)
    best = min(tuple(sorted(way.evidence)) for way in ways if way.deadline == latest)
    if (INFINITE if entry.deadline is None else entry.deadline) != latest:
        yield f"the deadline of {entry} is {latest}"
    if tuple(each.triple for each in entry.evidence) != best:
        yield f"the evidence of {entry} is {best}"
    for each in entry.evidence:
        if (each.start, each.until) != _span(state, each.triple):
            yield f"{each} holds {_span(state, each.triple)}"


def _is_part(other: Possible, fact: Triple, missing: frozenset[Triple]) -> bool:
    return not other.tests and any(f == fact and some <= missing for f, some in denoted(other))


def _span(state: State, triple: Triple) -> tuple[int | None, int | None]:
    """The ticks of the interval of the element that asserts a triple for longest."""
    if state.holds[triple] == ALWAYS:
        return None, None
    spans = [
        (max(cells), -min(cells)) for each, cells in state.asserted if each == triple and cells
    ]
    end, start = max(spans)
    return (1 - start) >> 1, None if end > 190 else (end + 2) >> 1


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


def _variables(entry: Possible) -> list[str]:
    """The free variables of an entry that no sum gives a value."""
    sums = {found[1] for test in entry.tests if (found := _SUM.fullmatch(test))}
    terms = [t for each in entry.hypotheses for t in each.triple]
    mentioned = [t for t in dict.fromkeys(terms) if is_variable(t)]
    own = [t for t in dict.fromkeys(entry.fact.args) if is_variable(t)]
    return list(dict.fromkeys([*mentioned, *(t for t in own if t not in sums)]))


def _instance(entry: Possible, full: Binding) -> tuple[Triple, frozenset[Triple]]:
    def put(triple: Sequence[str]) -> Triple:
        s, p, o = (full.get(term, term) for term in triple)
        return s, p, o

    return put(entry.fact.args), frozenset(put(each.triple) for each in entry.hypotheses)


def denoted(entry: Possible) -> Iterator[tuple[Triple, frozenset[Triple]]]:
    """The ground facts and sets of hypotheses that an entry stands for."""
    names = _variables(entry)
    for values in product(DOMAIN, repeat=len(names)):
        full = dict(zip(names, values, strict=True))
        if all(_passes(test, full) for test in entry.tests):
            yield _instance(entry, full)


def _generic(entry: Possible) -> tuple[Triple, frozenset[Triple]] | None:
    """An instance with new and different terms for free variables, if there are enough."""
    names = _variables(entry)
    if entry.tests or len(names) > len(FRESH):
        return None
    return _instance(entry, dict(zip(names, FRESH, strict=False)))


# Lines.


def _key(entry: Possible) -> str:
    """An entry, but for the names of free variables."""
    missing = sorted({each.triple for each in entry.hypotheses})
    return _renamed(str((entry.fact.args, missing, entry.tests)))


def _renamed(text: str) -> str:
    names: dict[str, str] = {}
    return re.sub(r"\?\w+", lambda m: names.setdefault(m[0], f"?{len(names)}"), text)


def _of_lines(ran: Run, due: Sequence[State], taken_back: bool) -> str | None:
    """Whether what is told follows from the states, and is what is printed."""
    followed = _Followed(taken_back)
    for (at, entries), told, state in zip(ran.states, ran.told, due, strict=True):
        for fault in followed.faults(entries, told, state):
            return f"at {at}: {fault}"
    lines = [line for line in ran.printed.lines() if line.startswith('{"status"')]
    return None if len(lines) == sum(map(len, ran.told)) else "not all is printed"


class _Followed:
    """What was told so far: which facts are open, and what was held and certain last.

    With ``taken_back`` an instance that is lost and derived again at one stamp may confirm.
    """

    def __init__(self, taken_back: bool) -> None:
        self._taken_back = taken_back
        self._open: set[_Schema] = set()
        self._held: set[str] = set()
        self._certain: dict[Triple, frozenset[int]] = {}

    def faults(
        self, entries: Sequence[Possible], told: Sequence[Told], state: State
    ) -> Iterator[str]:
        """What is wrong with what is ``told``, where ``entries`` are held."""
        now = {_key(entry) for entry in entries}
        facts = {_schema(entry) for entry in entries}
        withdrawn, confirmed, supported = ([t for t in told if t.status == s] for s in Status)
        if list(told) != sorted(told, key=lambda each: each.key):
            yield "out of order"
        if {_key(each.possible) for each in supported} != now - self._held:
            yield f"supported {supported}, new are {now - self._held}"
        if any(each.possible not in entries for each in supported):
            yield f"{supported} are not as held"
        ended = [_schema(each.possible) for each in (*withdrawn, *confirmed)]
        if len(set(ended)) < len(ended) or not self._open.issuperset(ended):
            yield f"{ended} are not open"
        true = {fact for fact in self._open if self._is_true(fact, state)}
        if self._taken_back:
            told_as_true = {_schema(each.possible) for each in confirmed}
            true |= {f for f in told_as_true if any(_is_instance(f, c) for c in state.certain)}
        if {_schema(each.possible) for each in confirmed} != true:
            yield f"{confirmed} are confirmed, true are {true}"
        if {_schema(each.possible) for each in withdrawn} != self._open - true - facts:
            yield f"{withdrawn} are withdrawn, lost are {self._open - true - facts}"
        for each in confirmed:
            if any(one.triple not in state.holds for one in each.possible.evidence):
                yield f"{each} has evidence that does not hold"
        self._open = (self._open - set(ended)) | {_schema(each.possible) for each in supported}
        self._held, self._certain = now, state.certain

    def _is_true(self, fact: _Schema, state: State) -> bool:
        """Is a fact certain; of one with free variables, is an instance when it was not?"""
        if not any(map(is_variable, fact)):
            return fact in state.certain
        return any(
            _is_instance(fact, each) and not ticks <= self._certain.get(each, frozenset())
            for each, ticks in state.certain.items()
        )


_Schema = tuple[str, ...]


def _schema(entry: Possible) -> _Schema:
    """The fact of an entry, with numbers for its variables."""
    names: dict[str, str] = {}
    return tuple(
        names.setdefault(term, f"?{len(names)}") if is_variable(term) else term
        for term in entry.fact.args
    )


def _is_instance(args: Sequence[str], fact: Triple) -> bool:
    full: Binding = {}
    return all(
        full.setdefault(a, b) == b if is_variable(a) else a == b
        for a, b in zip(args, fact, strict=True)
    )
