"""Views: scans that keep no rows of their own, as one store has all facts of their relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rete import kernels
from rete.arrays.delta import NEG_INF, UNKNOWN_LEVEL, Column, Rows, concat_or_empty
from rete.arrays.state_codec import Mask
from rete.memo import Memo
from rete.storage.row_algebra import coalesce, coalesce_starts, project, subtract
from rete.storage.stem import Stem


class Waiting(Protocol):
    """A stream, as a view sees it."""

    pending: list[Rows]
    constants: Column


class RelationStore(Stem):
    """All facts of a relation that a network was shown, each once, whatever scans match them.

    Attributes:
        views: what reads it.
    """

    __slots__ = ("_owed", "views")

    def __init__(self, width: int, *, instances: bool) -> None:
        super().__init__(width, instances=instances)
        self.views: list[View] = []
        self._owed = 0

    def absorb(self, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        """Build, as any SteM does; rows stay where they are while some of them wait for a view."""
        gains = super().absorb(delta, bound, level)
        for view in self.views:
            if not view.waits:
                view.built = self.before
        return gains

    def _sweep(self, more: int, last: int) -> None:
        self._owed += more
        if not any(view.waits for view in self.views):
            owed, self._owed = self._owed, 0
            super()._sweep(owed, last)


class View(Stem):
    """The facts of a store that a scan matches, as a SteM of the columns that it keeps.

    Of facts that differ in other columns alone pairs are made with each. Those that wait for their
    turn are behind its end. All other methods of a SteM than those here are for rows of its own.

    Attributes:
        shared: the store.
        built: the position behind the facts that have had their turn, while some wait.
    """

    __slots__ = ("_at", "_keep", "_stream", "built", "shared")

    def __init__(
        self, shared: RelationStore, keep: Sequence[int], at: Sequence[int], stream: Waiting
    ) -> None:
        """Begin: a scan keeps the columns ``keep``, and has its constants at the places ``at``."""
        self.shared = shared
        self.width = len(keep)
        self.instances = shared.instances
        self.store = shared.store
        self.before = self.built = 0
        self.retention = 0
        self.keep_ended = None
        self.hands_over = self.leveled = False
        self._keep = tuple(keep)
        self._at = list(at)
        self._stream = stream
        self.index = Memo(self._index).__getitem__
        shared.views.append(self)

    def _index(self, key: tuple[int, ...]) -> kernels.Index:
        return self.shared.index((*(self._keep[c] for c in key), *self._at))

    @property
    def constants(self) -> Column:
        """The constants of the scan, with which a key goes on."""
        return self._stream.constants

    def stored(self, keep: Sequence[int]) -> tuple[int, ...]:
        """Columns of pairs of which ~c are columns of its rows, as they stand in the store."""
        return tuple(c if c >= 0 else ~self._keep[~c] for c in keep)

    @property
    def waits(self) -> bool:
        """Whether some facts wait for its turn."""
        return bool(self._stream.pending)

    @property
    def end(self) -> int:
        """The position behind the last fact that has had its turn."""
        return self.built if self.waits else self.store.end

    def absorb(self, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        """Let ``delta``, which the store has, have its turn."""
        del bound, level
        self.before = self.built
        return delta

    def at(self, positions: Column) -> Rows:
        """Rows at positions of the store; one that it does not match never holds."""
        facts = self.store.at(positions)
        facts[~self._matches(facts), -1] = NEG_INF
        return project(facts, self._keep)

    def content(self) -> Rows:
        """The rows of living facts that have had their turn, in no order. Costs O(facts).

        A fact may have grown meanwhile: what waits of it is left out, of an instance all.
        """
        facts = self.store.rows(0, self.end, living=True)
        rows = project(facts[self._matches(facts)], self._keep)
        if not self.instances:
            return subtract(coalesce(rows), concat_or_empty(self._stream.pending, self.width))
        waiting = {tuple(row) for part in self._stream.pending for row in part.tolist()}
        had_turn = [tuple(row) not in waiting for row in rows.tolist()] if waiting else slice(None)
        return coalesce_starts(rows[had_turn])

    def _matches(self, facts: Rows) -> Mask:
        found: Mask = (facts[:, self._at] == self.constants).all(axis=1)
        return found

    def unindex(self) -> None:
        """Nothing: others use the indexes, too."""
