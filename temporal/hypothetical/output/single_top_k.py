"""A cap on answers that have one entry at a time: what of turns in columns is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from rete.arrays.delta import columns
from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.evidence.entry_table import EntryChanges, EntryStates
from temporal.ranking.arrival_probability import AwaitedArrivals
from temporal.ranking.top_k import TopK

EntryKey: TypeAlias = tuple[int, ...]
"""The values of an entry."""


class SingleTopK:
    """What is held.

    Attributes:
        cap: by values.
    """

    __slots__ = ("cap",)

    def __init__(self, most: int, prospects: ArrivalProspects) -> None:
        self.cap: TopK[EntryKey, AwaitedArrivals] = TopK(most, prospects.grade)

    def cut(
        self, turns: EntryChanges, texts: Sequence[str], lacking: Sequence[AwaitedArrivals]
    ) -> tuple[EntryChanges, EntryStates]:
        """What of the turns is told; and the entries that were told, and dropped then.

        Args:
            turns: what happened.
            texts: those of the answers of the states that began.
            lacking: what these wait for; nothing, of an answer that is certain.
        """
        begun, ended = turns
        came, went = _by_moment(begun), _by_moment(ended)
        told, closed = [], []
        out: list[tuple[EntryKey, int]] = []
        for tau in sorted({*came, *went}):
            closed += [row for row, key in went.get(tau, ()) if self.cap.remove(key)]
            begun_now = came.get(tau, ())
            known = {key for _, key in begun_now if self.cap.remove(key)}
            self.cap.advance(tau)
            new: dict[EntryKey, int] = {}
            for row, key in begun_now:
                if lacking[row]:
                    self.cap.offer(key, (texts[row], [], ()), lacking[row], tau)
                    new[key] = row
                else:
                    told.append(row)
            lost = self.cap.settle()
            out += [(key, tau) for key in lost if key in known or key not in new]
            told += [row for key, row in new.items() if key in self.cap]
        kept = EntryChanges(begun.only(columns(told)), ended.only(columns(closed)))
        width = begun.values.shape[1]
        values = np.array([key for key, _ in out], np.int64).reshape(len(out), width)
        at = columns([tau for _, tau in out])
        return kept, EntryStates(values, np.zeros_like(at), at)

    def only_held(self, entries: EntryStates) -> EntryStates:
        """Those of some entries that are held."""
        held = [tuple(values) in self.cap for values in entries.values.tolist()]
        return entries.only(np.array(held, np.bool_))


def _by_moment(states: EntryStates) -> dict[int, list[tuple[int, EntryKey]]]:
    """The positions of some, with their values, by when they are."""
    found: dict[int, list[tuple[int, EntryKey]]] = {}
    rows = zip(states.at.tolist(), states.values.tolist(), strict=True)
    for row, (tau, values) in enumerate(rows):
        found.setdefault(tau, []).append((row, tuple(values)))
    return found
