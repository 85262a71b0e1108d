"""`r4 bench` on tiny streams: everything it measures is right, and it says what it found."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.suites.engine import EngineRate, findings
from bench.workloads.catalogue import WORKLOADS
from r4.sources.input_formats import INPUT_FORMATS

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
    absent = ("--peer", f"etalis={tmp_path}")
    code, text = bench("q1", *TINY, "--window", "1s", *peers, *absent, "--json", str(found))
    told = json.loads(found.read_text())
    assert code == 0
    assert [run["runner"] for run in told["runs"]] == ["r4", "python", "pyoxigraph", "store"]
    assert told["machine"]["cores"]
    assert "python q1 1s" in text
    assert f"left out: etalis: {tmp_path} has no src/etalis.P" in text


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
def test_each_input_format_is_read_right_and_compared_with_parsing_alone(tmp_path):
    found = tmp_path / "found.json"
    code, text = bench("formats", *TINY, "--json", str(found))
    costs = {each["name"]: each for each in json.loads(found.read_text())["formats"]}
    assert code == 0
    assert costs.keys() >= INPUT_FORMATS.keys() - {"parquet"}
    assert all(each["seconds"] > 0 for each in costs.values())
    assert costs["trig"]["parsed"] > 0
    assert costs["csv"]["parsed"] is None
    assert "ratio to N-Quads alone" in text


@pytest.mark.slow
def test_many_files_are_compared_with_one_in_time_and_answers(tmp_path):
    found = tmp_path / "found.json"
    code, text = bench("sources", "--triples", "60", "--repeat", "1", "--json", str(found))
    told = json.loads(found.read_text())["sources"]
    assert code == 0
    assert [bound["of"] for bound in told["bounds"]] == ["20 files over 1"] * 4
    assert all(bound["figure"] > 0 for bound in told["bounds"])
    assert "ndjson  20 files over 1" in text


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
    (table,) = findings(paces).tables
    assert str(table).splitlines()[1:] == [
        "triples at a time   kernels  triples/s  median µs    99 % µs                 bound",
        "-----------------  --------  ---------  ---------  ---------  --------------------  ----",
        "11                 compiled     80,000        130        290  150 µs, 99 % 1000 µs  kept",
        "1,100                  pure          9  1,000,000  2,000,000",
    ]


def stand_in(folder: Path, code: str) -> Path:
    """What looks like ETALIS, and a `swipl` that is none: it runs the code instead."""
    (folder / "etalis.P").touch()
    swipl = folder / "swipl"
    head = f"#!{sys.executable} -IS\nimport sys\n"
    swipl.write_text(
        f"{head}if sys.argv[1] == '--version': print('stand-in'), sys.exit()\n{code}\n"
    )
    swipl.chmod(0o755)
    return folder


@pytest.mark.slow
def test_a_wrong_answer_is_said_whoever_gave_it(tmp_path, monkeypatch):
    told = r"print(1704067200000, 1704067200000, 's', 'p', 'o', sep='\t')"
    monkeypatch.setenv("PATH", str(stand_in(tmp_path, told)), prepend=os.pathsep)
    found = tmp_path / "found.json"
    peers = ("--peer", f"etalis={tmp_path}", "--peer", "clips", "--json", str(found))
    code, text = bench("q2", *TINY, "--window", "1s", *peers)
    assert code == 1
    assert re.search(r"etalis q2 1s .* 1 +1 +\(0, 1, 1\) instead of \(0, \d+, \d+\) answers", text)
    assert "clips  q2  it is written for q1 alone" in text
    assert "etalis  stand-in" in text
    assert json.loads(found.read_text())["installations"] == {"etalis": "stand-in"}


@pytest.mark.parametrize(
    ("peer", "said"),
    [
        ("etalis", "Write etalis=FOLDER"),
        ("etalis=", "write etalis=FOLDER"),
        ("clips=/usr", "write clips"),
        ("nobody", "'nobody' is none of"),
    ],
)
def test_a_peer_is_named_with_its_path_if_it_needs_one(peer, said):
    done = CliRunner().invoke(command, ["q1", "--peer", peer])
    assert done.exit_code == 2
    assert said in done.output
