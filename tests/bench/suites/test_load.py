"""`r4 bench load` on a tiny stream; and which bounds it keeps, of figures that are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.process_usage import Usage
from bench.harness.rounds import Series
from bench.suites.load import ANSWER, ONE, PARSE, TWO, findings, load_bounds


@pytest.mark.soak
@pytest.mark.usefixtures("needs_spark")
def test_a_tiny_stream_is_loaded_and_asked(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    args = ("load", "--triples", "2200", "--repeat", "1", "--json", str(found))
    done = CliRunner().invoke(command, args, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    told = json.loads(found.read_text())["bulk"]
    assert (told["quads"], told["wrong"]) == (2400, "")
    assert sorted(told["runs"]) == sorted([PARSE, ONE, TWO, ANSWER])
    assert all(run["cpu"] > 0 for runs in told["runs"].values() for run in runs)
    assert "Bulk loading of 2,400 quads" in done.output


def test_ratios_are_those_of_a_round() -> None:
    usages = {
        PARSE: [Usage(10, 10, 1), Usage(20, 20, 1)],
        ONE: [Usage(30, 40, 1), Usage(60, 80, 1)],
        TWO: [Usage(20, 44, 1), Usage(40, 88, 1)],
        ANSWER: [Usage(1, 1, 400_000_000), Usage(4, 1, 400_000_000)],
    }
    runs = {name: Series(name, [(usage, None) for usage in each]) for name, each in usages.items()}
    found = [(limit.figure, limit.kept) for limit in load_bounds(runs)]
    assert found == [(0.5, True), (1.5, True), (1.1, True), (2.5, False), (400.0, True)]
    title, bounds = findings(1200, runs).tables
    assert "right" in bounds.title
    assert title.rows[0] == ("parse", "15.00", "80", "15.00", "0")
    assert [row[-1] for row in bounds.rows] == ["kept", "kept", "kept", "missed", "kept"]
