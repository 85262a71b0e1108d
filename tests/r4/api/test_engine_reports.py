"""Reports of an engine: what holds at marks, or the difference, also of one that was saved."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from r4.answers.periodic_report import ReportForm
from r4.api import Engine
from r4.state.errors import StateError

RULES = """Document( Prefix(ex <urn:ex:>) Window(4)
  Group( Forall ?s ?v (?s[ex:is -> ?v] :- ?s[ex:reads -> ?v]) ) )"""
ELEMENTS = ((3, "a"), (6, "b"), (7, "a"), (19, "b"))


def shown(engine: Engine) -> list[tuple[object, ...]]:
    return [
        (each.op, each.at, str(each.triple and each.triple[2])[-1], each.start, each.until)
        for each in engine.changes()
    ]


def add(engine: Engine, *elements: tuple[int, str]) -> None:
    for at, what in elements:
        engine.add(f"<urn:ex:x> <urn:ex:reads> <urn:ex:{what}> .", at=at)


WANTED: dict[Any, list[tuple[object, ...]]] = {
    "state": [
        ("=", 5, "a", 3, None),
        *(("=", 8, what, start, None) for what, start in (("a", 3), ("b", 6))),
    ],
    "state+empty": [
        ("=", 5, "a", 3, None),
        *(("=", 8, what, start, None) for what, start in (("a", 3), ("b", 6))),
        *(("=", at, "e", None, None) for at in (11, 14, 17)),
    ],
    "changes": [
        ("+", 5, "a", 5, None),
        ("+", 8, "b", 8, None),
        ("-", 11, "a", 5, 11),
        ("-", 11, "b", 8, 11),
    ],
}


@pytest.mark.parametrize("form", WANTED)
def test_an_engine_reports_what_r4_run_does(form: ReportForm) -> None:
    engine = Engine.from_text(RULES, every=3, offset=2, report=form)
    add(engine, *ELEMENTS)
    engine.finish()
    assert shown(engine) == WANTED[form]


@pytest.mark.parametrize("place", range(len(ELEMENTS)))
@pytest.mark.parametrize("form", WANTED)
def test_an_engine_that_was_saved_goes_on_reporting(
    form: ReportForm, place: int, tmp_path: Path
) -> None:
    engine = Engine.from_text(RULES, every=3, offset=2, report=form)
    add(engine, *ELEMENTS[:place])
    before = shown(engine)
    engine.save(tmp_path / "saved")
    loaded = Engine.load(tmp_path / "saved", RULES)
    add(loaded, *ELEMENTS[place:])
    loaded.finish()
    assert before + shown(loaded) == WANTED[form]


def test_advance_and_heartbeats_are_stamps_that_count() -> None:
    engine = Engine.from_text(RULES, every=3, report="state+empty")
    engine.heartbeat(4)
    engine.advance(9)
    assert [each.at for each in engine.changes()] == [6, 9]


def test_months_of_a_zone_begin_at_its_midnight() -> None:
    engine = Engine.from_text(RULES, every="1 month", zone="Europe/Berlin", report="state+empty")
    engine.heartbeat(datetime(2024, 3, 1, tzinfo=UTC))
    engine.heartbeat(datetime(2024, 5, 1, tzinfo=UTC))
    assert [each.at for each in engine.changes()] == [
        datetime(2024, 3, 31, 22, tzinfo=UTC),
        datetime(2024, 4, 30, 22, tzinfo=UTC),
    ]
    with pytest.raises(ValueError, match="all datetimes or all integers"):
        engine.heartbeat(5)


def test_an_engine_gives_only_what_begins_or_what_ends() -> None:
    for ops in ("+", "-"):
        engine = Engine.from_text(RULES, ops=ops)
        add(engine, *ELEMENTS)
        engine.finish()
        assert {each.op for each in engine.changes()} == {ops}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"report": "state"}, "report is of reports: it needs every"),
        ({"offset": 1}, "offset is of reports: it needs every"),
        ({"zone": "UTC"}, "zone is of reports: it needs every"),
        ({"every": 0}, "more than 0 apart"),
        ({"every": 1, "order": "arrival"}, "not with order='arrival'"),
        ({"every": 1, "semantics": "instances"}, "not with semantics='instances'"),
        ({"every": 1, "ops": "+"}, "it needs report changes"),
        ({"every": "1h", "zone": "UTC"}, "whole days or months"),
        ({"every": 1, "hypotheses": True}, "not with hypotheses"),
    ],
)
def test_options_that_fit_no_report_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine.from_text(RULES, **options)


@pytest.mark.parametrize("place", range(len(ELEMENTS)))
@pytest.mark.parametrize("form", WANTED)
def test_an_engine_with_a_state_goes_on_reporting(
    form: ReportForm, place: int, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"every": 3, "offset": 2, "report": form, "state": tmp_path / "state"}
    with Engine.from_text(RULES, **options) as engine:
        add(engine, *ELEMENTS[:place])
        before = shown(engine)
    with Engine.from_text(RULES, **options) as engine:
        add(engine, *ELEMENTS[place:])
        engine.finish()
        found = before + shown(engine)
    assert found == WANTED[form]


def test_a_state_belongs_to_the_options_of_its_reports(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Engine.from_text(RULES, every=3, state=state) as engine:
        add(engine, *ELEMENTS)
    with pytest.raises(StateError):
        Engine.from_text(RULES, every=4, state=state)
