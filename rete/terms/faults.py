"""What is wrong with malformed texts: of very many without an object for each, and remembered."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar, overload

import numpy as np

from rete.arrays.delta import Column, Rows

MOST_TEXTS: Final = 1000
LONGEST_TEXT: Final = 1000
"""Bytes or characters of a text that is remembered."""

Text = TypeVar("Text", str, bytes)
Fault = TypeVar("Fault")


class FaultCache(dict[Text, Fault]):
    """Malformed lines or statements, and what is wrong with each.

    A producer that writes a malformed line often writes the same one again and again. Memory is
    bounded: the first `MOST_TEXTS` are remembered, up to `LONGEST_TEXT` long.
    """

    __slots__ = ()

    def of_first(self, texts: Iterable[Text]) -> list[Fault]:
        """What is wrong with the first of ``texts``, up to one that is not known."""
        found: list[Fault] = []
        for text in texts:
            fault = self.get(text)
            if fault is None:
                break
            found.append(fault)
        return found

    def remember(self, text: Text, fault: Fault) -> None:
        """Remember what is wrong with ``text``, if there is room."""
        if len(text) <= LONGEST_TEXT and len(self) < MOST_TEXTS:
            self[text] = fault


Fault_co = TypeVar("Fault_co", covariant=True)


class FaultColumns(Sequence[Fault_co], Generic[Fault_co]):
    """Faults of a text, of which many have the same message; one is made when it is asked for.

    Attributes:
        cells: (n, 3) int64, the numbers of each fault.
        which: (n,) int64, its place among ``messages``.
        messages: what is wrong, each once.
    """

    __slots__ = ("_make", "cells", "messages", "which")

    def __init__(
        self,
        make: Callable[[int, int, int, str], Fault_co],
        cells: Rows,
        which: Column,
        messages: Sequence[str],
    ) -> None:
        self._make = make
        self.cells = cells
        self.which = which
        self.messages = messages

    def __len__(self) -> int:
        return len(self.which)

    @overload
    def __getitem__(self, place: int) -> Fault_co: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Fault_co]: ...

    def __getitem__(self, place: int | slice) -> Fault_co | Sequence[Fault_co]:
        if isinstance(place, slice):
            return FaultColumns(self._make, self.cells[place], self.which[place], self.messages)
        one, other, third = self.cells[place].tolist()
        return self._make(one, other, third, self.messages[self.which[place]])


class FaultLog:
    """Collects faults as columns."""

    __slots__ = ("_cells", "_messages", "_which")

    def __init__(self) -> None:
        self._cells = array("q")
        self._which = array("q")
        self._messages: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._which)

    def number_of(self, message: str) -> int:
        """The place of ``message`` among all, which may be a new one."""
        return self._messages.setdefault(message, len(self._messages))

    def add(self, one: int, other: int, third: int, number: int) -> None:
        """A fault with these numbers, and the message at place ``number``."""
        self._cells.extend((one, other, third))
        self._which.append(number)

    def add_many(self, cells: Rows, numbers: Sequence[int]) -> None:
        """The same of (n, 3) numbers, and the place of the message of each."""
        self._cells.frombytes(cells.tobytes())
        self._which.extend(numbers)

    def columns(self, make: Callable[[int, int, int, str], Fault_co]) -> FaultColumns[Fault_co]:
        """What was collected; see `FaultColumns`."""
        cells: Rows = np.array(self._cells, np.int64).reshape(-1, 3)
        return FaultColumns(make, cells, np.array(self._which, np.int64), list(self._messages))
