"""At most k entries where answers have one at a time: which changes in columns are reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from rete.arrays.delta import columns
from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.evidence.entry_table import EntryChanges, EntryStates
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import TopK

EntryKey: TypeAlias = tuple[int, ...]
"""The values of an entry."""


class SingleTopK:
    """The entries that are kept.

    Attributes:
        best: the best entries, by values.
    """

    __slots__ = ("best",)

    def __init__(self, most: int, prospects: ArrivalProspects) -> None:
        self.best: TopK[EntryKey, AwaitedArrivals] = TopK(most, prospects.grade)

    def cut(
        self, changes: EntryChanges, texts: Sequence[str], awaited: Sequence[AwaitedArrivals]
    ) -> tuple[EntryChanges, EntryStates]:
        """The changes that are reported; and the entries that were reported, and dropped then.

        Args:
            changes: the changes of entries.
            texts: those of the answers of the states that began.
            awaited: what these await; nothing, of an answer that is certain.
        """
        begun, ended = changes
        begun_at, ended_at = _by_moment(begun), _by_moment(ended)
        reported, closed = [], []
        withdrawn: list[tuple[EntryKey, int]] = []
        for tau in sorted({*begun_at, *ended_at}):
            closed += [row for row, key in ended_at.get(tau, ()) if self.best.remove(key)]
            begun_now = begun_at.get(tau, ())
            known = {key for _, key in begun_now if self.best.remove(key)}
            self.best.advance(tau)
            new: dict[EntryKey, int] = {}
            for row, key in begun_now:
                if awaited[row]:
                    self.best.offer(key, (texts[row], [], ()), awaited[row], tau)
                    new[key] = row
                else:
                    reported.append(row)
            dropped = self.best.settle()
            withdrawn += [(key, tau) for key in dropped if key in known or key not in new]
            reported += [row for key, row in new.items() if key in self.best]
        kept = EntryChanges(begun.only(columns(reported)), ended.only(columns(closed)))
        width = begun.values.shape[1]
        values = np.array([key for key, _ in withdrawn], np.int64).reshape(len(withdrawn), width)
        at = columns([tau for _, tau in withdrawn])
        return kept, EntryStates(values, np.zeros_like(at), at)

    def only_kept(self, entries: EntryStates) -> EntryStates:
        """Those of some entries that are kept."""
        is_kept = [tuple(values) in self.best for values in entries.values.tolist()]
        return entries.only(np.array(is_kept, np.bool_))


def _by_moment(states: EntryStates) -> dict[int, list[tuple[int, EntryKey]]]:
    """The positions of states, with their values, by moment."""
    found: dict[int, list[tuple[int, EntryKey]]] = {}
    rows = zip(states.at.tolist(), states.values.tolist(), strict=True)
    for row, (tau, values) in enumerate(rows):
        found.setdefault(tau, []).append((row, tuple(values)))
    return found
