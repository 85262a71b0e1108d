"""A case of text, run by ``r4 run`` as it is, and over shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import r4.cli.run
from r4.batch import Batch
from r4.changes import NOTHING, Changes
from r4.cli.session import Session, Wishes
from r4.engine import Core
from r4.imports import Closure
from r4.program import Program
from r4.sinks.jsonl import JsonLines
from r4.spark.partition.program import Partition
from r4.spark.shards.rounds import Rounds, Traffic
from r4.spark.shards.worker import Worker
from r4.streams import StreamOptions
from rete.delta import Rows
from tests.drive import cut_small, run
from tests.strategies import Case

Divide = Callable[[Program, bool], Partition]
"""The partition of a program, with literals by value or not."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run left behind."""

    code: int
    lines: list[str]
    err: str
    traffic: Traffic | None = None


class _Front:
    """Shards in the place of the core of a session."""

    without_effect = 0

    def __init__(self, rounds: Rounds, program: Program) -> None:
        self.rounds = rounds
        self.program = program

    def assert_static(self, rows: Rows) -> None:
        self.rounds.assert_static(rows)

    def step(self, batch: Batch) -> list[Changes]:
        self.rounds.step(batch)
        return []

    def finish(self, last: int, drain: int | None) -> Changes:
        self.rounds.finish(last, drain)
        return NOTHING

    def outside(self) -> list[Any]:
        return []


def ran(case: Case, folder: Path, cut: int | None = None, *more: str) -> Ran:
    """The run of one network."""
    with nullcontext() if cut is None else cut_small(cut):
        printed = run(case, folder, *more)
    return Ran(printed.code, printed.lines(), printed.err)


@dataclass(slots=True)
class Shown:
    """What shards tell in a run.

    Attributes:
        lines: theirs, in any order.
        traffic: what crossed; None: nothing was run.
    """

    lines: list[str] = field(default_factory=list)
    traffic: Traffic | None = None


@contextmanager
def in_shards(divide: Divide) -> Iterator[Shown]:
    """``r4 run`` runs over shards, and writes nothing."""
    shown = Shown()

    class Sharded(Session):
        def __init__(
            self, program: Program, closure: Closure, streams: StreamOptions, wishes: Wishes
        ) -> None:
            super().__init__(program, closure, streams, wishes)
            options: dict[str, Any] = {"instances": wishes.instances}

            def told(worker: Worker, changes: Changes) -> None:
                sink = JsonLines(worker.terms, program.labels, self._clock, **options)
                shown.lines.extend(sink.render(changes).decode().split("\n")[:-1])

            given = divide(program, wishes.by_value)
            rounds = Rounds(given, self._terms, told, limit=wishes.limit, **options)
            shown.traffic = rounds.traffic
            self._front = _Front(rounds, program)

        def _core_of(self, *_: object) -> Core:
            return cast("Core", self._front)

    with patch.object(r4.cli.run, "Session", Sharded):
        yield shown


def ran_sharded(
    case: Case, folder: Path, divide: Divide, cut: int | None = None, *more: str
) -> Ran:
    """The run over shards; their lines in any order."""
    with in_shards(divide) as shown:
        printed = ran(case, folder, cut, *more)
    assert not printed.lines, "one network told them"
    return Ran(printed.code, shown.lines, printed.err, shown.traffic)
