"""Equality classes: terms that are equal for ever, and the representative of each class."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.state_codec import Mask, State, StateReader


class EqualityClasses:
    """Classes of equal ids [OWL2-RL, 4.3: eq-sym, eq-trans, eq-rep-s, eq-rep-p, eq-rep-o].

    A fact is not repeated for each member of a class: it is kept once, with the member that has
    the least id, the representative. `expand` gives all facts that it represents.
    """

    __slots__ = ("_begins", "_class", "_members", "_of", "_sizes")

    def __init__(self) -> None:
        self._class: dict[int, list[int]] = {}
        self._of: Column = columns([])
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
        return columns(changed)

    def _merge(self, left: int, right: int) -> None:
        """Two ids are equal. The members of the smaller class join the larger one."""
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
        ids = rows[:, : rows.shape[1] - 2 if width is None else width]
        known = ids < len(self._of)
        out = rows.copy()
        out[:, : ids.shape[1]][known] = self._of[ids[known]]
        return out

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
