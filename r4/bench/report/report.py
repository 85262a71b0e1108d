"""What a session found, as tables for people and as JSON for programs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from r4 import __version__
from r4.bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from r4.bench.programs.base_table import MOST as MOST_BASED
from r4.bench.programs.base_table import BaseTableCost
from r4.bench.report.closure_report import closure_json, closure_tables
from r4.bench.report.hypothesis_report import (
    foretelling_json,
    foretelling_tables,
    hypotheses_json,
    hypotheses_tables,
)
from r4.bench.report.mtl_report import mtl_json, mtl_tables
from r4.bench.report.retraction_report import retraction_json, retraction_tables
from r4.bench.report.spark_report import bulk_json, bulk_tables, spread_json, spread_tables
from r4.bench.suites.bulk_load import LoadRuns
from r4.bench.suites.closure import ClosureRuns
from r4.bench.suites.comparison import MOST_PEAK, ContestantRuns, Ratio
from r4.bench.suites.engine_rate import EngineRate
from r4.bench.suites.hypotheses import HypothesisSeries
from r4.bench.suites.memory_growth import MOST_GROWTH, MemoryGrowth
from r4.bench.suites.mtl_models import ModelRuns, disputed_programs
from r4.bench.suites.possible_answers import PossibleSeries
from r4.bench.suites.retraction import RetractionRuns
from r4.bench.suites.sharded_stream import ShardedRuns
from r4.bench.suites.stream_entailment import EntailedStream
from r4.bench.workloads.catalogue import TRIPLES
from rete.kernels import BACKEND

_HEADS: Final = ("seconds", "triples/s", "start", "CPU", "peak MB")


@dataclass(frozen=True, slots=True)
class BenchReport:
    """All that was found; what was not asked for is empty.

    ``share`` is how much there was of the facts of ``derivings``.
    """

    results: Sequence[ContestantRuns] = ()
    ratios: Sequence[Ratio] = ()
    growths: Sequence[MemoryGrowth] = ()
    paces: Sequence[EngineRate] = ()
    closings: Sequence[ClosureRuns] = ()
    streams: Sequence[EntailedStream] = ()
    takings: Sequence[RetractionRuns] = ()
    bases: Sequence[BaseTableCost] = ()
    derivings: Sequence[ModelRuns] = ()
    followings: Sequence[HypothesisSeries] = ()
    bulk: LoadRuns | None = None
    spread: ShardedRuns | None = None
    foretellings: Sequence[PossibleSeries] = ()
    share: float = 1.0

    @property
    def wrong(self) -> bool:
        """Whether any answer was wrong."""
        found = [result.wrong for result in self.results]
        found += [growth.wrong for growth in self.growths]
        found += [closing.wrong for closing in self.closings]
        found += [taking.wrong for taking in self.takings]
        found += disputed_programs(self.derivings)
        found += [following.wrong for following in self.followings]
        found.append("" if self.bulk is None else self.bulk.wrong)
        found.append("" if self.spread is None else self.spread.wrong)
        found += [telling.wrong for telling in self.foretellings]
        return any([*found, *(stream.wrong for stream in self.streams)])

    def tables(self) -> Iterator[TextTable]:
        """One for each kind of finding that there is."""
        if self.results:
            yield TextTable(
                "Medians; the start of a process is left out of seconds and triples/s.",
                ("", "triples", *_HEADS, "+", "-", "answers"),
                tuple(map(_result_row, self.results)),
            )
        if self.ratios:
            yield TextTable(
                "Ratios of times, medians over the rounds.",
                ("", "over", "ratio", "with start", "of CPU time", "bound", ""),
                tuple(map(_ratio_row, self.ratios)),
                texts=2,
            )
        if self.growths:
            yield TextTable(
                "Memory as the stream grows, read from a pipe.",
                ("triples", "window", "peak MB", "over the shorter", "bound", "seconds", "answers"),
                tuple(self._growth_rows()),
            )
        if self.paces:
            yield TextTable(
                "The engine alone: q1 on triples that are numbers already, window 1 s.",
                ("triples at a time", "kernels", "triples/s", "median µs", "99 % µs", "bound", ""),
                tuple(map(_pace_row, self.paces)),
            )
        yield from closure_tables(self.closings, self.streams)
        yield from retraction_tables(self.takings)
        if self.bases:
            yield TextTable(
                "The engine alone: q1 with the base table over q1 without, processor time.",
                ("", "ratio", "bound"),
                tuple(map(_base_row, self.bases)),
            )
        yield from mtl_tables(self.derivings, self.share)
        yield from hypotheses_tables(self.followings)
        yield from bulk_tables(self.bulk)
        yield from spread_tables(self.spread)
        yield from foretelling_tables(self.foretellings)

    def json(self) -> dict[str, Json]:
        """The same, complete, with the machine it was found on."""
        return {
            "machine": describe_machine(),
            "runs": [_result_json(result) for result in self.results],
            "ratios": [
                {
                    "over": str(ratio.over),
                    "of": str(ratio.of),
                    "triples": ratio.over.graphs * TRIPLES,
                    "ratio": ratio.net,
                    "with_start": ratio.gross,
                    "of_cpu_time": ratio.work,
                    "bound": ratio.most,
                    "kept": ratio.kept,
                }
                for ratio in self.ratios
            ],
            "memory": [asdict(growth) for growth in self.growths],
            "engine": [asdict(pace) for pace in self.paces],
            **closure_json(self.closings, self.streams),
            **retraction_json(self.takings),
            "base_table": [
                {**asdict(base), "ratio": base.ratio, "bound": MOST_BASED[base.how]}
                for base in self.bases
            ],
            **mtl_json(self.derivings, self.share),
            **hypotheses_json(self.followings),
            **bulk_json(self.bulk),
            **spread_json(self.spread),
            **foretelling_json(self.foretellings),
        }

    def _growth_rows(self) -> Iterator[tuple[str, ...]]:
        shortest: dict[str, int] = {}
        for growth in self.growths:
            base = shortest.setdefault(growth.window, growth.usage.peak)
            yield (
                f"{growth.triples:,}",
                growth.window,
                format_megabytes(growth.usage.peak),
                f"{growth.usage.peak / base:.2f}",
                format_bound(MOST_GROWTH, kept=growth.usage.peak <= MOST_GROWTH * base),
                f"{growth.usage.seconds:.2f}",
                growth.wrong or "right",
            )


def describe_machine() -> dict[str, Json]:
    """What the figures depend on besides the code."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "r4": __version__,
        "kernels": BACKEND,
        **{name: metadata.version(name) for name in ("numpy", "pyoxigraph")},
    }


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _result_row(result: ContestantRuns) -> tuple[str, ...]:
    counts = ("", "")
    if result.answers is not None:
        counts = (f"{result.answers.inserted:,}", f"{result.answers.deleted:,}")
    checked = "" if result.entry.check == "nothing" else result.wrong or "right"
    return (
        str(result.key),
        f"{result.key.graphs * TRIPLES:,}",
        "too short" if result.short else f"{result.seconds:.2f}",
        "" if result.short else f"{result.rate:,.0f}",
        f"{result.start:.2f}",
        f"{min(run.cpu for run in result.runs):.2f}",
        format_megabytes(result.peak) + ("!" if _too_large(result) else ""),
        *counts,
        checked,
    )


