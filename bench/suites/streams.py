"""`r4 bench q1 … q4`: rules over streams, R4 and its peers on the same file.

Everybody's answers are compared with those of brute force. Who takes graph by graph is run once
more, for the time of a graph.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Ratio, ratios_json
from bench.harness.graph_marks import VARIABLE, GraphLatency, NoMarks, read_latency
from bench.harness.process_usage import RunFailed, measure_process
from bench.harness.rounds import OUTPUT, first_wrong, paired_median, run_rounds
from bench.harness.tables import Json, TextTable, format_megabytes, tabled
from bench.suites.stream_contestants import Contestant, ContestantKey, contestants
from bench.suites.stream_peers import PEERS
from bench.suites.stream_pictures import draw_streams
from bench.workloads.catalogue import WORKLOADS, Files
from bench.workloads.detections import detected, expect_detected
from bench.workloads.expected_answers import Outcome, expect, expect_each, outcome
from bench.workloads.stream_terms import milliseconds

MOST_PEAK: Final = 250_000_000
"""Bytes that R4 means to stay below on any workload."""
OVER_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("q1", "pyoxigraph"): 1.5,
    ("q1", "python"): 1.1,
    ("q1", "store"): 1 / 5,
    ("q2", "store"): 1.0,
    ("q3", "store"): 1.0,
    ("q4", "store"): 1.0,
    ("q1", "clips"): 1 / 20,
}
"""(Workload, peer) → the largest share of the peer's time that R4 means to take."""
OVER_Q1: Final[Mapping[str, float]] = {"q2": 2.5, "q3": 2.5, "q4": 2.5, "q1-shuffled": 1.2}
"""Workload → how many times the time of q1 it is meant to take at most."""
OVER_SHORT: Final = 1.3
"""How many times the time of the shortest window the longest is meant to take at most."""


def run(request: Request) -> Findings:
    """Measure R4 and its peers."""
    names = [name for name in request.names if name in WORKLOADS]
    peers = [name for name in request.peers if name in PEERS]
    installed = {name: at for name, at in request.installations.items() if name in PEERS}
    paths = {name: at.path for name, at in installed.items()}
    files = Files(request.folder)
    results = contestants(names, request.windows, request.triples, peers, files, paths)
    compare(request, results)
    return findings(
        results,
        [
            (peer, name, PEERS[peer].lacks[name])
            for peer in peers
            for name in names
            if name in PEERS[peer].lacks
        ],
        {name: at.version for name, at in installed.items()},
    )


BENCHMARK: Final = Benchmark(
    {name: workload.description for name, workload in WORKLOADS.items()}, run, peers=PEERS
)


def compare(request: Request, entries: Sequence[Contestant]) -> None:
    """Run everybody, and check the answers."""
    output = request.folder / OUTPUT

    def check(each: Contestant, _: int) -> str:
        if each.check == "nothing":
            return ""
        with output.open("rb") as lines:
            each.answers = read_answers(each, lines, each.key.graphs)
        return check_answers(each, each.answers, each.key.graphs)

    for entry in entries:
        for preparation in entry.preparations:
            request.say(f"files for {entry.key}")
            measure_process(preparation, output)
    run_rounds(
        request, entries, lambda each, _: each.command, idle=lambda each: each.idle, check=check
    )
    for each in _marking(entries):
        request.say(f"latency of {each.key}")
        try:
            each.latency = measure_latency(each.marked, request.folder)
        except (RunFailed, NoMarks):
            if not each.may_fail:
                raise
        else:
            each.note(check_marked(each, output))
        output.unlink()


def _marking(entries: Sequence[Contestant]) -> Iterator[Contestant]:
    """Whose latency is measured: under the longest window, on each stream once."""
    longest = max((each.key.window for each in entries if each.key.window), key=milliseconds)
    found = set()
    for each in entries:
        key = each.key._replace(graphs=each.marked_graphs)
        if each.marked and not each.failure and key.window == longest and key not in found:
            found.add(key)
            yield each


