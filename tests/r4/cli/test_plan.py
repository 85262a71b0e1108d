"""``r4 plan``: each form of the network, and what it refuses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.cli import DONE, main
from r4.cli.common import RULES_REFUSED, USAGE

RULES = """
Document( Prefix(ex <http://example.org/>) Window(5 s)
  Group(
    Forall ?x ?y (?x[ex:above -> ?y] :- And(?x[ex:on -> ?y] ?y[ex:is -> ex:here]))
    Forall ?a ?b (?a[ex:below -> ?b] :- And(?b[ex:on -> ?a] ?a[ex:is -> ex:here]))
  ) )
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "blocks.rif"
    path.write_text(RULES, "utf-8")
    return str(path)


def test_the_network_is_shown_as_text(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", rules]) == DONE
    out, err = capsys.readouterr()
    assert out.startswith("blocks.rif: 2 rules, 2 patterns, 1 join, 3 nodes shared by several")
    assert "#3 (shared by rules 1, 2)" in out
    assert err == ""


def test_a_picture_is_xml(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--as", "svg", rules]) == DONE
    out, err = capsys.readouterr()
    assert ET.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own
    assert "?x[ex:on" in "".join(ET.fromstring(out).itertext())  # noqa: S314 - our own
    assert err == ""


def test_a_large_picture_comes_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "many.rif"
    many = "\n".join(f"Forall ?x (ex:p{i}(?x) :- ex:q{i}(?x))" for i in range(201))
    path.write_text(f"Document(Prefix(ex <http://example.org/>) Group({many}))", "utf-8")
    assert main(["plan", "--as", "svg", str(path)]) == DONE
    assert capsys.readouterr().err.startswith("402 nodes make a picture of ")


def test_json_and_dot_are_whole(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--as", "json", rules]) == DONE
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 5
    assert main(["plan", "--as", "dot", rules]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("digraph network {")
    assert out.endswith("}\n")


def test_rules_are_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RULES.encode())))
    assert main(["plan", "-"]) == DONE
    assert capsys.readouterr().out.startswith("<stdin>: 2 rules")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Document( Group( Forall ?x (", "RIF"),
        ("Document( Window(0.01 ms) )", "R4101"),
    ],
)
def test_faulty_rules_exit_3(
    text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.rif"
    path.write_text(text, "utf-8")
    assert main(["plan", str(path)]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert code in err
    assert "bad.rif:1:" in err


@pytest.mark.parametrize(
    "args", [["--shards", "4"], ["--shards=0"], ["--as", "png"], ["--tick", "h"]]
)
def test_what_is_not_there_exits_2(
    args: list[str], rules: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *args, rules]) == USAGE
    assert capsys.readouterr().out == ""


def test_a_file_that_is_not_there_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "no-such-file.rif"]) == USAGE
    assert "no-such-file.rif" in capsys.readouterr().err


def test_json_has_built_ins_that_bind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "binds.rif"
    path.write_text(
        "Document( Prefix(ex <urn:ex:>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"
        " Group( Forall ?x ?y ( ex:in(?y) :-"
        " And(ex:l(?x) External(pred:list-contains(?x ?y)) ) ) ) )",
        "utf-8",
    )
    assert main(["plan", "--as", "json", str(path)]) == DONE
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    solved = next(node["operator"] for node in nodes if node["kind"] == "solve")
    assert solved["args"][1] is None
