"""Bags of groups, in Python: as `rete.kernels.bags._values`, readable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from rete.arrays.delta import Column, Rows, columns

if TYPE_CHECKING:
    from rete.aggregates.bags import Bag, Entry
    from rete.aggregates.members import Member

TEXT: Final = -1
"""In place of the id of a value: it is the next one of the texts."""

Steps: TypeAlias = tuple[Column, Column, Column, Sequence[str], Column]
"""What groups have behind each cell at which members came or went: groups, cells, the ids of
values (0: none, `TEXT`), the texts of those that have no id, and of groups without value, though
they have members, the ids of the member that came last at that cell (0: none came)."""


class Bags:
    """The bag of each group, as one of `rete.aggregates.bags`."""

    __slots__ = ("_bags", "_make", "_members", "_sizes")

    def __init__(self, make: Callable[[], Bag], members: Mapping[int, Member]) -> None:
        self._make = make
        self._members = members
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
