"""Lists of triples, one for each row, in Python: as `rete.kernels.rows._lists`, readable."""

from __future__ import annotations

from operator import itemgetter

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows


def sorted_lists(
    values: Rows, places: npt.NDArray[np.int64], times: npt.NDArray[np.int64], *, by_time: bool
) -> tuple[npt.NDArray[np.int64], Column]:
    """The triples that each row lists, in the order of their terms, or of their first times.

    Args:
        values: (n, w) terms; 0 is none.
        places: (n, k, 3) where in its row the terms of a triple stand; without the first there is
            no triple.
        times: (n, k, 2) of the triples.
        by_time: whether the order is that of first times, then terms, then second times, and equal
            terms with equal first times are one; else that of terms, then both times, all equal.

    Returns:
        (n, k, 5) terms and times, 0 behind the end of a list; (n,) the lengths. O(k²) a row.
    """
    order = (3, 0, 1, 2, 4) if by_time else (0, 1, 2, 3, 4)
    listed = np.zeros((*places.shape[:2], 5), np.int64)
    counts = np.zeros(len(places), np.int64)
    for number, row in enumerate(values.tolist()):
        pairs = zip(places[number].tolist(), times[number].tolist(), strict=True)
        triples = sorted(
            ([*(row[place] for place in three), *two] for three, two in pairs),
            key=itemgetter(*order),
        )
        alike = itemgetter(*order[: 5 - by_time])
        kept = {alike(each): each for each in reversed(triples) if each[0]}
        counts[number] = len(kept)
        for place, each in enumerate(reversed(kept.values())):
            listed[number, place] = each
    return listed, counts
