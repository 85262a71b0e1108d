"""Heirs: in whose names facts are asserted that are to be retracted later, by the frontier of that.

A store has names of 32 bits. In a saved state an heir is a number that says its frontier.
"""

from __future__ import annotations

from itertools import count
from typing import Final

from rete.arrays.delta import NEG_INF, Rows, distinct

_FIRST: Final = -(2**30) - 2**29
"""Neither rules nor shards have such numbers."""
_LEAST: Final = -(2**31)
_SAVED: Final = NEG_INF // 2
"""Less its frontier it is an heir in a saved state."""
_SAVED_SHARD: Final = -(2**40)
_SHARD: Final = -(2**30)
"""Less its number it is the name of facts of another shard; older states have the one above."""


class Heirs:
    """The heirs of a base table."""

    __slots__ = ("_names", "_numbers")

    def __init__(self) -> None:
        self._names: dict[int, int] = {}
        self._numbers = count()

    def name(self, since: int) -> int:
        """The name of the heir whose facts are retracted at the frontier ``since``, a cell."""
        if since not in self._names:
            self._names[since] = _FIRST - next(self._numbers)
        return self._names[since]

    def take(self, since: int) -> int:
        """The same, for the last time."""
        name = self.name(since)
        del self._names[since]
        return name

    def saved(self, rows: Rows) -> Rows:
        """Facts with names as a state has them, (n, arity + 3)."""
        found, names = rows.copy(), rows[:, -3]
        for since, name in self._names.items():
            found[names == name, -3] = _SAVED - since
        return found

    def restored(self, rows: Rows) -> Rows:
        """What facts with names of a state, (n, arity + 3), are now."""
        found, names = rows.copy(), rows[:, -3]
        for name in distinct(names[names < _LEAST]).tolist():
            shard = _SAVED_SHARD - name
            of_shard = 0 <= shard < 1 << 20
            found[names == name, -3] = _SHARD - shard if of_shard else self.name(_SAVED - name)
        return found
