"""``r4 plan``: each form of the network, and what it refuses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.cli import DONE, main
from r4.cli.terminal.console import RULES_REFUSED, USAGE

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
    assert err == "single elements go through it row by row\n"


@pytest.mark.parametrize("tick", ["ms", "us"])
def test_rules_with_operators_keep_their_names_whatever_a_tick_is(
    tick: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "late.rif"
    rule = "Forall ?who (ex:late(?who) :- DiamondMinus [0 s, 1 s] (ex:due(?who)))"
    path.write_text(f"Document(Prefix(ex <http://example.org/>) Group({rule}))", "utf-8")
    assert main(["plan", "--tick", tick, str(path)]) == DONE
    assert "rule 1 derives ex:late(?who)" in capsys.readouterr().out


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
    "args",
    [
        ["--shards", "many"],
        ["--shards=0"],
        ["--shards=2", "--as=svg"],
        ["--rates", "r.json"],
        ["--as", "png"],
        ["--tick", "h"],
    ],
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


def test_the_shards_of_rules_are_shown_as_text(
    rules: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", rules, "--shards", "3"]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("blocks.rif: 2 bodies of rules in 3 shards; 2 split, 0 whole\n")
    assert "  rule 1, by the hash of ?y\n    if ?y[ex:is -> ex:here]  (by ?y)\n" in out
    assert "    ?x[ex:above -> ?y] stays\n" in out
    assert "  rule 2, by the hash of ?a\n" in out
    assert "shard 2: 33% of what is taken in\n" in out
    assert "  ?[ex:above -> ?]: at home by the hash of the object\n" in out


def test_the_shards_of_rules_are_shown_as_json_and_dot(
    rules: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", rules, "--shards", "2", "--as", "json"]) == DONE
    told = json.loads(capsys.readouterr().out)
    assert told["shards"] == 2
    assert told["shares"] == [0.5, 0.5]
    assert [(body["rule"], body["shard"], body["key"]) for body in told["bodies"]] == [
        (1, None, "?y"),
        (2, None, "?a"),
    ]
    assert told["groups"][0] == {
        "facts": ["?[ex:above -> ?]"],
        "rules": [1],
        "home": "by the hash of the object",
        "goes_on": [],
    }
    assert main(["plan", rules, "--shards", "2", "--as", "dot"]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("digraph shards {")
    assert 'subgraph "cluster shard 1"' in out
    assert "b0 -> g0;" in out
    assert out.endswith("}\n")


def test_what_is_static_by_the_rates_is_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, rates = tmp_path / "before.rif", tmp_path / "rates.json"
    path.write_text(
        "Document( Prefix(ex <http://example.org/>) Group( Forall ?a ?b ?c ("
        " ?a[ex:before -> ?c] :- And(?a[ex:before -> ?b] ?b[ex:next -> ?c]) ) ) )",
        "utf-8",
    )
    rates.write_text('{"http://example.org/next": 0, "<http://example.org/before>": 9}', "utf-8")
    assert main(["plan", str(path), "--shards", "2", "--rates", str(rates)]) == DONE
    out = capsys.readouterr().out
    assert "    if ?b[ex:next -> ?c]  (copied to all)\n" in out
    assert "    if ?a[ex:before -> ?b]  (by ?a)\n" in out


@pytest.mark.parametrize("content", ["", "[]", '{"http://e/p": -1}', '{"http://e/p": "1"}'])
def test_rates_that_are_none_are_wrong_usage(
    tmp_path: Path, rules: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = tmp_path / "rates.json"
    rates.write_text(content, "utf-8")
    assert main(["plan", rules, "--shards", "2", "--rates", str(rates)]) == USAGE
    assert "--rates" in capsys.readouterr().err
