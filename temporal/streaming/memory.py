"""Memory: what of the past is kept while a stream is followed.

*Exact*: all rows that an operator may look back on, as they came [Walega19, Algorithm 1].
*Dense*: where the right side of a Since holds often, only the hull of it, so that what is kept does
not depend on how dense the stamps are [Walega19, Algorithm 2].
See `rete.nodes.metric.since_history`.
"""

from __future__ import annotations

from enum import Enum


class Memory(Enum):
    """What is kept; `AUTO` is dense where that applies, and exact memory depends on the stamps."""

    AUTO = "auto"
    EXACT = "exact"
    DENSE = "dense"
