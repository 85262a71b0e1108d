"""A case of text, run by ``r4 run`` as it is, and over shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import r4.cli.streams.run
from r4.answers.output_order import NO_CHANGES, Changes
from r4.cli.sessions.session_options import SessionOptions
from r4.cli.sessions.stream_session import StreamSession
from r4.imports import Closure
from r4.program.program import Program
from r4.run.driver import Driver
from r4.run.static_data import StaticData
from r4.sinks.json_lines import JsonLines
from r4.spark.partition.program_partition import Partition
from r4.spark.shards.worker import ShardWorker
from r4.stream.batch import Batch
from r4.stream.source import StreamOptions
from rete.arrays.delta import Rows
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
    """Shards in the place of the driver of a session, and of its core."""

    without_effect = 0

    def __init__(self, rounds: Rounds, program: Program) -> None:
        self.rounds = rounds
        self.program = program

    @property
    def core(self) -> _Front:
        return self

    def assert_static(self, rows: Rows) -> None:
        self.rounds.assert_static(rows)

    def step(self, batch: Batch) -> list[Changes]:
        self.rounds.step(batch)
        return []

    def finish(self, last: int, drain: int | None) -> Changes:
        self.rounds.finish(last, drain)
        return NO_CHANGES

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

    class Sharded(StreamSession):
        def __init__(
            self, program: Program, closure: Closure, streams: StreamOptions, wishes: SessionOptions
        ) -> None:
            super().__init__(program, closure, streams, wishes)
            options: dict[str, Any] = {"instances": wishes.instances}

            def told(worker: ShardWorker, changes: Changes) -> None:
                sink = JsonLines(worker.terms, program.labels, self._clock, **options)
                shown.lines.extend(sink.render(changes).decode().split("\n")[:-1])

            given = divide(program, wishes.by_value)
            rounds = Rounds(given, self._terms, told, limit=wishes.limit, **options)
            shown.traffic = rounds.traffic
            self._front = _Front(rounds, program)

        def _begin(self, given: StaticData, *_: object) -> tuple[Driver, None]:
            for rows in given.rows():
                self._front.assert_static(rows)
            return cast("Driver", self._front), None

    with patch.object(r4.cli.streams.run, "StreamSession", Sharded):
        yield shown


def run_sharded(
    case: RunCase, folder: Path, divide: Divide, cut: int | None = None, *more: str
) -> RunOutput:
    """The run over shards; their lines in any order."""
    with sharded_session(divide) as shown:
        printed = run_single(case, folder, cut, *more)
    assert not printed.lines, "one network told them"
    return RunOutput(printed.code, shown.lines, printed.err, shown.traffic)
