"""The base of a dictionary: terms that are there from the start, in columns that are mapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Base:
    """Terms with the ids 1 to ``count``, which no sweep forgets, and room for others behind them.

    Only what is looked at is ever read from where it lies: the columns are mapped so that what is
    written stays with this process. Each has rows for ``count`` terms, from row 1 on, and further
    ones, which are zero; once these are used up, a dictionary copies all of it.

    Attributes:
        seed: of the hashes.
        count: terms.
        size: bytes of their texts.
        arena: their texts first, then room.
        entries, values, classes: as of `rete.texts.Texts`; pinned, and with numbers known.
        target, last: (rows,) zeros: these terms stand for themselves, and are always needed.
        hashes: (count,) uint64. Ascending: terms are in the order of their hashes, and of their
            texts where these are equal.
    """

    seed: int
    count: int
    size: int
    arena: npt.NDArray[np.uint8]
    entries: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int8]
    hashes: npt.NDArray[np.uint64]
