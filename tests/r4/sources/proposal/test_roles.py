"""Which column is what."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from r4.sources.proposal.column_guess import guess_column
from r4.sources.proposal.roles import roles_of, words

AT = ["2026-03-17T10:00:00Z", "2026-03-17T11:00:00Z", "2026-03-17T12:00:00Z"]
LATER = ["2026-03-17T10:30:00Z", "2026-03-17T11:30:00Z", "2026-03-17T12:30:00Z"]
DAYS = ["2026-03-17", "2026-03-18", "2026-03-19"]
EPOCH = ["1700000000", "1700000060", "1700000120"]
ONES = ["1", "2", "3"]
NAMES = ["a", "b", "a"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"x": NAMES, "y": AT}, "time y, thing x"),
        ({"day": DAYS, "at": AT}, "time at, values day"),
        ({"until": LATER, "begin": AT}, "time begin, until until"),
        ({"until": AT, "begin": LATER}, "time begin, values until"),
        ({"x": AT, "time": LATER}, "time time, values x"),
        ({"n": EPOCH}, "values n"),
        ({"ts": EPOCH, "step": ONES}, "time ts, values step"),
        ({"step": ONES, "n": ["5", "7", "6"]}, "time step, values n"),
        ({"step": ["3", "1", "2"]}, "values step"),
        ({"at": AT, "n": ONES, "sensorId": ONES}, "time at, thing sensorId, values n"),
        ({"at": AT, "name": NAMES, "id": ["x", "y", "x"]}, "time at, thing id, values name"),
        ({"at": AT, "id": ["x", "", "x"], "b": NAMES}, "time at, thing b, values id"),
        ({"at": AT, "a:id": NAMES}, "time at, values a:id"),
        ({"a": NAMES, "b": ["x", "y", "z"]}, "thing b, values a"),
        ({"at": AT, "metric": NAMES, "value": ONES}, "time at, parameter metric, value value"),
        (
            {"Zeit": AT, "Messgröße": NAMES, "Messwert": ONES},
            "time Zeit, parameter Messgröße, value Messwert",
        ),
        ({"at": AT, "name": NAMES, "value": ONES}, "time at, parameter name, value value"),
        ({"at": AT, "value": ONES, "unit": NAMES}, "time at, thing unit, values value"),
        (
            {"at": AT, "type": NAMES, "value": ONES, "unit": NAMES, "id": NAMES},
            "time at, thing id, parameter type, value value, unit unit",
        ),
        ({"date": DAYS, "hour": ["10:00", "11:00", "9:00"]}, "time date, values hour, clock hour"),
        ({"": NAMES, "x": ["", "", ""]}, ""),
    ],
)
def test_names_hint_and_fields_decide(columns: dict[str, Sequence[str]], expected: str) -> None:
    found = roles_of([guess_column(name, fields, ".") for name, fields in columns.items()])
    shown = []
    for role in ("time", "until", "thing", "parameter", "value", "unit", "values", "clock"):
        columns_of = getattr(found, role)
        some = columns_of if role == "values" else [columns_of] if columns_of else []
        shown += [f"{role} {' '.join(each.name for each in some)}"] if some else []
    assert ", ".join(shown) == expected


@pytest.mark.parametrize("name", ["sensorId", "SENSOR_ID", "sensor id", "Sensor-ID2"])
def test_a_name_has_words(name: str) -> None:
    assert words(name) == {"sensor", "id"}


@pytest.mark.parametrize("name", ["Größe_ID", "größeId", "GRÖSSE ID"])
def test_its_letters_may_have_dots(name: str) -> None:
    assert words(name) in ({"größe", "id"}, {"grösse", "id"})
