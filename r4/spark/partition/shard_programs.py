"""The program of a shard, and which of its facts other shards ask for.

A head that does not stay derives, in place of its facts, a relation that is no answer: the terms of
its variables. They *leave* by that relation, and *come* to their home as asserted facts of another,
from which one body more, of the same rule and the same head, derives what they were. So a home has
all heads of a group, each with its rule, and support that travels is looked for there as any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from r4.program.program import Fact, Program, ShardContext
from r4.program.regimes import AUXILIARY
from r4.spark.partition.program_partition import Partition, PlacedBody, PlacedGroup
from r4.spark.partition.routes import ByHash, Demand, ToShard, relation_at, shard_of, targets
from rete.planning.plan import AntiJoin, Emit, Head, Join, Plan, Relation, Scan, Since, Unit
from rete.planning.unification import ConstantPattern

_LEAVES: Final = f"<{AUXILIARY}leaves."
_COMES: Final = f"<{AUXILIARY}comes."


@dataclass(frozen=True, slots=True)
class DepartingFacts:
    """Facts that leave for their home.

    Attributes:
        relation: what they are called where they are derived.
        comes: what they are called at home.
        to: the shard, or the place of the term whose hash decides.
    """

    relation: Relation
    comes: Relation
    to: ToShard | ByHash


@dataclass(frozen=True, slots=True)
class RequestedFacts:
    """Facts at home that others ask for.

    Attributes:
        home: what they are called there.
        relation: what they are called by those who ask.
        keys: the constants of their heads: so they are known among the facts of a relation.
        readers: what is asked for.
    """

    home: Relation
    relation: Relation
    keys: tuple[ConstantPattern, ...]
    readers: tuple[Demand, ...]


Outgoing: TypeAlias = DepartingFacts | RequestedFacts


@dataclass(frozen=True, slots=True)
class ShardProgram:
    """What a shard has to do.

    Attributes:
        shard: its number.
        shards: how many there are.
        program: its bodies, and facts of the rules.
        outgoing: what leaves it.
    """

    shard: int
    shards: int
    program: Program
    outgoing: tuple[Outgoing, ...]


def shard_program(partition: Partition, shard: int) -> ShardProgram:
    """The share of ``shard``. Linear in the bodies and facts of the rules."""
    program = partition.program
    share = replace(
        program,
        emits=tuple(_bodies(partition, shard)),
        facts=tuple(_facts(partition, shard)),
        background=program.background if shard == 0 else (),
        unites=program.unites and shard == 0,
        neighbours=ShardContext(tuple(_late(partition)), partition.lag),
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
            source = rename_relations(body.emit.source, relations)
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
    """The columns that tell a fact of ``head``, each once."""
    return tuple(dict.fromkeys(arg for arg in head.args if isinstance(arg, int)))


def _travelling(partition: Partition) -> Iterator[tuple[int, int, PlacedBody]]:
    """The heads that do not stay, by the numbers of their bodies and their places."""
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
    """The body by which facts that come are those of their head."""
    body = partition.bodies[number]
    head, home = body.emit.heads[place], partition.groups[body.groups[place]].home
    columns = _columns(head)
    relation = _comes(partition, number, place)
    every = tuple(range(relation.arity))
    args = tuple(columns.index(arg) if isinstance(arg, int) else arg for arg in head.args)
    arrived = Head(relation_at(head.relation, home), args)
    return Emit(Scan(relation, (), (), every), body.emit.rule, (arrived,))


def _facts(partition: Partition, shard: int) -> Iterator[Fact]:
    """The facts of the rules that are asked for in a shard."""
    for relation, texts, number in partition.program.facts:
        asked = targets(partition.demands, relation, texts, partition.shards)
        for route in sorted((route for to, route in asked if to == shard), key=repr):
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
            yield _asked(placed)


def _asked(placed: PlacedGroup) -> RequestedFacts:
    group = placed.group
    keys = tuple(dict.fromkeys(head.key for _, head in group.heads))
    return RequestedFacts(
        relation_at(group.relation, placed.home), group.relation, keys, placed.readers
    )


def _late(partition: Partition) -> Iterator[tuple[Relation, int]]:
    """How late what comes from other shards may be, per relation, where it may."""
    late: dict[Relation, int] = {}

    def note(relation: Relation, cells: int) -> None:
        late[relation] = max(late.get(relation, 0), cells)

    for number, place, body in _travelling(partition):
        note(_comes(partition, number, place), partition.groups[body.groups[place]].group.late)
    for placed in partition.groups:
        for reader in placed.readers:
            note(relation_at(reader.relation, reader.route), placed.group.late)
    return ((relation, cells) for relation, cells in late.items() if cells)


def rename_relations(source: Plan, relations: Sequence[Relation]) -> Plan:
    """The same plan, whose patterns ask for facts of other relations, pattern by pattern."""
    return _Renamer(relations).renamed(source)


class _Renamer:
    """Goes through a plan as `keys` does, which numbers the patterns."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self._relations = iter(relations)
        self._bases: list[tuple[Plan, Plan]] = []

    def renamed(self, plan: Plan) -> Plan:
        if self._bases and plan == self._bases[-1][0]:
            return self._bases[-1][1]
        match plan:
            case Unit():
                return plan
            case Scan():
                return replace(plan, relation=next(self._relations))
            case AntiJoin():
                return self._less(plan)
            case Join() | Since():
                left = self.renamed(plan.left)
                return replace(plan, left=left, right=self.renamed(plan.right))
            case _:
                return replace(plan, source=self.renamed(plan.source))

    def _less(self, plan: AntiJoin) -> Plan:
        chain = [plan]
        while isinstance(chain[-1].left, AntiJoin):
            chain.append(chain[-1].left)
        base = left = self.renamed(plan.base)
        for each in reversed(chain):
            if each.correlated:
                self._bases.append((plan.base, base))
            right = self.renamed(each.right)
            if each.correlated:
                self._bases.pop()
            left = replace(each, left=left, right=right)
        return left
