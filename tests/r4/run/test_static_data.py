"""Streams that are given as static data are warned of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rif.syntax.terms import XSD
from tests.simulation.command import call

RULES = """Document( Prefix(ex <urn:ex:>)
  Group( Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k]) ) )
"""
AT = "http://www.w3.org/ns/prov#generatedAtTime"
ELEMENT = f"""<urn:g> <{AT}> "2020-01-01T00:00:00Z"^^<{XSD}dateTime> .
<urn:ex:a> <urn:ex:gust> "5" <urn:g> .
"""
NANOPUBLICATION = ELEMENT.replace("> .", "> <urn:publication> .", 1)
WITHIN = ELEMENT.replace("> .", "> <urn:g> .", 1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("data", "options", "predicate"),
    [
        (ELEMENT, [], "prov:generatedAtTime"),
        (ELEMENT.replace(AT, "urn:ex:at"), ["--time-predicate", "urn:ex:at"], "<urn:ex:at>"),
        (ELEMENT.replace(AT, "urn:ex:at"), [], ""),
        (ELEMENT.replace("<urn:g> <", "<urn:other> <"), [], ""),
        (ELEMENT.replace(' "5" <urn:g>', ' "5"'), [], ""),
        (NANOPUBLICATION, [], ""),
        (NANOPUBLICATION, ["--time-predicate", AT], ""),
        (WITHIN, [], ""),
        (WITHIN, ["--time-predicate", AT], "prov:generatedAtTime"),
    ],
)
def test_static_data_with_stamped_graphs_are_warned_of(
    folder: Path, data: str, options: list[str], predicate: str
) -> None:
    (folder / "s.nq").write_text(data, "utf-8")
    done = call(["run", "r.rif", "--static", "s.nq", *options])
    warned = f"warning: s.nq is static data, and has named graphs with {predicate}: "
    assert done.code == 0
    assert (warned in done.err) == bool(predicate)
    assert ("is static data" in done.err) == bool(predicate)
