"""Small mistakes that one can make with shards, to be planted; the cases must notice each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Final
from unittest.mock import patch

import numpy as np

import r4.spark.partition.program
import r4.spark.partition.shares
import r4.spark.shards.rounds
import r4.spark.shards.routing
import r4.spark.shards.senders
from r4.batch import Batch
from r4.program import ALONE
from r4.spark.partition import splitting
from r4.spark.partition.demands import Demand, demand, targets
from r4.spark.partition.dependence import Dependence
from r4.spark.partition.keys import Element, _Reader
from r4.spark.partition.program import Partition, Placed
from r4.spark.partition.shares import Share, share_of
from r4.spark.partition.splitting import Split
from r4.spark.partition.ways import EVERYWHERE, At, Way
from r4.spark.shards.dealing import Dealer, Step
from r4.spark.shards.outlets import Changed, TableOutlet
from r4.spark.shards.parcels import Parcel, parcel
from r4.spark.shards.routing import spread
from r4.spark.shards.worker import Inputs, Outputs, Worker
from rete.delta import Rows
from rete.dictionary import Dictionary
from rete.plan import Emit, Relation, Scan
from tests.planted import Fault


def travelling_fact_lost() -> AbstractContextManager[object]:
    """Of what crosses together, the last fact does not arrive."""
    right = parcel

    def fewer(
        sender: int, relation: Relation, rows: Rows, holds: np.ndarray, terms: Dictionary
    ) -> Parcel:
        kept = slice(None, -1 if len(rows) > 1 else None)
        return right(sender, relation, rows[kept], holds[kept], terms)

    return patch.object(r4.spark.shards.senders, "parcel", fewer)


def wrong_hash() -> AbstractContextManager[object]:
    """What goes home is hashed otherwise than what is asserted."""
    right = spread

    def aside(rows: Rows, place: int, terms: Dictionary, shards: int) -> Iterator[tuple[int, Rows]]:
        for shard, some in right(rows, place, terms, shards):
            yield (shard + 1) % shards, some

    return patch.object(r4.spark.shards.senders, "spread", aside)


def told_where_derived() -> AbstractContextManager[object]:
    """What is derived is told where that is, by each shard that derives it."""
    right = r4.spark.partition.program._placed

    def placed(*args: object) -> Placed:
        found = right(*args)  # type: ignore[arg-type]
        return replace(found, stays=(True,) * len(found.stays))

    return patch.object(r4.spark.partition.program, "_placed", placed)


def _take(change: Callable[[list[Rows], Changed], Changed]) -> AbstractContextManager[object]:
    right = TableOutlet.take

    def take(outlet: TableOutlet, bound: int) -> Changed:
        lost = list(outlet._lost)
        return change(lost, right(outlet, bound))

    return patch.object(TableOutlet, "take", take)


def missing_minus() -> AbstractContextManager[object]:
    """What holds no longer is not told."""
    return _take(lambda _, found: found._replace(gone=found.gone[:0]))


def found_again_is_not_told() -> AbstractContextManager[object]:
    """What was lost is told to be gone, though it was found again."""

    def change(lost: list[Rows], found: Changed) -> Changed:
        return Changed(np.concatenate([*lost, found.gone]), found.held[:0]) if lost else found

    return _take(change)


def senders_are_one() -> AbstractContextManager[object]:
    """What two shards derive is gone where one of them loses it."""
    right = Worker._receive

    def receive(here: Worker, parcels: Sequence[Parcel]) -> None:
        right(here, [replace(each, sender=0) for each in parcels])

    return patch.object(Worker, "_receive", receive)


def one_round() -> AbstractContextManager[object]:
    """What follows from facts that came is sent to nobody."""
    right = Worker.step

    def step(here: Worker, given: Inputs) -> Outputs:
        found = right(here, given)
        return replace(found, parcels=()) if given.parcels else found

    return patch.object(Worker, "step", step)


def other_rule() -> AbstractContextManager[object]:
    """What comes is of the first rule."""
    right = r4.spark.partition.shares._arriving

    def arriving(given: Partition, number: int, place: int) -> Emit:
        return replace(right(given, number, place), rule=1)

    return patch.object(r4.spark.partition.shares, "_arriving", arriving)


def split_apart() -> AbstractContextManager[object]:
    """What is negated, or under a box, is split by a key that the rest does not know."""

    def need(_: _Reader, __: int, ___: list[Element]) -> None:
        return

    return patch.object(_Reader, "_need", need)


def circles_through_shards() -> AbstractContextManager[object]:
    """Recursive bodies are split by any key."""

    def keeping(given: Dependence, number: int, _: Mapping[int, int]) -> Split | None:
        keys = given.bodies[number].keys
        return Split(keys[0], splitting._ways(keys[0], {})) if keys else None

    return patch.object(splitting, "_keeping", keeping)


@contextmanager
def parts_for_the_whole() -> Iterator[None]:
    """A pattern that is split, and one that is not, see the same facts."""

    def seen(relation: Relation, _: Way) -> Relation:
        return relation

    with (
        patch.object(r4.spark.partition.shares, "seen_as", seen),
        patch.object(r4.spark.shards.routing, "seen_as", seen),
    ):
        yield


def copies_not_made() -> AbstractContextManager[object]:
    """What is to be everywhere comes to the first shard only."""
    right = demand

    def of_one(scan: Scan, way: Way) -> Demand:
        return right(scan, At(0) if way == EVERYWHERE else way)

    return patch.object(r4.spark.partition.program, "demand", of_one)


def facts_of_rules_in_one_shard() -> AbstractContextManager[object]:
    """The facts among the rules are in the first shard."""
    right = targets

    def first(*args: object) -> set[tuple[int, Way]]:
        return {(0, way) for _, way in right(*args)}  # type: ignore[arg-type]

    return patch.object(r4.spark.partition.shares, "targets", first)


def lateness_forgotten() -> AbstractContextManager[object]:
    """A shard does not know that operators elsewhere look ahead."""
    right = share_of

    def alone(given: Partition, shard: int) -> Share:
        found = right(given, shard)
        return replace(found, program=replace(found.program, neighbours=ALONE))

    return patch.object(r4.spark.shards.rounds, "share_of", alone)


def taken_back_in_one_shard() -> AbstractContextManager[object]:
    """Only the first shard hears what is taken back."""
    right = Dealer.deal

    def deal(here: Dealer, batch: Batch) -> Iterator[Step]:
        for first, *others in (step.given for step in right(here, batch)):
            rest = [replace(each, retracts=(), taken=()) for each in others]
            yield Step([first, *rest], travels=first.closes is None)

    return patch.object(Dealer, "deal", deal)


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
