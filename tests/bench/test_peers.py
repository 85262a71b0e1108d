"""The peers answer the same question, exactly; so a comparison with them means something."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from r4.bench.expected import QUERIES, expect, expect_each
from r4.bench.peers import handjoin
from r4.bench.session import answers
from r4.bench.workloads import WORKLOADS, Files

COUNT = 1300


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Files:
    return Files(tmp_path_factory.mktemp("streams"))


def told(folder: Path, module: str, *args: object) -> Path:
    output = folder / "lines"
    with output.open("wb") as out:
        command = [sys.executable, "-m", f"r4.bench.peers.{module}", *map(str, args)]
        subprocess.run(command, stdout=out, check=True)
    return output


@pytest.mark.parametrize("stream", ["offers", "offers-shuffled"])
@pytest.mark.parametrize("window", [10, 1000, 10_000])
def test_the_join_by_hand_writes_every_line_that_brute_force_finds(stream, window, files, capsys):
    handjoin.main(str(files.stream(stream, COUNT)), window)
    lines = capsys.readouterr().out
    assert hashlib.sha256(lines.encode()).hexdigest() == expect("q1", COUNT, window).digest


def test_the_join_by_hand_is_short():
    text = Path(handjoin.__file__).read_text(encoding="utf-8")
    code = text.split('"""', 2)[2].splitlines()
    assert sum(bool(line) and not line.startswith(("import", "from")) for line in code) <= 60


@pytest.mark.parametrize("window", [1000, 5000])
@pytest.mark.parametrize("query", QUERIES)
def test_the_store_finds_what_holds_at_full_seconds(query, window, files, tmp_path):
    workload = WORKLOADS[query]
    stream, static = files.stream(workload.stream, COUNT), files.static(workload.static)
    found = answers(told(tmp_path, "requery", query, stream, static, window))
    assert found[:3] == (0, *expect_each(query, COUNT, window))


@pytest.mark.parametrize("window", [1000, 5000])
def test_clips_writes_every_line_that_brute_force_finds(window, files, tmp_path):
    pytest.importorskip("clips", reason="clipspy is not installed")
    found = answers(told(tmp_path, "rete_clips", files.stream("offers", 700), window))
    assert found.digest == expect("q1", 700, window).digest


def test_the_reader_writes_nothing(files, tmp_path):
    assert told(tmp_path, "parse", files.stream("offers", 20)).read_bytes() == b""
