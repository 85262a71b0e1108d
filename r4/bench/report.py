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
from r4.bench.based import MOST as MOST_BASED
from r4.bench.based import Based
from r4.bench.bulk import Bulk
from r4.bench.bulk_report import bulk_json, bulk_tables
from r4.bench.closing import Closing
from r4.bench.closing_report import closure_json, closure_tables
from r4.bench.entailed import Streamed
from r4.bench.foretelling import Foretelling
from r4.bench.foretelling_report import foretelling_json, foretelling_tables
from r4.bench.growth import MOST_GROWTH, Growth
from r4.bench.hypothesising import Following
from r4.bench.hypothesising_report import hypotheses_json, hypotheses_tables
from r4.bench.materialising import Deriving, disputed
from r4.bench.materialising_report import mtl_json, mtl_tables
from r4.bench.pace import Pace
from r4.bench.ratios import MOST_PEAK, Ratio
from r4.bench.retracting import Taking
from r4.bench.retracting_report import retraction_json, retraction_tables
from r4.bench.session import Result
from r4.bench.spreading import Spread
from r4.bench.spreading_report import spread_json, spread_tables
from r4.bench.table import Json, Table, bound, megabytes
from r4.bench.workloads import TRIPLES
from rete.kernels import BACKEND

_HEADS: Final = ("seconds", "triples/s", "start", "CPU", "peak MB")


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found; what was not asked for is empty.

    ``share`` is how much there was of the facts of ``derivings``.
    """

    results: Sequence[Result] = ()
    ratios: Sequence[Ratio] = ()
    growths: Sequence[Growth] = ()
    paces: Sequence[Pace] = ()
    closings: Sequence[Closing] = ()
    streams: Sequence[Streamed] = ()
    takings: Sequence[Taking] = ()
    bases: Sequence[Based] = ()
    derivings: Sequence[Deriving] = ()
    followings: Sequence[Following] = ()
    bulk: Bulk | None = None
    spread: Spread | None = None
    foretellings: Sequence[Foretelling] = ()
    share: float = 1.0

    @property
    def wrong(self) -> bool:
        """Whether any answer was wrong."""
        found = [result.wrong for result in self.results]
        found += [growth.wrong for growth in self.growths]
        found += [closing.wrong for closing in self.closings]
        found += [taking.wrong for taking in self.takings]
        found += disputed(self.derivings)
        found += [following.wrong for following in self.followings]
        found.append("" if self.bulk is None else self.bulk.wrong)
        found.append("" if self.spread is None else self.spread.wrong)
        found += [telling.wrong for telling in self.foretellings]
        return any([*found, *(stream.wrong for stream in self.streams)])

    def tables(self) -> Iterator[Table]:
        """One for each kind of finding that there is."""
        if self.results:
            yield Table(
                "Medians; the start of a process is left out of seconds and triples/s.",
                ("", "triples", *_HEADS, "+", "-", "answers"),
                tuple(map(_result_row, self.results)),
            )
        if self.ratios:
            yield Table(
                "Ratios of times, medians over the rounds.",
                ("", "over", "ratio", "with start", "of CPU time", "bound", ""),
                tuple(map(_ratio_row, self.ratios)),
                texts=2,
            )
        if self.growths:
            yield Table(
                "Memory as the stream grows, read from a pipe.",
                ("triples", "window", "peak MB", "over the shorter", "bound", "seconds", "answers"),
                tuple(self._growth_rows()),
            )
        if self.paces:
            yield Table(
                "The engine alone: q1 on triples that are numbers already, window 1 s.",
                ("triples at a time", "kernels", "triples/s", "median µs", "99 % µs", "bound", ""),
                tuple(map(_pace_row, self.paces)),
            )
        yield from closure_tables(self.closings, self.streams)
        yield from retraction_tables(self.takings)
        if self.bases:
            yield Table(
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
            "machine": machine(),
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
                megabytes(growth.usage.peak),
                f"{growth.usage.peak / base:.2f}",
                bound(MOST_GROWTH, kept=growth.usage.peak <= MOST_GROWTH * base),
                f"{growth.usage.seconds:.2f}",
                growth.wrong or "right",
            )


def machine() -> dict[str, Json]:
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


def _result_row(result: Result) -> tuple[str, ...]:
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
        megabytes(result.peak) + ("!" if _too_large(result) else ""),
        *counts,
        checked,
    )


def _too_large(result: Result) -> bool:
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


def _pace_row(pace: Pace) -> tuple[str, ...]:
    return (
        f"{pace.batch:,}",
        pace.kernels,
        f"{pace.rate:,.0f}",
        f"{pace.median:,.0f}",
        f"{pace.high:,.0f}",
        pace.bound,
        "" if not pace.bound else "kept" if pace.kept else "missed",
    )


def _base_row(base: Based) -> tuple[str, ...]:
    return base.how, f"{base.ratio:.3f}", bound(MOST_BASED[base.how], kept=base.kept)


def _result_json(result: Result) -> dict[str, Json]:
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
