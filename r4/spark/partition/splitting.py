"""Splitting: which bodies are split among all shards, and by which key; the others stay whole.

Facts of a recursive component never travel inside it. In a cycle through two shards each would
support what the other should have lost, and neither could know. So such a component is split only
by a key that it keeps: each of its bodies reads the facts of the component by the same place by
which its head is split; else it is whole.

A body is split if each of its patterns has the key, or holds static facts, which are copied once.
Copies of others are made only where they save more than they cost: for a component that is heavier
than the fair share of a shard.

Where nothing is ever lost, facts may go in cycles: each body is split on its own, by the key with
which the fewest facts that it reads have to leave the shard of their subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

from r4.spark.partition.dependency_graph import BodyComponent, DependencyGraph
from r4.spark.partition.routes import TO_ALL_SHARDS, ByHash, Route
from r4.spark.partition.split_keys import BodyReads, SplitKey
from rete.nodes.scan import Scan

_PREDICATE: Final = 1
"""The place of the predicate of a triple."""


@dataclass(frozen=True)
class Rates:
    """The weights of predicates.

    Attributes:
        observed: per predicate, as an IRI in angle brackets, its facts in some stretch of time;
            0 for static data, which come once. What is not named weighs `usual`.
    """

    observed: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def usual(self) -> float:
        """The weight of what was not observed: the mean of what was, 1 if nothing was."""
        some = [rate for rate in self.observed.values() if rate > 0]
        return sum(some) / len(some) if some else 1.0

    def of_scan(self, scan: Scan) -> float:
        """The weight of the facts of a pattern."""
        predicate = scan.relation.op or scan.key[_PREDICATE]
        if predicate is None:
            return self._all
        return self.observed.get(predicate, self.usual)

    @cached_property
    def _all(self) -> float:
        return max(self.usual, sum(self.observed.values()))


UNKNOWN: Final = Rates()
"""Nothing was observed."""


ALL_IN_ONE: Final = "all is in one shard"
CIRCLE: Final = "recursive, and no key is kept"
NO_VARIABLE: Final = "no variable to split by"
COPIES: Final = "to copy what lacks a key would cost more than it saves"
"""Why a body is whole."""
_MOST_GROUPS: Final = 4
"""Of so many groups every choice of places is tried; of more, the same place of all."""


@dataclass(frozen=True, slots=True)
class BodySplit:
    """A body split by a key: per pattern the route of its facts."""

    key: SplitKey
    routes: tuple[Route, ...]


Splits: TypeAlias = dict[int, BodySplit]
"""Per body how it is split; the others are whole."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """Which bodies are split.

    Attributes:
        splits: per split body how.
        homes: of the groups whose home this decides.
        reasons: per whole body why it is whole.
    """

    splits: Splits
    homes: dict[int, ByHash]
    reasons: dict[int, str]


def split_bodies(
    graph: DependencyGraph, shards: int, rates: Rates, *, lasting: bool = False
) -> Splitting:
    """Which bodies are split.

    Where all is ``lasting``, each body with a variable is split, so that the fewest facts are sent.

    Costs O(bodies × keys), and as much for each choice of places of a recursive component.
    """
    found: Splits = {}
    homes: dict[int, ByHash] = {}
    reasons: dict[int, str] = {}
    if shards == 1:
        return Splitting(found, homes, dict.fromkeys(range(len(graph.emits)), ALL_IN_ONE))
    weights = [sum(map(rates.of_scan, body.scans)) for body in graph.bodies]
    fair = sum(weights) / shards
    for component in graph.components:
        heavy = sum(weights[number] for number in component.emits) > fair
        options = _recursive(graph, component) if component.recursive else _alone(graph, component)
        costs = _Costs(graph.bodies, rates, shards)
        best = min(options, key=costs.travels if lasting else costs.of, default=None)
        if best is None:
            reason = CIRCLE if component.recursive else NO_VARIABLE
            reasons.update(dict.fromkeys(component.emits, reason))
        elif not lasting and costs.copied(best) > 0 and not (heavy and costs.saves(best)):
            reasons.update(dict.fromkeys(component.emits, COPIES))
        else:
            found.update(best.splits)
            homes.update(best.homes)
    return Splitting(found, homes, reasons)


@dataclass(frozen=True, slots=True)
class _Option:
    """One way to split a component.

    Attributes:
        moving: how many heads derive facts that may have to be sent.
    """

    splits: Mapping[int, BodySplit]
    homes: Mapping[int, ByHash]
    moving: int


def _alone(graph: DependencyGraph, component: BodyComponent) -> Iterator[_Option]:
    """The options of a body that does not feed itself."""
    for number in component.emits:
        emit = graph.emits[number]
        for key in graph.bodies[number].keys:
            split = BodySplit(key, _routes(key, {}))
            moving = sum(key.columns.isdisjoint(_columns(head.args)) for head in emit.heads)
            yield _Option({number: split}, {}, moving)


def _columns(args: Sequence[int | str]) -> set[int]:
    return {arg for arg in args if isinstance(arg, int)}


def _routes(key: SplitKey, fixed: Mapping[int, int]) -> tuple[Route, ...]:
    """The routes of the patterns; ``fixed`` are the places of some."""
    return tuple(
        ByHash(fixed.get(number, places[0])) if places else TO_ALL_SHARDS
        for number, places in enumerate(key.places)
    )


def _recursive(graph: DependencyGraph, component: BodyComponent) -> Iterator[_Option]:
    """The options of bodies that feed each other: a place for each group, kept by all bodies."""
    arities = [graph.groups[group].relation.arity for group in component.groups]
    if len(arities) > _MOST_GROUPS:
        choices = (tuple([place] * len(arities)) for place in range(min(arities)))
        tried: Iterator[tuple[int, ...]] = iter(choices)
    else:
        tried = product(*map(range, arities))
    for places in tried:
        homes = dict(zip(component.groups, places, strict=True))
        kept = {number: _keeping(graph, number, homes) for number in component.emits}
        if all(kept.values()):
            some = {number: each for number, each in kept.items() if each is not None}
            yield _Option(some, {group: ByHash(place) for group, place in homes.items()}, 0)


def _keeping(graph: DependencyGraph, number: int, homes: Mapping[int, int]) -> BodySplit | None:
    """A split of a body by which facts of the component stay where they are; None: none does."""
    emit, fed = graph.emits[number], graph.fed[number]
    for key in graph.bodies[number].keys:
        stays = all(
            head.args[homes[group]] in key.columns
            for head, group in zip(emit.heads, graph.derives[number], strict=True)
            if group in homes
        )
        fixed: dict[int, int] = {}
        for scan, groups in enumerate(fed):
            wanted = {homes[group] for group in groups if group in homes}
            if wanted:
                place = wanted.pop()
                stays &= not wanted and place in key.places[scan]
                fixed[scan] = place
        if stays:
            return BodySplit(key, _routes(key, fixed))
    return None


class _Costs:
    """The costs of options, in facts that are sent to shards."""

    def __init__(self, bodies: Sequence[BodyReads], rates: Rates, shards: int) -> None:
        self._bodies = bodies
        self._rates = rates
        self._shards = shards

    def of(self, option: _Option) -> tuple[float, int]:
        """The weight of copies, then the number of moving heads."""
        return self.copied(option), option.moving

    def travels(self, option: _Option) -> tuple[float, int]:
        """The weight of what leaves the shard of its subject, then the number of moving heads."""
        sent = sum(
            self._rates.of_scan(scan) * (1 if isinstance(route, ByHash) else self._shards)
            for number, split in option.splits.items()
            for scan, route in zip(self._bodies[number].scans, split.routes, strict=True)
            if route != ByHash(0)
        )
        return sent, option.moving

    def copied(self, option: _Option) -> float:
        """The facts that are copied, each counted once."""
        return self._sum(option, by_key=False)

    def saves(self, option: _Option) -> bool:
        """Whether a shard has less to do than one that had all."""
        hashed, copied = self._sum(option, by_key=True), self.copied(option)
        return hashed / self._shards + copied < hashed + copied

    def _sum(self, option: _Option, *, by_key: bool) -> float:
        return sum(
            self._rates.of_scan(scan)
            for number, split in option.splits.items()
            for scan, route in zip(self._bodies[number].scans, split.routes, strict=True)
            if isinstance(route, ByHash) == by_key
        )
