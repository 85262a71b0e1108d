"""Bags of groups, in Python: as `rete.kernels.bags._values`, readable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.term_columns import Float64, Int8, TermColumns

if TYPE_CHECKING:
    from rete.aggregates.bags import Bag, Count, Entry, Sum, Totals
    from rete.aggregates.members import Member

TEXT: Final = -1
"""In place of the id of a value: it is the next one of the texts."""

Steps: TypeAlias = tuple[Column, Column, Column, Sequence[str], Column]
"""What groups have behind each cell at which members came or went: groups, cells, the ids of
values (0: none, `TEXT`), the texts of those that have no id, and of groups without value, though
they have members, the ids of the member that came last at that cell (0: none came)."""


class Terms(Protocol):
    """The dictionary of all ids, see `rete.terms.dictionary`."""

    texts: TermColumns

    def numeric(self, terms: Column) -> tuple[Float64, Int8]:
        """What ids are as numbers."""
        ...

    def encode_many(self, texts: Sequence[str]) -> Column:
        """The ids of terms in canonical N-Triples."""
        ...


class Bags:
    """The bag of each group, as one of `rete.aggregates.bags`."""

    __slots__ = ("_bags", "_make", "_members", "_sizes", "_terms")

    def __init__(
        self, make: Callable[[], Bag], members: Mapping[int, Member], terms: Terms
    ) -> None:
        self._make = make
        self._members = members
        self._terms = terms
        self._bags: dict[int, Bag] = {}
        self._sizes: dict[int, int] = {}

    def apply(self, changes: Rows) -> Steps:
        """Let members come and go, as `Timeline.take` of `pure_timeline` gives them."""
        groups: list[int] = []
        cells: list[int] = []
        values: list[int] = []
        texts: list[str] = []
        outside: list[int] = []
        last, count = 0, len(changes)
        rows = changes.tolist()
        for number, (cell, group, value, order, sign) in enumerate(rows):
            self._change(group, self._entry(value, order), sign)
            if sign > 0:
                last = value
            if number + 1 < count and rows[number + 1][:2] == [cell, group]:
                continue
            bag = self._bags.get(group)
            text = None if bag is None else bag.value()
            groups.append(group)
            cells.append(cell)
            values.append(0 if text is None else TEXT)
            if text is not None:
                texts.append(text)
            elif bag is not None and bag.is_outside:
                outside.append(last)
            last = 0
        return columns(groups), columns(cells), columns(values), texts, columns(outside)

    def clear(self, group: int) -> None:
        """The group has no members any more."""
        self._bags.pop(group, None)
        self._sizes.pop(group, None)

    def size(self, group: int) -> int:
        """How many members the group has."""
        return self._sizes.get(group, 0)

    def lasting(self) -> Rows:
        """The members on which later values may depend, if none ever goes; not of sums.

        Returns:
            (n, 3): the group, the ids of the member and of that by which it is ordered, or 0.
        """
        found = [(group, each) for group, bag in self._bags.items() for each in bag.lasting()]
        texts = [(value.text, "" if order is None else order.text) for _, (value, order) in found]
        ids = {"": 0} | self._ids(text for pair in texts for text in pair)
        rows = [
            (group, ids[value], ids[order])
            for (group, _), (value, order) in zip(found, texts, strict=True)
        ]
        return np.array(sorted(rows), np.int64).reshape(len(rows), 3)

    def _ids(self, texts: Iterable[str]) -> dict[str, int]:
        some = sorted({text for text in texts if text})
        return dict(zip(some, self._terms.encode_many(some).tolist(), strict=True))

    def totals(self, group: int) -> Totals:
        """What the members add up to; only for ``count``, ``sum``, ``avg``."""
        return cast("Count | Sum", self._bags[group]).totals

    def unite(self, group: int, totals: Totals) -> None:
        """Let members come that add up to this."""
        from rete.aggregates.bags import number_of_members  # noqa: PLC0415 - it imports kernels

        cast("Count | Sum", self._bags.setdefault(group, self._make())).unite(totals)
        self._sizes[group] = self._sizes.get(group, 0) + number_of_members(totals)

    def _entry(self, value: int, order: int) -> Entry:
        return self._members[value], self._members[order] if order else None

    def _change(self, group: int, entry: Entry, sign: int) -> None:
        size = self._sizes.get(group, 0) + sign
        if not size:
            self.clear(group)
            return
        bag = self._bags.get(group)
        if bag is None:
            bag = self._bags[group] = self._make()
        if sign > 0:
            bag.add(entry)
        else:
            bag.remove(entry)
        self._sizes[group] = size
