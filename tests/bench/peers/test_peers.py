"""The peers answer the same question, exactly; so a comparison with them means something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.peers import hand_join
from bench.workloads.catalogue import WORKLOADS, Files
from bench.workloads.expected_answers import QUERIES, Outcome, expect, expect_each, outcome

COUNT = 1300


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Files:
    return Files(tmp_path_factory.mktemp("streams"))


def told(module: str, *args: object) -> Outcome:
    command = [sys.executable, "-m", f"bench.peers.{module}", *map(str, args)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return outcome(done.stdout.splitlines(keepends=True))


@pytest.mark.parametrize("stream", ["offers", "offers-shuffled"])
@pytest.mark.parametrize("window", [10, 1000, 10_000])
def test_the_join_by_hand_writes_every_line_that_brute_force_finds(stream, window, files, capsys):
    hand_join.main(str(files.stream(stream, COUNT)), window)
    lines = capsys.readouterr().out.encode().splitlines(keepends=True)
    assert outcome(lines) == expect("q1", COUNT, window)


def test_the_join_by_hand_is_short():
    text = Path(hand_join.__file__).read_text(encoding="utf-8")
    code = text.split('"""', 2)[2].splitlines()
    assert sum(bool(line) and not line.startswith(("import", "from")) for line in code) <= 60


@pytest.mark.parametrize("window", [1000, 5000])
@pytest.mark.parametrize("query", QUERIES)
def test_the_store_finds_what_holds_at_full_seconds(query, window, files):
    workload = WORKLOADS[query]
    stream, static = files.stream(workload.stream, COUNT), files.static(workload.static)
    found = told("store_requery", query, stream, static, window)
    assert found.counts == (0, *expect_each(query, COUNT, window))


@pytest.mark.parametrize("window", [1000, 5000])
def test_clips_writes_every_line_that_brute_force_finds(window, files):
    pytest.importorskip("clips", reason="clipspy is not installed")
    found = told("clips_rete", files.stream("offers", 700), window)
    assert found == expect("q1", 700, window)


def test_the_reader_writes_nothing(files):
    assert told("parse_only", files.stream("offers", 20)) == outcome([])
