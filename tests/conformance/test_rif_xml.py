"""The W3C suite: its files in RIF/XML say what those in the presentation syntax say."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from rif.checks.document import ParsedDocument
from rif.errors.report import RuleErrors
from rif.syntax import ast
from tests.conformance.test_rif_presentation_syntax import (
    DEFECTIVE,
    NOT_CORE,
    NOT_CORE_BLD,
)
from tests.generators.rules.parsers import (
    parse,
    parse_bytes,
    parse_either,
    parse_xml_either,
    unparse,
    write_xml_formula,
)
from tests.paths import DATA, needs_data
from tests.rif.xml.snippets import again

SAME_MEANING = {
    "Builtins_String-premise": "the accented characters of the XML were encoded twice",
    "Builtins_Time-premise": "its XML types decimals as xs:integer, which is refused",
}
"""Files of the suite whose two syntaxes do not say the same."""
DEFECTIVE_XML = {
    "Builtins_PlainLiteral": ('"&xs;lang">en', '"&xs;language">en'),
    "Builtins_Time": ('"&xs;dayTime"', '"&xs;dateTime"'),
}


def suite(suffix: str, *parts: str) -> list[Path]:
    found = [] if DATA is None else Path(DATA, "rif-tests").glob(f"*/*/*.{suffix}")
    return sorted(path for path in found if any(f"-{part}" in path.stem for part in parts))


def mended(path: Path) -> str:
    text = path.read_text("utf-8")
    table = DEFECTIVE_XML if path.suffix == ".rif" else DEFECTIVE
    wrong, right = table.get(path.parent.name, ("", ""))
    text = text.replace(wrong, right) if wrong else text
    return re.sub(r'&xs;integer">(-?[0-9]+\.[0-9]+)<', r'&xs;decimal">\1<', text)


def prefixes_for(path: Path) -> dict[str, str]:
    found = {"ex": "http://example.org/example#", "foaf": "http://xmlns.com/foaf/0.1/"}
    for premise in path.parent.glob("*-premise.rifps"):
        declared = re.findall(r"Prefix\s*\(\s*(\w+)\s+<([^>]*)>", premise.read_text("utf-8"))
        found |= dict(declared)
    return found


def read(path: Path) -> ast.Formula | ast.Document:
    data = mended(path).encode()
    found = parse_either(data, prefixes=prefixes_for(path), check=False)
    return found.document if isinstance(found, ParsedDocument) else found


@pytest.mark.parametrize("path", suite("rif", ""), ids=lambda path: path.stem)
def test_the_two_syntaxes_of_the_suite_say_the_same(path: Path) -> None:
    try:
        presented = read(path.with_suffix(".rifps"))
    except RuleErrors as errors:
        refused = {fault.code for fault in errors.errors}
        if refused == {"RIF106"}:
            pytest.skip("its prefixes are declared nowhere")
        with pytest.raises(RuleErrors) as caught:
            read(path)
        assert {fault.code for fault in caught.value.errors} == refused
        return
    written = read(path)
    if isinstance(written, ast.Document):
        assert isinstance(presented, ast.Document)
        written, presented = replace(written, prefixes=()), replace(presented, prefixes=())
    assert (written == presented) == (path.stem not in {*SAME_MEANING} - {"Builtins_Time-premise"})


@pytest.mark.parametrize("suffix", ["rif", "rifps"])
@needs_data
def test_every_file_of_the_suite_that_is_read_is_written_and_read_back(suffix: str) -> None:
    kept = 0
    for path in suite(suffix, ""):
        try:
            found = read(path)
        except RuleErrors:
            continue
        kept += 1
        if isinstance(found, ast.Document):
            assert again(found) == found
            text = unparse(again(found))
            assert parse(text, check=False).document == found
        else:
            assert parse_xml_either(write_xml_formula(found).encode(), check=False) == found
    assert kept > 65


def refused(path: Path) -> set[str]:
    try:
        parse_bytes(mended(path).encode())
    except RuleErrors as errors:
        return {fault.code for fault in errors.errors if fault.severity == "error"}
    return set()


@pytest.mark.parametrize("path", suite("rif", "premise", "input"), ids=lambda path: path.stem)
def test_what_is_beyond_core_is_refused_for_the_same_reason_in_xml(path: Path) -> None:
    name = path.parent.name
    expected = NOT_CORE_BLD[name] if "bld" in path.parts[-3] else NOT_CORE.get(name, set())
    assert refused(path) - {"RIF206"} == expected


@needs_data
def test_the_manifest_counts_21_documents_beyond_core_and_one_in_it() -> None:
    assert DATA is not None
    manifest = json.loads(Path(DATA, "rif-tests/bld-extra/manifest.json").read_text("utf-8"))
    beyond = {entry["name"] for entry in manifest if entry["core_violations"]}
    found = {path.parent.name: refused(path) for path in suite("rif", "premise")}
    assert {name for name in NOT_CORE_BLD if found[name]} == beyond
    assert len(beyond) == 21
