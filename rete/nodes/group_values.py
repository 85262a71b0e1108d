"""The groups of an aggregate: their members in time, and the values that follow.

All groups are followed at once, a batch at a time: the changes of their members by group and cell
(`rete.kernels.bags`), then the values, then the rows in which these hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from rete import kernels
from rete.aggregates.bags import Totals
from rete.aggregates.members import Member, member
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns
from rete.arrays.state_codec import Mask
from rete.kernels.bags.pure_timeline import CELL, GROUP, ORDER, SIGN, VALUE
from rete.kernels.bags.pure_values import TEXT, Bags
from rete.memo import Memo
from rete.storage.row_algebra import positions
from rete.terms.dictionary import Dictionary

GroupKey: TypeAlias = tuple[int, ...]
"""The ids of the columns of a group."""

ADD_UP: Final = frozenset(("count", "sum", "avg"))
"""The aggregates of which totals are enough."""
_FEWEST: Final = 64
"""For so many groups there is room at first."""


class GroupValues:
    """What each group of an aggregate has at the clock, and which members come and go later.

    A member costs the logarithm of what is in its group, and of what is to come.

    Attributes:
        totals: per group what members add up to that never go and are in no row any more; see
            `sum_up`.
    """

    __slots__ = (
        *("_adds_up", "_bags", "_by", "_keys", "_members", "_numbers", "_order", "_terms"),
        *("_last_cancelled", "_timeline", "_value", "_values", "_words", "totals"),
    )

    def __init__(
        self,
        terms: Dictionary,
        by: tuple[int, ...],
        value: int,
        order: int | None,
        words: tuple[str, str, str, int | None],
    ) -> None:
        """No groups; of rows the columns that a group shares, that of members, and their order.

        ``words``: function, share, part, size, as of `rif.syntax.aggregates.Aggregate`.
        """
        self._terms = terms
        self._words = words
        self.totals: dict[GroupKey, Totals] = {}
        self._adds_up = not words[2] and words[0] in ADD_UP
        self._by = positions(by)
        self._value, self._order = value, order
        self._members: Memo[int, Member] = Memo(lambda term: member(terms.decode(term)))
        self._bags = self._new_bags()
        self._timeline = kernels.Timeline()
        self._last_cancelled = NEG_INF
        self._numbers: dict[GroupKey, int] = {}
        # By number: the key of a group, and the id of its value at the clock.
        self._keys = np.zeros((_FEWEST, len(by)), np.int64)
        self._values = np.zeros(_FEWEST, np.int64)

    def _new_bags(self) -> Bags:
        bags: Bags = kernels.bags_of(*self._words, self._members, self._terms)
        return bags

    def forget(self) -> None:
        """Drop what it knows by id of terms that may be gone."""
        self._members.clear()

    def values_now(self) -> Column:
        """The ids of the values that groups have."""
        return self._values[self._values > 0]

    def schedule(self, rows: Rows, clock: int) -> None:
        """Let members come and go later, not before the cell ``clock``."""
        if len(rows):
            self._schedule(rows, self._groups_of(rows), clock)

    def cancel(self, rows: Rows) -> None:
        """Let members not come later, or go before, as they were scheduled."""
        if len(rows):
            groups, ends = self._groups_of(rows), rows[:, -1] < POS_INF
            self._timeline.add(self._changes(rows, groups, -2, -1))
            self._timeline.add(self._changes(rows[ends], groups[ends], -1, 1))
            last = np.where(ends, rows[:, -1], rows[:, -2]).max()
            self._last_cancelled = max(self._last_cancelled, int(last))

    def follow(self, until: int) -> tuple[Rows, Rows, Column]:
        """Let members come and go before the cell ``until``.

        Returns:
            Rows of values that groups have no longer, to be taken back; rows of those that they
            have, the last of each without an end; `_Steps.outside`.
        """
        changes = self._timeline.take(until)
        if len(changes) and changes[:, CELL].min() <= self._last_cancelled:
            changes = self._effective(changes)
        steps = self._apply(changes)
        lost, found = self._pieces(steps)
        for group in set(steps.groups[steps.values == 0].tolist()):
            if not (self._bags.size(group) or self._timeline.waiting(group)):
                self.close([tuple(self._keys[group].tolist())])
        return lost, found, steps.outside

    def resume(self, rows: Rows, clock: int) -> None:
        """Let the members that hold at the clock be in groups that have none; the others later."""
        last = clock - 1
        rows = rows[rows[:, -1] > last]
        if not len(rows):
            return
        groups = self._groups_of(rows)
        here = rows[:, -2] <= last
        steps = self._apply(self._at_once(rows[here], groups[here], 1))
        self._values[steps.groups] = steps.values
        self._schedule(rows, groups, clock)

    def values_of(self, rows: Rows, until: int) -> tuple[Rows, Column]:
        """What `follow` finds of ``rows``, which are all members that there are."""
        self._timeline.add(self._changes(rows, self._groups_of(rows), -2, 1))
        self._timeline.add(self._changes(rows, self._groups_of(rows), -1, -1))
        return self.follow(until)[1:]

    def close(self, keys: Iterable[GroupKey]) -> None:
        """Drop what is known of groups, if anything is."""
        for key in keys:
            number = self._numbers.pop(key, None)
            if number is not None:
                self._bags.clear(number)
                self._timeline.close(number)

    def needed(self, rows: Rows) -> Mask:
        """Which rows of members that never go are still needed; ``rows`` are all of them.

        These are the members that may still be chosen; of each group the one that came first, as a
        negation may ask since when there is one; and where they are added up the last one, so that
        the value is known from there on.
        """
        _, groups = self._keys_of(rows)
        found = np.zeros(len(rows), np.bool_)
        order = np.lexsort((rows[:, -2], groups))
        found[order[_is_first(groups[order])]] = True
        if self._adds_up:
            found[order[::-1][_is_first(groups[order[::-1]])]] = True
            return found
        bags = self._new_bags()
        bags.apply(self._at_once(rows, groups, 1))
        kept = bags.lasting()
        # Of members that are alike so many as are kept.
        members = self._changes(rows, groups, -2, 1)[:, [GROUP, VALUE, ORDER]]
        every = np.concatenate([kept, members])
        _, alike = self._terms.distinct(np.ascontiguousarray(every))
        counts = np.bincount(alike[: len(kept)], minlength=len(every))
        return found | _first_alike(alike[len(kept) :], counts)

    def sum_up(self, rows: Rows) -> None:
        """Let go of rows of members that have come and never go; none of them is `needed`."""
        if not self._adds_up:
            self._bags.apply(self._at_once(rows, self._groups_of(rows), -1))
            return
        keys, groups = self._keys_of(rows)
        bags = self._new_bags()
        for number, key in enumerate(keys):
            if key in self.totals:
                bags.unite(number, self.totals[key])
        bags.apply(self._at_once(rows, groups, 1))
        self.totals |= {key: bags.totals(number) for number, key in enumerate(keys)}

    def _groups_of(self, rows: Rows) -> Column:
        """The number of the group of each row, which is a new one if it has none."""
        keys, which = self._keys_of(rows)
        return columns(list(map(self._number, keys)))[which]

    def _keys_of(self, rows: Rows) -> tuple[list[GroupKey], Column]:
        """The groups of rows, each once, and the place of each row's among these."""
        keys = np.ascontiguousarray(rows[:, self._by])
        firsts, which = self._terms.distinct(keys)
        return list(map(tuple, keys[firsts].tolist())), which

    def _number(self, key: GroupKey) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._timeline.open()
            if number >= len(self._values):
                more = np.zeros_like(self._keys), np.zeros_like(self._values)
                self._keys = np.concatenate([self._keys, more[0]])
                self._values = np.concatenate([self._values, more[1]])
            self._keys[number] = key
            self._values[number] = 0
            if key in self.totals:
                self._bags.unite(number, self.totals[key])
        return number

    def _schedule(self, rows: Rows, groups: Column, clock: int) -> None:
        comes, goes = rows[:, -2] >= clock, rows[:, -1] < POS_INF
        for there, place, sign in ((comes, -2, 1), (goes, -1, -1)):
            self._timeline.add(self._changes(rows[there], groups[there], place, sign))

    def _changes(self, rows: Rows, groups: Column, place: int, sign: int) -> Rows:
        """That members come, or go, as a timeline has it, at the cells in the column ``place``."""
        order = self._order
        changes = np.empty((len(rows), 5), np.int64)
        changes[:, CELL] = rows[:, place]
        changes[:, GROUP] = groups
        changes[:, VALUE] = rows[:, self._value]
        changes[:, ORDER] = 0 if order is None else rows[:, order]
        changes[:, SIGN] = sign
        return changes

    def _at_once(self, rows: Rows, groups: Column, sign: int) -> Rows:
        """The changes of members that come, or go, all at one cell: one value a group is made."""
        changes = self._changes(rows, groups, -2, sign)
        changes[:, CELL] = 0
        return changes[np.argsort(groups, kind="stable")]

    def _effective(self, changes: Rows) -> Rows:
        """Changes without those that undo each other; their terms may be forgotten."""
        same = np.ascontiguousarray(changes[:, :SIGN])
        _, alike = self._terms.distinct(same)
        signs = changes[:, SIGN]
        totals = np.bincount(alike, signs).astype(np.int64)
        of_total = signs == np.sign(totals)[alike]
        left = np.flatnonzero(of_total)
        found: Rows = changes[left[_first_alike(alike[left], np.abs(totals))]]
        return found

    def _apply(self, changes: Rows) -> _Steps:
        groups, cells, values, texts, outside = self._bags.apply(changes)
        if texts:
            values[values == TEXT] = self._terms.encode_many(texts)
        return _Steps(groups, cells, values, outside)

    def _pieces(self, steps: _Steps) -> tuple[Rows, Rows]:
        """What groups have no longer, and what they have; a step that changes no value is none."""
        keys, values = self._keys, self._values
        groups, cells, now = steps.groups, steps.cells, steps.values
        before, is_first = _of_last(groups, now)
        before[is_first] = values[groups[is_first]]
        changed = now != before
        groups, cells, now, before = groups[changed], cells[changed], now[changed], before[changed]
        since, is_first = _of_last(groups, cells)
        is_last = np.ones(len(groups), np.bool_)
        is_last[:-1] = is_first[1:]
        values[groups[is_last]] = now[is_last]
        ends, goes_on = (before > 0) & ~is_first, (now > 0) & is_last
        lost = (before > 0) & is_first
        count = int(np.count_nonzero(ends))
        found = self._empty_rows(count + int(np.count_nonzero(goes_on)))
        _fill(found[:count], keys[groups[ends]], before[ends], since[ends], cells[ends])
        _fill(found[count:], keys[groups[goes_on]], now[goes_on], cells[goes_on], POS_INF)
        gone = self._empty_rows(int(np.count_nonzero(lost)))
        _fill(gone, keys[groups[lost]], before[lost], cells[lost], POS_INF)
        return gone, found

    def _empty_rows(self, count: int) -> Rows:
        return np.empty((count, len(self._by) + 3), np.int64)


