"""`r4 bench` on tiny streams: everything it measures is right, and it says what it found."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from r4.bench.command import command
from r4.bench.report.comparison_report import EngineFindings
from r4.bench.report.report import BenchReport
from r4.bench.suites.engine_rate import EngineRate
from r4.bench.workloads.catalogue import WORKLOADS

TINY = ("--triples", "2200", "--repeat", "1")


def bench(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, args, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.output


def test_it_lists_what_can_be_measured():
    code, text = bench("--list")
    assert code == 0
    for name in (*WORKLOADS, "engine", "memory", "pyoxigraph", "clips"):
        assert f"\n{name} " in text


@pytest.mark.slow
def test_every_workload_gives_what_brute_force_gives(tmp_path):
    found = tmp_path / "found.json"
    code, text = bench(*WORKLOADS, *TINY, "--window", "1.5s", "--json", str(found))
    runs = json.loads(found.read_text())["runs"]
    assert [run["wrong"] for run in runs] == [""] * len(WORKLOADS)
    assert all(run["answers"]["inserted"] for run in runs)
    assert code == 0
    assert "q1-shuffled 1.5s" in text


@pytest.mark.slow
def test_a_peer_reads_the_same_file(tmp_path):
    found = tmp_path / "found.json"
    peers = ("--peer", "python", "--peer", "pyoxigraph", "--peer", "store")
    code, text = bench("q1", *TINY, "--window", "1s", *peers, "--json", str(found))
    told = json.loads(found.read_text())
    assert code == 0
    assert [run["runner"] for run in told["runs"]] == ["r4", "python", "pyoxigraph", "store"]
    assert told["machine"]["cores"]
    assert "python q1 1s" in text


@pytest.mark.slow
def test_memory_and_the_engine_alone_are_measured_and_checked(tmp_path):
    found = tmp_path / "found.json"
    code, _ = bench("memory", "engine", *TINY, "--window", "1s", "--json", str(found))
    told = json.loads(found.read_text())
    assert code == 0
    assert [(growth["name"], growth["triples"]) for growth in told["memory"]] == [
        ("q1", 2200),
        ("q1", 22_000),
        ("lookback", 2200),
        ("lookback", 22_000),
    ]
    assert all(growth["usage"]["peak"] > 1_000_000 for growth in told["memory"])
    assert {pace["kernels"] for pace in told["engine"]} <= {"compiled", "pure"}
    assert all(pace["rate"] > 0 for pace in told["engine"])


@pytest.mark.slow
def test_streams_can_be_kept(tmp_path):
    bench("q4", *TINY, "--window", "1s", "--folder", str(tmp_path))
    assert (tmp_path / "observations-200.nq").exists()


@pytest.mark.parametrize("window", ["soon", "1.00001s"])
def test_a_window_that_is_none_is_wrong_usage(window):
    done = CliRunner().invoke(command, ["q1", "--window", window])
    assert done.exit_code == 2
    assert "--window" in done.output


def test_a_table_aligns_its_columns():
    paces = [
        EngineRate("compiled", 11, 80_000.0, 130.2, 290.0),
        EngineRate("pure", 1100, 9.0, 1e6, 2e6),
    ]
    (table,) = BenchReport([EngineFindings(paces)]).tables()
    assert str(table).splitlines()[1:] == [
        "triples at a time   kernels  triples/s  median µs    99 % µs                 bound",
        "-----------------  --------  ---------  ---------  ---------  --------------------  ----",
        "11                 compiled     80,000        130        290  150 µs, 99 % 1000 µs  kept",
        "1,100                  pure          9  1,000,000  2,000,000",
    ]
