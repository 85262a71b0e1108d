"""Demands: which facts the patterns of placed bodies ask for, and where they are to come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from r4.spark.partition.ways import EVERYWHERE, At, By, Way, shard_of
from rete.plan import Relation, Scan
from rete.unify import Key


@dataclass(frozen=True, slots=True)
class Demand:
    """The facts that match a pattern go this way.

    Attributes:
        constants: (place, text) of the constants of the pattern, by place.
        equal: pairs of places with the same term.
    """

    relation: Relation
    constants: tuple[tuple[int, str], ...]
    equal: tuple[tuple[int, int], ...]
    way: Way

    @property
    def key(self) -> Key:
        """The constants, None at other places."""
        found = dict(self.constants)
        return tuple(map(found.get, range(self.relation.arity)))

    def takes(self, texts: Sequence[str]) -> bool:
        """Whether a fact with these arguments matches."""
        return all(texts[place] == text for place, text in self.constants) and all(
            texts[one] == texts[other] for one, other in self.equal
        )


def demand(scan: Scan, way: Way) -> Demand:
    """What a pattern of a placed body asks for."""
    return Demand(scan.relation, scan.constants, scan.equal, way)


def targets(
    demands: Iterable[Demand], relation: Relation, texts: Sequence[str], shards: int
) -> set[tuple[int, Way]]:
    """The shards that ask for a fact, each with the way in which it is seen there."""
    found: set[tuple[int, Way]] = set()
    for each in demands:
        if each.relation == relation and each.takes(texts):
            match each.way:
                case At(shard):
                    found.add((shard, EVERYWHERE))
                case By(place):
                    found.add((shard_of(texts[place], shards), each.way))
                case _:
                    found |= {(shard, EVERYWHERE) for shard in range(shards)}
    return found
