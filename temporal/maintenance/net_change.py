"""Net changes: what relations have gained and lost in the end, whatever came and went meanwhile."""

from __future__ import annotations

from rete.arrays.delta import NEG_INF, Rows, concat, empty
from rete.storage.row_algebra import coalesce, subtract
from rete.storage.stem import Stem


class NetChange:
    """What the facts of one relation gained and lost since the last `clear`: disjoint, as sets.

    Observes a table (`rete.storage.derived_facts.TableObserver`): each gain is of what the table
    did not have, each loss of what it had.

    Attributes:
        rows_gained, rows_lost: how many rows it was told of.
    """

    __slots__ = ("_arity", "_gained", "_lost", "rows_gained", "rows_lost")

    def __init__(self, arity: int) -> None:
        self._arity = arity
        self.clear()

    def clear(self) -> None:
        """Begin anew: nothing has changed."""
        self._gained: Stem | None = None
        self._lost: Stem | None = None
        self.rows_gained = self.rows_lost = 0

    def gain(self, rows: Rows) -> None:
        """Facts that it has from now on."""
        self.rows_gained += len(rows)
        self._gained = self._moved(rows, self._lost, self._gained)

    def lose(self, rows: Rows) -> None:
        """Facts that it has no longer."""
        self.rows_lost += len(rows)
        self._lost = self._moved(rows, self._gained, self._lost)

    def _moved(self, rows: Rows, opposite: Stem | None, own: Stem | None) -> Stem:
        """Take ``rows`` out of the opposite change; what is not there is added to the own one."""
        if opposite is not None and opposite.n:
            undone = opposite.meet(rows, NEG_INF)
            if len(undone):
                opposite.remove(undone, NEG_INF)
                rows = subtract(rows, undone)
        if own is None:
            own = Stem(self._arity, instances=False)
        if len(rows):
            own.absorb(rows, NEG_INF)
        return own

    @property
    def gained(self) -> Rows:
        """What it has gained, maximal."""
        return _content(self._gained, self._arity)

    @property
    def lost(self) -> Rows:
        """What it has lost, maximal."""
        return _content(self._lost, self._arity)


def _content(stem: Stem | None, arity: int) -> Rows:
    return empty(arity) if stem is None else stem.content()


def unite_changes(parts: list[Rows], arity: int) -> Rows:
    """The union of some of them, maximal."""
    return coalesce(concat(parts)) if parts else empty(arity)


def common(one: Rows, other: Rows) -> Rows:
    """What is in both; small sets of maximal rows."""
    return subtract(one, subtract(one, other))
