"""Stamps of each datatype, zone and format: the instants that Python's datetime has."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyoxigraph as ox
import pytest

from r4.time.ticks import TimeScale
from tests.r4.sources.test_stamp_paths import (
    FORMATS,
    Triple,
    chain,
    held,
    number,
    options_of,
    written,
)

XSD = "http://www.w3.org/2001/XMLSchema#"
NGSI = "https://uri.etsi.org/ngsi-ld/"
SCHEMAS = ("http://schema.org/", "https://schema.org/")
ZONES = ("", "Z", "+05:30", "-11:00")
BY_TEXT = tuple(space + name for space in (NGSI, *SCHEMAS) for name in ("Date", "DateTime"))
"""Datatypes of other vocabularies, whose texts say what they are."""
DATE_TIMES = (f"{XSD}dateTime", f"{XSD}dateTimeStamp", *BY_TEXT)
DATES = [
    (f"{XSD}date", "-%m-%d"),
    (f"{XSD}gYearMonth", "-%m"),
    (f"{XSD}gYear", ""),
    *((datatype, form) for datatype in BY_TEXT for form in ("-%m-%d", "-%m", "")),
]
"""Datatypes of spans of days, with what their texts have behind the year."""
FIRSTS = ("2024-02-29", "1969-12-31", "2026-10-01")

LATE = replace(options_of(("t",)), delay=2**50)
"""The time predicate is t, and graphs come in any order."""


def tick(text: str, zone: str) -> int:
    """The milliseconds since 1970 of a dateTime; without zone it is in UTC."""
    instant = datetime.fromisoformat(f"{text}{zone or 'Z'}")
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // datetime.resolution // 1000


def first(form: str, day: str, zone: str) -> tuple[str, int]:
    """The text of the span of days in which ``day`` is, and its first tick."""
    year, month, of_month = day.split("-")
    begin = "-".join((year, month if "%m" in form else "01", of_month if "%d" in form else "01"))
    text = year + form.replace("%m", month).replace("%d", of_month)
    return text + zone, tick(f"{begin}T00:00:00", zone)


def behind(form: str, day: str, zone: str) -> int:
    """The first tick behind the span of days in which ``day`` is."""
    last = given = date.fromisoformat(day)
    while f"{last:%Y{form}}" == f"{given:%Y{form}}":
        last += timedelta(days=1)
    return tick(f"{last}T00:00:00", zone)


def stamp(text: str, datatype: str) -> ox.Literal:
    return ox.Literal(text, datatype=ox.NamedNode(datatype))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("datatype", DATE_TIMES)
@pytest.mark.parametrize("suffix", FORMATS)
def test_a_date_time_of_any_datatype_is_its_instant(
    suffix: str, datatype: str, zone: str, tmp_path: Path
) -> None:
    texts = ("2017-04-18T17:24:00", "2024-02-29T23:59:59.125", "1969-12-31T23:30:00")
    observations: list[list[Triple]] = []
    for place, text in enumerate(texts):
        subject = ox.NamedNode(f"urn:o{place}")
        value: Triple = (subject, "v", ox.Literal(str(place)))
        observations.append([(subject, "t", stamp(text + zone, datatype)), value])
    found, intake = held(written(observations, suffix, tmp_path), LATE)
    if datatype == f"{XSD}dateTimeStamp" and not zone:
        assert intake.counters.bad == {"DAT203": 3}
        return
    assert found == {str(place): (tick(text, zone), None) for place, text in enumerate(texts)}
    assert not intake.counters.bad


@pytest.mark.parametrize("zone", ["", "-11:00"])
@pytest.mark.parametrize(("datatype", "form"), DATES)
@pytest.mark.parametrize("suffix", FORMATS)
def test_a_day_a_month_and_a_year_are_their_first_instants(
    suffix: str, datatype: str, form: str, zone: str, tmp_path: Path
) -> None:
    observations: list[list[Triple]] = []
    expected: dict[str, tuple[int, None]] = {}
    for place, day in enumerate(FIRSTS):
        subject = ox.NamedNode(f"urn:o{place}")
        text, due = first(form, day, zone)
        value: Triple = (subject, "v", ox.Literal(str(place)))
        observations.append([(subject, "t", stamp(text, datatype)), value])
        expected[str(place)] = due, None
    found, intake = held(written(observations, suffix, tmp_path), LATE)
    assert found == expected
    assert not intake.counters.bad


@pytest.mark.parametrize("around", ["nothing", "a period", "another time"])
@pytest.mark.parametrize(
    "datatype", [f"{XSD}{name}" for name in ("dateTime", "date", "gYearMonth", "gYear")]
)
@pytest.mark.parametrize("suffix", FORMATS)
def test_of_nodes_with_one_predicate_the_path_says_which_has_the_time(
    suffix: str, datatype: str, around: str, tmp_path: Path
) -> None:
    """As in FHIR, where ``fhir:v`` leads to each value: ``fhir:effective/fhir:v`` to the time."""
    subject = ox.NamedNode("urn:o")
    text, due = "2026-01-01T02:00:00+02:00", tick("2026-01-01T00:00:00", "Z")
    if datatype in (forms := dict(DATES)):
        text, due = first(forms[datatype], "2026-01-01", "")
    triples = chain(subject, ("value", "v"), ox.Literal("180"), "blank", "a")
    triples += chain(subject, ("effective", "v"), stamp(text, datatype), "blank", "b")
    if around == "a period":
        begin = stamp("2020-01-01", f"{XSD}date")
        triples += chain(subject, ("period", "start", "v"), begin, "blank", "c")
    if around == "another time":
        issued = stamp("2026-01-03T00:00:00Z", f"{XSD}dateTime")
        triples += chain(subject, ("issued", "v"), issued, "blank", "d")
    path = written([triples], suffix, tmp_path)
    found, intake = held(path, options_of(("effective", "v")))
    assert found["180"] == (due, None)
    assert (intake.counters.elements, dict(intake.counters.bad)) == (1, {})


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("zone", ["", "+05:30"])
@pytest.mark.parametrize(("datatype", "form"), DATES)
@pytest.mark.parametrize("suffix", FORMATS)
def test_an_end_that_is_a_day_a_month_or_a_year_includes_it_if_asked(
    suffix: str, datatype: str, form: str, zone: str, inclusive: bool, tmp_path: Path
) -> None:
    """An end that is an instant is that, whatever is asked."""
    observations: list[list[Triple]] = []
    expected: dict[str, tuple[int, int]] = {}
    for place, day in enumerate(FIRSTS):
        subject = ox.NamedNode(f"urn:o{place}")
        text, due = first(form, day, zone)
        begin = tick("1960-01-01T00:00:00", "Z")
        instant = stamp("1960-01-01T00:00:00Z", f"{XSD}dateTime")
        value: Triple = (subject, "v", ox.Literal(str(place)))
        observations.append([(subject, "t", instant), (subject, "u", stamp(text, datatype)), value])
        expected[str(place)] = begin, behind(form, day, zone) if inclusive else due
    subject = ox.NamedNode("urn:o")
    ends = stamp("1999-01-01T00:00:00Z", f"{XSD}dateTime")
    observations.append([(subject, "t", instant), (subject, "u", ends), (subject, "v", number(9))])
    expected["9"] = begin, tick("1999-01-01T00:00:00", "Z")
    options = replace(options_of(("t",), ("u",)), scale=TimeScale(inclusive_dates=inclusive))
    found, intake = held(written(observations, suffix, tmp_path), options)
    assert found == expected
    assert not intake.counters.bad


@pytest.mark.parametrize("path", [("t",), ("p", "t")])
@pytest.mark.parametrize(("datatype", "form"), DATES)
@pytest.mark.parametrize("suffix", FORMATS)
def test_an_element_may_last_for_its_day_month_or_year(
    suffix: str, datatype: str, form: str, path: tuple[str, ...], tmp_path: Path
) -> None:
    """The predicate of its time is that of its end, too."""
    observations: list[list[Triple]] = []
    expected: dict[str, tuple[int, int]] = {}
    for place, day in enumerate(FIRSTS):
        subject = ox.NamedNode(f"urn:o{place}")
        text, due = first(form, day, "")
        triples = chain(subject, path, stamp(text, datatype), "blank", f"n{place}")
        observations.append([*triples, (subject, "v", ox.Literal(str(place)))])
        expected[str(place)] = due, behind(form, day, "")
    options = options_of(path, path)
    options = replace(options, delay=LATE.delay, scale=TimeScale(inclusive_dates=True))
    found, intake = held(written(observations, suffix, tmp_path), options)
    assert found == expected
    assert not intake.counters.bad


def test_the_predicate_of_both_may_be_about_the_name_of_a_graph(tmp_path: Path) -> None:
    for suffix, text in {
        ".trig": f'<urn:g> <urn:t> "2024-02"^^<{XSD}gYearMonth> . <urn:g> {{ <urn:a> <urn:v> 1 }}',
        ".jsonld": json.dumps(
            {
                "@id": "urn:g",
                "urn:t": {"@value": "2024-02", "@type": f"{XSD}gYearMonth"},
                "@graph": [{"@id": "urn:a", "urn:v": 1}],
            }
        ),
    }.items():
        path = tmp_path / f"a{suffix}"
        path.write_text(text)
        options = replace(options_of(("t",), ("t",)), scale=TimeScale(inclusive_dates=True))
        due = tick("2024-02-01T00:00:00", ""), tick("2024-03-01T00:00:00", "")
        assert held(path, options)[0] == {"1": due}, suffix


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("ends", "differ"),
    [
        ([("2024-02", "gYearMonth"), ("2024-02-29", "date")], False),
        ([("2024-02", "gYearMonth"), ("2024-02-01", "date")], True),
        ([("2024-02-29", "date"), ("2024-03-01T00:00:00", "dateTime")], False),
        ([("2024", "gYear"), ("2024-01", "gYearMonth"), ("2024-01-01", "date")], True),
        ([("2024-12", "gYearMonth"), ("2024", "gYear"), ("2024-12-31", "date")], False),
    ],
)
def test_several_ends_are_the_same_if_they_end_at_once(
    suffix: str, ends: list[tuple[str, str]], differ: bool, tmp_path: Path
) -> None:
    subject = ox.NamedNode("urn:o")
    triples: list[Triple] = [(subject, "t", stamp("2023", f"{XSD}gYear"))]
    for place, (text, datatype) in enumerate(ends):
        triples += chain(subject, ("p", "u"), stamp(text, XSD + datatype), "blank", f"n{place}")
    triples.append((subject, "v", number(1)))
    options = replace(options_of(("t",), ("p", "u")), scale=TimeScale(inclusive_dates=True))
    _, intake = held(written([triples], suffix, tmp_path), options)
    assert dict(intake.counters.bad) == ({"DAT202": 1} if differ else {})


@pytest.mark.parametrize(
    ("begin", "end", "helps"),
    [
        ("2024-02-10T12:00:00Z", "2024-02-10", True),
        ("2024-02-11T00:00:00Z", "2024-02-10", False),
        ("2056-07-01T00:00:00Z", "2056", False),  # the end of it is no tick
    ],
)
def test_of_an_end_that_is_too_early_the_option_is_named_if_it_helps(
    begin: str, end: str, helps: bool, tmp_path: Path
) -> None:
    subject = ox.NamedNode("urn:o")
    datatype = f"{XSD}date" if "-" in end else f"{XSD}gYear"
    triples: list[Triple] = [
        (subject, "t", stamp(begin, f"{XSD}dateTime")),
        (subject, "u", stamp(end, datatype)),
    ]
    options = replace(options_of(("t",), ("u",)), scale=TimeScale("ns"))
    _, intake = held(written([triples], ".ttl", tmp_path), options)
    (sample,) = intake.counters.samples["DAT206"]
    assert ("--inclusive-dates" in sample.message) == helps
