"""The benchmarks of `r4 bench` by name: what runs, and what it gives for the report.

A new benchmark is a name among `NAMES`, a line in `listing` and a row of `BENCHMARKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.harness.tables import TextTable
from bench.report.closure_report import ClosureFindings
from bench.report.comparison_report import ComparisonFindings, EngineFindings, MemoryFindings
from bench.report.format_report import FormatFindings
from bench.report.report import Findings
from bench.report.retraction_report import RetractionFindings
from bench.report.sensor_report import SensorFindings
from bench.report.spark_report import LoadFindings, ShardFindings
from bench.report.temporal.hypothesis_report import HypothesisFindings, PossibleFindings
from bench.report.temporal.metric_stream_report import MetricStreamFindings
from bench.report.temporal.mtl_report import ModelFindings
from bench.report.temporal.update_report import UpdateFindings
from bench.suites.bulk_load import run_load
from bench.suites.comparison import run_comparison
from bench.suites.contestants import PEERS, contestants, unanswered
from bench.suites.engine_rate import measure_engine
from bench.suites.graphs.closure import CLOSERS, run_closures
from bench.suites.graphs.retraction import run_retractions
from bench.suites.graphs.stream_entailment import run_entailed_streams
from bench.suites.input_formats import measure_formats
from bench.suites.memory_growth import TIMES, measure_growth
from bench.suites.peer import Installation, Peer, milliseconds
from bench.suites.sensor_streams import run_sensors
from bench.suites.sharded_stream import run_sharded
from bench.suites.temporal.hypotheses import run_hypotheses
from bench.suites.temporal.metric_streams import run_metric_streams
from bench.suites.temporal.model_updates import run_updates
from bench.suites.temporal.mtl_models import REASONERS, run_models
from bench.suites.temporal.possible_answers import run_possible
from bench.suites.temporal.slice_updates import MAINTAINERS, run_slices
from bench.workloads.catalogue import WORKLOADS, Files
from bench.workloads.graphs.retraction_graphs import RETRACTION_GRAPHS
from bench.workloads.sensors.sensor_queries import SENSOR_QUERIES
from bench.workloads.temporal.metric_programs import PUBLISHED
from bench.workloads.temporal.sumo_streams import STREAMS

ENGINE: Final = "engine"
FORMATS: Final = "formats"
MEMORY: Final = "memory"
CLOSURE: Final = "closure"
RETRACTION: Final = "retraction"
MTL: Final = "mtl"
MTL_STREAM: Final = "mtl-stream"
MTL_UPDATE: Final = "mtl-update"
HYPOTHESES: Final = "hypotheses"
SENSORS: Final = tuple(dict.fromkeys(query.benchmark for query in SENSOR_QUERIES.values()))
"""The benchmarks of published streams."""
LOAD: Final = "load"
SPARK: Final = "spark"
NAMES: Final = (
    *WORKLOADS,
    *(ENGINE, FORMATS, MEMORY, CLOSURE, RETRACTION, MTL, MTL_STREAM, MTL_UPDATE, HYPOTHESES),
    *SENSORS,
    *(LOAD, SPARK),
)
GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "streams": ("q1", "q2", "q3", "q4"),
    "sensors": SENSORS,
}
"""Names for several of `NAMES`."""
ALL_PEERS: Final[Mapping[str, Peer]] = {**PEERS, **CLOSERS, **REASONERS, **MAINTAINERS}


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be measured, and where.

    Attributes:
        names: of what is measured.
        windows: of the rules over streams, the shortest first.
        triples: the length of the streams.
        sizes: triples of the graphs that are closed.
        share: how much there is of what ``--share`` concerns.
        models: the programs with metric time whose files are there.
        data: the folder of files that are not shipped.
        peers: whom R4 is compared with.
        installations: where peers are that the user installed, and what is there.
        rounds: how often everybody runs.
        folder: has all files.
        say: shows a line on what runs.
    """

    names: Sequence[str]
    windows: Sequence[str]
    triples: int
    sizes: Sequence[int]
    share: float
    models: Sequence[str]
    data: Path
    peers: Sequence[str]
    installations: Mapping[str, Installation]
    rounds: int
    folder: Path
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What runs for some names.

    Attributes:
        names: it runs if one of these is requested.
        nothing: what is reported if it does not run.
        run: measures what is requested.
    """

    names: tuple[str, ...]
    nothing: Findings
    run: Callable[[Request], Findings]

    def runs(self, request: Request) -> bool:
        """Whether it is requested."""
        return any(name in self.names for name in request.names)


def _comparison(request: Request) -> ComparisonFindings:
    names = [name for name in request.names if name in WORKLOADS]
    peers = [name for name in request.peers if name in PEERS]
    files = Files(request.folder)
    installed = {name: at for name, at in request.installations.items() if name in PEERS}
    paths = {name: found.path for name, found in installed.items()}
    entries = contestants(names, request.windows, request.triples, peers, files, paths)
    return ComparisonFindings(
        run_comparison(entries, request.rounds, request.folder, request.say),
        list(unanswered(names, peers)),
        {name: found.version for name, found in installed.items()},
    )


def _memory(request: Request) -> MemoryFindings:
    longest = max(request.windows, key=milliseconds)
    found = measure_growth((longest,), request.triples, request.folder, request.say)
    return MemoryFindings(list(found))


def _engine(request: Request) -> EngineFindings:
    return EngineFindings(list(measure_engine(request.triples, request.folder, request.say)))


def _formats(request: Request) -> FormatFindings:
    where = request.folder, request.say
    return FormatFindings(measure_formats(request.triples, request.rounds, *where))


def _closure(request: Request) -> ClosureFindings:
    rounds, folder, say = request.rounds, request.folder, request.say
    return ClosureFindings(
        run_closures(request.sizes, request.peers, rounds, folder, say),
        list(run_entailed_streams(request.sizes, rounds, folder, say)),
    )


def _retraction(request: Request) -> RetractionFindings:
    where = request.rounds, request.folder, request.say
    return RetractionFindings(run_retractions(request.share, request.peers, *where))


def _models(request: Request) -> ModelFindings:
    share, peers, rounds = request.share, request.peers, request.rounds
    where = request.folder, request.say
    found = run_models(request.models, request.data, share, peers, rounds, *where)
    return ModelFindings(found, share)


def _model_updates(request: Request) -> UpdateFindings:
    names, data = request.models, request.data
    rounds, folder, say = request.rounds, request.folder, request.say
    installed = {name: at for name, at in request.installations.items() if name in MAINTAINERS}
    paths = {name: at.path for name, at in installed.items() if name in request.peers}
    return UpdateFindings(
        *run_updates(names, data, request.share, rounds, folder, say),
        run_slices(names, data, paths, rounds, folder, say),
        {name: at.version for name, at in installed.items()},
    )


def _metric_streams(request: Request) -> MetricStreamFindings:
    where = request.rounds, request.folder, request.say
    return MetricStreamFindings(run_metric_streams(tuple(STREAMS), request.data, *where))


def _sensors(request: Request) -> SensorFindings:
    names = [name for name in request.names if name in SENSORS]
    how = request.data, request.triples, request.peers, request.rounds
    return SensorFindings(run_sensors(names, *how, request.folder, request.say))


def _hypotheses(request: Request) -> HypothesisFindings:
    return HypothesisFindings(
        run_hypotheses(request.share, request.rounds, request.folder, request.say)
    )


def _load(request: Request) -> LoadFindings:
    return LoadFindings(run_load(request.triples, request.rounds, request.folder, request.say))


def _shards(request: Request) -> ShardFindings:
    return ShardFindings(run_sharded(request.triples, request.rounds, request.folder, request.say))


def _possible(request: Request) -> PossibleFindings:
    return PossibleFindings(
        run_possible(request.share, request.rounds, request.folder, request.say)
    )


BENCHMARKS: Final[Sequence[Benchmark]] = (
    Benchmark(tuple(WORKLOADS), ComparisonFindings(), _comparison),
    Benchmark(SENSORS, SensorFindings(), _sensors),
    Benchmark((MEMORY,), MemoryFindings(), _memory),
    Benchmark((ENGINE,), EngineFindings(), _engine),
    Benchmark((FORMATS,), FormatFindings(), _formats),
    Benchmark((CLOSURE,), ClosureFindings(), _closure),
    Benchmark((RETRACTION,), RetractionFindings(), _retraction),
    Benchmark((MTL,), ModelFindings(), _models),
    Benchmark((MTL_STREAM,), MetricStreamFindings(), _metric_streams),
    Benchmark((MTL_UPDATE,), UpdateFindings(), _model_updates),
    Benchmark((HYPOTHESES,), HypothesisFindings(), _hypotheses),
    Benchmark((LOAD,), LoadFindings(), _load),
    Benchmark((SPARK,), ShardFindings(), _shards),
    Benchmark((HYPOTHESES,), PossibleFindings(), _possible),
)
"""In the order in which they run, and stand in the report."""


def spread(names: Sequence[str]) -> Iterator[str]:
    """The names with those of groups in their place."""
    for name in names:
        yield from GROUPS.get(name, (name,))


def listing() -> Iterator[TextTable]:
    """What the names stand for, and who the peers are."""
    rows = [(name, " ".join(members)) for name, members in GROUPS.items()]
    rows += ((name, workload.description) for name, workload in WORKLOADS.items())
    rows.append((ENGINE, "the engine alone, at several batch sizes, on each kernel back end"))
    rows.append((FORMATS, "a triple in each input format, against pyoxigraph parsing alone"))
    looking = "of rules that look back on offers, of which some are retracted"
    rows.append(
        (MEMORY, f"memory of q1, and {looking}; on a stream, and one {TIMES} times as long")
    )
    rows.append((CLOSURE, "what follows from a university, under RDFS and OWL 2 RL, all at once"))
    rows.append(
        (RETRACTION, "facts are taken back from graphs, against computing what is left anew")
    )
    rows += ((f"  {name}", graph.description) for name, graph in RETRACTION_GRAPHS.items())
    rows.append((MTL, "all that follows from published rules with metric time; see --data"))
    rows += ((f"  {name}", published.description) for name, published in PUBLISHED.items())
    rows.append((MTL_STREAM, "published streams of facts with metric time; see --data"))
    rows.append((MTL_UPDATE, "models of the same rules follow changes of their facts; see --data"))
    rows += ((name, "queries over published streams; see --data") for name in SENSORS)
    rows += ((f"  {name}", query.description) for name, query in SENSOR_QUERIES.items())
    rows.append((HYPOTHESES, "what late readings make possible, against the plain network"))
    rows.append((LOAD, "bulk loading on Spark, and a rule on what is loaded"))
    rows.append((SPARK, "a stream over shards on Spark, against one network"))
    yield TextTable("Workloads:", ("", ""), tuple(rows), texts=2)
    peers = ((name, peer.description) for name, peer in ALL_PEERS.items())
    yield TextTable("Peers:", ("", ""), tuple(peers), texts=2)
