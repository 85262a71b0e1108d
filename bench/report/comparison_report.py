"""What was found of rules over streams: times and ratios, memory, and the engine alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from bench.harness.bounds import Ratio
from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from bench.report.stream_pictures import draw_streams
from bench.suites.comparison import MOST_PEAK, ContestantRuns, ratios
from bench.suites.contestants import ContestantKey
from bench.suites.engine_rate import EngineRate
from bench.suites.memory_growth import MOST_GROWTH, MemoryGrowth
from bench.workloads.catalogue import TRIPLES

_HEADS: Final = ("seconds", "least, most", "triples/s", "start", "CPU", "peak MB")


@dataclass(frozen=True, slots=True)
class ComparisonFindings:
    """R4 and its peers on streams.

    Attributes:
        results: the runs of everybody.
        missing: a peer, a workload, and why the peer has no answer to it.
        versions: peer → what the user installed.
    """

    results: Sequence[ContestantRuns] = ()
    missing: Sequence[tuple[str, str, str]] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.results)

    def tables(self) -> Iterator[TextTable]:
        """Runs, ratios."""
        if self.results:
            yield TextTable(
                "Medians; the start of a process is left out of seconds and triples/s.",
                ("", "triples", *_HEADS, "+", "-", "answers"),
                tuple(map(_result_row, self.results)),
            )
        rows = tuple(map(_ratio_row, ratios(self.results)))
        if rows:
            yield TextTable(
                "Ratios of times, medians over the rounds.",
                ("", "over", "ratio", "with start", "of CPU time", "bound", ""),
                rows,
                texts=2,
            )

        rows = tuple(map(_latency_row, self._told_latencies()))
        if any(result.latency for result in self.results):
            yield TextTable(
                "Processor time of a graph under the longest window, from one run that takes graph"
                " by graph: R4 in a program that adds each, peers as above.",
                ("", "graphs", "median µs", "99 % µs", ""),
                rows,
            )
        if self.missing:
            yield TextTable("What peers have no answer to.", ("", "", ""), tuple(self.missing), 3)
        if self.versions:
            rows = tuple(self.versions.items())
            yield TextTable("Peers that the user installed.", ("", ""), rows, 2)

    def _told_latencies(self) -> Iterator[ContestantRuns]:
        """Whose latency was measured, and one row for each who cannot tell."""
        met = set()
        for result in self.results:
            who = result.key[:2]
            if result.latency is not None:
                yield result
            elif not (result.failure or result.entry.marked or who in met):
                met.add(who)
                yield result

    def pictures(self) -> Iterator[tuple[str, str]]:
        """Time over the window, and memory through a run."""
        yield from draw_streams(self.results)

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "installations": dict(self.versions),
            "missing": [
                {"peer": peer, "workload": workload, "reason": reason}
                for peer, workload, reason in self.missing
            ],
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
                for ratio in ratios(self.results)
            ],
        }


@dataclass(frozen=True, slots=True)
class MemoryFindings:
    """Memory on streams of two lengths, under each window."""

    growths: Sequence[MemoryGrowth] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.growths)

    def tables(self) -> Iterator[TextTable]:
        """A stream a row."""
        if self.growths:
            yield TextTable(
                "Memory as the stream grows, read from a pipe.",
                (
                    *("rules", "triples", "window", "peak MB", "over the shorter", "bound"),
                    *("MB gained per million triples", "seconds", "answers"),
                ),
                tuple(self._rows()),
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "memory": [{**asdict(growth), "slope": growth.slope} for growth in self.growths],
        }

    def _rows(self) -> Iterator[tuple[str, ...]]:
        shortest: dict[tuple[str, str], int] = {}
        for growth in self.growths:
            base = shortest.setdefault((growth.name, growth.window), growth.usage.peak)
            yield (
                growth.name,
                f"{growth.triples:,}",
                growth.window,
                format_megabytes(growth.usage.peak),
                f"{growth.usage.peak / base:.2f}",
                format_bound(MOST_GROWTH, kept=growth.usage.peak <= MOST_GROWTH * base),
                "" if growth.slope is None else f"{growth.slope / 1_000_000:.3f}",
                f"{growth.usage.seconds:.2f}",
                growth.wrong or "right",
            )


@dataclass(frozen=True, slots=True)
class EngineFindings:
    """The engine alone: its rate for each kernel back end and batch size."""

    rates: Sequence[EngineRate] = ()

    @property
    def wrong(self) -> str:
        """Nothing: a program whose answers are wrong ends with an error."""
        return ""

    def tables(self) -> Iterator[TextTable]:
        """A rate a row."""
        if self.rates:
            yield TextTable(
                "The engine alone: q1 on triples that are numbers already, window 1 s.",
                ("triples at a time", "kernels", "triples/s", "median µs", "99 % µs", "bound", ""),
                tuple(map(_rate_row, self.rates)),
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {"engine": [asdict(rate) for rate in self.rates]}


def _result_row(result: ContestantRuns) -> tuple[str, ...]:
    if result.failure:
        triples = f"{result.key.graphs * TRIPLES:,}"
        return (str(result.key), triples, *[""] * (len(_HEADS) + 2), result.failure)
    counts = ("", "")
    if result.answers is not None:
        counts = (f"{result.answers.inserted:,}", f"{result.answers.deleted:,}")
    checked = "" if result.entry.check == "nothing" else result.wrong or "right"
    return (
        str(result.key),
        f"{result.key.graphs * TRIPLES:,}",
        "too short" if result.short else f"{result.seconds:.2f}",
        "" if result.short else f"{min(result.after_start):.2f}, {max(result.after_start):.2f}",
        "" if result.short else f"{result.rate:,.0f}",
        f"{result.start:.2f}",
        f"{min(usage.cpu for usage in result.usages):.2f}",
        format_megabytes(result.peak) + ("!" if _is_too_large(result) else ""),
        *counts,
        checked,
    )


def _latency_row(result: ContestantRuns) -> tuple[str, ...]:
    if result.latency is None:
        why = {"nothing": "answers nothing", "seconds": "is asked once a second"}
        return str(result.key), "", "?", "?", why.get(result.entry.check, "does not tell")
    figures = (result.latency.graphs, result.latency.median, result.latency.high)
    return (str(result.key), *(f"{figure:,.0f}" for figure in figures), "")


def _is_too_large(result: ContestantRuns) -> bool:
    return result.key.runner == "r4" and result.peak > MOST_PEAK


def _ratio_row(ratio: Ratio[ContestantKey]) -> tuple[str, ...]:
    return (
        str(ratio.over),
        str(ratio.of),
        f"{ratio.net:.3f}",
        f"{ratio.gross:.3f}",
        f"{ratio.work:.3f}",
        "" if ratio.most is None else f"{ratio.most:.2f}",
        "" if ratio.most is None else "kept" if ratio.kept else "missed",
    )


def _rate_row(rate: EngineRate) -> tuple[str, ...]:
    return (
        f"{rate.batch:,}",
        rate.kernels,
        f"{rate.rate:,.0f}",
        f"{rate.median:,.0f}",
        f"{rate.high:,.0f}",
        rate.bound,
        "" if not rate.bound else "kept" if rate.kept else "missed",
    )


def _result_json(result: ContestantRuns) -> dict[str, Json]:
    named: dict[str, Json] = {
        **dict(zip(("runner", "workload", "window", "graphs"), result.key, strict=True)),
        "triples": result.key.graphs * TRIPLES,
        "failure": result.failure,
    }
    if result.failure:
        return named
    return {
        **named,
        "seconds": result.seconds,
        "triples_per_second": result.rate,
        "start": result.start,
        "peak": result.peak,
        "runs": [asdict(usage) for usage in result.usages],
        "answers": None if result.answers is None else asdict(result.answers),
        "wrong": result.wrong,
        "latency": None if result.latency is None else asdict(result.latency),
    }
