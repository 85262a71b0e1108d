"""``r4 run`` ends with the joins in which terms of one value did not meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from rif.syntax.terms import XSD
from tests.simulation.command import call

AT = "<http://www.w3.org/ns/prov#generatedAtTime>"
SAME = "Forall ?s ?t ?v (?s[ex:same -> ?t] :- And(?s[ex:reads -> ?v] ?t[ex:limit -> ?v]))"
HERE, THERE = "?s[ex:reads -> ?v]", "?t[ex:limit -> ?v]"
END = "equal values, but two terms, which never met"
BY_VALUE = "--literals value joins them"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(text: str) -> str:
    """``1`` an integer, ``1.0`` a decimal, ``1e0`` a double; any other text a dateTime."""
    kind = "dateTime" if "T" in text else "double" if "e" in text else "decimal"
    return f'"{text}"^^<{XSD}{kind if {*"T.e"} & {*text} else "integer"}>'


def said(folder: Path, rules: str, *elements: str, literals: str = "constant") -> list[str]:
    """The lines behind the first; an element is triples such as ``s reads 5; t limit 5.0``."""
    lines = []
    for stamp, element in enumerate(elements, 1):
        lines.append(f'<urn:g{stamp}> {AT} "{stamp}"^^<{XSD}integer> .')
        for each in element.split("; "):
            subject, predicate, text = each.split()
            triple = f"<urn:ex:{subject}> <urn:ex:{predicate}> {typed(text)}"
            lines.append(f"{triple} <urn:g{stamp}> .")
    (folder / "s.nq").write_text("\n".join([*lines, ""]), "utf-8")
    rule = f"Document( Prefix(ex <urn:ex:>) Window(2 ms) Group({rules}) )"
    (folder / "r.rif").write_text(rule, "utf-8")
    output = call(["run", "r.rif", "s.nq", "--literals", literals])
    assert output.code == 0
    return [line for line in output.err.splitlines() if "equal values" in line]


def line(one: str, other: str, hint: str = BY_VALUE, more: str = "") -> str:
    return f"rule 1: ?v is {one} in {HERE} and {other} in {THERE}{more}: {END}; {hint}"


@pytest.mark.parametrize("literals", ["constant", "term"])
def test_both_terms_are_told_with_what_joins_them(folder: Path, literals: str) -> None:
    told = said(folder, SAME, "s reads 1; t limit 1.0", literals=literals)
    assert told == [line("1", "1.0")]


def test_by_value_they_meet(folder: Path) -> None:
    assert said(folder, SAME, "s reads 1; t limit 1.0", literals="value") == []


@pytest.mark.parametrize("literals", ["constant", "value"])
def test_a_double_is_another_value_to_rif(folder: Path, literals: str) -> None:
    hint = "two variables and numeric-equal join them"
    told = said(folder, SAME, "s reads 1; t limit 1e0", literals=literals)
    assert told == [line("1", "1.0E0" if literals == "value" else "1e0", hint)]


def test_other_literals_have_values_too(folder: Path) -> None:
    one, other = "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.0Z"
    assert len(said(folder, SAME, f"s reads {one}; t limit {other}")) == 1


def test_values_are_counted(folder: Path) -> None:
    told = said(folder, SAME, "s reads 1; t limit 1.0; s reads 2; t limit 2.0")
    assert told == [line("1", "1.0", more=", and 1 more value likewise")]


@pytest.mark.parametrize(
    "elements",
    [
        ["s reads 1; t limit 1; t limit 1.0"],  # some term of the value is on both sides
        ["s reads 1; t limit 2.0"],
        ["s reads 1", "s reads 3", "t limit 1.0"],  # never at one time
        ["s reads 1; s reads 1.0; t limit 3"],
        ["s reads 9007199254740993; t limit 9007199254740992.0"],  # one double, two values
    ],
)
def test_nothing_is_told_of_what_could_not_meet(folder: Path, elements: list[str]) -> None:
    assert said(folder, SAME, *elements) == []


def test_all_shared_variables_must_agree(folder: Path) -> None:
    rule = "Forall ?s ?v (?s[ex:same -> ?s] :- And(?s[ex:reads -> ?v] ?s[ex:limit -> ?v]))"
    assert said(folder, rule, "s reads 1; t limit 1.0") == []
    assert len(said(folder, rule, "s reads 1; s limit 1.0")) == 1


def test_a_number_in_a_pattern_is_no_near_miss(folder: Path) -> None:
    rule = "Forall ?s (?s[ex:same -> ?s] :- And(?s[ex:reads -> 1] ?s[ex:limit -> 1.0]))"
    assert said(folder, rule, "s reads 1.0; s limit 1") == []


def test_a_join_that_several_rules_have_is_told_of_the_first(folder: Path) -> None:
    told = said(folder, f"{SAME} {SAME.replace('ex:same', 'ex:also')}", "s reads 1; t limit 1.0")
    assert told == [line("1", "1.0")]
