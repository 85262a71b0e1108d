"""Equality classes: terms that are equal for ever, and the representative of each class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.arrays.term_columns import KIND_LITERAL
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import RDF


class EqualityClasses:
    """Classes of equal ids [OWL2-RL, 4.3: eq-sym, eq-trans, eq-rep-s, eq-rep-p, eq-rep-o].

    A fact is not repeated for each member of a class: it is kept once, with the member that has
    the least id, the representative. `expand` gives all facts that it represents.
    """

    __slots__ = ("_begins", "_class", "_members", "_of", "_shifts", "_sizes")

    def __init__(self) -> None:
        self._class: dict[int, list[int]] = {}
        self._of: Column = columns([])
        self._shifts: Column = columns([])
        self._begins: Column = columns([])
        self._sizes: Column = columns([])
        self._members: Column = columns([])

    def __bool__(self) -> bool:
        """Whether any two terms are equal."""
        return len(self._of) > 0

    def unite(self, pairs: Rows) -> Column:
        """The two ids of each of ``pairs`` (n, 2) are equal: all ids of the classes that changed.

        Costs O(ids of all classes).
        """
        for left, right in pairs.tolist():
            self._merge(left, right)
        touched = {id(self._class[left]) for left, _ in pairs.tolist()}
        groups = [
            sorted(each) for each in {id(some): some for some in self._class.values()}.values()
        ]
        changed = [term for each in groups if id(self._class[each[0]]) in touched for term in each]
        top = 1 + max(group[-1] for group in groups)
        self._of = np.arange(top)
        self._sizes = np.ones(top, np.int64)
        self._begins = np.arange(top)
        self._members = np.concatenate([np.arange(top), *map(np.array, groups)])
        begin = top
        for group in groups:
            self._of[group] = group[0]
            self._sizes[group[0]] = len(group)
            self._begins[group[0]] = begin
            begin += len(group)
        self._shifts = np.append(self._of - np.arange(top), 0)  # of all that is above, none
        return columns(changed)

    def _merge(self, left: int, right: int) -> None:
        larger, smaller = (self._class.setdefault(each, [each]) for each in (left, right))
        if larger is smaller:
            return
        if len(larger) < len(smaller):
            larger, smaller = smaller, larger
        larger += smaller
        for term in smaller:
            self._class[term] = larger

    def saved(self) -> State:
        """Each term that has another as its representative, with that one."""
        others = np.flatnonzero(self._of != np.arange(len(self._of)))
        return {"pairs": np.column_stack((others, self._of[others]))}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """The classes that were saved, where there are none."""
        pairs = given.array("pairs", np.int64, None, 2)
        given.living("pairs", pairs, alive)
        if len(pairs):
            self.unite(pairs)

    def of(self, rows: Rows, width: int | None = None) -> Rows:
        """``rows`` (n, k + 2) with each id replaced by its representative.

        Ids are the first ``width`` columns, or all but the time.
        """
        if not len(self._of):
            return rows
        out = rows.copy()
        ids = out[:, : rows.shape[1] - 2 if width is None else width]
        ids += self._shifts.take(ids, mode="clip")
        return out

    def are_of_representatives(self, rows: Rows) -> Mask:
        """Which of ``rows``, (n, k + 2), stay as they are in `of`."""
        shifts = self._shifts.take(rows[:, :-2], mode="clip")
        same: Mask = np.logical_and.reduce(shifts == 0, axis=1)
        return same

    @property
    def represented(self) -> npt.NDArray[np.uint8]:
        """By id 1 for each term that has another as its representative."""
        marks: npt.NDArray[np.uint8] = (self._shifts != 0).view(np.uint8)
        return marks

    def are_equal_to_others(self, rows: Rows) -> Mask:
        """Which of ``rows``, (n, k) of ids, mention a term that is equal to another."""
        known = rows < len(self._of)
        found = known.copy()
        found[known] = self._sizes[self._of[rows[known]]] > 1
        several: Mask = np.logical_or.reduce(found, axis=1)
        return several

    def expand(self, rows: Rows, width: int | None = None) -> Rows:
        """All rows that ``rows`` of representatives represent, in no order. Costs what it gives."""
        if not len(self._of):
            return rows
        for column in range(rows.shape[1] - 2 if width is None else width):
            ids = rows[:, column]
            known = ids < len(self._of)
            sizes = np.ones(len(rows), np.int64)
            sizes[known] = self._sizes[ids[known]]
            if (sizes == 1).all():
                continue
            begins = np.repeat(np.where(known, self._begins[np.where(known, ids, 0)], -1), sizes)
            ends = np.cumsum(sizes)
            within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
            rows = np.repeat(rows, sizes, axis=0)
            inside = begins >= 0
            rows[inside, column] = self._members[(begins + within)[inside]]
        return rows


_AT_ONCE: Final = 1 << 16
"""So many stored rows are looked at at once."""
_WORD: Final = f"<{RDF}"

_Triples: TypeAlias = npt.NDArray[np.int32]
"""Triples of ids, (n, 3)."""


class StaticTriples:
    """The triples that always hold, of representatives: asserted and derived ones.

    Attributes:
        open: whether more may come, and the background alone is shown them; what states later that
            terms are equal is left to the rules.
    """

    __slots__ = ("_facts", "_kept", "_pairs", "_same", "_same_as", "_store", "_terms", "open")

    def __init__(
        self,
        same: EqualityClasses,
        terms: Dictionary,
        kept: Column,
        same_as: int,
        store: kernels.FactStore | None,
    ) -> None:
        """Begin with none.

        Args:
            same: learns which terms are equal.
            terms: the dictionary.
            kept: ids that no other may represent, as scans ask for them.
            same_as: the id of the predicate that makes two terms equal; 0: none does.
            store: what has all triples of the background, so that none is to be kept here; None:
                there is no such one.
        """
        self._same = same
        self._terms = terms
        self._kept = kept
        self._same_as = same_as
        self._store = store
        self._facts: list[_Triples] = []
        self._pairs: list[Rows] = []
        self.open = True

    def note(self, rows: Rows) -> Rows:
        """Keep what is static of triples; returns all but those that make two terms equal."""
        same = np.flatnonzero(rows[:, 1] == self._same_as)
        if len(same):  # few of all
            named = rows[same]
            same = same[holds_always(named) & (named[:, 0] != named[:, 2])]
            same = same[self._can_merge(rows[same][:, [0, 2]])]
        if len(same):
            self._pairs.append(rows[same][:, [0, 2]])
            rows = np.delete(rows, same, axis=0)
        if self._store is None:
            static = holds_always(rows)
            self._facts.append(_triples(rows if static.all() else rows[static]))
        return rows

    def unshare(self) -> None:
        """Keep them here from now on, as no store has them all."""
        if self._store is not None:
            self._facts = [_triples(part) for part in self._stored()] if self.open else []
            self._store = None

    def _stored(self) -> Iterator[Rows]:
        """The static triples of the store, (n, 5), some at a time."""
        store = self._store
        assert store is not None
        for begin in range(store.first, store.end, _AT_ONCE):
            rows = store.rows(begin, begin + _AT_ONCE, living=True)
            yield rows[holds_always(rows)]

    def united(self) -> Rows:
        """Facts to be asserted again, as their terms were found to be equal to others.

        No rows: nothing was found since the last call.
        """
        if not self._pairs:
            return empty(3)
        pairs = concat(self._pairs)
        self._pairs = []
        changed = self._same.unite(pairs)
        again = _facts(_distinct(self._same.of(self._take(changed), 3)))
        themselves = np.empty((len(changed), 3), np.int64)
        themselves[:, 1] = self._same_as
        themselves[:, 0] = themselves[:, 2] = self._same.of(changed[:, np.newaxis], 1)[:, 0]
        return np.concatenate([again, _facts(_distinct(themselves))])

    def _take(self, terms: Column) -> Rows:
        """Take out the triples, (n, 3), that mention any of some terms."""
        taken = [empty(3)[:, :3]]
        store = self._store
        if store is not None:
            marks = np.zeros(int(terms.max(initial=0)) + 1, np.uint8)
            marks[terms] = 1
            places = store.mentioning(marks)
            for begin in range(0, len(places), _AT_ONCE):
                rows = store.at(places[begin : begin + _AT_ONCE])
                taken.append(rows[holds_always(rows), :3])
            return np.concatenate(taken)
        for place, part in enumerate(self._facts):
            found = np.isin(part, terms, kind="table").any(axis=1)
            if found.any():
                taken.append(part[found].astype(np.int64))
                self._facts[place] = part[~found]
        return np.concatenate(taken)

    def facts(self) -> Iterator[Rows]:
        """All of them, (n, 5), some at a time, each once.

        Before `seal`, and once terms are united in all that the background has.
        """
        assert self.open
        if self._store is None:
            yield _facts(_distinct(self._same.of(self._ids(), 3)))
            return
        yield empty(3)
        yield from self._stored()

    def _ids(self) -> Rows:
        return np.concatenate([empty(3)[:, :3], *self._facts])

    def seal(self) -> Iterator[Rows]:
        """All static data are in, and kept no longer: the facts, (n, 5), some of them twice."""
        self.open = False
        if self._store is not None:
            yield from self._stored()
            return
        parts, self._facts = self._facts, []
        for part in parts:
            yield _facts(self._same.of(part.astype(np.int64), 3))

    def saved(self) -> State:
        """What came in so far; nothing, once all of it is in."""
        return {
            "open": self.open,
            "facts": _facts(self._ids()),
            "pairs": concat([empty(0), *self._pairs]),
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved."""
        self.open = given.flag("open")
        self._facts = [_triples(given.rows("facts", 3, alive))]
        pairs = given.array("pairs", np.int64, None, 2)
        given.living("pairs", pairs, alive)
        self._pairs = [pairs] if len(pairs) else []

    def _can_merge(self, pairs: Rows) -> npt.NDArray[np.bool_]:
        """Which pairs of terms can have one representative.

        Not a constant that some scan asks for, as it must go on to match; not a literal, as it is
        identified by its value; not a word of RDF, as rules recognise ``rdf:_2`` by its text: these
        are left to the rules.
        """
        ids, place = np.unique(pairs.ravel(), return_inverse=True)
        texts = self._terms.decode_many(ids)
        words = np.array([text.startswith(_WORD) for text in texts], np.bool_)
        kept = (self._terms.kinds(ids) == KIND_LITERAL) | words | np.isin(ids, self._kept)
        some: npt.NDArray[np.bool_] = kept[place].reshape(pairs.shape).any(axis=1)
        return ~some


def holds_always(rows: Rows) -> Mask:
    """Which rows hold at all times."""
    mask: Mask = (rows[:, -2] == NEG_INF) & (rows[:, -1] == POS_INF)
    return mask


def _triples(rows: Rows) -> _Triples:
    """The ids of rows that always hold, in 32 bits; see `Dictionary.reserve`."""
    return rows[:, :3].astype(np.int32)


def _facts(ids: Rows) -> Rows:
    """Facts that always hold, (n, 5), of these ids."""
    rows = np.empty((len(ids), 5), np.int64)
    rows[:, :3] = ids
    rows[:, 3:] = NEG_INF, POS_INF
    return rows


def _distinct(ids: Rows) -> Rows:
    """Each row of ids once."""
    firsts, _ = kernels.distinct(np.ascontiguousarray(ids))
    return ids[firsts]
