"""Dicts that are added by a mapping, and what is said of elements that do not count."""

from __future__ import annotations

import logging
import math
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from r4.api import Engine, Refused, mapping_from
from r4.errors import InputError

RULES = """Document(Prefix(ex <urn:ex:>) Window(5) Group(
    Forall ?s ?v (?s[ex:seen -> ?v] :- ?s[ex:reads -> ?v])))"""
TABLES: dict[str, object] = {
    "rows": {
        "subject": "urn:ex:{sensor.name}",
        "values": [{"column": "value", "predicate": "urn:ex:reads", "datatype": "xsd:decimal"}],
        "time": {"column": "at", "format": "integer"},
        "until": {"column": "to", "format": "integer"},
    }
}


def reading(value: object, **more: object) -> dict[str, object]:
    return {"sensor": {"name": "s1"}, "value": value, **more}


def told(engine: Engine) -> list[tuple[str, object, str]]:
    engine.finish(None)
    return [
        (each.op, each.at, str(each.triple[2]))
        for each in engine.changes()
        if each.triple is not None
    ]


def test_a_dict_is_the_element_that_its_row_in_a_table_would_be(tmp_path: Path) -> None:
    mapping = tmp_path / "m.toml"
    mapping.write_text(
        '[rows]\nsubject = "urn:ex:{sensor.name}"\n'
        'values = [{column = "value", predicate = "urn:ex:reads", datatype = "xsd:decimal"}]\n'
        'time = {column = "at", format = "integer"}\n'
        'until = {column = "to", format = "integer"}\n'
    )
    for given in (mapping, str(mapping), TABLES, mapping_from(TABLES)):
        engine = Engine.from_text(RULES)
        assert engine.add(reading(3.5, at=1, to=3), mapping=given) is True
        assert engine.add(reading(4, at=2), mapping=given) is True
        assert told(engine) == [
            ("+", 1, "3.5"),
            ("+", 2, "4"),
            ("-", 3, "3.5"),
            ("-", 7, "4"),
        ]


def test_times_of_the_call_go_before_those_of_the_row() -> None:
    engine = Engine.from_text(RULES)
    assert engine.add(reading(1, at=1, to=9), mapping=TABLES, at=2, until=3)
    assert told(engine) == [("+", 2, "1"), ("-", 3, "1")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (0.00001, "0.00001"),
        (1e22, "10000000000000000000000"),
        (Decimal("1E+2"), "100"),
        (np.float64(2.5), "2.5"),
        (np.int64(7), "7"),
        ("8.25", "8.25"),
    ],
)
def test_numbers_of_python_are_those_of_a_table(value: object, text: str) -> None:
    engine = Engine.from_text(RULES)
    assert engine.add(reading(value, at=1), mapping=TABLES)
    assert told(engine)[0] == ("+", 1, text)


@pytest.mark.parametrize("value", [math.nan, [1], {1}, "warm", True, object()])
def test_a_value_that_the_column_cannot_have_is_an_error_with_its_name(value: object) -> None:
    engine = Engine.from_text(RULES)
    with pytest.raises(ValueError, match="column value: "):
        engine.add(reading(value, at=1), mapping=TABLES)
    assert not engine.counters.elements


def test_a_field_that_mostly_stands_for_no_value_tells_how_to_leave_it_out() -> None:
    engine = Engine.from_text(RULES)
    for value in (math.nan, "null"):
        with pytest.raises(ValueError, match=r"; missing = \[.*\] in the mapping leaves it out"):
            engine.add(reading(value, at=1), mapping=TABLES)
    tables = deepcopy(TABLES)
    tables["rows"]["missing"] = ["NaN"]  # type: ignore[index]
    assert engine.add(reading(math.nan, at=1), mapping=tables)
    assert told(engine) == []


def test_what_is_no_row_of_a_frame_tells_how_to_get_them() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([reading(1, at=1)])
    rows = r'frame\.to_dict\("records"\)'
    with pytest.raises(TypeError, match=f"is a dict, not a DataFrame; .*{rows}"):
        Engine.from_text(RULES).add(frame, mapping=TABLES)
    for wrong in (frame, frame.itertuples()):
        with pytest.raises(TypeError, match=f"is a dict, or .*{rows}"):
            [*Engine.from_text(RULES).run(wrong, mapping=TABLES)]


def test_a_value_that_is_missing_makes_no_triple() -> None:
    engine = Engine.from_text(RULES)
    assert engine.add(reading(None, at=1), mapping=TABLES)
    assert told(engine) == []


def test_a_datetime_is_a_time_of_a_table() -> None:
    tables = {"rows": {**TABLES["rows"], "time": "at"}}  # type: ignore[dict-item]
    tables["rows"].pop("until")
    engine = Engine.from_text(RULES.replace("Window(5)", "Window(5 s)"))
    noon = datetime(2026, 1, 2, 12, tzinfo=UTC)
    assert engine.add(reading(1, at=noon), mapping=tables)
    assert told(engine)[0] == ("+", noon, "1")


