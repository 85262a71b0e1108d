"""At most k sets of hypotheses: when sets that are minimal are cut from what is reported.

A set that is dropped is no less a hypothetical answer: it makes others needless as before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import POS_INF, Column, columns
from temporal.hypothetical.output.entry_columns import AtomRecord
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, RiskFunction, TopK

SetKey: TypeAlias = tuple[tuple[int, ...], tuple[AtomRecord, ...], int]
"""An answer, the atoms that it awaits, and the number of the bounds on their free times."""


class RankedSet(NamedTuple):
    """A set of hypotheses that competes for a place.

    Attributes:
        key: tells it from others; the same from batch to batch.
        text: orders sets of the same confidence.
        awaited: what it awaits.
    """

    key: SetKey
    text: OrderText
    awaited: AwaitedArrivals


class KeptSets:
    """The sets that are kept.

    Attributes:
        best: these, by key.
    """

    __slots__ = ("_counts", "_dropped", "best")

    def __init__(self, most: int, grade: RiskFunction[AwaitedArrivals]) -> None:
        self.best: TopK[SetKey, AwaitedArrivals] = TopK(most, grade)
        self._counts: Counter[SetKey] = Counter()
        self._dropped: set[SetKey] = set()

    def cut(
        self, sets: Iterable[RankedSet], begin: Sequence[int], until: Sequence[int]
    ) -> tuple[Column, npt.NDArray[np.bool_]]:
        """Until when each of some states is kept, and which are cut as their set is dropped.

        Args:
            sets: those of all states of some answers.
            begin: when each begins; it is known from before if that is negative.
            until: when each ends.
        """
        listed, kept = [*sets], [*until]
        is_cut = np.zeros(len(kept), np.bool_)
        rows: defaultdict[SetKey, list[int]] = defaultdict(list)
        events = [(tau, 0, row) for row, tau in enumerate(begin)]
        events += [(tau, 1, row) for row, tau in enumerate(until) if tau < POS_INF]
        for tau, some in groupby(sorted(events), itemgetter(0)):
            touched: dict[SetKey, RankedSet] = {}
            for _, ends, row in some:
                key = listed[row].key
                if not ends:
                    rows[key].append(row)
                    kept[row] = tau if key in self._dropped else kept[row]
                if tau >= 0:
                    self._counts[key] += -1 if ends else 1
                    touched[key] = listed[row]
            for key in self._drop(tau, touched) if touched else ():
                for row in rows[key]:
                    if kept[row] > tau:
                        kept[row], is_cut[row] = tau, True
        return columns(kept), is_cut

    def _drop(self, tau: int, touched: Mapping[SetKey, RankedSet]) -> Sequence[SetKey]:
        """The sets that are dropped at the end of a moment, at which some were ``touched``."""
        new = []
        for key, each in touched.items():
            if not self._counts[key]:
                del self._counts[key]
                self._dropped.discard(key)
                self.best.remove(key)
            elif key not in self.best and key not in self._dropped:
                new.append(each)
        self.best.advance(tau)
        for each in new:
            self.best.offer(*each, tau)
        dropped = self.best.settle()
        self._dropped.update(dropped)
        return dropped
