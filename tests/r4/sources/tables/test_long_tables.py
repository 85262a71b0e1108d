"""Long tables, in which a column says what a row is about: as the wide table with a column each."""

from __future__ import annotations

import csv
import io
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.syntax.terms import XSD
from tests.simulation.command import call

WORDS = ("pm25", "PM 2.5", "o3/8h", "température", "rain%", "a_b-c.d~e", "Ω", "#1", "x?y=z")
MAPPING = """[rows]
subject = "urn:ex:{station}"
values = [{ column = "value", predicate = "urn:ex:{what}", datatype = "xsd:integer" }]
time = { column = "time", format = "integer" }
"""
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["", *WORDS]), st.integers(-9, 9)),
    max_size=8,
)
UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")


def encoded(word: str) -> str:
    """The word as a part of an IRI: what is not unreserved there as its bytes [RFC3986, 2]."""
    return "".join(
        chr(byte) if chr(byte) in UNRESERVED else f"%{byte:02X}" for byte in word.encode()
    )


@given(rows=ROWS)
def test_a_row_is_about_what_its_column_says(
    rows: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A word that is no name is encoded as in an IRI; a row without a word says nothing."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "m.toml").write_text(MAPPING, "utf-8")
    (folder / "r.rif").write_text("Document( Window(5) Group( ) )", "utf-8")
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["station", "time", "what", "value"])
    table.writerows((name, 10 * at, *said) for at, (name, *said) in enumerate(rows, 1))
    (folder / "s.csv").write_text(text.getvalue(), "utf-8")
    files = [str(folder / name) for name in ("r.rif", "s.csv", "m.toml")]
    found = call(["run", *files[:2], "--mapping", files[2], "--include-input"])
    told = [json.loads(line) for line in found.lines()]
    assert [
        (each["at"], each["s"], each["p"], each["o"]) for each in told if each["op"] == "+"
    ] == [
        (10 * at, f"<urn:ex:{name}>", f"<urn:ex:{encoded(word)}>", f'"{value}"^^<{XSD}integer>')
        for at, (name, word, value) in enumerate(rows, 1)
        if word
    ]
