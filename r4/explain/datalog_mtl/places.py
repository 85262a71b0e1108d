"""Places: where a fact far outside of the segment is explained.

A model that repeats for ever has the same facts a period farther out. So a fact beyond the segment
is explained where it is so many periods nearer to the data. From there its derivation leads back
to them. The nearest place may have reasons that farther ones do not have: an effect of the data
that dies away. So a set of data that is found at a place counts only if it entails the fact in the
interval of the question, and all of it is needed there (`data_sets`); else the next place lies
farther out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF
from rete.storage.interval_sets import CellInterval
from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.unfolding import reflect_end

FARTHEST: Final = 15
"""So many periods beyond the segment is the farthest place."""


@dataclass(frozen=True, slots=True)
class Place:
    """An interval that stands for that of the question.

    Attributes:
        when: its cells.
        shift: ticks from it to the question.
        is_whole: whether it is as long as the question; else it is its beginning, or its end.
    """

    when: CellInterval
    shift: int = 0
    is_whole: bool = True

    @property
    def is_exact(self) -> bool:
        """Is it the interval of the question?"""
        return self.is_whole and not self.shift


def places(model: PeriodicModel[PredicateKey], when: CellInterval) -> Iterator[Place]:
    """The places for ``when``, nearest to the data first."""
    lo, hi = when
    end, ahead = model.right.period[1], 2 * model.right.shift
    begin, back = model.left.period[0], 2 * model.left.shift
    if lo >= end:
        yield from _to_the_right(lo, hi, end, ahead)
    elif hi <= begin:
        mirrored = _to_the_right(reflect_end(hi), reflect_end(lo), reflect_end(begin), back)
        for place in mirrored:
            cells = reflect_end(place.when[1]), reflect_end(place.when[0])
            yield Place(cells, -place.shift, place.is_whole)
    else:
        first, last = max(lo, begin - back), min(hi, end + ahead)
        yield Place((first, last), 0, (first, last) == when)


def _to_the_right(lo: int, hi: int, end: int, period: int) -> Iterator[Place]:
    """Those of an interval behind the cell ``end``, from which on all repeats by ``period``."""
    nearest = (lo - end) // period + 1
    away = 0
    seen = -1
    while away <= FARTHEST and seen != 0:
        seen = max(0, nearest - away)
        shift = seen * period
        first = lo - shift
        last = hi if hi >= POS_INF else hi - shift
        # What holds throughout a period beyond the segment holds for ever.
        shown = min(last, first + period + 1)
        yield Place((first, shown), shift // 2, shown == last)
        away = 2 * away + 1


def window_around(
    model: PeriodicModel[PredicateKey], data: CellInterval, when: CellInterval, margin: int
) -> CellInterval:
    """The cells in which derivations of ``when`` from the data are followed."""
    lo = min(data[0], when[0], model.left.period[0]) - margin
    hi = max(data[1], when[1], model.right.period[1]) + margin
    return max(lo, NEG_INF), min(hi, POS_INF)
