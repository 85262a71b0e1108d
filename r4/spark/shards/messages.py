"""Messages from shard to shard: columns of texts and numbers, as Arrow has them too.

Ids mean something in one process only, so terms cross as their canonical texts, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column
from rete.terms.relations import Relation


@dataclass(frozen=True, slots=True)
class AssertedFacts:
    """Facts of a relation that elements assert; they always hold, or none does.

    Attributes:
        texts: of the arguments of one fact after the other.
        start, end: (n,) ticks, as of a `r4.stream.batch.Batch`.
        names: the names of their elements; empty for none.
    """

    relation: Relation
    texts: Sequence[str]
    start: Column
    end: Column
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class FactMessage:
    """A change of the facts of a relation that a shard derives for others.

    What ceases is removed before what holds is added; a message that comes twice changes nothing.

    Attributes:
        sender: the shard.
        relation: their relation in the shard that receives them.
        texts: of the arguments of one fact after the other.
        lo, hi: (n,) their valid time in cells.
        holds: (n,) whether they hold then, or no longer.
    """

    sender: int
    relation: Relation
    texts: Sequence[str]
    lo: Column
    hi: Column
    holds: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.lo)
