"""Graphs that are refused as streams are told what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from rif.syntax.terms import XSD
from tests.simulation.command import call

SEEN = "http://www.w3.org/ns/sosa/resultTime"
NO_TIME = "<urn:ex:a> <urn:ex:p> <urn:ex:q> .\n"


@pytest.mark.parametrize(
    ("triple", "hint"),
    [
        (NO_TIME, "; no predicate of it has times: is it --static s.nt?"),
        (
            f'<urn:a> <{SEEN}> "2020-01-01T00:00:00Z"^^<{XSD}dateTime> .',
            "; sosa:resultTime has times: --time-predicate sosa:resultTime",
        ),
        (
            f'<urn:a> <http://e/made> "2020-01-01T00:00:00Z"^^<{XSD}dateTime> .',
            "; <http://e/made> has times: --time-predicate http://e/made",
        ),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_a_graph_as_a_stream_is_told_what_it_lacks(folder: Path, triple: str, hint: str) -> None:
    (folder / "s.nt").write_text(triple, "utf-8")
    done = call(["run", "r.rif", "s.nt"])
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        f"Error: s.nt: N-Triples as a stream needs --time-predicate{hint}"
    )


def test_the_name_of_a_file_is_one_word_of_a_shell(folder: Path) -> None:
    (folder / "a b.nt").write_text(NO_TIME, "utf-8")
    assert "is it --static 'a b.nt'?" in call(["run", "r.rif", "a b.nt"]).err
