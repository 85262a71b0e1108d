"""``r4 test``: cases in folders and Markdown, what differs, and what is written."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.cli import DONE, USAGE
from r4.cli.terminal.console import LOST, NO
from tests.paths import ROOT
from tests.simulation.command import CommandOutput, call

RULES = """
Document(
  Prefix(ex <urn:ex:>)
  Window(3)
  Group(
    Forall ?x (?x[ex:is -> "both"] :- And(?x[ex:sees -> "a"] ?x[ex:sees -> "b"]))
  )
)
"""
STREAM = """
<urn:ex:x> <urn:ex:sees> "a" <urn:ex:e1> .
<urn:ex:e1> <http://www.w3.org/ns/prov#generatedAtTime> 1 .
<urn:ex:x> <urn:ex:sees> "b" <urn:ex:e2> .
<urn:ex:e2> <http://www.w3.org/ns/prov#generatedAtTime> 2 .
""".replace(" 1 .", ' "1"^^<http://www.w3.org/2001/XMLSchema#integer> .').replace(
    " 2 .", ' "2"^^<http://www.w3.org/2001/XMLSchema#integer> .'
)
LINE = (
    '{"op":"+","at":2,"s":"<urn:ex:x>","p":"<urn:ex:is>","o":"\\"both\\"","from":2,"until":null,'
    '"rule":1}\n'
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder has a case ``both`` that passes."""
    monkeypatch.chdir(tmp_path)
    write("both")


def write(
    name: str,
    *,
    rules: str | None = RULES,
    stream: str | None = STREAM,
    expected: str | None = LINE,
    options: str | None = None,
) -> Path:
    case = Path(name)
    case.mkdir(parents=True, exist_ok=True)
    files = {
        "rules.rif": rules,
        "stream.nq": stream,
        "expected.jsonl": expected,
        "options": options,
    }
    for file, text in files.items():
        if text is not None:
            (case / file).write_text(text, "utf-8")
    return case


def run(*args: str, code: int = DONE) -> CommandOutput:
    output = call(["test", *args])
    assert output.code == code, output
    return output


def test_a_case_that_gives_what_it_expects_passes() -> None:
    assert run(".").out == "pass  both\n1 case, none failed\n"
    assert run("both").out == "pass  both\n1 case, none failed\n"


def test_a_case_that_gives_something_else_fails_and_says_what_differs() -> None:
    write("late", expected=LINE.replace(":2", ":3"))
    output = run(".", code=NO)
    assert output.out.splitlines() == [
        "pass  both",
        "FAIL  late",
        '  same answer, but from 2 instead of 3: + ex:x ex:is "both"',
        "  2> 2 elements, 4 statements; 1 change of answers; from 1 to 2; 0 late, 0 bad",
        "2 cases, 1 failed",
    ]


def test_many_differences_are_counted() -> None:
    write("late", expected=LINE.replace("both", "none") * 30)
    assert "  and 10 more differences\n" in run("late", code=NO).out


@pytest.mark.parametrize(
    ("expected", "words"),
    [("{\n", "line 1 is no JSON"), ("", "unexpected: + ex:x"), (None, "neither expected.jsonl")],
)
def test_expected_lines_that_are_none_fail(expected: str | None, words: str) -> None:
    write("case", expected=expected)
    assert words in run("case", code=NO).out


def test_an_expected_term_that_is_none_is_told_as_it_stands() -> None:
    write("case", expected=LINE.replace("<urn:ex:x>", "ex:x"))
    assert "  missing: + ex:x ex:is" in run("case", code=NO).out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rules": "Document("}, ["r4 run ends with 3: the rules are refused", "rules.rif:1:10:"]),
        ({"rules": "Document( Group( <a> ) )", "options": "--strict"}, ["ends with 3"]),
        ({"stream": "x\n", "options": "--strict"}, ["ends with 4: the input is refused"]),
        ({"options": "--limit 0"}, ["options: Invalid value for '--limit'"]),
        ({"options": "--window 1x"}, ["ends with 2: wrong usage", "1x"]),
    ],
)
def test_a_run_that_is_refused_fails_with_what_it_says_and_the_others_go_on(
    more: dict[str, str], words: list[str]
) -> None:
    write("a-bad", **more)
    output = run(".", code=NO).out
    assert output.endswith("pass  both\n2 cases, 1 failed\n")
    for word in words:
        assert word in output


def test_what_the_environment_says_of_runs_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R4_RUN_WINDOW", "1")
    monkeypatch.setenv("R4_RUN_OUTPUT", "out")
    run(".")
    assert not Path("out").exists()


def test_options_are_those_of_the_run() -> None:
    write("case", options="--as csv")
    Path("case/expected.jsonl").unlink()
    run("case", "--rewrite")
    text = Path("case/expected.txt").read_bytes().decode()
    assert "urn:ex:is" in text
    assert "{" not in text
    assert run("case").out == "pass  case\n1 case, none failed\n"
    Path("case/expected.txt").write_text(f"{text}more\n", "utf-8")
    assert "  missing line: more\n" in run("case", code=NO).out


def test_rewrite_writes_what_came_and_nothing_else() -> None:
    write("new", expected=None)
    write("bad", rules="Document(", expected="x")
    Path("own.md").write_text(
        f"# A\n```rif\n{RULES}```\n```nquads\n{STREAM}```\n```expected\n```\n", "utf-8"
    )
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*") if path.is_file()}
    output = run(".", "--rewrite", code=NO)
    assert "wrote new/expected.jsonl\npass  new\n" in output.out
    assert "wrote own.md\npass  own.md: A\n" in output.out
    assert Path("new/expected.jsonl").read_text("utf-8") == LINE
    assert f"```expected\n{LINE}```\n" in Path("own.md").read_text("utf-8")
    after = {path: path.stat().st_mtime_ns for path in Path().rglob("*") if path.is_file()}
    assert set(after) - set(before) == {Path("new/expected.jsonl")}
    assert {path for path in before if before[path] != after[path]} == {Path("own.md")}
    shutil.rmtree("bad")
    run(".")


def test_cases_are_chosen_by_their_names() -> None:
    write("other")
    assert run(".", "-k", "OTH").out == "pass  both\npass  other\n2 cases, none failed\n"
    assert run(".", "-k", "Othe").out == "pass  other\n1 case, none failed\n"
    assert "no case has that in its name" in run(".", "-k", "x", code=USAGE).err


def test_results_are_written_as_junit_xml() -> None:
    write("late <&", expected="")
    run(".", "--junit", "out.xml", code=NO)
    suite = ET.parse("out.xml").getroot()  # noqa: S314 - our own
    assert suite.attrib["failures"] == "1"
    assert [case.attrib["name"] for case in suite] == ["both", "late <&"]
    assert suite[1][0].attrib["message"].startswith("unexpected: + ex:x")


def test_a_result_that_cannot_be_written_is_lost() -> None:
    assert "no/out.xml" in run(".", "--junit", "no/out.xml", code=LOST).err
    taken = run(".", "--junit", "both/stream.nq", code=USAGE)
    assert "both/stream.nq is read, so it cannot be written" in taken.err


@pytest.mark.parametrize("path", ["none", "both/rules.rif", "empty", "text.md"])
def test_a_path_without_a_case_is_wrong_usage(path: str) -> None:
    Path("empty").mkdir()
    Path("text.md").write_text("# Text\n", "utf-8")
    assert path in run(path, code=USAGE).err


def test_the_examples_pass() -> None:
    output = run(str(ROOT / "examples" / "cases"))
    assert output.out.endswith("3 cases, none failed\n")
