"""The program of a shard, and which of its facts go to other shards.

A head that does not stay derives, in place of its facts, a relation that is no answer: the terms of
its variables. They *leave* by that relation, and *come* to their home as asserted facts of another,
from which one body more, of the same rule and the same head, derives what they were. So a home has
all heads of a group, each with its rule, and support from elsewhere is found there as any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from r4.program.program import Fact, Program, ShardContext
from r4.program.regimes import AUXILIARY
from r4.spark.partition.program_partition import Partition, PlacedBody
from r4.spark.partition.routes import ByHash, Demand, ToShard, relation_at, shard_of, targets
from rete.graph.plan import Emit, Plan
from rete.nodes.scan import Scan
from rete.planning.unification import ConstantPattern
from rete.terms.relations import Head, Relation

_LEAVES: Final = f"<{AUXILIARY}leaves."
_COMES: Final = f"<{AUXILIARY}comes."


@dataclass(frozen=True, slots=True)
class DepartingFacts:
    """Facts that are sent to their home.

    Attributes:
        relation: theirs where they are derived.
        comes: their relation at home.
        to: the shard, or the place of the term whose hash decides.
    """

    relation: Relation
    comes: Relation
    to: ToShard | ByHash


@dataclass(frozen=True, slots=True)
class RequestedFacts:
    """Facts at home that other shards ask for.

    Attributes:
        home: their relation there.
        relation: their relation in the demands.
        keys: the constants of their heads, which tell them from other facts of the relation.
        readers: the demands.
    """

    home: Relation
    relation: Relation
    keys: tuple[ConstantPattern, ...]
    readers: tuple[Demand, ...]


Outgoing: TypeAlias = DepartingFacts | RequestedFacts


@dataclass(frozen=True, slots=True)
class ShardProgram:
    """The program of a shard, one of so many: its bodies, facts of the rules, what it sends."""

    shard: int
    shards: int
    program: Program
    outgoing: tuple[Outgoing, ...]


def shard_program(partition: Partition, shard: int) -> ShardProgram:
    """The program of ``shard``. Linear in the bodies and facts of the rules."""
    program = partition.program
    share = replace(
        program,
        emits=tuple(_bodies(partition, shard)),
        facts=tuple(_facts(partition, shard)),
        background=program.background if shard == 0 else (),
        unites=program.unites and shard == 0,
        neighbours=ShardContext(tuple(_late(partition)), partition.lag, tuple(_needed(partition))),
    )
    return ShardProgram(shard, partition.shards, share, tuple(_outgoing(partition, shard)))


def _bodies(partition: Partition, shard: int) -> Iterator[Emit]:
    for number, body in enumerate(partition.bodies):
        if body.is_in(shard):
            relations = [
                relation_at(scan.relation, route)
                for scan, route in zip(body.scans, body.routes, strict=True)
            ]
            heads = [_head(partition, number, place) for place in range(len(body.groups))]
            source = _Renamer(relations).renamed(body.emit.source)
            yield Emit(source, body.emit.rule, tuple(heads))
    for number, place, body in _travelling(partition):
        to = _destination(partition, body, place)
        if isinstance(to, ByHash) or to.shard == shard:
            yield _arriving(partition, number, place)


def _head(partition: Partition, number: int, place: int) -> Head:
    """A head as its own shard derives it."""
    body = partition.bodies[number]
    head = body.emit.heads[place]
    if body.stays[place]:
        home = partition.groups[body.groups[place]].home
        return Head(relation_at(head.relation, home), head.args)
    columns = _columns(head)
    return Head(Relation(f"{_LEAVES}{number}.{place}>", len(columns)), columns)


def _columns(head: Head) -> tuple[int, ...]:
    """The columns that determine a fact of ``head``, each once."""
    return tuple(dict.fromkeys(arg for arg in head.args if isinstance(arg, int)))


def _travelling(partition: Partition) -> Iterator[tuple[int, int, PlacedBody]]:
    """The heads whose facts are sent, by the numbers of their bodies and their places."""
    for number, body in enumerate(partition.bodies):
        for place, stays in enumerate(body.stays):
            if not stays:
                yield number, place, body


def _destination(partition: Partition, body: PlacedBody, place: int) -> ToShard | ByHash:
    """Where the facts of a head go: a place is one of what leaves."""
    head, home = body.emit.heads[place], partition.groups[body.groups[place]].home
    if isinstance(home, ToShard):
        return home
    arg = head.args[home.place]
    if isinstance(arg, str):
        return ToShard(shard_of(arg, partition.shards))
    return ByHash(_columns(head).index(arg))


def _comes(partition: Partition, number: int, place: int) -> Relation:
    arity = len(_columns(partition.bodies[number].emit.heads[place]))
    return Relation(f"{_COMES}{number}.{place}>", arity)


def _arriving(partition: Partition, number: int, place: int) -> Emit:
    """The body that derives the facts of a head from those that come."""
    body = partition.bodies[number]
    head, home = body.emit.heads[place], partition.groups[body.groups[place]].home
    columns = _columns(head)
    relation = _comes(partition, number, place)
    every = tuple(range(relation.arity))
    args = tuple(columns.index(arg) if isinstance(arg, int) else arg for arg in head.args)
    arrived = Head(relation_at(head.relation, home), args)
    return Emit(Scan(relation, (), (), every), body.emit.rule, (arrived,))


def _facts(partition: Partition, shard: int) -> Iterator[Fact]:
    """The facts of the rules that a shard asks for."""
    for relation, texts, number in partition.program.facts:
        demanded = targets(partition.demands, relation, texts, partition.shards)
        for route in sorted((route for to, route in demanded if to == shard), key=repr):
            yield Fact(relation_at(relation, route), texts, number)


def _outgoing(partition: Partition, shard: int) -> Iterator[Outgoing]:
    for number, place, body in _travelling(partition):
        if body.is_in(shard):
            yield DepartingFacts(
                _head(partition, number, place).relation,
                _comes(partition, number, place),
                _destination(partition, body, place),
            )
    for placed in partition.groups:
        if placed.readers and (isinstance(placed.home, ByHash) or placed.home.shard == shard):
            relation = placed.group.relation
            keys = tuple(dict.fromkeys(head.key for _, head in placed.group.heads))
            here = relation_at(relation, placed.home)
            yield RequestedFacts(here, relation, keys, placed.readers)


def _needed(partition: Partition) -> Iterator[tuple[Relation, int]]:
    """Per relation of what shards derive how long other shards may need it, if at all."""
    needed: dict[Relation, int] = {}
    for number, body in enumerate(partition.bodies):
        for place, group in enumerate(body.groups):
            placed = partition.groups[group]
            derived = body.emit.heads[place].relation
            for relation in (
                _head(partition, number, place).relation,
                relation_at(derived, placed.home),
            ):
                needed[relation] = max(needed.get(relation, 0), placed.group.needed)
    return ((relation, cells) for relation, cells in needed.items() if cells)


def _late(partition: Partition) -> Iterator[tuple[Relation, int]]:
    """Per relation of what comes from other shards how late it may be, where it may be late."""
    late: dict[Relation, int] = {}

    def note(relation: Relation, cells: int) -> None:
        late[relation] = max(late.get(relation, 0), cells)

    for number, place, body in _travelling(partition):
        note(_comes(partition, number, place), partition.groups[body.groups[place]].group.late)
    for placed in partition.groups:
        for reader in placed.readers:
            note(relation_at(reader.relation, reader.route), placed.group.late)
    return ((relation, cells) for relation, cells in late.items() if cells)


class _Renamer:
    """Gives the patterns of a plan other relations, in the order of `split_keys.read_body`."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self._relations = iter(relations)
        self._bases: list[tuple[Plan, Plan]] = []

    def renamed(self, plan: Plan) -> Plan:
        if self._bases and plan == self._bases[-1][0]:
            return self._bases[-1][1]
        if isinstance(plan, Scan):
            return replace(plan, relation=next(self._relations))
        sources = [self.renamed(source) for source in plan.joined]
        if plan.negated is not None:
            if plan.correlated:
                self._bases.append((plan.base, sources[0].base))
            sources.append(self.renamed(plan.sources[plan.negated]))
            if plan.correlated:
                self._bases.pop()
        return plan.with_sources(*sources)
