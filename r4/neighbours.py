"""Neighbours: what a shard of a program must know of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rete.plan import Relation


@dataclass(frozen=True, slots=True)
class Neighbours:
    """How metric operators elsewhere reach into a shard.

    Attributes:
        late: how many cells before the frontier facts of a relation may begin that come from
            another shard; none of those that are not named.
        lag: so many cells before the frontier answers are final, in all shards alike.
    """

    late: tuple[tuple[Relation, int], ...] = ()
    lag: int = 0


ALONE: Final = Neighbours()
"""There are no other shards."""
