"""Rows of arrays in NDJSON: those of the table that a program writes without arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.sources.tables.json_rows import JsonRows

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"
Fields: TypeAlias = dict[str, str]

COLUMNS = ("a", "b", "a.b", "x.a", "x.b", "x.y.b")
EACHES = ("rows", "x.rows", "x.y.rows")
SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.text("aé ,", max_size=3)
OBJECTS: st.SearchStrategy[Json] = st.recursive(
    st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abxy"), inner | SCALARS, max_size=3),
    max_leaves=4,
)
ITEMS = st.lists(OBJECTS | st.integers(0, 9), max_size=4)


def flat(value: Mapping[str, Json]) -> Fields:
    """The members of an object, those of inner ones behind their names, as text."""
    found: Fields = {}
    for name, inner in value.items():
        if isinstance(inner, dict):
            found |= {f"{name}.{deeper}": text for deeper, text in flat(inner).items()}
        elif isinstance(inner, str):
            found[name] = inner
        elif not isinstance(inner, list):
            found[name] = "" if inner is None else json.dumps(inner)
    return found


def with_array(around: Json, path: str, items: Json) -> dict[str, Json]:
    """The object ``around`` with an array at the end of a path of members."""
    assert isinstance(around, dict)
    first, _, rest = path.partition(".")
    if not rest:
        return {**around, first: items}
    inner = around.get(first)
    return {**around, first: with_array(inner if isinstance(inner, dict) else {}, rest, items)}


@given(
    lines=st.lists(st.tuples(OBJECTS, ITEMS), max_size=5),
    each=st.sampled_from(EACHES),
    cut=st.integers(0, 300),
)
def test_the_items_of_arrays_are_the_rows_that_a_loop_over_them_finds(
    lines: list[tuple[Json, list[Json]]], each: str, cut: int
) -> None:
    """An item has the members around it, too; what it has itself counts more."""
    text = ""
    expected: list[Fields | None] = []
    for around, items in lines:
        line = with_array(around, each, items)
        text += json.dumps(line, ensure_ascii=False) + "\n"
        for item in items:
            own = flat(line) | (flat(item) if isinstance(item, dict) else {})
            row = {name: own.get(name, "") for name in COLUMNS}
            expected.append(row if isinstance(item, dict) else None)
    data, reader = text.encode(), JsonRows(COLUMNS, each=each)
    rows = reader.read(data[:cut]) + reader.read(data[cut:], final=True)
    found = [None if row.flaw else row.fields for row in rows]
    assert found == expected
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('[{"a":1},{"a":2}]', "no JSON object; jq -c '.[]' makes a line of each item of an array"),
        ("5", "no JSON object"),
        ("{", "no JSON; a row is a line: jq -c . writes an object that has several so"),
        ('{ "a": 1,', "no JSON; a row is a line: jq -c . writes an object that has several so"),
        ("{'a':1}", "no JSON"),
    ],
)
def test_what_is_no_line_of_an_object_says_what_makes_one(line: str, said: str) -> None:
    (row,) = JsonRows(COLUMNS).read(f"{line}\n".encode())
    assert row.why == said