class _Steps(NamedTuple):
    """What groups have behind each cell at which members came or went, by group and cell.

    Attributes:
        groups, cells, values: (n,) the number of the group, the cell, the id of its value or 0.
        outside: as in `rete.kernels.bags.pure_values.Steps`.
    """

    groups: Column
    cells: Column
    values: Column
    outside: Column


def _of_last(groups: Column, values: Column) -> tuple[Column, Mask]:
    """Per step the value of the last one of its group; and which are the first of theirs."""
    last = np.empty_like(values)
    last[1:] = values[:-1]
    return last, _is_first(groups)


def _first_alike(alike: Column, counts: Column) -> Mask:
    """Of rows of each number the first ones, as many as ``counts`` says."""
    order = np.argsort(alike, kind="stable")
    places = np.arange(len(alike))
    places -= np.maximum.accumulate(np.where(_is_first(alike[order]), places, 0))
    found = np.zeros(len(alike), np.bool_)
    found[order] = places < counts[alike[order]]
    return found


def _is_first(groups: Column) -> Mask:
    """Which of rows, by group, are the first of theirs."""
    found = np.ones(len(groups), np.bool_)
    found[1:] = groups[1:] != groups[:-1]
    return found


def _fill(rows: Rows, keys: Rows, values: Column, lo: Column, hi: Column | int) -> None:
    rows[:, :-3] = keys
    rows[:, -3] = values
    rows[:, -2] = lo
    rows[:, -1] = hi
