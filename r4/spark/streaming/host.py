"""A host: a process that has some shards, and takes all steps of a batch with them.

Between batches the process caches its shards, with the number of the batch that they are after. A
shard that is needed after another batch is read from its snapshot: after a failure, or where it
moves to another host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Final, TypeAlias

from r4.answers.output_order import Ops
from r4.answers.periodic_report import ReportSettings, empty_marks
from r4.checkpoint import archive
from r4.checkpoint.errors import naming_state
from r4.sinks.formats import find_format
from r4.sinks.output import Output, Sink, SinkContext
from r4.spark.jobs.atomic_files import job_path
from r4.spark.partition.shard_programs import ShardProgram
from r4.spark.shards.messages import FactMessage
from r4.spark.shards.worker import ShardWorker, StepInputs
from r4.spark.streaming.checkpoint_layout import END, CheckpointLayout
from r4.spark.streaming.exchange import Exchange, read_inputs, read_json
from r4.time.progress import LATEST_FRONTIER
from r4.time.ticks import NEG_INF, Kind, Tick, TickUnit

_FIRST: Final = 0
"""The shard whose host writes what no shard has alone."""
Shares: TypeAlias = Callable[[int], ShardProgram]
Sent: TypeAlias = dict[int, list[tuple[int, FactMessage]]]
"""By host: shards, and messages for them."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The settings of all shards, the same in every batch.

    Attributes:
        run: names the checkpoint, so that no shard is taken for one of another run.
        checkpoint, output: folders.
        shards: how many there are.
        instances, by_value, limit: as of a `ShardWorker`.
        only: as of an `Output`.
        form: ``jsonl`` or ``parquet``.
        tick: of the stamps.
        report: when there are reports, and of what; None: changes are written.
        ops: as of an `Output`.
    """

    run: str
    checkpoint: str
    output: str
    shards: int
    instances: bool
    by_value: bool
    limit: int | None
    only: tuple[str, ...]
    form: str
    tick: TickUnit
    report: ReportSettings | None = None
    ops: Ops = "both"

    @property
    def says_empty(self) -> bool:
        """Whether marks at which no shard has an answer are written."""
        return self.report is not None and self.report.form == "state+empty"

    @property
    def places(self) -> CheckpointLayout:
        """The files of the run."""
        return CheckpointLayout(Path(self.checkpoint), Path(self.output))


@dataclass(frozen=True, slots=True)
class BatchSpec:
    """The settings of a batch, the same for all hosts.

    Attributes:
        batch: its number, or `END`: then no state is saved.
        base: the batch after whose states it goes on; -1: there is none.
        attempt: the name of this attempt.
        hosts: how many there are.
        kind: that of the stamps, a `Kind`.
        first, last: the first and the last stamp so far, of what moved time.
    """

    batch: int | str
    base: int
    attempt: str
    hosts: int
    kind: int
    first: Tick
    last: Tick


@dataclass(slots=True)
class LiveShards:
    """The cache of the shards of a process.

    Attributes:
        workers: by run and shard, each with the batch that it is after.
        built: how many were built, anew or from a snapshot.
    """

    workers: dict[tuple[str, int], tuple[int, ShardWorker]] = field(default_factory=dict)
    built: int = 0

    def after(self, run: str, batch: int) -> list[int]:
        """The shards of a run that are here and after this batch; no other is kept."""
        for key, (known, _) in list(self.workers.items()):
            if key[0] != run or known != batch:
                del self.workers[key]
        return sorted(shard for _, shard in self.workers)


def run_host(
    run_spec: RunSpec, batch_spec: BatchSpec, host: int, live: LiveShards, shares: Shares
) -> None:
    """Take all steps of a batch with the shards that fall to a host.

    Raises as `HostRunner`, `OSError` of a file, and `OtherHostFailed`.
    """
    exchange = Exchange(
        run_spec.places.rounds(batch_spec.batch, batch_spec.attempt), host, batch_spec.hosts
    )
    with exchange.reporting_failure():
        _HostBatch(run_spec, batch_spec, live, shares, exchange).take()


def assign_shards(known: Sequence[Sequence[int]], shards: int) -> list[list[int]]:
    """The shards of each host: those that it knows, others where there are fewest."""
    found: list[list[int]] = [[] for _ in known]
    left = list(range(shards))
    most = -(-shards // len(known))
    for host, have in enumerate(known):
        for shard in have:
            if shard in left and len(found[host]) < most:
                left.remove(shard)
                found[host].append(shard)
    for shard in left:
        min(found, key=len).append(shard)
    return [sorted(some) for some in found]


def inputs_path(folder: Path, shard: int) -> Path:
    """The file of what a shard is given in a batch."""
    return folder / f"orders.{shard}.arrow"


def steps_path(folder: Path) -> Path:
    """The file of what is to be known of all steps: whether rounds follow, and until when."""
    return folder / "steps.json"


def _write(path: Path, text: bytes | memoryview) -> None:
    """Write a part file, whole or not at all."""
    with job_path(path) as temporary, temporary.open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


class _HostBatch:
    """Takes the steps of a batch at a host."""

    def __init__(
        self,
        run_spec: RunSpec,
        batch_spec: BatchSpec,
        live: LiveShards,
        shares: Shares,
        exchange: Exchange,
    ) -> None:
        self._run_spec = run_spec
        self._batch_spec = batch_spec
        self._live = live
        self._exchange = exchange
        known = exchange.share("hello", live.after(run_spec.run, batch_spec.base))
        hosts = assign_shards(known, run_spec.shards)
        self._host_of = {shard: host for host, some in enumerate(hosts) for shard in some}
        self._shares = shares
        self._workers = {shard: self._worker(shard) for shard in hosts[exchange.host]}
        self._outputs = {shard: self._output(shard) for shard in self._workers}

    def take(self) -> None:
        """Take all steps."""
        folder = self._exchange.folder
        inputs = {shard: read_inputs(inputs_path(folder, shard)) for shard in self._workers}
        for number, (travels, until) in enumerate(read_json(steps_path(folder))):
            given = {shard: inputs[shard][number] for shard in self._workers}
            sent = self._send(given)
            if travels:
                self._swap(number, until, sent)
        if self._run_spec.report is not None:
            self._report_rest()
        for shard in self._workers:
            self._keep(shard)

    def _swap(self, number: int, until: int | None, sent: Sent) -> None:
        """Take rounds until no message is sent."""
        number_of_round, travels = 0, True
        while travels:
            come, travels = self._exchange.swap(number, number_of_round, sent)
            number_of_round += 1
            received: dict[int, list[FactMessage]] = {}
            for shard, message in come:
                received.setdefault(shard, []).append(message)
            sent = self._send(
                {
                    shard: StepInputs(messages=received[shard], until=until)
                    for shard in sorted(received)
                }
            )

    def _send(self, given: Mapping[int, StepInputs]) -> Sent:
        """Let shards take a step; what they send, by host."""
        sent: Sent = {}
        for shard, each in given.items():
            found = self._workers[shard].step(each)
            self._outputs[shard].changes(found.changes)
            if each.closes is not None and each.closes < LATEST_FRONTIER:
                self._outputs[shard].advance(self._workers[shard].core.progress.final_tick)
            for to, message in found.messages:
                sent.setdefault(self._host_of[to], []).append((to, message))
        return sent

    def _worker(self, shard: int) -> ShardWorker:
        """The worker of a shard, taken out of the cache: after a failure it must not be used."""
        run_spec, base = self._run_spec, self._batch_spec.base
        alive = self._live.workers.pop((run_spec.run, shard), None)
        if alive is not None:
            return alive[1]
        self._live.built += 1
        path = run_spec.places.shard(base, shard)
        with naming_state(path, "this run"):
            return ShardWorker(
                self._shares(shard),
                instances=run_spec.instances,
                by_value=run_spec.by_value,
                limit=run_spec.limit,
                tick=run_spec.tick,
                report=run_spec.report,
                resumes=None if base < 0 else archive.read(path),
            )

    def _output(self, shard: int) -> Output:
        run_spec, batch_spec = self._run_spec, self._batch_spec
        share, worker = self._shares(shard), self._workers[shard]
        worker.clock.kind = Kind(batch_spec.kind)
        worker.stamps.first, worker.stamps.last = batch_spec.first, batch_spec.last
        return Output(
            *(BytesIO(), self._sink(shard), worker.terms, run_spec.only, None),
            given=share.program.given,
            periodic=worker.periodic,
            ops=run_spec.ops,
            says_empty=False,
        )

    def _sink(self, shard: int) -> Sink:
        run_spec, worker = self._run_spec, self._workers[shard]
        marks = run_spec.report is not None
        labels = self._shares(shard).program.labels
        context = SinkContext(worker.terms, labels, worker.clock, run_spec.instances, marks=marks)
        return find_format(run_spec.form).make(context)

    def _report_rest(self) -> None:
        """Report what hangs on all shards: the marks at the end of all, those without answers.

        If all is drained there are marks up to the latest change of any shard. Where no shard has
        an answer, the host of the first shard writes it.
        """
        batch, run_spec = self._batch_spec.batch, self._run_spec
        if batch == END:
            known = [each.periodic.latest for each in self._workers.values() if each.periodic]
            shared = self._exchange.share("latest", known)
            latest = max((tick for some in shared for tick in some), default=NEG_INF)
            for shard, worker in self._workers.items():
                assert worker.periodic is not None
                worker.periodic.latest = latest
                self._outputs[shard].advance(worker.core.progress.final_tick)
        if not run_spec.says_empty:
            return
        of_shards = [set(each.empty_marks) for each in self._outputs.values()]
        own = set.intersection(*of_shards) if of_shards else ()
        shared = self._exchange.share("marks", sorted(own))
        marks = set.intersection(*(set(shared[host]) for host in self._host_of.values()))
        if marks and _FIRST in self._workers:
            sink = self._sink(_FIRST)
            text = sink.render(empty_marks(sorted(marks))) + sink.finish()
            _write(run_spec.places.part(batch, "marks", run_spec.form), text)

    def _keep(self, shard: int) -> None:
        """Write the answers of a shard, and its state."""
        run_spec, batch, output = self._run_spec, self._batch_spec.batch, self._outputs[shard]
        output.finish()
        path = run_spec.places.part(batch, f"{shard:05}", run_spec.form)
        assert isinstance(output.to, BytesIO)
        if output.written:
            _write(path, output.to.getbuffer())
        if isinstance(batch, int):
            worker, state = self._workers[shard], run_spec.places.shard(batch, shard)
            state.parent.mkdir(parents=True, exist_ok=True)
            archive.write(state, worker.saved())
            self._live.workers[run_spec.run, shard] = batch, worker
