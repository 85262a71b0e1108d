"""Ways: which shards a fact goes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np

from rete.delta import Column
from rete.dictionary import Dictionary
from rete.plan import Part, Relation


@dataclass(frozen=True, slots=True)
class At:
    """To one shard."""

    shard: int


@dataclass(frozen=True, slots=True)
class By:
    """To one shard, by the hash of the term at a place."""

    place: int


@dataclass(frozen=True, slots=True)
class Everywhere:
    """To all shards."""


EVERYWHERE: Final = Everywhere()
Way: TypeAlias = At | By | Everywhere


def seen_as(relation: Relation, way: Way) -> Relation:
    """What the facts of ``relation`` are called in a shard that they reach this way.

    Where only some of them are there they have another name: so no pattern that asks for all of
    them takes these for all, which would matter to a negation.
    """
    return Part(relation.op, relation.arity, way.place) if isinstance(way, By) else relation


def shard_of(text: str, shards: int) -> int:
    """The shard of the term with the canonical text ``text``: the same in every process.

    CRC-32, its bits mixed: of alike texts it is alike in the low ones.
    """
    return (crc32(text.encode()) * 0x9E3779B1 >> 16) % shards


def shards_of(ids: Column, terms: Dictionary, shards: int) -> Column:
    """The same of ids, (n,). Costs a hash for each distinct one."""
    distinct, places = np.unique(ids, return_inverse=True)
    texts: Sequence[str] = terms.decode_many(distinct)
    found: Column = np.array([shard_of(text, shards) for text in texts], np.int64)
    return found[places]
