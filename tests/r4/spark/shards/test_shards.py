"""Shards tell what one network does, whatever is where."""

from __future__ import annotations

import pytest

from r4.compile import compile_document
from r4.spark.partition.program import partition
from r4.spark.partition.shares import share_of
from r4.spark.shards.worker import Inputs, Outputs, Worker
from r4.time import TimeScale
from rete.saved import Given
from rif.parser import parse
from tests.cases.story import Story
from tests.cases.taking_back import story
from tests.draw import from_seed
from tests.planted import CASES, Fault
from tests.retracting.programs import compiled
from tests.sharding import lasting
from tests.sharding.cases import case_of, kept
from tests.sharding.faults import FAULTS
from tests.sharding.planting import noticed
from tests.sharding.scattering import scattered
from tests.sharding.seeds import compare
from tests.sharding.telling import Sharded, Single, tell

PART = 6
LASTING = 24


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(PART, 96, PART))]
)
def test_shards_tell_what_one_network_does(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_of_shards_is_noticed(fault: Fault) -> None:
    assert noticed(fault) is not None, f"in {CASES} cases"


@pytest.mark.parametrize("seed", [14, 16, 20])
def test_above_a_regime_so_they_do(seed: int) -> None:
    told = kept(story(from_seed(seed), kind="regime"))
    program, instances = compiled(told.document, told), told.semantics == "instances"
    single = Single(program, instances=instances)
    tell(told, single)
    assert single.lines
    sharded = Sharded(partition(program, 3), instances=instances)
    tell(told, sharded)
    assert sorted(sharded.lines) == sorted(single.lines)


STORIES = [seed for seed in range(36) if isinstance(case_of(seed), Story)][1:4]


def test_a_worker_does_not_go_on_from_another_share() -> None:
    told = next(case for case in map(case_of, STORIES) if isinstance(case, Story))
    given = partition(compiled(told.document, told), 2)
    with scattered(1):
        other = partition(given.program, 2)
    assert other != given
    saved = Given(Worker(share_of(given, 0)).saved())
    with pytest.raises(ValueError, match="program is another one"):
        Worker(share_of(other, 0), resumes=saved)


@pytest.mark.parametrize("seed", STORIES)
def test_a_worker_goes_on_from_what_another_saved(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a step is a function of a state and its inputs."""
    told = case_of(seed)
    assert isinstance(told, Story)
    program, instances = compiled(told.document, told), told.semantics == "instances"
    with scattered(seed):
        given = partition(program, 3)
    single = Single(program, instances=instances)
    tell(told, single)
    right = Worker.step
    steps: list[Worker] = []

    def step(worker: Worker, inputs: Inputs) -> Outputs:
        """Each is taken by a new worker, which takes the place of the other."""
        shard = next(n for n, one in enumerate(sharded.rounds.workers) if one is worker)
        saved = Given(worker.saved())
        fresh = Worker(share_of(given, shard), instances=instances, resumes=saved)
        steps.append(worker)
        worker.terms, worker.core, worker._senders = fresh.terms, fresh.core, fresh._senders
        return right(worker, inputs)

    monkeypatch.setattr(Worker, "step", step)
    sharded = Sharded(given, instances=instances)
    tell(told, sharded)
    assert len(steps) > 3
    assert sorted(sharded.lines) == sorted(single.lines)


@pytest.mark.parametrize("first", [0, pytest.param(LASTING, marks=pytest.mark.slow)])
def test_what_lasts_may_go_in_circles_through_shards(first: int) -> None:
    features, faults = lasting.compare(LASTING, first, shards=(3,))
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert 3 * features["fourth round"] > features["case"]


def test_what_is_negated_may_be_lost() -> None:
    rules = """Document(Prefix(ex <urn:ex:>) Group(
        Forall ?x (?x[ex:p -> ex:b] :- And(?x[ex:q -> ex:b] Naf(?x[ex:r -> ex:b])))))"""
    program = compile_document(parse(rules, lenient=True).document, TimeScale())
    with pytest.raises(ValueError, match="negated"):
        partition(program, 2, lasting=True)