def measure_latency(command: tuple[str, ...], folder: Path) -> GraphLatency:
    """How long a graph takes, from one run of a program that marks where each begins.

    Raises:
        RunFailed: it ended with an error.
        NoMarks: it made none.
    """
    marks = folder / "marks"
    measure_process(command, folder / OUTPUT, variables={VARIABLE: str(marks)})
    try:
        return read_latency(marks)
    finally:
        marks.unlink(missing_ok=True)


def check_marked(each: Contestant, output: Path) -> str:
    """In what the answers of the run that marked differ; R4 counts its own in it."""
    graphs = each.marked_graphs
    with output.open("rb") as lines:
        if each.key.runner != "r4":
            return check_answers(each, read_answers(each, lines, graphs), graphs)
        found = json.load(lines)
    query, window = WORKLOADS[each.key.workload].query, milliseconds(each.key.window)
    static, inserted, deleted = _whole(query, graphs, window).counts
    right = {"+": static + inserted, "-": deleted}
    is_right = Counter(found) == Counter(right)
    return "" if is_right else f"graph by graph {found} instead of {right} answers"


def read_answers(each: Contestant, output: Iterable[bytes], graphs: int) -> Outcome:
    """The answers that an output comes to."""
    if each.check == "intervals":
        query, window = WORKLOADS[each.key.workload].query, milliseconds(each.key.window)
        return detected(output, query, graphs, window)
    return outcome(output)


def check_answers(each: Contestant, found: Outcome, graphs: int) -> str:
    """In what the answers differ from those of brute force; empty if in nothing."""
    query, window = WORKLOADS[each.key.workload].query, milliseconds(each.key.window)
    if each.check == "seconds":
        counts = 0, *_at_seconds(query, graphs, window)
        return "" if found.counts == counts else f"{found.counts} instead of {counts} answers"
    whole = (_detected if each.check == "intervals" else _whole)(query, graphs, window)
    if found.counts != whole.counts:
        return f"{found.counts} instead of {whole.counts} answers"
    return "" if found == whole else "the counts are right, the lines are not"


_whole, _detected, _at_seconds = cache(expect), cache(expect_detected), cache(expect_each)


def ratios(results: Sequence[Contestant]) -> Iterator[Ratio[ContestantKey]]:
    """All pairs worth a look: R4 and a peer on one file, two workloads, two windows.

    Runs that are too `short` are left out; streams cut short for a peer serve that peer alone.
    """
    found = {each.key: each for each in results if not (each.failure or each.short)}
    full = max((key.graphs for key in found), default=0)
    windows = sorted({key.window for key in found if key.window}, key=milliseconds)
    for key, each in found.items():
        if key.runner != "r4":
            continue
        for other in found.values():
            if other.key.runner != "r4" and _same_file(key, other.key):
                yield _ratio(each, other, OVER_PEERS.get((key.workload, other.key.runner)))
        if key.graphs < full:
            continue
        if key.workload in OVER_Q1 and (base := found.get(key._replace(workload="q1"))):
            yield _ratio(each, base, OVER_Q1[key.workload])
        if key.window == windows[-1] != windows[0]:
            base = found.get(key._replace(window=windows[0]))
            if base:
                yield _ratio(each, base, OVER_SHORT)


def _same_file(ours: ContestantKey, theirs: ContestantKey) -> bool:
    if not theirs.window:
        return theirs[1:] == (WORKLOADS[ours.workload].stream, "", ours.graphs)
    return theirs[1:] == ours[1:]


def _ratio(over: Contestant, of: Contestant, most: float | None) -> Ratio[ContestantKey]:
    seconds = ([usage.seconds for usage in each.usages] for each in (over, of))
    return Ratio(
        over.key,
        of.key,
        paired_median(over.after_start, of.after_start),
        paired_median(*seconds),
        most,
        work=paired_median(over.work, of.work),
    )


