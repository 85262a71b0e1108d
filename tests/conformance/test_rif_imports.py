"""The import rejections of the W3C test cases of RIF-Core, and those that must not be rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.errors import Counters
from r4.imports import GraphRows, Locations, load, load_graphs
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse_bytes
from tests.paths import DATA

CORE = Path(DATA or ".", "rif-tests/core")

REASONS = {
    "Multiple_Context_Error": "RIF203",
    "OWL_Combination_Invalid_DL_Formula": "R4314",
    "RDF_Combination_Invalid_Constant_2": "R4321",
    "RDF_Combination_Invalid_Profiles_1": "R4313",
}


def entries(*, rejected: bool) -> list[dict]:
    manifest = CORE / "manifest.json"
    if not manifest.exists():
        return []
    return [
        entry
        for entry in json.loads(manifest.read_text("utf-8"))
        if entry["imports"] and (entry["type"] == "ImportRejectionTest") == rejected
    ]


def loaded(entry: dict, syntax: tuple[str, str]) -> GraphRows:
    """What the tested document imports; ``syntax`` is the suffix of rules and that of graphs."""
    folder = CORE / entry["name"]
    catalogue = {}
    for each in entry["documents"]:
        file = folder / each["file"]
        file = file.with_suffix(syntax[file.suffix != ".rif"])
        if each["role"] == "imported":
            catalogue[each["location"]] = file
        elif each["role"] in {"input", "premise"}:
            main = file
    parsed = parse_bytes(main.read_bytes())
    closure = load(parsed, str(main), Locations(None, catalogue), 1)
    return load_graphs(closure, Dictionary(), Counters())


def test_the_suite_is_there(test_data) -> None:
    test_data("rif-tests/core/manifest.json")
    assert len(entries(rejected=True)) >= 4
    assert len(entries(rejected=False)) >= 9


@pytest.mark.parametrize("syntax", [(".rif", ".rdf"), (".rifps", ".ttl")], ids=["XML", "text"])
@pytest.mark.parametrize("entry", entries(rejected=True), ids=lambda entry: entry["name"])
def test_a_document_is_rejected_for_the_reason_of_the_test(entry, syntax) -> None:
    with pytest.raises(RuleErrors) as caught:
        loaded(entry, syntax)
    assert [fault.code for fault in caught.value.errors] == [REASONS[entry["name"]]]


@pytest.mark.parametrize("syntax", [(".rif", ".rdf"), (".rifps", ".ttl")], ids=["XML", "text"])
@pytest.mark.parametrize("entry", entries(rejected=False), ids=lambda entry: entry["name"])
def test_what_is_tested_for_entailment_is_not_rejected(entry, syntax) -> None:
    found = loaded(entry, syntax)
    assert len(found.rows) > 0
    assert found.warnings == ()
