"""A run in shards on Spark: its options, and the objects that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r4.answers.output_order import Ops
from r4.answers.periodic_report import ReportSettings
from r4.checkpoint import fingerprint, function_versions
from r4.engine.core import Core
from r4.imports import Closure
from r4.options.shared_options import Literals
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.run.notes import RunNotes
from r4.run.static_data import StaticData
from r4.spark.partition.program_partition import Partition
from r4.spark.streaming.batch_runner import BatchRunner, HostRunner
from r4.spark.streaming.checkpoint_layout import CheckpointLayout, digest
from r4.spark.streaming.file_pieces import StreamInput
from r4.spark.streaming.front import Front
from r4.spark.streaming.host import RunSpec
from r4.spark.streaming.piece_source import PiecedSource
from r4.stream.source import StreamOptions
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True, slots=True)
class ShardedRun:
    """A run in shards.

    Attributes:
        closure: the rules with what they import.
        partition: of the rules.
        static, streams: documents; of a folder, its first.
        inputs: the streams, as they are read.
        options: how streams are read.
        drain, limit: as of a `Core`.
        by_value, instances, only, form, report, ops: as of `r4.spark.streaming.host.RunSpec`.
        say: writes a line for the user.
    """

    closure: Closure
    partition: Partition
    static: Sequence[RdfDocument]
    streams: Sequence[RdfDocument]
    inputs: Sequence[StreamInput]
    options: StreamOptions
    drain: int | None
    limit: int | None
    by_value: bool
    instances: bool
    only: tuple[str, ...]
    form: str
    say: Callable[[str], object]
    report: ReportSettings | None = None
    ops: Ops = "both"

    @property
    def program(self) -> Program:
        """The rules, compiled."""
        return self.partition.program

    def about(self) -> Mapping[str, Any]:
        """The manifest: what must be the same where a run goes on. Reads the static documents."""
        core = Core(self.program, Dictionary(by_value=self.by_value), instances=self.instances)
        options = self.options
        own, of_predicates = options.delays.items(), options.predicate_delays.items()
        delays = [options.delay, [*map(list, own)], [*map(list, of_predicates)]]
        functions = function_versions(core)
        return {
            **({"functions": functions} if functions else {}),
            "rules": fingerprint(core),
            "shards": self.partition.shards,
            "semantics": "instances" if self.instances else "facts",
            "literals": self._literals,
            "tick": options.scale.unit,
            **({} if options.scale.epoch is None else {"epoch": options.scale.epoch}),
            **({"inclusive dates": True} if options.scale.inclusive_dates else {}),
            "delay": delays,
            "time predicate": options.time_predicate,
            **({} if options.end_predicate is None else {"end predicate": options.end_predicate}),
            "only": list(self.only),
            "form": self.form,
            **({} if self.report is None else {"reports": _report_lines(self.report)}),
            **({} if self.ops == "both" else {"ops": self.ops}),
            "static data": [[each.number, each.path, digest(each.path)] for each in self.static],
            "inputs": [[each.number, each.path] for each in self.inputs],
        }

    @property
    def _literals(self) -> Literals:
        """The option of this name."""
        numbers = self.program.language.numbers_by_value
        return "value" if self.by_value else "constant" if numbers else "term"

    def run_spec(self, name: str, places: CheckpointLayout) -> RunSpec:
        """The settings of the shards; ``name`` is that of the run."""
        return RunSpec(
            run=name,
            checkpoint=str(places.checkpoint),
            output=str(places.output),
            shards=self.partition.shards,
            instances=self.instances,
            by_value=self.by_value,
            limit=self.limit,
            only=self.only,
            form=self.form,
            tick=self.options.scale.unit,
            report=self.report,
            ops=self.ops,
        )

    def batch_runner(self, run_spec: RunSpec, host_runner: HostRunner) -> BatchRunner:
        """The batch runner of the run, before the first batch."""
        return BatchRunner(
            run_spec, self._front, self._static_rows, host_runner, RunNotes(self.say)
        )

    def _front(self) -> Front:
        sources = [
            PiecedSource(stream, document, self.options.time_predicate)
            for stream, document in zip(self.inputs, self.streams, strict=True)
        ]
        return Front(self.partition, sources, self.options, by_value=self.by_value)

    def _static_rows(self, front: Front) -> Iterator[Rows]:
        static_data = StaticData(
            *(self.closure, self.static, front.terms, front.intake.counters),
            strict=self.options.strict,
            say=self.say,
            time_predicate=self.options.time_predicate,
        )
        return static_data.rows()


def _report_lines(report: ReportSettings) -> list[Any]:
    """What decides reports, as JSON has it."""
    marks = report.calendar
    zone = None if marks.zone is None else marks.zone.key
    return [report.form, marks.period, marks.offset, zone, marks.in_months]
