"""The partition of a program among shards: a value, and a pure function of the plan.

Each body of a rule is *whole*, in one shard, or *split* among all by the hash of a key. What is
derived is collected at the home of its group, which emits it, and goes on from there to the shards
that ask for it. So no fact is emitted twice, and the least of its rules is known in one place.

What cannot be split is not: where the background of an entailment regime makes all feed all, and
terms that are the same may stand for each other, everything is in the first shard.
"""

from __future__ import annotations

from dataclasses import dataclass

from r4.program.program import Program
from r4.spark.partition.dependency_graph import DependencyGraph, FactGroup, build_dependency_graph
from r4.spark.partition.placement import choose_homes, is_home, place_whole_bodies
from r4.spark.partition.routes import ByHash, Demand, Route, ToShard, demand_of
from r4.spark.partition.splitting import UNKNOWN, BodySplit, Rates, Splitting, split_bodies
from rete.arrays.delta import POS_INF
from rete.graph.plan import Emit
from rete.nodes.scan import Scan
from rete.planning.strata import has_negation
from rete.terms.relations import TRIPLES


@dataclass(frozen=True, slots=True)
class PlacedBody:
    """A body of a rule, its plan and patterns, in its place.

    Attributes:
        fed: per pattern the groups whose facts may match it.
        at: the shard that has it; None: it is split among all.
        split: how; None: it is whole.
        why: the reason why it is whole; None: it is split.
        routes: per pattern the route of the facts that may match it.
        groups: per head the group of what it derives.
        stays: per head whether that is at home where it is derived; else it travels there.
    """

    emit: Emit
    scans: tuple[Scan, ...]
    fed: tuple[frozenset[int], ...]
    at: int | None
    split: BodySplit | None
    why: str | None
    routes: tuple[Route, ...]
    groups: tuple[int, ...]
    stays: tuple[bool, ...]

    def is_in(self, shard: int) -> bool:
        """Whether ``shard`` has it, or a part of it."""
        return self.at is None or self.at == shard


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """A group of derived facts at home, and the demands elsewhere that its facts may match."""

    group: FactGroup
    home: ToShard | ByHash
    readers: tuple[Demand, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """A program among shards.

    Attributes:
        program: the whole of it.
        shards: how many there are, numbered from 0.
        demands: of all patterns, each once.
        loads: per shard the weight of the facts that it takes in, by the rates.
        lag: how many cells before the frontier answers are final.
    """

    program: Program
    shards: int
    bodies: tuple[PlacedBody, ...]
    groups: tuple[PlacedGroup, ...]
    demands: tuple[Demand, ...]
    loads: tuple[float, ...]
    lag: int

    @property
    def shares(self) -> tuple[float, ...]:
        """The loads as parts of their sum."""
        total = sum(self.loads)
        return tuple(load / total if total else 1 / self.shards for load in self.loads)


def partition(
    program: Program,
    shards: int,
    *,
    rates: Rates = UNKNOWN,
    by_value: bool = False,
    lasting: bool = False,
) -> Partition:
    """The partition of ``program`` among so many shards.

    The cost is that of building its network, and O(bodies × keys + patterns × shards).

    With ``by_value`` literals of equal values are one term. Where all is ``lasting`` nothing is
    ever lost, as all facts always hold and nothing is negated: then a cycle through shards keeps no
    fact that should be lost.

    Raises:
        ValueError: ``lasting``, and something is negated.
    """
    assert shards > 0
    graph = build_dependency_graph(program.emits, program.language.builtins, by_value=by_value)
    one = 1 if program.background else shards
    if lasting:
        if any(has_negation(emit.source) for emit in program.emits):
            msg = "what is negated may come later, and then something is lost"
            raise ValueError(msg)
        graph = graph.dissolved()
    split = split_bodies(graph, one, rates, lasting=lasting)
    whole, loads = place_whole_bodies(graph, split.splits, one, rates)
    at_home = choose_homes(graph, split.splits, whole, split.homes, one)
    bodies = tuple(
        _placed(graph, number, split, whole.get(number), at_home)
        for number in range(len(graph.emits))
    )
    demands = dict.fromkeys(
        demand_of(scan, route)
        for body in bodies
        for scan, route in zip(body.scans, body.routes, strict=True)
    )
    if program.background:
        demands[Demand(TRIPLES, (), (), ToShard(0))] = None
    placed = tuple(
        PlacedGroup(group, home, tuple(each for each in readers if each.route != home))
        for group, home, readers in zip(graph.groups, at_home, _readers(graph, bodies), strict=True)
    )
    lateness = [group.late for group in graph.groups if group.is_answer_group]
    return Partition(
        program,
        shards,
        bodies,
        placed,
        tuple(demands),
        (*loads, *[0.0] * (shards - one)),
        min(max(lateness, default=0), POS_INF),
    )


def _placed(
    graph: DependencyGraph,
    number: int,
    splits: Splitting,
    at: int | None,
    at_home: tuple[ToShard | ByHash, ...],
) -> PlacedBody:
    emit, scans, groups = graph.emits[number], graph.bodies[number].scans, graph.derives[number]
    split, why = splits.splits.get(number), splits.reasons.get(number)
    if split is not None:
        routes = split.routes
    else:
        assert at is not None
        routes = (ToShard(at),) * len(scans)
    home = tuple(
        is_home(split, at, head.args, at_home[group])
        for head, group in zip(emit.heads, groups, strict=True)
    )
    return PlacedBody(emit, scans, graph.fed[number], at, split, why, routes, groups, home)


def _readers(graph: DependencyGraph, bodies: tuple[PlacedBody, ...]) -> list[dict[Demand, None]]:
    """Per group the demands that a fact of it may match, each once."""
    found: list[dict[Demand, None]] = [{} for _ in graph.groups]
    for body in bodies:
        for scan, route, groups in zip(body.scans, body.routes, body.fed, strict=True):
            demands = demand_of(scan, route)
            for group in groups:
                found[group][demands] = None
    return found
