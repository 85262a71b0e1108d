"""The order of rows, for both languages: ranks of keys, and the first row of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rete.arrays.delta import Column, Rows, columns


def ranks_of(keys: Sequence[Any], *, descending: bool = False) -> Column:
    """The places of keys in their order, equal ones alike."""
    places = {key: place for place, key in enumerate(sorted({*keys}, reverse=descending))}
    return columns(places[key] for key in keys)


def text_ranks(texts: Sequence[str]) -> Column:
    """The position of each of some distinct texts in their order."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def first_rows(groups: Column, keys: Sequence[Column] | Rows) -> Column:
    """The place of the first row of each group by ``keys``, in the order of the groups."""
    if len(groups) <= 1:
        return np.arange(len(groups))
    order = np.lexsort((*reversed(keys), groups))
    ordered = groups[order]
    begins = np.ones(len(order), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    found: Column = order[begins]
    return found
