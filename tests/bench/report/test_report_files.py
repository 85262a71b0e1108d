"""A report as a folder: what was found, in three formats, with pictures."""

from __future__ import annotations

import json
import re
from unittest.mock import patch
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.benchmark import Benchmark
from bench.harness.process_usage import RunFailed, Usage
from bench.report.files import write_report
from bench.report.plot import Line, decades, draw, from_zero
from bench.report.report import united
from bench.suites.stream_contestants import Contestant, ContestantKey
from bench.suites.stream_pictures import draw_streams
from bench.suites.streams import findings


def runs(runner: str, window: str, graphs: int, seconds: float, *memory: int) -> Contestant:
    key = ContestantKey(runner, "q3", window, graphs)
    made = Contestant(key, command=(), idle=(), check="nothing")
    made.runs = [(Usage(seconds + 1, seconds, 10, memory), None)]
    made.idles = [Usage(1.0, 0.0, 10)]
    return made


SERIES = [
    runs("r4", "1s", 1000, 1.1, 10_000_000, 20_000_000, 30_000_000),
    runs("r4", "10s", 1000, 11.0, 0, 20_000_000, 30_000_000, 40_000_000, 50_000_000),
    runs("r4", "1s", 500, 0.5),
    runs("a|b", "1s", 500, 5.5),
    runs("a|b", "10s", 500, 55.0, 1, 2),
    runs("once", "10s", 1000, 1.0),
]


def places(picture: str, colour: str) -> list[tuple[float, float]]:
    found = re.findall(rf'<circle cx="([\d.]+)" cy="([\d.]+)" r="3" fill="{colour}"/>', picture)
    return [(float(x), float(y)) for x, y in found]


def test_time_over_the_window_is_drawn_of_whoever_ran_under_two_windows():
    drawn = dict(draw_streams(SERIES))
    assert sorted(drawn) == ["memory-q3.svg", "time-q3.svg"]
    picture = drawn["time-q3.svg"]
    # 1.1 s for 11,000 triples are 100 s for a million; the axes end at 10 s and at 10,000 s.
    assert places(picture, "#3b82c4") == [(112.0, 336.0), (490.0, 206.0)]
    assert places(picture, "#c77a1c") == [(112.0, 206.0), (490.0, 76.0)]
    assert "a|b, 5,500 triples" in picture
    assert "once" not in picture
    assert ET.fromstring(picture).tag.endswith("svg")  # noqa: S314 - our own


def test_memory_is_drawn_of_runs_that_were_looked_at_thrice_under_the_longest_window():
    picture = dict(draw_streams(SERIES))["memory-q3.svg"]
    drawn = places(picture, "#3b82c4")
    assert [x for x, _ in drawn] == [70.0, 175.0, 280.0, 385.0, 490.0]
    assert [y for _, y in drawn] == [336.0, 232.0, 180.0, 128.0, 76.0]
    assert "#c77a1c" not in picture
    assert "window 10s" in picture


def test_memory_is_not_drawn_of_a_run_that_had_none_whenever_it_was_looked_at():
    assert "memory-q3.svg" not in dict(draw_streams([runs("r4", "1s", 1000, 1.1, 0, 0, 0)]))


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (10, ["0", "2", "4", "6", "8", "10"]),
        (1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (3.2, ["0", "1", "2", "3", "4"]),
        (9, ["0", "2", "4", "6", "8", "10"]),
    ],
)
def test_an_axis_from_zero_has_round_steps_and_room_for_all(most, labels):
    axis = from_zero(most)
    assert [tick.label for tick in axis.ticks] == labels
    assert 0 <= axis.share(most) <= 1


def test_decades_go_around_all_values():
    assert [tick.label for tick in decades([0.02, 5]).ticks] == ["0.01", "0.1", "1", "10"]
    assert [tick.label for tick in decades([10], times=1000).ticks] == ["10,000", "100,000"]


def test_names_are_escaped_in_pictures():
    picture = draw("<t>", "&", [Line("<b>", [(0, 1), (1, 10)])], from_zero(1), decades([1, 10]))
    assert ET.fromstring(picture) is not None  # noqa: S314 - our own
    assert "<b>" not in picture


def test_a_report_has_the_same_cells_in_each_format(tmp_path):
    missing = [("a|b", "q4", "no <joins>")]
    report = united([findings(SERIES, missing, {"a|b": "1.0"})])
    write_report(report, "r4 bench 'q3'", tmp_path / "new" / "report")
    folder = tmp_path / "new" / "report"
    found = json.loads((folder / "report.json").read_text())
    markdown, html = (folder / "report.md").read_text(), (folder / "report.html").read_text()
    assert found["command"] == "r4 bench 'q3'"
    assert found["machine"]["cores"]
    assert found["missing"] == [{"peer": "a|b", "workload": "q4", "reason": "no <joins>"}]
    assert "| a&#124;b | q4 | no <joins> |" in markdown
    assert (
        "<td class=text>a|b</td><td class=text>q4</td><td class=text>no &lt;joins&gt;</td>" in html
    )
    assert "| r4 q3 1s | 11,000 | 1.10 | 1.10, 1.10 | 10,000 |" in markdown
    assert "<td class=text>r4 q3 1s</td><td>11,000</td><td>1.10</td>" in html
    assert (folder / "time-q3.svg").read_text() in html
    assert "![time-q3](time-q3.svg)" in markdown
    assert html.count("<table>") == 1 + len(report.tables)
    widths = {line.count("|") for line in markdown.splitlines() if line.startswith("| r4 q3")}
    assert len(widths) == 2  # runs, and ratios


@pytest.mark.slow
def test_the_command_writes_one_without_the_places_where_things_are(tmp_path):
    args = ("q1", "--size", "small", "--triples", "2200", "--window", "1s")
    peers = ("--peer", "python", "--peer", f"etalis={tmp_path}")
    places = ("--report", str(tmp_path / "report"), "--folder", str(tmp_path))
    done = CliRunner().invoke(
        command, [*args, *peers, *places], standalone_mode=False, catch_exceptions=False
    )
    assert done.return_value == 0
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    assert found["command"] == (
        "r4 bench q1 --size small --triples 2200 --window 1s --peer python --peer etalis=FOLDER"
    )
    assert [len(run["runs"]) for run in found["runs"]] == [1, 1]


def test_what_was_found_before_a_benchmark_fails_is_written(tmp_path):
    def fail(_):
        raise RunFailed(("some", "command"), 3, "no memory")

    first = Benchmark({"q1": ""}, lambda _: findings(SERIES))
    last = Benchmark({"q2": ""}, fail)
    with patch("bench.command.NAMES", {"q1": first, "q2": last}):
        done = CliRunner().invoke(command, ("q1", "q2", "--report", str(tmp_path)))
    assert (done.exit_code, "no memory" in done.output) == (1, True)
    assert "r4 q3 1s" in done.output
    assert len(json.loads((tmp_path / "report.json").read_text())["runs"]) == len(SERIES)
