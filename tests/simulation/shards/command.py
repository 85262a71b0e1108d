"""A case of text, run by ``r4 run`` as it is, and over shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from r4.answers.output_order import Changes
from r4.cli.sessions import stream_session
from r4.program.program import Program
from r4.run.inputs import RunInput
from r4.run.run import Run
from r4.run.run_bounds import RunBounds
from r4.run.settings import RunSettings
from r4.run.static_data import StaticData
from r4.run.stream_run import RunPorts, StreamRun
from r4.sinks.json_lines import JsonLines
from r4.sinks.output import SinkContext
from r4.spark.partition.program_partition import Partition
from r4.spark.shards.worker import ShardWorker
from r4.stream.batch import Batch
from rete.arrays.delta import Rows
from rete.memory_limit import MemoryLimit
from tests.generators.streams.runs import RunCase
from tests.simulation.command import run, small_batches
from tests.simulation.shards.rounds import Rounds, Traffic

Divide = Callable[[Program, bool], Partition]
"""The partition of a program, with literals by value or not."""


@dataclass(frozen=True, slots=True)
class RunOutput:
    """What a run left behind."""

    code: int
    lines: list[str]
    err: str
    traffic: Traffic | None = None


class _Front:
    """Shards in the place of a run, and of its core."""

    without_effect = 0
    coverage = None
    tracking = None
    bounds = RunBounds(MemoryLimit(None))

    def __init__(self, rounds: Rounds, program: Program) -> None:
        self.rounds = rounds
        self.program = program

    @property
    def core(self) -> _Front:
        return self

    def assert_static(self, rows: Rows) -> None:
        self.rounds.assert_static(rows)

    def take(self, batch: Batch) -> None:
        self.rounds.step(batch)

    def finish(self, last: int, drain: int | None) -> None:
        self.rounds.finish(last, drain)

    def outside(self) -> list[Any]:
        return []


def run_single(case: RunCase, folder: Path, cut: int | None = None, *more: str) -> RunOutput:
    """The run of one network."""
    with nullcontext() if cut is None else small_batches(cut):
        printed = run(case, folder, *more)
    return RunOutput(printed.code, printed.lines(), printed.err)


@dataclass(slots=True)
class ShardOutput:
    """What shards tell in a run.

    Attributes:
        lines: theirs, in any order.
        traffic: what crossed; None: nothing was run.
    """

    lines: list[str] = field(default_factory=list)
    traffic: Traffic | None = None


@contextmanager
def sharded_session(divide: Divide) -> Iterator[ShardOutput]:
    """``r4 run`` runs over shards, and writes nothing."""
    shown = ShardOutput()

    class Sharded(StreamRun):
        def __init__(self, given: RunInput, settings: RunSettings, ports: RunPorts) -> None:
            super().__init__(given, settings, ports)
            options: dict[str, Any] = {"instances": settings.instances}
            program = given.program

            def told(worker: ShardWorker, changes: Changes) -> None:
                sink = JsonLines(SinkContext(worker.terms, program.labels, self.clock, **options))
                shown.lines.extend(sink.render(changes).decode().split("\n")[:-1])

            partition = divide(program, settings.by_value)
            rounds = Rounds(partition, self.terms, told, limit=settings.limit, **options)
            shown.traffic = rounds.traffic
            self._front = _Front(rounds, program)

        def _begin(self, given: StaticData) -> None:
            for rows in given.rows():
                self._front.assert_static(rows)
            self.run = cast("Run", self._front)

    with patch.object(stream_session, "StreamRun", Sharded):
        yield shown


def run_sharded(
    case: RunCase, folder: Path, divide: Divide, cut: int | None = None, *more: str
) -> RunOutput:
    """The run over shards; their lines in any order."""
    with sharded_session(divide) as shown:
        printed = run_single(case, folder, cut, *more)
    assert not printed.lines, "one network told them"
    return RunOutput(printed.code, shown.lines, printed.err, shown.traffic)
