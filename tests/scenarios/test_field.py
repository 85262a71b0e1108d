"""What people asked of engines like R4, as the smallest streams: what is wanted, by definition."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest

from tests.simulation.command import call

MEAN = """
    Forall ?s ?n ?m (
      ?s[ex:count -> ?n ex:mean -> ?m] :- And(
        ?n = count{ ?v [?s] | At ?t ( ?s[ex:v -> ?v] ) }
        ?m = avg{ ?v [?s] | At ?t ( ?s[ex:v -> ?v] ) } ) )
"""
RECENT = """
    Forall ?s ?three ?place ?v (
      ?s[ex:recent -> ?v] :- And(
        ?three = last 3{ ?x ?t [?s] | DiamondMinus [0 s, inf) ( At ?t ( ?s[ex:v -> ?x] ) ) }
        ex:place(?place)
        ?v = External(func:get(?three ?place)) ) )
    ex:place(0) ex:place(1) ex:place(2)
"""


@pytest.mark.parametrize(
    "name",
    [
        "01-stamp-datetimestamp",
        "03-rdfxml-encodings",
        "07-send-on-delta",
        "12-date-stamps",
        "15-epoch-seconds",
        "16-arrays-in-json",
        "17-csv-encoding",
        "18-predicate-of-a-column",
        "19-duration-of-each-sensor",
        "25-schema-datetime",
        "27-rounding",
    ],
)
def test_the_command_of_a_folder_prints_what_is_expected(name, test_data, monkeypatch) -> None:
    folder = test_data(f"field/{name}")
    monkeypatch.chdir(folder)
    words = Path("cmd").read_text("utf-8").split()
    assert words[0] == "$R4"
    assert call([*words[1:], "--quiet"]).out == Path("expected.txt").read_text("utf-8")


def test_the_average_of_a_window(test_data, tmp_path) -> None:
    folder = test_data("field/08-average-of-a-window")
    found = intervals(folder, MEAN, tmp_path)
    states: list[str] = []
    for line in (folder / "expected.txt").read_text("utf-8").splitlines():
        span, what = line.split(" ", 1)
        for predicate, value in re.findall(r"(\w+) (\d+)", what):
            states.append(f"{span} {predicate} {value}")
    assert sorted(found) == sorted(states)


def test_the_last_three_readings(test_data, tmp_path) -> None:
    folder = test_data("field/22-last-three-readings")
    found = intervals(folder, RECENT, tmp_path)
    expected = (folder / "expected.txt").read_text("utf-8").splitlines()
    assert sorted(found) == sorted(line.replace(")", ") recent") for line in expected)


def intervals(folder: Path, wanted: str, place: Path) -> list[str]:
    """The answers as ``[00:04,00:08) predicate value``, with the rules that are asked for."""
    text, count = re.subn(
        r"\(\* wanted: .* \*\)", wanted, (folder / "rules.rif").read_text("utf-8")
    )
    assert count == 1
    rules = place / "rules.rif"
    rules.write_text(text, "utf-8")
    result = call(["run", str(rules), str(folder / "stream.nq"), "--drain", "--quiet"])
    assert result.code == 0
    open_ones: dict[tuple[str, str], str] = {}
    for line in result.lines():
        change = json.loads(line)
        predicate = change["p"].rpartition(":")[2].removesuffix(">")
        value = change["o"].split('"')[1]
        begin = clock(change["from"])
        end = "" if change["op"] == "+" else clock(change["until"])
        open_ones[f"{predicate} {value}", begin] = f"[{begin},{end}) {predicate} {value}"
    return list(open_ones.values())


def clock(time: str) -> str:
    return f"{datetime.fromisoformat(time):%H:%M}"


def test_rules_of_other_languages_are_read_or_called_by_their_names(test_data) -> None:
    folder = test_data("field/24-rules-of-other-languages")
    wanted = (folder / "expected.txt").read_text("utf-8").split()
    files = ("jena.rules", "rules.n3", "rule.rq")
    for name, word in zip(files, wanted, strict=True):
        found = call(["check", str(folder / name)])
        if name == "rules.n3":
            assert word in found.err
        else:
            assert (found.code, found.err) == (0, "")


def test_another_syntax_of_ontologies_is_called_by_its_name(test_data) -> None:
    folder = test_data("field/29-owl-xml")
    found = call(["run", str(folder / "rules.rif"), "--static", str(folder / "data.owl")])
    assert "OWL/XML" in found.err
