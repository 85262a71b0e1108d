"""`r4 spark` on Spark: the lines of `r4 run`, whatever the number of shards, and whatever dies."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

import pytest

from bench.workloads.catalogue import WORKLOADS, Files
from r4.spark.loading.inputs import find_inputs
from r4.spark.loading.loader import BulkLoad
from tests.generators.draw import from_seed
from tests.scenarios import test_csrbench
from tests.seeds import soak
from tests.simulation.command import call
from tests.simulation.spark.in_process_units import LocalUnitRunner
from tests.simulation.spark.process_kills import RULES, DisturbedRun, stream
from tests.simulation.spark.session import disagreement, sharded, within
from tests.simulation.spark.thread_hosts import lines_in

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow
triples, benchmark = test_csrbench.triples, test_csrbench.stream
"""Fixtures: the stream of the benchmark."""


@pytest.fixture
def on_spark(spark: SparkSession) -> Iterator[SparkSession]:
    """What `r4 spark` starts is the one session, which goes on."""
    with within(spark):
        yield spark


@pytest.mark.parametrize("seed", [4, *soak(9, 14, 27, 21)], ids=lambda seed: f"seed {seed}")
def test_random_cases_have_the_lines_of_one_network(on_spark, seed: int) -> None:
    """With facts that are taken back, negation, metric operators, late elements."""
    assert disagreement(on_spark, seed, set()) is None


@pytest.mark.usefixtures("on_spark")
def test_reports_at_marks_of_time_are_those_of_one_network(tmp_path: Path) -> None:
    rules, inputs = tmp_path / "rules.rif", tmp_path / "s.nq"
    rules.write_text(RULES)
    inputs.write_text(stream(from_seed(1), 40))
    common = ["--every=5", "--offset=2", "--report=state+empty", "--drain=20", "--window=2"]
    common.append("--window=<http://e/next>=3")
    printed = call(["run", str(rules), str(inputs), *common])
    given = ["spark", str(rules), "--input", str(inputs), *common]
    found = sharded(given, tmp_path, 3, 1500)
    assert found.code == 0, found.err
    assert lines_in(tmp_path / "out") == sorted(printed.lines()) != []
    assert any('"from"' not in line for line in printed.lines())


@pytest.mark.parametrize(
    ("name", "shards"),
    [("Q2", 7), *soak(("Q1", 1), ("Q3", 2), ("Q6", 4), ("Q7", 2))],
)
@pytest.mark.usefixtures("on_spark")
def test_the_queries_of_csrbench_have_the_lines_of_one_network(
    name: str,
    shards: int,
    benchmark: Path,
    tmp_path: Path,
) -> None:
    query = test_csrbench.QUERIES[name]
    common = ["--window", f"{query.window} s", "--drain"]
    rules = str(test_csrbench.RULES / query.rules)
    printed = call(["run", rules, str(benchmark), *common])
    size = benchmark.stat().st_size // 2
    found = sharded(["spark", rules, "--input", str(benchmark), *common], tmp_path, shards, size)
    assert (found.code, found.err) == (0, "")
    assert lines_in(tmp_path / "out") == sorted(printed.lines()) != []


@pytest.mark.parametrize(("name", "shards"), [("q2", 4), *soak(("q1", 2), ("q3", 7), ("q4", 1))])
@pytest.mark.usefixtures("on_spark")
def test_the_workloads_of_the_bench_have_the_lines_of_one_network(
    name: str, shards: int, tmp_path: Path
) -> None:
    """With rules that recur, static data, and joins of ten patterns."""
    workload, files = WORKLOADS[name], Files(tmp_path)
    stream, static = str(files.stream(workload.stream, 600)), str(files.static(workload.static))
    common = [str(workload.rules), "--static", static, "--window", "1.5s", "--drain"]
    printed = call(["run", *common, stream])
    size = Path(stream).stat().st_size // 2
    found = sharded(["spark", *common, "--input", stream], tmp_path, shards, size)
    assert (found.code, found.err) == (0, "")
    assert lines_in(tmp_path / "out") == sorted(printed.lines()) != []


SCHEMA = """\
@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Gust rdfs:subClassOf ex:Wind . ex:Wind rdfs:subClassOf ex:Weather . ex:of rdfs:domain ex:Gust .
ex:of rdfs:subPropertyOf ex:about .
"""


@pytest.mark.usefixtures("on_spark")
def test_what_follows_from_a_loaded_folder_alone_is_spread_over_shards(tmp_path: Path) -> None:
    schema, data = tmp_path / "schema.ttl", tmp_path / "data.nt"
    schema.write_text(SCHEMA, "utf-8")
    data.write_text("".join(f"<http://e/g{n}> <http://e/of> <http://e/s> .\n" for n in range(40)))
    rules, folder = tmp_path / "rules.rif", tmp_path / "loaded"
    rules.write_text("Document()", "utf-8")
    begun = BulkLoad(folder, LocalUnitRunner())
    begun.finish(begun.read(find_inputs([str(schema), str(data)])))
    common = [str(rules), "--static", str(folder), "--entailment", "rdfs", "--include-background"]
    printed = call(["run", *common])
    found = sharded(["spark", *common], tmp_path, 3, 1)
    assert (found.code, found.err) == (0, "")  # nothing is to come, so memory is bounded
    assert lines_in(tmp_path / "out") == sorted(printed.lines())
    assert len(list((tmp_path / "out").glob("part-end-*"))) == 3
    assert any("<http://e/Weather>" in line for line in printed.lines())


SKEWED = """\
Document(Prefix(ex <http://e/>) Window(9 ms)
 Group(
  Forall ?s ?t (?t[ex:alarm -> ?s] :- And(?s[ex:reports -> ex:gale] ?s[ex:station -> ?t]))
  Forall ?s (?s[ex:rough -> ex:yes] :- DiamondMinus [0 ms, 4 ms] (?s[ex:reports -> ex:gale]))
  Forall ?s ?t (?t[ex:quiet -> ?s] :- And(?s[ex:station -> ?t] Naf(?s[ex:rough -> ex:yes])))
 ))
"""


def test_nine_of_ten_facts_of_one_predicate_windows_and_late_data(on_spark, tmp_path: Path) -> None:
    """In four shards, one of which has most to do; then once more, which changes nothing."""
    lines = []
    for number in range(120):
        name, stamp = f"<urn:g{number}>", number - (6 if number % 10 == 9 else 0)
        lines.append(f'{name} <http://www.w3.org/ns/prov#generatedAtTime> "{stamp}"')
        lines[-1] += "^^<http://www.w3.org/2001/XMLSchema#integer> ."
        told = "station> <http://e/t" if number % 10 == 0 else "reports> <http://e/gale"
        lines.append(f"<http://e/s{number % 3}> <http://e/{told}> {name} .")
    text = "\n".join(lines).encode()
    (tmp_path / "s.nq.gz").write_bytes(gzip.compress(text, mtime=0))
    (tmp_path / "rules.rif").write_text(SKEWED)
    common = [str(tmp_path / "rules.rif"), "--delay", "1"]
    printed = call(["run", *common, str(tmp_path / "s.nq.gz")])
    args = ["spark", *common, "--input", str(tmp_path / "s.nq.gz")]
    found = sharded(args, tmp_path, 4, 1000)
    assert lines_in(tmp_path / "out") == sorted(printed.lines()) != []
    assert [line for line in found.err.splitlines() if line.startswith("late")] == [
        line for line in printed.err.splitlines() if line.startswith("late")
    ]
    again = sharded(args, tmp_path, 4, 1000)
    assert again.code == 0
    assert lines_in(tmp_path / "out") == sorted(printed.lines())
    says = _descriptions(on_spark)
    assert any(each.startswith("r4 spark rules.rif, 4 shard(s), batch 0") for each in says)


def _descriptions(spark: SparkSession) -> list[str]:
    """What the jobs of a session are called."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    found = [jobs.apply(number).description() for number in range(jobs.size())]
    return [each.get() for each in found if each.isDefined()]


@pytest.mark.usefixtures("on_spark")
def test_a_folder_goes_on_with_what_comes_to_it_and_with_the_same_rules_only(
    tmp_path: Path,
) -> None:
    lines = stream(from_seed(5), 60).splitlines(keepends=True)
    folder, rules = tmp_path / "in", tmp_path / "rules.rif"
    folder.mkdir()
    rules.write_text(RULES)
    args = ["spark", str(rules), "--delay", "2", "--input", str(folder)]
    cuts = [0, *(n for n, line in enumerate(lines) if "Time>" in line and n % 30 < 4), len(lines)]
    for number, (begin, end) in enumerate(pairwise(cuts)):
        (folder / f"{number:04}.nq").write_text("".join(lines[begin:end]))
        if number in {0, 1, len(cuts) - 2}:
            assert sharded(args, tmp_path, 2, 10_000).code == 0
            (tmp_path / "all.nq").write_text("".join(lines[:end]))
            printed = call(["run", str(rules), "--delay", "2", str(tmp_path / "all.nq")])
            assert lines_in(tmp_path / "out") == sorted(printed.lines())
    assert printed.lines()
    rules.write_text(RULES.replace("Window(12 ms)", "Window(13 ms)"))
    refused = sharded(args, tmp_path, 2, 10_000)
    assert refused.code == 2
    assert "R4407" in refused.err
    assert "other rules" in refused.err


@pytest.mark.usefixtures("on_spark")
def test_more_facts_than_the_limit_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "s.nq").write_text(stream(from_seed(1), 40))
    args = ["spark", str(tmp_path / "rules.rif"), "--input", str(tmp_path / "s.nq")]
    ended = sharded([*args, "--limit", "3"], tmp_path, 2, 10_000)
    assert ended.code == 5
    assert ended.err.splitlines()[-1].endswith("--limit allows more")


