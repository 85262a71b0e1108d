"""Routes: which shards a fact goes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np

from rete.arrays.delta import Column
from rete.nodes.scan import Scan
from rete.planning.unification import ConstantPattern
from rete.terms.dictionary import Dictionary
from rete.terms.number_constants import matches_number
from rete.terms.relations import Part, Relation
from rif.syntax.terms import parse_canonical


@dataclass(frozen=True, slots=True)
class ToShard:
    """To one shard."""

    shard: int


@dataclass(frozen=True, slots=True)
class ByHash:
    """To one shard, by the hash of the term at a place."""

    place: int


@dataclass(frozen=True, slots=True)
class ToAllShards:
    """To all shards."""


TO_ALL_SHARDS: Final = ToAllShards()
Route: TypeAlias = ToShard | ByHash | ToAllShards


def relation_at(relation: Relation, route: Route) -> Relation:
    """The relation that the facts of ``relation`` have in a shard that they reach by ``route``.

    Where only some of them arrive it is another one: so no pattern that needs all of them takes
    these for all, which would be wrong under a negation.
    """
    return Part(relation.op, relation.arity, route.place) if isinstance(route, ByHash) else relation


def shard_of(text: str, shards: int) -> int:
    """The shard of the term with the canonical text ``text``: the same in every process.

    CRC-32 with its bits mixed, as similar texts have similar low bits.
    """
    return (crc32(text.encode()) * 0x9E3779B1 >> 16) % shards


def shards_of(ids: Column, terms: Dictionary, shards: int) -> Column:
    """The same of ids, (n,). Costs a hash for each distinct one."""
    distinct, places = np.unique(ids, return_inverse=True)
    texts: Sequence[str] = terms.decode_many(distinct)
    found: Column = np.array([shard_of(text, shards) for text in texts], np.int64)
    return found[places]


@dataclass(frozen=True, slots=True)
class Demand:
    """The demand of a pattern: the facts that match it, and their route.

    Attributes:
        constants: (place, text) of the constants of the pattern, by place.
        equal: pairs of places with the same term.
        numbers: as ``constants``, of numbers that stand for their values.
    """

    relation: Relation
    constants: tuple[tuple[int, str], ...]
    equal: tuple[tuple[int, int], ...]
    route: Route
    numbers: tuple[tuple[int, str], ...] = ()

    @property
    def key(self) -> ConstantPattern:
        """The constants by place, None at the others."""
        found = dict(self.constants)
        return tuple(map(found.get, range(self.relation.arity)))

    def takes(self, texts: Sequence[str]) -> bool:
        """Whether a fact with these arguments matches."""
        return (
            all(texts[place] == text for place, text in self.constants)
            and all(texts[one] == texts[other] for one, other in self.equal)
            and all(
                matches_number(parse_canonical(texts[place]), parse_canonical(text))
                for place, text in self.numbers
            )
        )


def demand_of(scan: Scan, route: Route) -> Demand:
    """The demand of a pattern of a placed body."""
    return Demand(scan.relation, scan.constants, scan.equal, route, scan.numbers)


def targets(
    demands: Iterable[Demand], relation: Relation, texts: Sequence[str], shards: int
) -> set[tuple[int, Route]]:
    """The shards that ask for a fact, each with the route by which it arrives there."""
    found: set[tuple[int, Route]] = set()
    for each in demands:
        if each.relation == relation and each.takes(texts):
            match each.route:
                case ToShard(shard):
                    found.add((shard, TO_ALL_SHARDS))
                case ByHash(place):
                    found.add((shard_of(texts[place], shards), each.route))
                case _:
                    found |= {(shard, TO_ALL_SHARDS) for shard in range(shards)}
    return found
