"""Small mistakes that one can make with shards, to be planted; the cases must notice each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Final
from unittest.mock import patch

import numpy as np

import r4.spark.partition.program_partition
import r4.spark.partition.shard_programs
import r4.spark.shards.routing
import r4.spark.shards.senders
import tests.simulation.shards.rounds
from r4.program.program import NO_OTHER_SHARDS
from r4.spark.partition import splitting
from r4.spark.partition.dependency_graph import DependencyGraph
from r4.spark.partition.program_partition import Partition, PlacedBody
from r4.spark.partition.routes import TO_ALL_SHARDS, Demand, Route, ToShard, demand_of, targets
from r4.spark.partition.shard_programs import ShardProgram, shard_program
from r4.spark.partition.split_keys import PatternPlace, _BodyReader
from r4.spark.partition.splitting import BodySplit
from r4.spark.shards.dispatch import Dispatcher, ShardStep
from r4.spark.shards.messages import FactMessage
from r4.spark.shards.routing import spread
from r4.spark.shards.senders import Sender, TableChange, TableOutlet
from r4.spark.shards.worker import ShardWorker, StepInputs, StepOutputs
from r4.stream.batch import Batch
from rete.arrays.delta import Rows
from rete.graph.plan import Emit
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from tests.faults.detection import Fault


def travelling_fact_lost() -> AbstractContextManager[object]:
    """Of what crosses together, the last fact does not arrive."""
    right = Sender.messages

    def fewer(sender: Sender, bound: int) -> Iterator[tuple[int, FactMessage]]:
        for to, each in right(sender, bound):
            count = max(len(each) - 1, 1)
            texts = each.texts[: count * each.relation.arity]
            lo, hi, holds = each.lo[:count], each.hi[:count], each.holds[:count]
            yield to, replace(each, texts=texts, lo=lo, hi=hi, holds=holds)

    return patch.object(Sender, "messages", fewer)


def wrong_hash() -> AbstractContextManager[object]:
    """What goes home is hashed otherwise than what is asserted."""
    right = spread

    def aside(rows: Rows, place: int, terms: Dictionary, shards: int) -> Iterator[tuple[int, Rows]]:
        for shard, some in right(rows, place, terms, shards):
            yield (shard + 1) % shards, some

    return patch.object(r4.spark.shards.senders, "spread", aside)


def told_where_derived() -> AbstractContextManager[object]:
    """What is derived is told where that is, by each shard that derives it."""
    right = r4.spark.partition.program_partition._placed

    def placed(*args: object) -> PlacedBody:
        found = right(*args)  # type: ignore[arg-type]
        return replace(found, stays=(True,) * len(found.stays))

    return patch.object(r4.spark.partition.program_partition, "_placed", placed)


def _take(
    change: Callable[[list[Rows], TableChange], TableChange],
) -> AbstractContextManager[object]:
    right = TableOutlet.take

    def take(outlet: TableOutlet, bound: int) -> TableChange:
        lost = list(outlet._lost)
        return change(lost, right(outlet, bound))

    return patch.object(TableOutlet, "take", take)


def missing_minus() -> AbstractContextManager[object]:
    """What holds no longer is not told."""
    return _take(lambda _, found: found._replace(gone=found.gone[:0]))


def found_again_is_not_told() -> AbstractContextManager[object]:
    """What was lost is told to be gone, though it was found again."""

    def change(lost: list[Rows], found: TableChange) -> TableChange:
        return TableChange(np.concatenate([*lost, found.gone]), found.held[:0]) if lost else found

    return _take(change)


def senders_are_one() -> AbstractContextManager[object]:
    """What two shards derive is gone where one of them loses it."""
    right = ShardWorker._receive

    def receive(here: ShardWorker, messages: Sequence[FactMessage]) -> None:
        right(here, [replace(each, sender=0) for each in messages])

    return patch.object(ShardWorker, "_receive", receive)


def one_round() -> AbstractContextManager[object]:
    """What follows from facts that came is sent to nobody."""
    right = ShardWorker.step

    def step(here: ShardWorker, given: StepInputs) -> StepOutputs:
        found = right(here, given)
        return replace(found, messages=()) if given.messages else found

    return patch.object(ShardWorker, "step", step)


def other_rule() -> AbstractContextManager[object]:
    """What comes is of the first rule."""
    right = r4.spark.partition.shard_programs._arriving

    def arriving(given: Partition, number: int, place: int) -> Emit:
        return replace(right(given, number, place), rule=1)

    return patch.object(r4.spark.partition.shard_programs, "_arriving", arriving)


def split_apart() -> AbstractContextManager[object]:
    """What is negated, or under a box, is split by a key that the rest does not know."""

    def need(_: _BodyReader, __: int, ___: list[PatternPlace]) -> None:
        return

    return patch.object(_BodyReader, "_need", need)


def circles_through_shards() -> AbstractContextManager[object]:
    """Recursive bodies are split by any key."""

    def keeping(given: DependencyGraph, number: int, _: Mapping[int, int]) -> BodySplit | None:
        keys = given.bodies[number].keys
        return BodySplit(keys[0], splitting._routes(keys[0], {})) if keys else None

    return patch.object(splitting, "_keeping", keeping)


@contextmanager
def parts_for_the_whole() -> Iterator[None]:
    """A pattern that is split, and one that is not, see the same facts."""

    def seen(relation: Relation, _: Route) -> Relation:
        return relation

    with (
        patch.object(r4.spark.partition.shard_programs, "relation_at", seen),
        patch.object(r4.spark.shards.routing, "relation_at", seen),
    ):
        yield


def copies_not_made() -> AbstractContextManager[object]:
    """What is to be everywhere comes to the first shard only."""
    right = demand_of

    def of_one(scan: Scan, route: Route) -> Demand:
        return right(scan, ToShard(0) if route == TO_ALL_SHARDS else route)

    return patch.object(r4.spark.partition.program_partition, "demand_of", of_one)


def facts_of_rules_in_one_shard() -> AbstractContextManager[object]:
    """The facts among the rules are in the first shard."""
    right = targets

    def first(*args: object) -> set[tuple[int, Route]]:
        return {(0, route) for _, route in right(*args)}  # type: ignore[arg-type]

    return patch.object(r4.spark.partition.shard_programs, "targets", first)


def lateness_forgotten() -> AbstractContextManager[object]:
    """A shard does not know that operators elsewhere look ahead."""
    right = shard_program

    def alone(given: Partition, shard: int) -> ShardProgram:
        found = right(given, shard)
        return replace(found, program=replace(found.program, neighbours=NO_OTHER_SHARDS))

    return patch.object(tests.simulation.shards.rounds, "shard_program", alone)


def taken_back_in_one_shard() -> AbstractContextManager[object]:
    """Only the first shard hears what is taken back."""
    right = Dispatcher.deal

    def deal(here: Dispatcher, batch: Batch) -> Iterator[ShardStep]:
        for first, *others in (step.inputs for step in right(here, batch)):
            rest = [replace(each, retracted_names=(), retracted_rows=()) for each in others]
            yield ShardStep([first, *rest], travels=first.closes is None)

    return patch.object(Dispatcher, "deal", deal)


FAULTS: Final[tuple[Fault, ...]] = (
    travelling_fact_lost,
    wrong_hash,
    told_where_derived,
    missing_minus,
    found_again_is_not_told,
    senders_are_one,
    one_round,
    other_rule,
    split_apart,
    circles_through_shards,
    parts_for_the_whole,
    copies_not_made,
    facts_of_rules_in_one_shard,
    lateness_forgotten,
    taken_back_in_one_shard,
)
