"""Faults of a load, detected by what the tables say of random files."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyoxigraph as ox

from r4.spark.jobs import file_slices
from r4.spark.loading import inputs, loader, portions, predicate_parts, term_buckets
from r4.spark.loading.inputs import find_inputs
from r4.spark.loading.loader import BulkLoad, SplitReports
from r4.spark.loading.portions import Portions
from rete.arrays.delta import POS_INF
from tests.faults.detection import Fault, FaultArea
from tests.oracles.streams import parquet_folder
from tests.simulation.spark.in_process_units import LocalUnitRunner


def is_right(folder: Path, seed: int) -> bool:
    """Whether a load of some random files says what they say, and which lines it left out."""
    draw = random.Random(seed)  # noqa: S311 - a case, not a secret
    due: Counter[ox.Quad] = Counter()
    rejected = []
    paths = [folder / f"{number}.nq" for number in range(1, draw.randint(2, 3))]
    for number, path in enumerate(paths, 1):
        lines = [_line(draw) for _ in range(draw.randint(0, 25))]
        path.write_text("".join(f"{line}\n" for line in lines))
        for at, line in enumerate(lines, 1):
            if line == "nonsense":
                rejected.append((str(path), at))
                continue
            (quad,) = ox.parse(line, ox.RdfFormat.N_QUADS)
            s, o, g = (
                parquet_folder.scoped(part, number)
                for part in (quad.subject, quad.object, quad.graph_name)
            )
            due[ox.Quad(s, quad.predicate, o, g)] += 1
    sizes = {
        (inputs, "MOST_BYTES"): draw.randint(30, 200),
        (inputs, "LEAST_BYTES"): 1,
        (portions, "MOST_ROWS"): draw.randint(1, 6),
        (loader, "BUCKET_TERMS"): draw.randint(1, 9),
        (predicate_parts, "PART_ROWS"): draw.randint(1, 6),
        (predicate_parts, "MANY"): 1,
    }
    patches = [mock.patch.object(module, name, size) for (module, name), size in sizes.items()]
    for patch in patches:
        patch.start()
    try:
        begun = BulkLoad(folder / "x", LocalUnitRunner())
        begun.finish(begun.read(find_inputs(list(map(str, paths)))))
        found = parquet_folder.quads(folder / "x")
    except (AssertionError, ValueError, IndexError, KeyError):
        return False
    finally:
        for patch in patches:
            patch.stop()
    if found != due:
        return False
    if not rejected:
        return True
    rows = pq.read_table(folder / "x" / "rejected").to_pylist()
    return sorted((row["file"], row["line"]) for row in rows) == sorted(rejected)


def _line(draw: random.Random) -> str:
    if draw.random() < 0.1:
        return "nonsense"
    subject = draw.choice(["_:b", "<http://e.x/1>", "<http://e.x/2>"])
    value = draw.choice(["_:b", "<http://e.x/1>", f'"{draw.randint(0, 5)}"', '"é"@fr'])
    graph = draw.choice(["", " <http://e.x/g>"])
    return f"{subject} <http://e.x/p{draw.randint(1, 4)}> {value}{graph} ."


@contextmanager
def each_place_is_a_term() -> Iterator[None]:
    def distinct(hashes: np.ndarray, texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
        return np.argsort(hashes), np.ones(len(texts), np.bool_)

    with mock.patch.object(term_buckets, "distinct", distinct):
        yield


@contextmanager
def a_slice_begins_with_what_began_before() -> Iterator[None]:
    with mock.patch.object(file_slices._SliceLines, "_skip", return_value=None):
        yield


@contextmanager
def the_least_hashes_are_in_no_bucket() -> Iterator[None]:
    def bounds(buckets: int) -> list[int]:
        return [1 << 62, *portions.bounds(buckets)[1:]]

    with mock.patch.object(term_buckets, "bounds", bounds):
        yield


@contextmanager
def ids_of_a_portion_go_on_with_texts_of_the_next() -> Iterator[None]:
    def add(self: Portions, rows: np.ndarray) -> None:
        self.terms.sweep(POS_INF)
        whole(self, rows)

    whole = Portions.add
    with mock.patch.object(Portions, "add", add):
        yield


@contextmanager
def lines_are_those_of_the_split() -> Iterator[None]:
    with mock.patch.object(SplitReports, "lines", property(lambda self: [0] * len(self.reports))):
        yield


@contextmanager
def a_large_predicate_is_in_a_group_too() -> Iterator[None]:
    def shares(*args: object) -> Iterator[predicate_parts.PartUnit]:
        for share in whole(*args):  # type: ignore[arg-type]
            yield predicate_parts.PartUnit(
                share.name, share.portions, share.only, share.group, share.groups
            )

    whole = predicate_parts.shares
    with mock.patch.object(loader, "shares", shares):
        yield


def _detects(seed: int, fault: Fault) -> bool:
    with TemporaryDirectory() as folder, fault():
        return not is_right(Path(folder), seed)


AREA: Final = FaultArea(
    (
        each_place_is_a_term,
        a_slice_begins_with_what_began_before,
        the_least_hashes_are_in_no_bucket,
        ids_of_a_portion_go_on_with_texts_of_the_next,
        lines_are_those_of_the_split,
        a_large_predicate_is_in_a_group_too,
    ),
    _detects,
    cases=30,
)
