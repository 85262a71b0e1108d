"""Expiry: rows that ended are dropped, and terms live as long as rows mention them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rete.arrays.delta import POS_INF, Rows
from rete.network.layers import Layers
from rete.network.network import Network
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary


def expire(layers: Layers, bound: int) -> None:
    """Drop all that ended before the cell ``bound``."""
    for network in layers.networks:
        network.forget(bound)
    if layers.base_table is not None:
        layers.base_table.expire(bound)


def forget_names(layers: Layers) -> None:
    """Drop rows of the background with terms that have a representative: it has the same rows.

    Nothing may be pending. O(rows of the background).
    """
    if layers.background is not None and layers.classes:
        for stem in _stems(layers.background):
            rows = stem.rows[: stem.n]
            stem.keep((layers.classes.of(rows) == rows).all(axis=1))


def remembered(layers: Layers) -> Iterator[Rows]:
    """All rows, (n, terms + 2), that are kept."""
    for network in layers.networks:
        yield from (stem.content() for stem in _stems(network))
    if layers.base_table is not None:
        yield from (stem.content() for stem in layers.base_table.stems)


def touch_anew(layers: Layers, terms: Dictionary, *, ever: bool) -> None:
    """Compute anew how long ``terms`` are needed: while kept rows mention them, or for ``ever``.

    O(kept rows).
    """
    terms.untouch()
    for rows in remembered(layers):
        ends = np.full(len(rows), POS_INF) if ever else rows[:, -1].copy()
        terms.touch(np.ascontiguousarray(rows[:, :-2]), ends)


def _stems(network: Network) -> Iterator[Stem]:
    for stream in network.streams.values():
        if stream.stem is not None:
            yield stream.stem
        yield from stream.node.stems
    for table in network.tables:
        yield from table.stems