def test_observations_of_one_mapping_have_names_of_their_own() -> None:
    tables = {
        "observations": {
            "base": "urn:ex:",
            "sensor": "urn:ex:{sensor.name}",
            "time": {"column": "at", "format": "integer"},
            "results": [{"column": "value", "observes": "urn:ex:heat"}],
        }
    }
    engine = Engine.from_text(
        """Document(Prefix(ex <urn:ex:>) Prefix(sosa <http://www.w3.org/ns/sosa/>) Window(9) Group(
        Forall ?o ?s (?s[ex:by -> ?o] :- ?o[sosa:madeBySensor -> ?s])))"""
    )
    for at in (1, 1, 2):
        assert engine.add(reading(1, at=at), mapping=tables)
    found = {each[2] for each in told(engine)}
    assert found == {f"urn:ex:observation/{n}/value" for n in (1, 2, 3)}


def test_with_a_state_rows_are_recorded_as_terms(tmp_path: Path) -> None:
    with Engine.from_text(RULES, state=tmp_path / "state") as engine:
        assert engine.add(reading(1.5, at=1), mapping=TABLES)
    with Engine.from_text(RULES, state=tmp_path / "state") as engine:
        assert engine.calls == 1
        assert told(engine)[0] == ("+", 1, "1.5")


def test_what_is_wrong_with_the_arguments_is_said(tmp_path: Path) -> None:
    engine = Engine.from_text(RULES)
    with pytest.raises(TypeError, match="needs a mapping="):
        engine.add(reading(1), at=1)
    with pytest.raises(TypeError, match=r"is a dict, not a str; json\.loads makes"):
        engine.add("<urn:a> <urn:b> 1 .", at=1, mapping=TABLES)
    with pytest.raises(TypeError, match="say when"):
        engine.add(reading(1), mapping={"rows": {"subject": "urn:ex:{sensor.name}"}})
    with pytest.raises(TypeError, match="say when"):
        engine.add("<urn:a> <urn:b> 1 .")
    with pytest.raises(ValueError, match=r"rows\.subject: there is no such key"):
        engine.add(reading(1), mapping={"rows": {"subjekt": "urn:ex:{sensor.name}"}}, at=1)
    with pytest.raises(InputError, match="none"):
        engine.add(reading(1), mapping=tmp_path / "none.toml", at=1)


def test_an_element_that_does_not_count_says_why(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine.from_text(RULES, delay=2)
    assert engine.add("<urn:ex:s> <urn:ex:reads> 1 .", at=9) is True
    with caplog.at_level(logging.WARNING, "r4"):
        refused = engine.add("<urn:ex:s> <urn:ex:reads> 2 .", at=5)
    assert refused == Refused("late", 5, 7)
    assert not refused
    assert "the element at 5 is late" in str(refused)
    assert "the frontier is 7" in caplog.text


def test_nothing_is_printed_by_the_library(capfd: pytest.CaptureFixture[str]) -> None:
    engine = Engine.from_text(RULES)
    engine.add("<urn:ex:s> <urn:ex:reads> 1 .", at=9)
    engine.add("<urn:ex:s> <urn:ex:reads> 1 .", at=1)
    engine.retract("<urn:ex:s> <urn:ex:reads> 1 .", at=1)
    assert capfd.readouterr() == ("", "")


def test_what_is_too_far_ahead_says_why_and_counts_alone(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine.from_text(RULES, ahead=3)
    assert engine.add("<urn:ex:s> <urn:ex:reads> 1 .", at=5)
    assert engine.retract("<urn:ex:s> <urn:ex:reads> 2 .", at=6) == 0
    assert engine.counters.bad == {}
    with caplog.at_level(logging.WARNING, "r4"):
        assert engine.add("<urn:ex:s> <urn:ex:reads> 1 .", at=10) == Refused("ahead", 10, 9)
        assert engine.retract("<urn:ex:s> <urn:ex:reads> 1 .", at=11) == 0
        engine.heartbeat(12)
    assert engine.counters.bad == {"DAT210": 3}
    for what in ("element at 10", "retraction at 11", "heartbeat at 12"):
        assert f"the {what} is too far ahead and has no effect" in caplog.text


def test_a_mapping_of_arrays_is_none_of_a_single_row() -> None:
    mapping = {"rows": {"each": "items", "subject": "urn:ex:{s}", "time": "t"}}
    engine = Engine.from_text("Document( Group( ) )", window="1 h")
    with pytest.raises(ValueError, match="add the items one by one"):
        engine.add({"s": "a", "t": "2024-01-01T00:00:00Z"}, mapping=mapping)