def findings(
    results: Sequence[Contestant],
    unanswered: Sequence[tuple[str, str, str]] = (),
    versions: Mapping[str, str] = MappingProxyType({}),
) -> Findings:
    """Tables and pictures; also of peers that have no answer, and of what the user installed."""
    return Findings(
        [*_tables(results, unanswered, versions)],
        {
            "installations": dict(versions),
            "missing": [
                dict(zip(("peer", "workload", "reason"), each, strict=True)) for each in unanswered
            ],
            "runs": [each.json(**_figures(each)) for each in results],
            "ratios": ratios_json(ratios(results)),
        },
        first_wrong(results),
        [*draw_streams(results)],
    )


def _figures(each: Contestant) -> dict[str, Json]:
    figures: dict[str, Json] = {"triples": each.key.triples}
    if not each.failure:
        figures |= {
            "seconds": each.seconds,
            "triples_per_second": each.rate,
            "start": each.start,
            "peak": each.peak,
            "answers": None if each.answers is None else asdict(each.answers),
            "latency": None if each.latency is None else asdict(each.latency),
        }
    return figures


def _tables(
    results: Sequence[Contestant],
    unanswered: Sequence[tuple[str, str, str]],
    versions: Mapping[str, str],
) -> Iterator[TextTable]:
    yield from tabled(
        "Medians; the start of a process is left out of seconds and triples/s.",
        (
            *("", "triples", "seconds", "least, most", "triples/s", "start", "CPU", "peak MB"),
            *("+", "-", "answers"),
        ),
        map(_row, results),
    )
    yield from tabled(
        "Ratios of times, medians over the rounds.",
        ("", "over", "ratio", "with start", "of CPU time", "bound", ""),
        (
            (
                *(str(each.over), str(each.of)),
                *(f"{each.net:.3f}", f"{each.gross:.3f}", f"{each.work:.3f}"),
                "" if each.most is None else f"{each.most:.2f}",
                "" if each.most is None else "kept" if each.kept else "missed",
            )
            for each in ratios(results)
        ),
        texts=2,
    )
    if any(each.latency for each in results):
        yield from tabled(
            "Processor time of a graph under the longest window, from one run that takes graph"
            " by graph: R4 in a program that adds each, peers as above.",
            ("", "graphs", "median µs", "99 % µs", ""),
            _latency_rows(results),
        )
    yield from tabled("What peers have no answer to.", ("", "", ""), unanswered, texts=3)
    yield from tabled("Peers that the user installed.", ("", ""), versions.items(), texts=2)


def _row(each: Contestant) -> tuple[str, ...]:
    who = str(each.key), f"{each.key.triples:,}"
    if each.failure:
        return (*who, *[""] * 8, each.failure)
    times = (
        ("too short", "", "")
        if each.short
        else (
            f"{each.seconds:.2f}",
            f"{min(each.after_start):.2f}, {max(each.after_start):.2f}",
            f"{each.rate:,.0f}",
        )
    )
    found = each.answers
    is_large = each.key.runner == "r4" and each.peak > MOST_PEAK
    return (
        *who,
        *times,
        f"{each.start:.2f}",
        f"{each.cpu:.2f}",
        format_megabytes(each.peak) + "!" * is_large,
        *(("", "") if found is None else (f"{found.inserted:,}", f"{found.deleted:,}")),
        "" if each.check == "nothing" else each.wrong or "right",
    )


def _latency_rows(results: Sequence[Contestant]) -> Iterator[tuple[str, ...]]:
    """Whose latency was measured, and one row for each who has none."""
    why = {"nothing": "answers nothing", "seconds": "is asked once a second"}
    unknown = set()
    for each in results:
        if each.latency is not None:
            figures = each.latency.graphs, each.latency.median, each.latency.high
            yield (str(each.key), *(f"{figure:,.0f}" for figure in figures), "")
        elif not (each.failure or each.marked or each.key[:2] in unknown):
            unknown.add(each.key[:2])
            yield str(each.key), "", "?", "?", why.get(each.check, "does not tell")
