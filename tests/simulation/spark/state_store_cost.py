"""What the state of shards costs in snapshots, and in Spark's state store.

``python -m tests.simulation.spark.state_store_cost [ELEMENTS ...]``: a shard has the state of so
many elements, of the rules and the stream of ``r4 bench spark``, with a window that nothing leaves.
It is measured what it costs in each batch as a snapshot, and to read that back into a worker that
is built anew. Then the same bytes are the value of each of two keys of a streaming query, in each
of Spark's stores, and are written in every batch: the seconds of such a batch beyond those of a
query that has the same keys and keeps no state. The keys are of two tasks, side by side. Needs
protobuf besides the extra `spark`, for ``transformWithStateInPandas``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
from pyspark.sql.streaming.state import GroupStateTimeout
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from bench.workloads import gales
from r4.checkpoint import archive
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.spark.jobs.session import session
from r4.spark.partition import partition
from r4.spark.partition.shard_programs import ShardProgram, shard_program
from r4.spark.shards.worker import ShardWorker
from r4.spark.streaming.file_pieces import FilePiece, StreamInput
from r4.spark.streaming.front import Front
from r4.spark.streaming.piece_source import PiecedSource
from r4.stream.source import StreamOptions
from r4.time.ticks import TimeScale
from tests.generators.rules.parsers import parse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCHES: Final = 8
"""Of a query; the first two, in which all is begun, are left out."""
ROUNDS: Final = 5
RULES: Final = Path(gales.__file__).with_name("rules") / "gales.rif"
SIZES: Final = (900, 8_500, 17_000)
"""Elements whose facts are all in the window: of 1 MB, about 10 and about 30."""
KEYS: Final = (1, 2)
"""Two that Spark gives to two tasks."""
SETTINGS: Final = {"spark.sql.shuffle.partitions": str(len(KEYS))}
NOTHING: Final = "nothing"
PANDAS: Final = "applyInPandasWithState"
PROCESSOR: Final = "transformWithStateInPandas"
READ: Final = "transformWithStateInPandas that also reads it"
_STORES: Final = "org.apache.spark.sql.execution.streaming.state"
_STORE: Final = "spark.sql.streaming.stateStore"
STORES: Final = {
    "files": {f"{_STORE}.providerClass": f"{_STORES}.HDFSBackedStateStoreProvider"},
    "RocksDB": {f"{_STORE}.providerClass": f"{_STORES}.RocksDBStateStoreProvider"},
    "RocksDB, changelog": {
        f"{_STORE}.providerClass": f"{_STORES}.RocksDBStateStoreProvider",
        f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    },
}

KINDS: Final = (
    (PANDAS, "files"),
    (PANDAS, "RocksDB, changelog"),
    (PROCESSOR, "RocksDB"),
    (PROCESSOR, "RocksDB, changelog"),
    (READ, "RocksDB, changelog"),
)


def grown(share: ShardProgram, program: Program, elements: int, folder: Path) -> ShardWorker:
    """A worker that all these elements were given to."""
    path = folder / "gales.nq"
    path.write_text("".join(gales.stream(elements)), "utf-8")
    document = RdfDocument.of(str(path), 1)
    source = PiecedSource(StreamInput(str(path), 1, 1, folder=False), document, None)
    front = Front(partition(program, 1), [source], StreamOptions(names=True), by_value=False)
    worker = ShardWorker(share)
    for step in front.take([FilePiece(0, str(path), 1, 0, path.stat().st_size, last=True)]):
        worker.step(step.inputs[0])
    return worker


def least(act: Callable[[], object]) -> float:
    """Seconds that it takes, of a few tries the least."""
    found = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        act()
        found.append(perf_counter() - begun)
    return min(found)


class StateStoreProcessor(StatefulProcessor):
    """Keeps the bytes of a file for each key; and looks at what was kept if that is asked for."""

    def __init__(self, path: str, *, reads: bool) -> None:
        self._path = path
        self._reads = reads

    def init(self, handle: Any) -> None:
        self._state = handle.getValueState("state", "state binary")

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: Any,
        rows: Any,
        timerValues: Any,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        del timerValues
        list(rows)
        found = self._state.get() if self._reads else None
        data = Path(self._path).read_bytes()
        assert found is None or found[0] == data
        self._state.update((data,))
        yield pd.DataFrame({"key": [key[0]], "size": [len(data)]})

    def close(self) -> None:
        pass


def keyed(frame: DataFrame, kind: str, path: str) -> DataFrame:
    """The query that keeps the bytes of a file for each key, or none of them."""
    out, mode = "key long, size long", "update"
    if kind == NOTHING:

        def pass_on(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            for each in frames:
                size = len(Path(path).read_bytes())
                yield pd.DataFrame({"key": each["key"], "size": [size] * len(each)})

        return frame.repartition(len(KEYS), "key").mapInPandas(pass_on, out)

    def keep(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        list(frames)
        data = Path(path).read_bytes()
        state.update((data,))
        yield pd.DataFrame({"key": [key[0]], "size": [len(data)]})

    grouped = frame.groupBy("key")
    if kind == PANDAS:
        none = GroupStateTimeout.NoTimeout
        return grouped.applyInPandasWithState(keep, out, "state binary", mode, none)
    kept = StateStoreProcessor(path, reads=kind == READ)
    return grouped.transformWithStateInPandas(kept, out, mode, "None")


def seconds(spark: SparkSession, kind: str, store: Mapping[str, str], state: Path) -> float:
    """Seconds of a batch, the median."""
    for name, value in store.items():
        spark.conf.set(name, value)
    with TemporaryDirectory() as name:
        folder = Path(name, "in")
        folder.mkdir()
        for batch in range(BATCHES):
            (folder / f"{batch:03}.json").write_text("".join(f'{{"key":{key}}}\n' for key in KEYS))
        given = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1)
        frame = keyed(given.json(str(folder)), kind, str(state))
        sizes: list[int] = []

        def look(found: DataFrame, _: int) -> None:
            sizes.extend(row.size for row in found.collect())

        writer = frame.writeStream.outputMode("append" if kind == NOTHING else "update")
        writer = writer.foreachBatch(look).option("checkpointLocation", str(Path(name, "check")))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        assert sizes == [state.stat().st_size] * len(KEYS) * BATCHES, sizes
        told: list[float] = [
            each["durationMs"]["triggerExecution"] for each in query.recentProgress
        ]
    return median(told[2:BATCHES]) / 1000


def main(*elements: str) -> None:
    """Print what is found, size by size."""
    rules = parse(RULES.read_text("utf-8")).document
    program = replace(compile_document(rules, TimeScale()), window=10**9)
    share = shard_program(partition(program, 1), 0)
    with session("local[2]", more=SETTINGS) as spark:
        tasks = spark.range(KEYS[0], KEYS[1] + 1).selectExpr(f"pmod(hash(id), {len(KEYS)}) as task")
        assert len({row.task for row in tasks.collect()}) == len(KEYS)
        for count in map(int, elements or SIZES):
            with TemporaryDirectory() as name:
                measure(spark, grown(share, program, count, Path(name)), share, Path(name, "state"))


def measure(spark: SparkSession, worker: ShardWorker, share: ShardProgram, state: Path) -> None:
    """Print what is found of the state of a worker."""
    write = least(lambda: archive.write(state, worker.saved()))
    read = least(lambda: ShardWorker(share, resumes=archive.read(state)))
    say(f"a snapshot of {state.stat().st_size / 1e6:.1f} MB", write)
    say("  read back, with the network built", read)
    plain = seconds(spark, NOTHING, {}, state)
    say("a batch that keeps no state", plain)
    for kind, store in KINDS:
        say(f"  beyond it: {kind}, {store}", seconds(spark, kind, STORES[store], state) - plain)


def say(what: str, found: float) -> None:
    """A line, with the load of the machine."""
    load = Path("/proc/loadavg").read_text().split()[0]
    sys.stdout.write(f"{what:60} {found:8.3f} s  (load {load})\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
