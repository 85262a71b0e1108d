"""A DataFrame of statements with times is a stream: the one that its rows say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import r4.spark
from r4.errors import InputError
from r4.spark.loading.stream_files import write_batches
from tests.simulation.command import call

pa = pytest.importorskip("pyarrow")
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RULES = """Document(Prefix(ex <http://e.x/>) Window(30 s) Group(
  Forall ?s ?v (?s[ex:high -> ?v] :- And(?s[ex:at -> ex:sea] ?s[ex:value -> ?v]))))"""


def rows(count: int) -> list[tuple[str, str, str, str, datetime]]:
    """Elements of two statements, one in two seconds; the first and the last share their name."""
    found = []
    for number in range(count):
        at = NOON + timedelta(seconds=2 * number, milliseconds=number)
        name, sensor = f"<http://e.x/g{number % (count - 1)}>", f"<http://e.x/s{number % 3}>"
        found.append((sensor, "<http://e.x/at>", "<http://e.x/sea>", name, at))
        found.append((sensor, "<http://e.x/value>", f'"{number}"', name, at))
    return found


def written(given: list[tuple[str, str, str, str, datetime]]) -> str:
    """The same as N-Quads, by hand."""
    lines, before = [], None
    for s, p, o, g, at in given:
        if before != (g, at):
            stamp = f'"{at:%Y-%m-%dT%H:%M:%S.%f}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
            lines.append(f"\n{g} <http://www.w3.org/ns/prov#generatedAtTime> {stamp} .\n")
            before = (g, at)
        lines.append(f"{s} {p} {o} {g} .\n")
    return "".join(lines)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_batches_of_any_size_are_the_same_lines(size: int, tmp_path: Path) -> None:
    given = rows(20)
    table = pa.table(dict(zip("spogt", zip(*given, strict=True), strict=True)))
    batches = iter(table.to_batches(max_chunksize=size))
    told = write_batches(tmp_path / "part.nq", batches)
    assert (tmp_path / "part.nq").read_text() == written(given)
    assert told == {"elements": 20, "statements": 40, "bad": 0, "samples": []}


def test_whole_numbers_are_ticks_and_what_is_no_statement_is_counted(tmp_path: Path) -> None:
    a = "<http://e.x/a>"
    good = (a, a, '"x"', a, 7)
    forged = (a, a, f"{a} {a} .\n{a} {a} {a}", a, 8)
    bad = [(a, None, a, a, 8), (a, a, a, None, 8), (a, a, a, "", 8), (a, a, a, a, None), forged]
    table = pa.table(dict(zip("spogt", zip(good, *bad, strict=True), strict=True)))
    told = write_batches(tmp_path / "part.nq", iter(table.to_batches()))
    stamp = '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert (tmp_path / "part.nq").read_text() == (
        f'\n{a} <http://www.w3.org/ns/prov#generatedAtTime> {stamp} .\n{a} {a} "x" {a} .\n'
    )
    assert (told["elements"], told["statements"], told["bad"]) == (1, 1, 5)


@pytest.mark.slow
def test_a_frame_in_any_order_has_the_answers_of_its_stream(
    spark: SparkSession, tmp_path: Path, jobs: Callable[[], list[str]]
) -> None:
    given = rows(200)
    frame = spark.createDataFrame(
        [given[number * 7 % 400] for number in range(400)],
        "s string, p string, o string, g string, t timestamp",
    )
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    told = r4.spark.write_stream(frame, tmp_path / "into")
    assert (told.elements, told.statements, told.bad, told.samples) == (200, 400, 0, ())
    assert "r4 write a stream" in jobs()
    parts = sorted((tmp_path / "into").iterdir())
    assert all(part.suffix == ".nq" for part in parts)
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "by_hand.nq").write_text(written(given))
    (tmp_path / "all.nq").write_text("".join(part.read_text() for part in parts))
    rules = str(tmp_path / "rules.rif")
    right = call(["run", rules, str(tmp_path / "by_hand.nq")])
    assert right.out.count("\n") > 200
    assert call(["run", rules, str(tmp_path / "all.nq")]).out == right.out
    with pytest.raises(InputError, match="is not empty"):
        r4.spark.write_stream(frame, tmp_path / "into")
    with pytest.raises(InputError, match="its columns are to be s, p, o, g, t"):
        r4.spark.write_stream(frame.drop("g"), tmp_path / "other")
    with pytest.raises(InputError, match="it is to be a timestamp or a whole number"):
        r4.spark.write_stream(frame.withColumn("t", frame["s"]), tmp_path / "other")
    assert not (tmp_path / "other").exists()
