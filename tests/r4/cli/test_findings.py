"""``r4 check --format json|sarif``: what a person is told, for a program."""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import pytest

from r4.cli import DONE, main
from r4.cli.terminal.console import RULES_REFUSED
from tests.simulation.command import call

GOOD = "Document( Prefix(ex <urn:ex:>) Window(1 h) Group( ex:a[ex:on -> ex:b] ) )"
BAD = """Document( Prefix(ex <urn:ex:>)
  Group(
    Forall ?x ?y (?x[ex:above -> ?y] :- ?x[ex:on -> ex:b])
    Forall ?x (?x[no:prefix -> ?x] :- ?x[ex:on -> "\N{SNOWMAN}\N{RIGHT-TO-LEFT OVERRIDE}"])
    (* rdf:nil *) Forall ?x (?x[ex:p -> ?x] :- ?x[ex:on -> ?x])
  ) )
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(name: str, form: str) -> tuple[int, str, str]:
    done = call(["check", name, "--format", form])
    return done.code, done.out, done.err


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_each_fault_is_an_object_with_what_the_text_says() -> None:
    Path("bad.rif").write_text(BAD, "utf-8")
    code, out, err = checked("bad.rif", "json")
    assert (code, err) == (RULES_REFUSED, "")
    assert out.isascii()
    found = lines(out)
    assert {"RIF301", "error", "warning"} <= {
        each[k] for each in found for k in ("code", "severity")
    }
    _, _, text = checked("bad.rif", "text")
    for each in found:
        assert [*each] == ["file", "line", "column", "code", "severity", "message", "hint"]
        kind = "warning: " if each["severity"] == "warning" else ""
        place = f"{each['file']}:{each['line']}:{each['column']}"
        assert f"{place}: {each['code']} {kind}{each['message']}" in text
        assert each["hint"] is None or f"hint: {each['hint']}" in text
    assert text.count("bad.rif:") == len(found)


def test_good_rules_have_no_findings() -> None:
    Path("good.rif").write_text(GOOD, "utf-8")
    assert checked("good.rif", "json") == (DONE, "", "")
    code, out, err = checked("good.rif", "sarif")
    assert (code, err) == (DONE, "")
    assert json.loads(out)["runs"][0]["results"] == []


def test_faults_of_imports_have_their_own_files() -> None:
    Path("main.rif").write_text(GOOD.replace("Window", "Import(<part.rif>) Window"), "utf-8")
    Path("part.rif").write_text(BAD, "utf-8")
    code, out, _ = checked("main.rif", "json")
    assert code == RULES_REFUSED
    assert {Path(each["file"]).name for each in lines(out)} == {"part.rif"}


def test_a_fault_without_a_place_has_none() -> None:
    Path("owl.rif").write_text(GOOD, "utf-8")
    done = call(["check", "owl.rif", "--format", "json", "--entailment", "owl-rl"])
    assert done.code == DONE
    (found,) = lines(done.out)
    assert (found["line"], found["column"], found["severity"]) == (None, None, "warning")


def test_a_damaged_file_is_a_finding() -> None:
    Path("rules.rif.gz").write_bytes(b"\x1f\x8b no gzip")
    code, out, err = checked("rules.rif.gz", "json")
    assert (code, err) == (RULES_REFUSED, "")
    assert [(each["file"], each["code"]) for each in lines(out)] == [("rules.rif.gz", "R4306")]


def test_what_is_cut_off_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    faults = "".join(f"Forall ?x (?x[no:p{n} -> ?y] :- ?x[no:q{n} -> 1])\n" for n in range(150))
    Path("many.rif").write_text(f"Document( Group(\n{faults}) )", "utf-8")
    assert main(["check", "many.rif", "--format", "json"]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert len(lines(out)) == 100
    assert err.endswith("more faults are not listed\n")


def keys(
    value: dict[str, Any], required: AbstractSet[str], optional: AbstractSet[str] = frozenset()
) -> None:
    """That an object has what the schema of SARIF 2.1.0 requires, and nothing it does not know."""
    assert required <= value.keys() <= required | optional


def check_log(log: dict[str, Any]) -> dict[str, Any]:
    """Of the schema: required properties, types, enumerations, bounds, of all that R4 writes."""
    keys(log, {"version", "runs"}, {"$schema"})
    assert log["version"] == "2.1.0"
    run: dict[str, Any]
    (run,) = log["runs"]
    keys(run, {"tool"}, {"results", "columnKind"})
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    keys(run["tool"], {"driver"})
    driver = run["tool"]["driver"]
    keys(driver, {"name"}, {"version", "rules"})
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        keys(rule, {"id"}, {"name", "shortDescription", "help", "defaultConfiguration"})
        for text in ("shortDescription", "help"):
            if text in rule:
                keys(rule[text], {"text"})
        keys(rule["defaultConfiguration"], set(), {"level"})
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    for result in run["results"]:
        keys(result, {"message"}, {"ruleId", "ruleIndex", "level", "locations"})
        keys(result["message"], {"text"})
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        (location,) = result["locations"]
        keys(location, {"physicalLocation"})
        physical = location["physicalLocation"]
        keys(physical, {"artifactLocation"}, {"region"})
        keys(physical["artifactLocation"], {"uri"})
        assert " " not in physical["artifactLocation"]["uri"]
        for number in physical.get("region", {"startLine": 1}).values():
            assert isinstance(number, int)
            assert number >= 1
    return run


def test_sarif_has_what_its_schema_requires() -> None:
    Path("a b\N{SNOWMAN}.rif").write_text(BAD, "utf-8")
    code, out, err = checked("a b\N{SNOWMAN}.rif", "sarif")
    assert (code, err) == (RULES_REFUSED, "")
    run = check_log(json.loads(out))
    _, as_lines, _ = checked("a b\N{SNOWMAN}.rif", "json")
    expected = [
        (each["code"], each["severity"], each["line"], each["column"]) for each in lines(as_lines)
    ]
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["help"]["text"].endswith(f"docs/errors.md#{rule['id'].lower()}")
    regions = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    assert expected == [
        (each["ruleId"], each["level"], at["region"]["startLine"], at["region"]["startColumn"])
        for each, at in zip(run["results"], regions, strict=True)
    ]
    assert {at["artifactLocation"]["uri"] for at in regions} == {"a%20b%E2%98%83.rif"}


def test_sarif_of_a_fault_without_a_place_names_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "owl.rif"
    path.write_text(GOOD, "utf-8")
    done = call(["check", str(path), "--format", "sarif", "--entailment", "owl-rl"])
    (result,) = check_log(json.loads(done.out))["results"]
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": path.as_uri()}}}
    ]
