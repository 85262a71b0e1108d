"""Many cases by seed: what they exercise, and where shards disagree with one network."""

from __future__ import annotations

import difflib
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from r4.program.program import Program
from r4.spark.partition.program_partition import Partition, partition
from r4.spark.partition.routes import ByHash
from rete.inference.errors import LimitReached
from tests.generators.stories.steps import Story
from tests.generators.streams.runs import RunCase
from tests.simulation.retraction.disagreement import story_text
from tests.simulation.retraction.programs import compiled
from tests.simulation.retraction.story_run import small
from tests.simulation.shards.command import run_sharded, run_single
from tests.simulation.shards.mix import MIX, SHARDS, case_of
from tests.simulation.shards.random_placement import random_placement
from tests.simulation.shards.rounds import Traffic
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story
from tests.simulation.stream_comparison import cut_of


@dataclass(slots=True)
class ShardFindings:
    """What a case shows.

    Attributes:
        features: what it exercises; empty where it is too big.
        faults: where shards differ, per number of shards.
    """

    features: set[str] = field(default_factory=set)
    faults: dict[int, str] = field(default_factory=dict)


class ShardComparison:
    """Compares shards with one network, for a case."""

    def __init__(self, seed: int, shards: Iterable[int] = SHARDS) -> None:
        self._seed = seed
        self._shards = shards
        self.found = ShardFindings()

    def judge(self) -> ShardFindings:
        case = case_of(self._seed)
        try:
            if isinstance(case, Story):
                self._story(case)
            else:
                with tempfile.TemporaryDirectory() as folder:
                    self._run(case, Path(folder))
        except LimitReached:
            return ShardFindings()
        if self.found.features:
            self.found.features.add(MIX[self._seed % len(MIX)])
        return self.found

    def _story(self, told: Story) -> None:
        program, instances = compiled(told.document, told), told.semantics == "instances"
        with ExitStack() as stack:
            if told.small:
                stack.enter_context(small())
            single = SingleNetwork(program, instances=instances)
            run_story(told, single)
            for shards in self._shards:
                try:
                    sharded = ShardedNetwork(self._divide(program, shards), instances=instances)
                    run_story(told, sharded)
                except LimitReached:
                    raise
                except Exception:  # noqa: BLE001 - to be shown with its story
                    self.found.faults[shards] = f"{traceback.format_exc()}\n{story_text(told)}"
                    continue
                self._note(sharded.rounds.traffic)
                self._compare(shards, single.lines, sharded.lines, story_text(told))

    def _run(self, case: RunCase, folder: Path) -> None:
        cut = cut_of(self._seed) if self._seed % 4 == 0 else None
        more = ["--literals", "value"] if self._seed % 5 == 0 else []
        more += ["--include-input"] if self._seed % 7 == 0 else []
        single = run_single(case, folder, cut, *more)
        if single.code:
            return
        for shards in self._shards:

            def divide(program: Program, by_value: bool, count: int = shards) -> Partition:
                return self._divide(program, count, by_value=by_value)

            sharded = run_sharded(case, folder, divide, cut, *more)
            if sharded.code:
                self.found.faults[shards] = f"exit {sharded.code}\n{sharded.err}\n{case}"
                continue
            assert sharded.traffic is not None
            self._note(sharded.traffic)
            self._compare(shards, single.lines, sharded.lines, f"{more}\n{case}")

    def _divide(self, program: Program, shards: int, *, by_value: bool = False) -> Partition:
        """The partition of every third case is as it would be chosen; of the others, anyhow."""
        chosen = self._seed % 3 == 0
        with nullcontext() if chosen else random_placement(self._seed + shards):
            given = partition(program, shards, by_value=by_value)
        if any(body.split for body in given.bodies):
            self.found.features.add("split bodies")
        if any(
            body.split and any(not isinstance(route, ByHash) for route in body.routes)
            for body in given.bodies
        ):
            self.found.features.add("copied facts")
        return given

    def _note(self, traffic: Traffic) -> None:
        features = self.found.features
        features.add("case")
        for name, said in (
            ("facts that travel", traffic.facts > 0),
            ("second round", traffic.rounds > 1),
            ("third round", traffic.rounds > 2),
            ("facts that cease to hold", traffic.gone > 0),
        ):
            if said:
                features.add(name)

    def _compare(
        self, shards: int, single: Sequence[str], sharded: Sequence[str], case: str
    ) -> None:
        if single:
            self.found.features.add("answers")
        one, other = sorted(single), sorted(sharded)
        if one != other:
            changes = difflib.unified_diff(one, other, "single", f"{shards} shards", "", "", 0, "")
            self.found.faults[shards] = "\n".join([case, *changes])


def compare(
    count: int, first: int = 0, shards: Iterable[int] = SHARDS
) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed exercise, and where shards disagree."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        found = ShardComparison(seed, shards).judge()
        features.update(found.features)
        if found.faults:
            faults[seed] = "\n".join(found.faults.values())
    return features, faults
