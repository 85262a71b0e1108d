"""The periodic report: answers at marks of time, made of the changes in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from r4.answers.ledger import DELETED, INSERTED
from r4.answers.output_order import ATOM, INCONSISTENT, MARK, TRIPLE, Changes, in_order
from r4.time.progress import LATEST_FRONTIER
from r4.time.ticks import NEG_INF, POS_INF, StampFormat, Tick
from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.terms.dictionary import Dictionary
from temporal.intervals.calendar import Calendar

STANDING: Final = 2
"""The ``op`` of an answer that holds at a mark, beside `INSERTED` and `DELETED`."""

ReportForm: TypeAlias = Literal["state", "state+empty", "changes"]
"""What a report has at each mark: what holds, also that nothing does, or the difference."""

_Fact: TypeAlias = tuple[int, ...] | str
"""The ids of a triple, or the text of an atom; ``""``: an inconsistency."""


class Stamps(Protocol):
    """The first and the last stamp of what moved time so far; +∞ and −∞ before the first."""

    @property
    def first(self) -> Tick:
        """The least."""

    @property
    def last(self) -> Tick:
        """The largest."""


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """When there is a report, and of what.

    Attributes:
        calendar: its marks.
        form: what it has.
    """

    calendar: Calendar
    form: ReportForm = "state"


class _Since(NamedTuple):
    """Since when an answer holds, and the number of its rule."""

    start: Tick
    rule: int


class PeriodicReport:
    """Makes the answers at marks of time of changes that are final.

    It keeps what holds now; for differences also what held at the last mark. Marks lie between the
    first and the last stamp, and after that as far as the end of the input is drained.
    """

    def __init__(
        self,
        settings: ReportSettings,
        terms: Dictionary,
        clock: StampFormat,
        stamps: Callable[[], Stamps],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin before all time.

        Args:
            settings: its settings.
            terms: the dictionary of ids.
            clock: the kind of stamps; it is settled by the first one.
            stamps: gives the first and the last stamp so far.
            check: is called at each mark; it raises if the run is to end at once.
        """
        self._calendar = settings.calendar
        self._differs = settings.form == "changes"
        self._says_empty = settings.form == "state+empty"
        self._terms = terms
        self._clock = clock
        self._stamps = stamps
        self._check = check
        self._standing: dict[_Fact, _Since] = {}
        self._seen: dict[_Fact, _Since] = {}
        self._touched: set[_Fact] = set()
        self._since = self._latest = NEG_INF
        self._state: Changes | None = None

    def changes(self, changes: Changes) -> Iterator[Changes]:
        """Take in changes, which come in the order of time; the answers at marks before them."""
        timeless = int(np.searchsorted(changes.at, NEG_INF, "right"))
        if timeless:
            always = changes.take(np.arange(timeless))
            self._apply(always)
            if self._differs:
                self._see(always)
                yield always
        begin = timeless
        while begin < len(changes):
            at = int(changes.at[begin])
            yield from self._reach(at)
            mark = self._next_mark(at)
            end = int(np.searchsorted(changes.at, mark, "right"))
            self._apply(changes.take(np.arange(begin, end)))
            begin = end
            self._latest = max(self._latest, int(changes.at[end - 1]))

    def advance(self, frontier: Tick) -> Iterator[Changes]:
        """The answers at marks before ``frontier``: all changes before it were taken in."""
        if frontier >= LATEST_FRONTIER:  # all was drained
            last = self._stamps().last
            frontier = last + 1
            if self._latest > last:
                frontier = self._next_mark(self._latest) + 1
        yield from self._reach(frontier)

    @property
    def latest(self) -> Tick:
        """The time of the latest change that was taken in; `NEG_INF`: there is none.

        It may be set to a later one that another report of the same run has taken in.
        """
        return self._latest

    @latest.setter
    def latest(self, tick: Tick) -> None:
        self._latest = max(self._latest, tick)

    @property
    def needed_ids(self) -> Column:
        """The ids of what holds, or held at the last mark: a sweep must keep them."""
        facts = [fact for some in (self._standing, self._seen) for fact in some]
        ids = [fact for fact in facts if not isinstance(fact, str)]
        return np.array(ids, np.int64).ravel()

    def saved(self) -> State:
        """What holds, and how far marks were reported."""
        return {
            "since": self._since,
            "latest": self._latest,
            "standing": _saved(self._standing),
            "seen": _saved(self._seen),
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved, where nothing was taken in."""
        self._since, self._latest = given.integer("since"), given.integer("latest")
        self._standing = _restored(given.part("standing"), alive)
        self._seen = _restored(given.part("seen"), alive)
        if self._differs:
            self._touched = self._standing.keys() ^ self._seen.keys()

    def _next_mark(self, tick: Tick) -> Tick:
        """The first mark at ``tick`` or later."""
        return self._calendar.at_or_after(tick, self._clock.epoch)

    def _apply(self, changes: Changes) -> None:
        """Let what begins hold, and what ends no longer."""
        self._state = None
        standing = self._standing
        for fact, op, since in _rows(changes):
            if op == INSERTED:
                standing[fact] = since
            else:
                standing.pop(fact, None)
            if self._differs:
                self._touched.add(fact)

    def _see(self, always: Changes) -> None:
        """Changes without a time were reported."""
        for fact, op, since in _rows(always):
            self._touched.discard(fact)
            if op == INSERTED:
                self._seen[fact] = since
            else:
                self._seen.pop(fact, None)

    def _reach(self, limit: Tick) -> Iterator[Changes]:
        """The answers at marks before ``limit`` that were not reported."""
        begin = max(self._since, self._stamps().first)
        self._since = max(self._since, limit)
        while begin < limit and self._has_more:
            mark = self._next_mark(begin)
            if mark >= limit:
                break
            self._check()
            found = self._difference(mark) if self._differs else self._state_at(mark)
            if len(found):
                yield found
            begin = mark + 1

    @property
    def _has_more(self) -> bool:
        """Whether the next mark has anything to report."""
        if self._differs:
            return bool(self._touched)
        return bool(self._standing) or self._says_empty

    def _state_at(self, mark: Tick) -> Changes:
        """What holds at a mark."""
        if not self._standing:
            return empty_marks([mark])
        if self._state is None:
            rows = [(fact, STANDING, since, POS_INF) for fact, since in self._standing.items()]
            self._state = in_order(_changes(rows, mark), self._terms)
        return replace(self._state, at=np.full(len(self._state), mark))

    def _difference(self, mark: Tick) -> Changes:
        """The difference of a mark to the mark before."""
        rows: list[_Row] = []
        for fact in self._touched:
            before, now = self._seen.get(fact), self._standing.get(fact)
            if before is None and now is not None:
                self._seen[fact] = since = now._replace(start=mark)
                rows.append((fact, INSERTED, since, POS_INF))
            elif before is not None and now is None:
                del self._seen[fact]
                rows.append((fact, DELETED, before, mark))
        self._touched.clear()
        return in_order(_changes(rows, mark), self._terms)


def empty_marks(marks: Sequence[Tick]) -> Changes:
    """Marks at which nothing holds, in order."""
    none = ("", STANDING, _Since(NEG_INF, 0), POS_INF)
    return replace(_changes([none] * len(marks), 0, MARK), at=np.array(marks, np.int64))


_Row: TypeAlias = tuple[_Fact, int, _Since, Tick]
"""A fact, its ``op``, since when it holds, and until when."""


def _rows(changes: Changes) -> Iterator[tuple[_Fact, int, _Since]]:
    columns = (changes.kind, changes.op, changes.start, changes.rule)
    rows = zip(changes.triples.tolist(), *(each.tolist() for each in columns), strict=True)
    for place, (ids, kind, op, start, rule) in enumerate(rows):
        fact: _Fact = tuple(ids) if kind == TRIPLE else ""
        if kind == ATOM:
            fact = changes.atoms[place]
        yield fact, op, _Since(start, rule)


def _changes(rows: list[_Row], mark: Tick, other: int = INCONSISTENT) -> Changes:
    """Answers at a mark, in no order; ``other`` is the kind of what has no text."""
    count = len(rows)
    triples: Rows = np.zeros((count, 3), np.int64)
    kind = np.full(count, TRIPLE, np.int8)
    atoms: list[str] = []
    for place, (fact, *_) in enumerate(rows):
        if isinstance(fact, str):
            kind[place] = ATOM if fact else other
            atoms = atoms or [""] * count
            atoms[place] = fact
        else:
            triples[place] = fact
    return Changes(
        np.array([op for _, op, _, _ in rows], np.int8),
        np.full(count, mark),
        np.array([since.start for *_, since, _ in rows], np.int64),
        np.array([end for *_, end in rows], np.int64),
        np.array([since.rule for *_, since, _ in rows], np.int64),
        kind,
        triples,
        atoms,
    )


def _saved(facts: dict[_Fact, _Since]) -> State:
    triples = [(*fact, *since) for fact, since in facts.items() if not isinstance(fact, str)]
    others = {fact: since for fact, since in facts.items() if isinstance(fact, str)}
    return {
        "triples": np.array(triples, np.int64).reshape(-1, 5),
        "others": np.array([*others.values()], np.int64).reshape(-1, 2),
        "texts": [*others],
    }


def _restored(given: StateReader, alive: Mask) -> dict[_Fact, _Since]:
    triples = given.array("triples", np.int64, None, 5)
    given.living("triples", triples[:, :3], alive)
    texts = given.texts("texts")
    others = given.array("others", np.int64, len(texts), 2)
    found: dict[_Fact, _Since] = {(s, p, o): _Since(*rest) for s, p, o, *rest in triples.tolist()}
    found.update((text, _Since(*row)) for text, row in zip(texts, others.tolist(), strict=True))
    return found
