"""Whether what is told, line by line, follows from what is possible at each stamp."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from temporal.hypothetical.rif_rules.reports.status_reports import (
    WITHOUT_EVIDENCE,
    Status,
    StatusReport,
)
from tests.oracles.possible.states import State
from tests.oracles.possible.worlds import Binding, Triple, is_variable


def key_of(entry: StatusReport) -> str:
    """An entry, but for the names of free variables."""
    missing = sorted((each.triple, each.is_known and each.until) for each in entry.hypotheses)
    return _renamed(str((entry.fact.args, missing, entry.tests)))


def _renamed(text: str) -> str:
    names: dict[str, str] = {}
    return re.sub(r"\?\w+", lambda m: names.setdefault(m[0], f"?{len(names)}"), text)


class LineChecks:
    """What was told so far: which facts are open, and what was held and certain last.

    With ``taken_back`` an instance that is lost and derived again at one stamp may confirm.
    """

    def __init__(self, taken_back: bool) -> None:
        self._taken_back = taken_back
        self._open: set[_Schema] = set()
        self._held: set[str] = set()
        self._certain: dict[Triple, frozenset[int]] = {}

    def faults(
        self,
        entries: Sequence[StatusReport],
        told: Sequence[StatusReport],
        state: State,
        possible: Sequence[StatusReport],
    ) -> Iterator[str]:
        """What is wrong with what is ``told``, where ``entries`` are held of ``possible`` ones."""
        now = {key_of(entry) for entry in entries}
        facts = {_schema(entry) for entry in entries}
        withdrawn, confirmed, supported = ([t for t in told if t.status == s] for s in Status)
        if list(told) != sorted(told, key=_order):
            yield "out of order"
        if {key_of(each) for each in supported} != now - self._held:
            yield f"supported {supported}, new are {now - self._held}"
        ended = [_schema(each) for each in (*withdrawn, *confirmed)]
        if len(set(ended)) < len(ended) or not self._open.issuperset(ended):
            yield f"{ended} are not open"
        true = {fact for fact in self._open if self._is_true(fact, state)}
        if self._taken_back:
            told_as_true = {_schema(each) for each in confirmed}
            true |= {f for f in told_as_true if any(_is_instance(f, c) for c in state.certain)}
        if {_schema(each) for each in confirmed} != true:
            yield f"{confirmed} are confirmed, true are {true}"
        if {_schema(each) for each in withdrawn} != self._open - true - facts:
            yield f"{withdrawn} are withdrawn, lost are {self._open - true - facts}"
        yield from _unlike(told, entries, state, {_schema(entry) for entry in possible})
        self._open = (self._open - set(ended)) | {_schema(each) for each in supported}
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


def _order(told: StatusReport) -> tuple[object, ...]:
    """The order of lines of one time; of hypotheses the most urgent first."""
    missing = [(each.until is None, each.until or 0, each.triple) for each in told.hypotheses]
    return told.status, told.fact.key, missing, told.tests


def _schema(entry: StatusReport) -> _Schema:
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


def _unlike(
    told: Sequence[StatusReport],
    entries: Sequence[StatusReport],
    state: State,
    possible: Collection[_Schema],
) -> Iterator[str]:
    """What is told otherwise than it is; of facts that are ``possible`` sets were dropped."""
    for each in told:
        if each.status == Status.SUPPORTED and each not in entries:
            yield f"{each} is not as held"
        if each.status == Status.WITHDRAWN:
            is_dropped = str(each.because).startswith("dropped: more than ")
            if is_dropped != (_schema(each) in possible):
                yield f"{each} for another reason"
            ground = not any(map(is_variable, each.fact.args))
            known = {fact for fact, _ in state.possible}
            if ground and each.because == WITHOUT_EVIDENCE and each.fact.args not in known:
                yield f"{each} is not possible"
        if each.status == Status.CONFIRMED and any(
            one.triple not in state.holds for one in each.evidence
        ):
            yield f"{each} has evidence that does not hold"
