"""`r4 bench spark` on a tiny stream; and the figures, of times that are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.process_usage import Usage
from bench.suites.spark import (
    BATCHES,
    LITTLE,
    SHARDS,
    ShardedReport,
    ShardedRuns,
    findings,
)


@pytest.mark.soak
@pytest.mark.usefixtures("needs_spark")
def test_a_tiny_stream_has_the_lines_of_one_network(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    args = ("spark", "--triples", "11000", "--repeat", "1", "--json", str(found))
    done = CliRunner().invoke(command, args, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    told = json.loads(found.read_text())["spark"]
    assert (told["triples"], told["wrong"]) == (11_000, "")
    assert sorted(told["shards"]) == [str(shards) for shards in SHARDS]
    for each in told["shards"].values():
        (large,), (little,) = each["large"], each["little"]
        assert (len(large["later"]), len(little["later"])) == (BATCHES - 1, LITTLE - 1)
        assert min(large["begun"], large["first"], *large["later"]) > 0
    assert "Streams over shards on Spark: 11,000 triples" in done.output


def test_a_rate_is_that_of_the_later_batches_of_the_best_run() -> None:
    found = ShardedRuns("r4 run", triples=1000)
    found.runs = [(Usage(3, 1, 1), []), (Usage(2.5, 1, 1), [])]
    found.idles = [Usage(0.5, 1, 1), Usage(0.7, 1, 1)]
    found.large[2] = [
        ShardedReport(9, 4, (1, 1, 1, 1), Usage(17, 1, 1)),
        ShardedReport(8, 5, (2, 2, 2, 2), Usage(21, 1, 1)),
    ]
    found.little[2] = [ShardedReport(9, 4, (0.5, 0.7, 3), Usage(17, 1, 1))]
    (table,) = findings(found).tables
    assert table.rows == (
        ("r4 run", "500", "", "", "", "", "2.5"),
        ("r4 spark, 2 shards", "200", "0.40", "8.0", "4.0", "0.70", "17.0"),
    )
    assert "Lines: right." in table.title
    assert not findings(found).wrong
    found.wrong = "2 shard(s): 3 lines, not these 4"
    assert findings(found).wrong