@pytest.mark.usefixtures("on_spark")
def test_asked_to_stop_it_stops_between_two_batches(tmp_path: Path) -> None:
    """Without --once it waits for files; a signal ends that, and the same command goes on."""
    lines = stream(from_seed(5), 60).splitlines(keepends=True)
    cut = next(n for n, line in enumerate(lines) if n > 90 and "Time>" in line)
    folder, rules = tmp_path / "in", tmp_path / "rules.rif"
    folder.mkdir()
    rules.write_text(RULES)
    (folder / "a.nq").write_text("".join(lines[:cut]))

    def come() -> None:
        wait_for(tmp_path / "check" / "states" / "0" / "front.r4")
        (tmp_path / "b").write_text("".join(lines[cut:]))
        (tmp_path / "b").rename(folder / "b.nq")
        wait_for(tmp_path / "check" / "states" / "1" / "front.r4")
        os.kill(os.getpid(), signal.SIGTERM)

    def wait_for(path: Path) -> None:
        while not path.exists():
            sleep(0.05)

    coming = Thread(target=come, daemon=True)
    coming.start()
    args = ["spark", str(rules), "--delay", "2", "--input", str(folder)]
    where = ["--output", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "check")]
    stopped = call([*args, *where, "--shards", "2"])
    coming.join()
    assert stopped.code == 0
    assert "stopped; the same command goes on from here" in stopped.err
    assert not list((tmp_path / "out").glob("part-end-*"))
    assert call([*args, *where, "--shards", "2", "--once"]).code == 0
    (tmp_path / "all.nq").write_text("".join(lines))
    printed = call(["run", str(rules), "--delay", "2", str(tmp_path / "all.nq")])
    assert lines_in(tmp_path / "out") == sorted(printed.lines()) != []


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("seed", "what"), soak((8, "the source"), (2, "the driver"), (15, "a worker"))
)
def test_who_is_killed_changes_nothing(seed: int, what: str, tmp_path: Path) -> None:
    run = DisturbedRun(seed, tmp_path)
    assert run.differs() is None
    assert run.what.startswith(what)
