"""Shards tell what one network does, whatever is where."""

from __future__ import annotations

from itertools import count, islice

import pytest

from r4.program.compiler import compile_document
from r4.spark.partition.program_partition import partition
from r4.spark.partition.shard_programs import shard_program
from r4.spark.shards.worker import ShardWorker, StepInputs, StepOutputs
from r4.time.ticks import TimeScale
from rete.arrays.state_codec import StateReader
from tests.generators.draw import from_seed
from tests.generators.rules.parsers import parse
from tests.generators.stories.retraction import story
from tests.generators.stories.steps import Story
from tests.seeds import parts
from tests.simulation.retraction.programs import compiled
from tests.simulation.shards import static_closure
from tests.simulation.shards.mix import case_of, without_rule_changes
from tests.simulation.shards.random_placement import random_placement
from tests.simulation.shards.seeds import compare
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story

PART = 6
LASTING = 24


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=16))
def test_shards_tell_what_one_network_does(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.soak
def test_in_random_cases_facts_travel_and_what_follows_from_them_does_too() -> None:
    """In half there are answers, and facts that travel; in a third there is a second round."""
    found, _ = compare(60, 5000, shards=(4,))
    cases = found["case"]
    assert cases > 50
    assert 2 * found["answers"] > cases
    assert 2 * found["facts that travel"] > cases
    assert 3 * found["second round"] > cases
    assert 10 * found["third round"] > cases
    assert 6 * found["facts that cease to hold"] > cases
    assert 2 * found["split bodies"] > cases
    assert 5 * found["copied facts"] > cases


@pytest.mark.parametrize("seed", [14, 16, 20])
def test_above_a_regime_so_they_do(seed: int) -> None:
    told = without_rule_changes(story(from_seed(seed), kind="regime"))
    program, instances = compiled(told.document, told), told.semantics == "instances"
    single = SingleNetwork(program, instances=instances)
    run_story(told, single)
    assert single.lines
    sharded = ShardedNetwork(partition(program, 3), instances=instances)
    run_story(told, sharded)
    assert sorted(sharded.lines) == sorted(single.lines)


STORIES = list(islice((seed for seed in count() if isinstance(case_of(seed), Story)), 1, 4))


def test_a_worker_does_not_go_on_from_another_share() -> None:
    told = next(case for case in map(case_of, STORIES) if isinstance(case, Story))
    given = partition(compiled(told.document, told), 2)
    with random_placement(1):
        other = partition(given.program, 2)
    assert other != given
    saved = StateReader(ShardWorker(shard_program(given, 0)).saved())
    with pytest.raises(ValueError, match="program is another one"):
        ShardWorker(shard_program(other, 0), resumes=saved)


@pytest.mark.parametrize("seed", STORIES)
def test_a_worker_goes_on_from_what_another_saved(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a step is a function of a state and its inputs."""
    told = case_of(seed)
    assert isinstance(told, Story)
    program, instances = compiled(told.document, told), told.semantics == "instances"
    with random_placement(seed):
        given = partition(program, 3)
    single = SingleNetwork(program, instances=instances)
    run_story(told, single)
    right = ShardWorker.step
    steps: list[ShardWorker] = []

    def step(worker: ShardWorker, inputs: StepInputs) -> StepOutputs:
        """Each is taken by a new worker, which takes the place of the other."""
        shard = next(n for n, one in enumerate(sharded.rounds.workers) if one is worker)
        saved = StateReader(worker.saved())
        fresh = ShardWorker(shard_program(given, shard), instances=instances, resumes=saved)
        steps.append(worker)
        worker.terms, worker.driver, worker._senders = fresh.terms, fresh.driver, fresh._senders
        return right(worker, inputs)

    monkeypatch.setattr(ShardWorker, "step", step)
    sharded = ShardedNetwork(given, instances=instances)
    run_story(told, sharded)
    assert len(steps) > 3
    assert sorted(sharded.lines) == sorted(single.lines)


@pytest.mark.parametrize("first", parts(LASTING, check=0, test=1, soak=2))
def test_what_lasts_may_go_in_circles_through_shards(first: int) -> None:
    features, faults = static_closure.compare(LASTING, first, shards=(3,))
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert 3 * features["fourth round"] > features["case"]


def test_what_is_negated_may_be_lost() -> None:
    rules = """Document(Prefix(ex <urn:ex:>) Group(
        Forall ?x (?x[ex:p -> ex:b] :- And(?x[ex:q -> ex:b] Naf(?x[ex:r -> ex:b])))))"""
    program = compile_document(parse(rules, lenient=True).document, TimeScale())
    with pytest.raises(ValueError, match="negated"):
        partition(program, 2, lasting=True)
