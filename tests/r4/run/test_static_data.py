"""Streams that are given as static data are warned of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rif.syntax.terms import XSD
from tests.simulation.command import call

AT = "http://www.w3.org/ns/prov#generatedAtTime"
ELEMENT = f"""<urn:g> <{AT}> "2020-01-01T00:00:00Z"^^<{XSD}dateTime> .
<urn:ex:a> <urn:ex:p> <urn:ex:q> <urn:g> .
"""
NANOPUBLICATION = ELEMENT.replace("> .", "> <urn:publication> .", 1)
WITHIN = ELEMENT.replace("> .", "> <urn:g> .", 1)


@pytest.mark.parametrize(
    ("data", "options", "predicate"),
    [
        (ELEMENT, [], "prov:generatedAtTime"),
        (ELEMENT.replace(AT, "urn:ex:at"), ["--time-predicate", "urn:ex:at"], "<urn:ex:at>"),
        (ELEMENT.replace(AT, "urn:ex:at"), [], ""),
        (ELEMENT.replace("<urn:g> <", "<urn:other> <"), [], ""),
        (ELEMENT.replace("<urn:ex:q> <urn:g>", "<urn:ex:q>"), [], ""),
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
