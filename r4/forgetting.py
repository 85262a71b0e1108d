"""Forgetting: the rows of networks that ended, and what the others still mention."""

from __future__ import annotations

from collections.abc import Iterator

from rete.delta import Rows
from rete.layers import Layers


def expire(layers: Layers, bound: int) -> None:
    """Drop all that ended before the cell ``bound``."""
    for network in layers.networks:
        network.forget(bound)
    if layers.asserts is not None:
        layers.asserts.expire(bound)


def remembered(layers: Layers) -> Iterator[Rows]:
    """All rows, (n, terms + 2), that are kept."""
    for network in layers.networks:
        for stream in network.streams.values():
            if stream.stem is not None:
                yield stream.stem.content()
        for table in network.tables:
            yield from (stem.content() for stem in table.stems)
    if layers.asserts is not None:
        yield from (stem.content() for stem in layers.asserts.stems)
