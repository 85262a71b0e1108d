"""Placement: the shards of whole bodies, and the homes of groups.

Whole components go to the shards with the least load, the heaviest first. The facts of a pattern
count once a shard, so rules of the same predicates come together; and what is derived in a shard
need not be sent there.

The *home* of a group is where all of its derived facts are collected, emitted, and sent on to the
shards that ask for them: one shard, or each fact's own by the hash of a term. It is chosen so that
the fewest facts are sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from r4.spark.partition.dependency_graph import BodyComponent, DependencyGraph
from r4.spark.partition.routes import TO_ALL_SHARDS, ByHash, Route, ToShard
from r4.spark.partition.splitting import BodySplit, Rates, Splits
from rete.nodes.scan import Scan


@dataclass(slots=True)
class _Shard:
    """What was placed in a shard so far."""

    load: float = 0.0
    scans: set[Scan] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)


def place_whole_bodies(
    graph: DependencyGraph, split: Splits, shards: int, rates: Rates
) -> tuple[dict[int, int], tuple[float, ...]]:
    """The shard of each whole body, and the load of each shard, by ``rates``.

    Costs O(patterns × shards).
    """
    taken = [_Shard() for _ in range(shards)]
    for number, each in split.items():
        for scan, route in zip(graph.bodies[number].scans, each.routes, strict=True):
            weight = rates.of_scan(scan) / (shards if isinstance(route, ByHash) else 1)
            for one in taken:
                one.load += weight
    whole = [each for each in graph.components if each.emits and each.emits[0] not in split]
    found: dict[int, int] = {}
    for component in sorted(whole, key=lambda each: -_weight(graph, each, rates)):
        cost = [_new(graph, component, one, rates) for one in taken]
        best = min(range(shards), key=lambda s: (taken[s].load + cost[s], cost[s], s))
        found.update(dict.fromkeys(component.emits, best))
        one = taken[best]
        one.load += cost[best]
        for number in component.emits:
            one.scans.update(graph.bodies[number].scans)
            one.groups.update(graph.derives[number])
    return found, tuple(one.load for one in taken)


def _weight(graph: DependencyGraph, component: BodyComponent, rates: Rates) -> float:
    return sum(rates.of_scan(scan) for n in component.emits for scan in graph.bodies[n].scans)


def _new(graph: DependencyGraph, component: BodyComponent, there: _Shard, rates: Rates) -> float:
    """The weight of the facts that would have to be sent to a shard for a component."""
    new: dict[Scan, None] = {}
    for number in component.emits:
        for scan, groups in zip(graph.bodies[number].scans, graph.fed[number], strict=True):
            made = bool(groups) and groups <= there.groups
            if scan not in there.scans and not made:
                new[scan] = None
    return sum(map(rates.of_scan, new))


def choose_homes(
    graph: DependencyGraph,
    split: Splits,
    whole: dict[int, int],
    fixed: dict[int, ByHash],
    shards: int,
) -> tuple[ToShard | ByHash, ...]:
    """The home of each group. Costs O(heads and patterns × shards)."""
    chooser = _Chooser(graph, split, whole, shards)
    found: dict[int, ToShard | ByHash] = dict(fixed)
    for component in graph.components:
        if component.recursive and component.emits[0] in whole:
            at = ToShard(whole[component.emits[0]])
            found.update((group, at) for group in component.groups)
    return tuple(
        found[group] if group in found else chooser.home(group)
        for group in range(len(graph.groups))
    )


class _Chooser:
    """Chooses homes."""

    def __init__(
        self, graph: DependencyGraph, split: Splits, whole: dict[int, int], shards: int
    ) -> None:
        self._graph = graph
        self._split = split
        self._whole = whole
        self._shards = shards
        self._feeders: list[list[tuple[int, int]]] = [[] for _ in graph.groups]
        self._readers: list[set[Route]] = [set() for _ in graph.groups]
        for number, groups in enumerate(graph.derives):
            for place, group in enumerate(groups):
                self._feeders[group].append((number, place))
        for number, reads in enumerate(graph.fed):
            each = split.get(number)
            for scan, groups_read in enumerate(reads):
                route = ToShard(whole[number]) if each is None else each.routes[scan]
                for group in groups_read:
                    self._readers[group].add(route)

    def home(self, group: int) -> ToShard | ByHash:
        """The home with the fewest sent facts; those of split bodies rather spread than not."""
        arity = self._graph.groups[group].relation.arity
        spread: list[ToShard | ByHash] = (
            [ByHash(place) for place in range(arity)] if self._shards > 1 else []
        )
        alone = [self._whole[number] for number, _ in self._feeders[group] if number in self._whole]
        read = [route.shard for route in self._readers[group] if isinstance(route, ToShard)]
        fixed: list[ToShard | ByHash] = [ToShard(shard) for shard in sorted({*alone, *read})]
        is_whole = len(alone) == len(self._feeders[group])
        options = [*fixed, *spread] if is_whole else [*spread, *fixed]
        default: ToShard | ByHash = ToShard(group % self._shards)
        return min(options or [default], key=lambda route: self._moves(group, route))

    def _moves(self, group: int, home: ToShard | ByHash) -> int:
        """How often a fact is sent, roughly; what a body without patterns derives is sent once."""
        sent = sum(
            not is_home(
                self._split.get(number), self._whole.get(number), self._args(number, place), home
            )
            for number, place in self._feeders[group]
            if self._graph.bodies[number].scans
        )
        read = sum(route not in {home, TO_ALL_SHARDS} for route in self._readers[group])
        return sent + read

    def _args(self, number: int, place: int) -> Sequence[int | str]:
        return self._graph.emits[number].heads[place].args


def is_home(
    split: BodySplit | None, shard: int | None, args: Sequence[int | str], home: ToShard | ByHash
) -> bool:
    """Whether what a head with ``args`` derives is at home where it is derived."""
    if split is None:
        return home == ToShard(shard) if shard is not None else False
    return isinstance(home, ByHash) and args[home.place] in split.key.columns