def _too_large(result: ContestantRuns) -> bool:
    return result.key.runner == "r4" and result.peak > MOST_PEAK


def _ratio_row(ratio: Ratio) -> tuple[str, ...]:
    return (
        str(ratio.over),
        str(ratio.of),
        f"{ratio.net:.3f}",
        f"{ratio.gross:.3f}",
        f"{ratio.work:.3f}",
        "" if ratio.most is None else f"{ratio.most:.2f}",
        "" if ratio.most is None else "kept" if ratio.kept else "missed",
    )


def _pace_row(pace: EngineRate) -> tuple[str, ...]:
    return (
        f"{pace.batch:,}",
        pace.kernels,
        f"{pace.rate:,.0f}",
        f"{pace.median:,.0f}",
        f"{pace.high:,.0f}",
        pace.bound,
        "" if not pace.bound else "kept" if pace.kept else "missed",
    )


def _base_row(base: BaseTableCost) -> tuple[str, ...]:
    return base.how, f"{base.ratio:.3f}", format_bound(MOST_BASED[base.how], kept=base.kept)


def _result_json(result: ContestantRuns) -> dict[str, Json]:
    return {
        **dict(zip(("runner", "workload", "window", "graphs"), result.key, strict=True)),
        "triples": result.key.graphs * TRIPLES,
        "seconds": result.seconds,
        "triples_per_second": result.rate,
        "start": result.start,
        "peak": result.peak,
        "runs": [asdict(run) for run in result.runs],
        "answers": None if result.answers is None else asdict(result.answers),
        "wrong": result.wrong,
    }
