"""The W3C test cases of RIF-Core through the command line, as published and as corrected."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from r4.cli.commands import check, entails
from r4.entailment.decision import Premise
from r4.entailment.decision import entails as ask
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse_conclusion
from tests.paths import DATA, needs_data

DEFECTIVE = {
    "Builtins_String": 1,
    "Builtins_PlainLiteral": 3,
    "Builtins_Time": 3,
    "EBusiness_Contract": 1,
    "RDF_Combination_Constant_Equivalence_4": 1,
}
"""Positive tests that no right engine passes as they are, and the exit code they end with."""

_STRING = "http://www.w3.org/2001/XMLSchema#string"
CORRECTIONS = {
    "Builtins_String": [
        (r"bar(?=</Const>\s*</left>(?:(?!</right>).)*#substring<(?:(?!</right>).)*>3<)", "obar"),
        ("Ã©", "é"),
    ],
    "Builtins_PlainLiteral": [('&xs;lang"', '&xs;language"')],
    "Builtins_Time": [
        (r'&xs;integer(">-?\d+\.\d)', r"&xs;decimal\1"),
        ('&xs;dayTime"', '&xs;dateTime"'),
    ],
    "EBusiness_Contract": [
        ("is-literal-dateTime<", "is-literal-date<"),
        ("subtract-dateTimes<", "subtract-dates<"),
    ],
}
"""What the suite's list of corrections says, as changes of the text."""


@dataclass(frozen=True, slots=True)
class CoreCase:
    name: str
    type: str
    folder: Path
    files: tuple[tuple[str, str, str], ...]
    """Role, file, location."""

    def __str__(self) -> str:
        return self.name

    def of(self, *roles: str) -> Path | None:
        names = [self.folder / file for role, file, _ in self.files if role in roles]
        return names[0] if names and names[0].exists() else None

    @property
    def asked(self) -> Path:
        return self.of("conclusion", "nonconclusion") or next(self.folder.glob("LOCAL-*"))


def cases() -> list[CoreCase]:
    if DATA is None:
        return []
    root = Path(DATA, "rif-tests/core")
    return [
        CoreCase(
            entry["name"],
            entry["type"],
            root / entry["name"],
            tuple((each["role"], each["file"], each["location"]) for each in entry["documents"]),
        )
        for entry in json.loads((root / "manifest.json").read_text("utf-8"))
    ]


CASES = cases()


def outcome(case: CoreCase) -> int:
    """The exit code of the command that decides the case."""
    maps = [
        argument
        for role, file, location in case.files
        if role == "imported"
        for argument in ("--import-map", f"{location}={case.folder / file}")
    ]
    if "Entailment" in case.type:
        given = [str(case.of("premise")), str(case.asked), "--limit", "20000"]
        command = entails.command
    else:
        given, command = [str(case.of("input"))], check.command
    result = CliRunner().invoke(command, [*given, *maps], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert isinstance(result.return_value, int)
    return result.return_value


EXPECTED = {
    "PositiveEntailmentTest": 0,
    "NegativeEntailmentTest": 1,
    "PositiveSyntaxTest": 0,
    "NegativeSyntaxTest": 3,
    "ImportRejectionTest": 3,
}


@needs_data
def test_the_suite_is_there() -> None:
    assert len(CASES) == 32


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_as_published(case: CoreCase) -> None:
    assert outcome(case) == DEFECTIVE.get(case.name, EXPECTED[case.type])


def corrected(case: CoreCase, folder: Path) -> CoreCase:
    """A copy of the case with its defects mended."""
    for file in case.folder.iterdir():
        text = file.read_bytes().decode("utf-8")
        for wrong, right in CORRECTIONS.get(case.name, []):
            text = re.sub(wrong, right, text, flags=re.DOTALL)
        if file.suffix == ".rdf":
            text = _with_string(text)
        (folder / file.name).write_text(text, encoding="utf-8")
    return CoreCase(case.name, case.type, folder, case.files)


def _with_string(text: str) -> str:
    """The datatype that the graphs of Constant_Equivalence_4 mean."""
    root = ET.fromstring(text)  # noqa: S314 - the suite's own files
    datatype = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}datatype"
    for element in root.iter():
        if not element.get(datatype, "http:").startswith("http:"):
            element.set(datatype, _STRING)
    return ET.tostring(root, encoding="unicode")


@pytest.mark.parametrize("case", [c for c in CASES if c.name in DEFECTIVE], ids=str)
def test_a_defective_case_as_corrected(case: CoreCase, tmp_path: Path) -> None:
    assert outcome(corrected(case, tmp_path)) == EXPECTED[case.type]


def conjuncts() -> list[tuple[str, int, str]]:
    if DATA is None:
        return []
    rows = Path(DATA, "rif-tests/core/conjuncts.tsv").read_text("utf-8").splitlines()[1:]
    return [(name, int(at), value) for name, at, value, *_ in csv.reader(rows, delimiter="\t")]


RIF = "{http://www.w3.org/2007/rif#}"


def conjunct(name: str, at: int) -> bytes:
    """The XML of a conjunct of the rule of a test of built-ins."""
    assert DATA is not None
    path = Path(DATA, "rif-tests/core", name, f"{name}-premise.rif")
    root = ET.parse(path).getroot()  # noqa: S314 - the suite's own files
    bodies = list(root.iter(f"{RIF}if"))
    parts = [part[0] for body in bodies for part in body[0].findall(f"{RIF}formula")] or [
        body[0] for body in bodies
    ]
    return ET.tostring(parts[at - 1])


@pytest.mark.parametrize("name", sorted({name for name, _, _ in conjuncts()}))
def test_each_conjunct_has_its_value(name: str) -> None:
    found = {}
    for of, at, _ in conjuncts():
        if of == name:
            try:
                condition = parse_conclusion(conjunct(name, at))
                found[at] = "true" if ask(Premise(), condition).holds else "false"
            except RuleErrors:
                found[at] = "invalid-constant"
    assert found == {at: value for of, at, value in conjuncts() if of == name}
