"""The batch runner: takes batch after batch, each from the states after the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from secrets import token_hex
from typing import Final, Protocol

from r4.checkpoint import archive
from r4.checkpoint.errors import naming_state
from r4.run.notes import RunNotes
from r4.spark.jobs.atomic_files import save_json
from r4.spark.jobs.session import SparkFailed
from r4.spark.shards.dispatch import ShardStep
from r4.spark.streaming.checkpoint_layout import END
from r4.spark.streaming.exchange import write_inputs
from r4.spark.streaming.file_pieces import FilePiece
from r4.spark.streaming.front import Front
from r4.spark.streaming.host import BatchSpec, RunSpec, inputs_path, steps_path
from rete.arrays.delta import Rows

_ATTEMPTS: Final = 4
"""How often a batch is tried, where hosts are lost."""


class HostRunner(Protocol):
    """Runs hosts, somewhere."""

    def hosts(self, shards: int) -> int:
        """How many it runs at once, for so many shards."""

    def run(self, run_spec: RunSpec, batch_spec: BatchSpec, says: str) -> None:
        """Let all hosts take the steps of a batch.

        Raises:
            SparkFailed: a host was lost.
            LimitReached: rules derive more than the limit.
            SnapshotError: a state cannot be gone on from.
        """


class BatchRunner:
    """Takes batches by their numbers, from 0 on.

    Attributes:
        report: of what is wrong with the data, written after a batch.
        taken: how many batches were taken so far.
    """

    def __init__(
        self,
        run_spec: RunSpec,
        make: Callable[[], Front],
        static: Callable[[Front], Iterable[Rows]],
        host_runner: HostRunner,
        report: RunNotes,
    ) -> None:
        """Start before the first batch.

        ``make`` gives a front that has read nothing, ``static`` reads static data for a front.
        """
        self._run_spec = run_spec
        self._places = run_spec.places
        self._make = make
        self._static = static
        self._host_runner = host_runner
        self._after: int | None = None
        self.front = make()
        self.report = report
        self.taken = 0

    def take(self, batch: int, pieces: Sequence[FilePiece]) -> None:
        """Take a batch; one that was taken before gives the same files as it did then."""
        if self._after is None:
            self._places.withdraw_end()
        self._place_front(batch - 1)
        self._after = None
        steps = [*self._static_steps(batch), *self.front.take(pieces)]
        self._run(batch, batch - 1, steps, f"batch {batch}, {len(pieces)} piece(s)")
        archive.write(self._places.front(batch), self.front.saved())
        self._after = batch
        self.taken += 1
        self._places.forget(batch - 1)
        self.report.samples(self.front.intake.counters)

    def end(self, drain: int | None) -> None:
        """Emit what is left at the end of the input; no batch goes on from here."""
        last = self._places.latest()
        self._places.withdraw_end()
        self._place_front(last)
        self._after = None
        steps = [*self._static_steps(last + 1), *self.front.finish(drain)]
        self._run(END, last, steps, "end of input")

    def _static_steps(self, batch: int) -> list[ShardStep]:
        return [] if batch else list(self.front.take_static(self._static(self.front)))

    def _place_front(self, batch: int) -> None:
        """Have the front as it was after a batch; -1: before the first."""
        if self._after == batch:
            return
        self.front = self._make()
        if batch >= 0:
            path = self._places.front(batch)
            with naming_state(path, "this run"):
                self.front.restore(archive.read(path))

    def _run(self, batch: int | str, base: int, steps: Sequence[ShardStep], says: str) -> None:
        run_spec, places = self._run_spec, self._places
        places.clear(batch)
        hosts = self._host_runner.hosts(run_spec.shards)
        for left in reversed(range(_ATTEMPTS)):
            # Another folder each time: who is left of another attempt may still be writing there.
            intake = self.front.intake
            stamps = intake.first, intake.last
            batch_spec = BatchSpec(batch, base, token_hex(6), hosts, intake.kind, *stamps)
            folder = places.rounds(batch, batch_spec.attempt)
            for shard in range(run_spec.shards):
                write_inputs(inputs_path(folder, shard), [step.inputs[shard] for step in steps])
            save_json(steps_path(folder), [[step.travels, step.inputs[0].until] for step in steps])
            try:
                self._host_runner.run(run_spec, batch_spec, says)
                break
            except SparkFailed as error:
                if not left:
                    raise
                self.report.say(f"{error}; from the last states on it is taken again")
        places.clear(batch)
