"""Metric operators of whole inputs, by the kernels of one back end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from temporal.periods.unfolding import coalesce

if TYPE_CHECKING:
    from types import ModuleType

    from rete.arrays.delta import Cells

BACKENDS: Final = ("compiled", "pure")


class TermJoin(NamedTuple):
    """How the terms of two inputs belong together: columns that are equal, pairwise."""

    phi: tuple[int, ...]
    psi: tuple[int, ...]


class OperatorKernels:
    """Inputs are maximal rows."""

    def __init__(self, modules: dict[str, ModuleType]) -> None:
        self._rows, self._metric = modules["rows._store"], modules["rows._metric"]

    def dilate(self, rows: Rows, rho: Cells, *, future: bool = False) -> Rows:
        found: Rows = self._metric.dilate(rows, *rho, future)
        return found

    def erode(self, rows: Rows, rho: Cells, *, future: bool = False) -> Rows:
        found: Rows = self._metric.erode(rows, *rho, future)
        return found

    def boxes(self, rows: Rows, rho: Cells, *, future: bool = False) -> Rows:
        """As `erode`, each interval looked up by all of its terms, at all times."""
        width = rows.shape[1] - 2
        key = np.arange(width)
        queries = np.unique(_always(rows), axis=0)
        index = self._index(rows, key)
        found, _ = self._metric.probe_eroded(queries, key, index, len(rows), ~key, *rho, future)
        return coalesce(found)

    def since(
        self, phi: Rows, psi: Rows, on: TermJoin, rho: Cells, *, future: bool = False
    ) -> Rows:
        """Sorted maximal rows of the terms of psi, and those of phi that are not in ``on``.

        Only the first if 0 is in the range. Each side is stored once: both must say the same.
        """
        others = [at for at in range(phi.shape[1] - 2) if at not in on.phi and rho[0] > 0]
        own = list(range(psi.shape[1] - 2))
        keep = [*own, *(~c for c in others)], [*(~c for c in own), *others]
        sides = (psi, on.psi, phi, on.phi, keep[0]), (phi, on.phi, psi, on.psi, keep[1])
        found = []
        for delta, mine, stored, theirs, kept in sides:
            rows, _ = self._metric.probe_since(
                _always(delta),
                np.ascontiguousarray(delta[:, -2:]),
                np.array(mine, np.int64),
                self._index(stored, np.array(theirs, np.int64)),
                len(stored),
                np.array(kept, np.int64),
                *rho,
                future,
                stored is psi,
            )
            found.append(coalesce(np.concatenate([rows, psi]) if rho[0] == 0 else rows))
        assert np.array_equal(found[0], found[1])
        return found[0]

    def _index(self, rows: Rows, key: Rows):
        store = self._rows.FactStore(rows.shape[1] - 2)
        store.fill(rows)
        return store.index(key)


def _always(rows: Rows) -> Rows:
    found = rows.copy()
    found[:, -2:] = NEG_INF, POS_INF
    return found
