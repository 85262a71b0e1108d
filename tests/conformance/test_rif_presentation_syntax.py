"""The presentation syntax of the W3C test cases of RIF-Core, and of RIF-BLD as negatives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rif.checks.document import ParsedDocument
from rif.errors.report import RuleErrors
from rif.syntax.clauses import clauses
from tests.generators.rules.parsers import parse, parse_formula, unparse, unparse_formula
from tests.paths import DATA, needs_data

DEFECTIVE = {
    # The suite's own errata: neither datatype exists.
    "Builtins_PlainLiteral": ('"en"^^xs:lang', '"en"^^xs:language'),
    "Builtins_Time": ("^^xs:dayTime\n", "^^xs:dateTime\n"),
}
NOT_CORE = {
    "Core_NonSafeness": {"RIF301", "RIF302"},
    "Core_NonSafeness_2": {"RIF302"},
}
NOT_CORE_BLD = {
    "Arbitrary_Entailment": {"RIF154"},
    "Class_Membership": {"RIF155"},
    "Classification-inheritance": {"RIF155"},
    "Classification_non-inheritance": {"RIF155"},
    "ElementEqualityFromListEquality": {"RIF154"},
    "EntailEverything": {"RIF303"},
    "Equality_in_conclusion_1": {"RIF154"},
    "Equality_in_conclusion_2": {"RIF154", "RIF156"},
    "Equality_in_conclusion_3": {"RIF154", "RIF156"},
    "Equality_in_condition": {"RIF301"},
    "Factorial_Functional": {"RIF154", "RIF156"},
    "Factorial_Relational": {"RIF301"},
    "IRI_from_IRI": {"RIF154"},
    "Inconsistent_Entailment": {"RIF154"},
    "Individual-Data_Separation_Inconsistency": {"RIF303"},
    "ListConstantEquality": {"RIF154"},
    "ListLiteralEquality": {"RIF154"},
    "Multiple_IRIs_from_String": {"RIF154"},
    "Named_Argument_Uniterms_non-polymorphic": {"RIF152"},
    "RDF_Combination_SubClass_3": {"RIF151"},
    "RDF_Combination_SubClass_4": {"RIF151"},
    "RDF_Combination_SubClass_5": set(),
}
NOT_EVALUATED = "RIF206"


def files(folder: str, *kinds: str) -> list[Path]:
    if DATA is None:
        return []
    found = Path(DATA, "rif-tests", folder).glob("*/*.rifps")
    return sorted(path for path in found if any(f"-{kind}" in path.stem for kind in kinds))


def read(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    wrong, right = DEFECTIVE.get(path.parent.name, ("", ""))
    return text.replace(wrong, right) if wrong else text


def errors(text: str) -> set[str]:
    try:
        parse(text)
    except RuleErrors as found:
        return {fault.code for fault in found.errors if fault.severity == "error"}
    return set()


PREMISES = files("core", "premise", "input", "import")


@needs_data
def test_the_suite_is_there() -> None:
    assert len(PREMISES) > 25
    assert len(files("bld-extra", "premise")) == len(NOT_CORE_BLD)


@pytest.mark.parametrize("path", PREMISES, ids=lambda path: path.stem)
def test_a_core_document_is_read_and_written(path: Path) -> None:
    document = parse(read(path), check=False).document
    text = unparse(document)
    assert parse(text, check=False).document == document
    clauses(document)


@pytest.mark.parametrize("path", PREMISES, ids=lambda path: path.stem)
def test_a_core_document_is_accepted_and_another_is_not(path: Path) -> None:
    expected = NOT_CORE.get(path.parent.name, set())
    assert errors(read(path)) - {NOT_EVALUATED} == expected


@pytest.mark.parametrize("name", DEFECTIVE)
@needs_data
def test_the_defects_of_the_suite_are_found(name: str) -> None:
    (path,) = [path for path in PREMISES if path.parent.name == name]
    assert errors(path.read_text(encoding="utf-8")) == {"RIF110"}


@pytest.mark.parametrize(
    "path", files("core", "conclusion", "nonconclusion"), ids=lambda path: path.stem
)
def test_a_conclusion_is_read_with_the_prefixes_of_its_premise(path: Path) -> None:
    formula = parse_formula(path.read_text(encoding="utf-8"), prefixes_of(path), check=False)
    assert parse_formula(unparse_formula(formula), {}, check=False) == formula


def prefixes_of(path: Path) -> dict[str, str]:
    found = {"ex": "http://example.org/example#", "foaf": "http://xmlns.com/foaf/0.1/"}
    for premise in path.parent.glob("*-premise.rifps"):
        found |= dict(parse(read(premise), check=False).document.prefixes)
    return found


@pytest.mark.parametrize("path", files("bld-extra", "premise"), ids=lambda path: path.stem)
def test_a_document_beyond_core_is_refused_for_its_reason(path: Path) -> None:
    expected = NOT_CORE_BLD[path.parent.name]
    found = errors(read(path)) - {NOT_EVALUATED}
    assert found == expected
    manifest = json.loads(path.parent.with_name("manifest.json").read_text(encoding="utf-8"))
    (entry,) = [entry for entry in manifest if entry["name"] == path.parent.name]
    assert bool(entry["core_violations"]) == bool(found)


def warnings(name: str) -> list[str]:
    (path,) = [path for path in PREMISES if path.parent.name == name]
    parsed: ParsedDocument = parse(read(path))
    return [warning.code for warning in parsed.warnings]


@needs_data
def test_the_suite_knows_which_rules_are_strongly_safe() -> None:
    assert warnings("Core_Safeness") == ["RIF304"]
    assert warnings("Chaining_strategy_numeric-add_1") == ["RIF304"]
    assert warnings("Core_Safeness_2") == []
