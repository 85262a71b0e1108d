"""`r4 load` on Spark: the same tables, quietly; what is missing is said in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pyoxigraph as ox
import pytest

import r4.spark
from r4.cli import main
from r4.errors import InputError
from r4.spark.jobs import session
from r4.spark.jobs.session import SparkFailed
from r4.spark.loading.inputs import find_inputs
from r4.spark.loading.loader import BulkLoad
from r4.spark.loading.stages import SparkUnitRunner
from rif.syntax.terms import XSD
from tests.oracles.streams import parquet_folder
from tests.paths import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two files of lines, one of them in several parts, and a Turtle file."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, count in (("a.nt", 40_000), ("b.nq", 2000)):
        lines = (
            f'_:b{n % 7} <http://e.x/p{n % 5}> "{n}"^^<{XSD}integer> .\n' for n in range(count)
        )
        (folder / name).write_text("".join(lines))
    (folder / "c.ttl").write_text("<http://e.x/a> <http://e.x/p1> 'é'@fr . oops .")
    return folder


@pytest.mark.usefixtures("on_spark")
def test_the_tables_on_spark_are_those_of_the_files(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "into"
    with mock.patch("r4.spark.loading.inputs.LEAST_BYTES", 1 << 18):
        assert main(["load", str(data), "--into", str(into)]) == 0
    due = parquet_folder.parsed(data / "a.nt", 1, ox.RdfFormat.N_TRIPLES)
    due += parquet_folder.parsed(data / "b.nq", 2, ox.RdfFormat.N_QUADS)
    a, p = ox.NamedNode("http://e.x/a"), ox.NamedNode("http://e.x/p1")
    due += Counter([ox.Quad(a, p, ox.Literal("é", language="fr"))])
    assert parquet_folder.quads(into) == due
    out, err = capfd.readouterr()
    assert out == ""
    first, left, last = err.splitlines()
    assert "c.ttl:1: DAT101" in first
    assert left == f"left out: 1 × DAT101; see {into}/rejected"
    assert last.startswith("loaded: 42,001 triples with 5 predicates and 40,021 terms, of 3 file")


@pytest.mark.usefixtures("on_spark")
def test_strict_makes_nothing_if_something_is_left_out(data: Path, tmp_path: Path) -> None:
    into = tmp_path / "into"
    assert main(["load", str(data / "c.ttl"), "--into", str(into), "--strict"]) == 4
    assert list(into.iterdir()) == []
    assert main(["load", str(data / "b.nq"), "--into", str(into), "--strict"]) == 0


def test_jobs_say_what_they_do(
    spark: SparkSession, data: Path, tmp_path: Path, jobs: Callable[[], list[str]]
) -> None:
    load = BulkLoad(tmp_path / "into", SparkUnitRunner(spark))
    load.finish(load.read(find_inputs([str(data / "b.nq")])))
    told = jobs()
    assert "r4 load, 1 of 4: read 1 file(s) in 1 part(s)" in told
    assert "r4 load, 4 of 4: write 2,000 triples by predicate" in told


def test_a_unit_that_breaks_is_told_in_a_line(spark: SparkSession, tmp_path: Path) -> None:
    load = BulkLoad(tmp_path / "into", SparkUnitRunner(spark))
    (tmp_path / "a.nt").write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    read = load.read(find_inputs([str(tmp_path / "a.nt")]))
    for path in load.work.path.glob("*.arrow"):
        path.unlink()
    with pytest.raises(SparkFailed) as caught:
        load.finish(read)
    assert str(caught.value).startswith("Spark, 2 of 4: merge 3 terms")
    assert "FileNotFoundError" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_java_or_pyspark_a_line_says_what_to_install(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.nt").touch()
    command = ["load", str(tmp_path / "a.nt"), "--into", str(tmp_path / "into")]
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(command) == 2
    assert "Java is not installed: install Java 17 or later" in capfd.readouterr().err
    monkeypatch.setattr(session, "version_of", lambda _: None)
    assert main(command) == 2
    err = capfd.readouterr().err
    assert "pyspark is not installed: pip install -e '.[spark]'" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "into").exists()


@pytest.mark.soak
@pytest.mark.usefixtures("needs_spark")
def test_nothing_of_spark_is_said(tmp_path: Path) -> None:
    """A process of its own, as a user starts it; its Java has ended when it ends."""
    (tmp_path / "a.nt").write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    command = [sys.executable, "-m", "r4", "load", str(tmp_path / "a.nt")]
    done = subprocess.run(
        [*command, "--into", str(tmp_path / "into"), "--master", "local[1]"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("loaded: 1 triples with 1 predicates and 3 terms, of 1 file(s)")


def test_statements_of_a_frame_are_loaded_and_come_back(
    spark: SparkSession, tmp_path: Path
) -> None:
    a, p, b = (f"<http://e.x/{name}>" for name in "apb")
    rows = [(a, p, b, None), (a, p, '"é"@FR', a), ("_:x", p, "_:x", None)]
    more = f"{b} .\n{a} {p} {a}"
    bad = [(a, None, b, None), (a, p, '"1\n2"', None), (a, p, more, None), ("#", p, b, None)]
    frame = spark.createDataFrame([*rows, *bad], "s string, p string, o string, g string")
    report = r4.spark.load(frame.coalesce(1), tmp_path / "into")
    assert (report.triples, report.bad) == (3, {"DAT101": 4})
    told = [(sample.place, sample.message) for sample in report.samples]
    assert told == [(f"DataFrame:{n}", "a cell that is no term") for n in range(4, 8)]
    iri = {name: ox.NamedNode(f"http://e.x/{name}") for name in "apb"}
    x = ox.BlankNode("d1_x")
    assert parquet_folder.quads(tmp_path / "into") == Counter(
        [
            ox.Quad(iri["a"], iri["p"], iri["b"]),
            ox.Quad(iri["a"], iri["p"], ox.Literal("é", language="fr"), iri["a"]),
            ox.Quad(x, iri["p"], x),
        ]
    )
    tables = r4.spark.read(spark, tmp_path / "into")
    ids = {row.lexical: row.id for row in tables.terms.collect()}
    (row,) = tables.triples.where(tables.triples.o == ids["http://e.x/b"]).collect()
    assert (row.s, row.p, row.g) == (ids["http://e.x/a"], ids["http://e.x/p"], 0)
    arrow = r4.spark.to_arrow(tmp_path / "into")
    assert arrow.column_names == ["p", "s", "o", "g"]
    assert arrow["p"].to_pylist() == [ids["http://e.x/p"]] * 3
    assert ids["http://e.x/b"] in arrow["o"].to_pylist()


def test_a_frame_of_other_columns_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its columns are to be s, p, o, perhaps g"):
        r4.spark.load(spark.range(3), tmp_path / "into")
    assert not (tmp_path / "into").exists()
