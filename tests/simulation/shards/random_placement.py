"""Places chosen at random, where a partition chooses those by which least travels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from r4.spark.partition import placement, program_partition, splitting
from r4.spark.partition.dependency_graph import DependencyGraph
from r4.spark.partition.routes import ByHash, ToShard
from r4.spark.partition.splitting import Rates, Splits
from tests.generators.draw import from_seed


@contextmanager
def random_placement(seed: int) -> Iterator[None]:
    """Bodies are split by any key they have, or whole anywhere, and homes are anywhere."""
    draw = from_seed(seed)

    def shard_of_each(
        given: DependencyGraph, split: Splits, shards: int, _: Rates
    ) -> tuple[dict[int, int], tuple[float, ...]]:
        found: dict[int, int] = {}
        for component in given.components:
            if component.emits and component.emits[0] not in split:
                found.update(dict.fromkeys(component.emits, draw.integer(0, shards - 1)))
        return found, (1.0,) * shards

    def home(chooser: placement._Chooser, group: int) -> ToShard | ByHash:
        arity = chooser._graph.groups[group].relation.arity
        if arity and chooser._shards > 1 and draw.chance(60):
            return ByHash(draw.integer(0, arity - 1))
        return ToShard(draw.integer(0, chooser._shards - 1))

    with (
        patch.object(program_partition, "place_whole_bodies", shard_of_each),
        patch.object(placement._Chooser, "home", home),
        patch.object(splitting._Costs, "of", lambda *_: draw.integer(0, 99)),
        patch.object(splitting._Costs, "travels", lambda *_: draw.integer(0, 99)),
        patch.object(splitting._Costs, "copied", lambda *_: int(draw.chance(30))),
        patch.object(splitting._Costs, "saves", lambda *_: False),
    ):
        yield
