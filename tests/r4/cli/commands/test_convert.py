"""``r4 convert``: between the presentation syntax and RIF/XML, by what the input is."""

from __future__ import annotations

import gzip
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from r4.cli import DONE, main
from r4.cli.terminal.console import RULES_REFUSED, USAGE
from tests.generators.rules.parsers import (
    parse,
    parse_formula,
    parse_xml,
    parse_xml_either,
    unparse,
)
from tests.paths import ROOT

RULES = """Document(
  Prefix(ex <http://example.org/>)
  Window(1.5 h)
  Group(
    (* ex:first *)
    Forall ?x (
      ex:p(?x) :-
        ex:q(?x)
    )
  )
)
"""
FORMULA = "Exists ?x (<http://example.org/p>(?x))\n"


def converted(folder: Path, text: str, *options: str) -> str:
    given, made = folder / "given", folder / "made"
    given.write_text(text, "utf-8")
    assert main(["convert", *options, str(given), str(made)]) == DONE
    return made.read_text("utf-8")


def test_a_document_goes_to_xml_and_comes_back(tmp_path: Path) -> None:
    text = converted(tmp_path, RULES)
    assert parse_xml(text.encode()).document == parse(RULES).document
    assert '<Const type="http://www.w3.org/2007/rif#iri">&ex;first</Const>' in text
    assert converted(tmp_path, text) == RULES


def test_a_formula_goes_to_xml_and_comes_back(tmp_path: Path) -> None:
    text = converted(tmp_path, FORMULA)
    assert parse_xml_either(text.encode()) == parse_formula(FORMULA)
    assert converted(tmp_path, text) == FORMULA


def test_a_formula_may_use_the_prefixes_it_is_given(tmp_path: Path) -> None:
    prefix = "--prefix=ex=http://example.org/"
    text = converted(tmp_path, "ex:p(1)", prefix)
    assert "&ex;p" in text
    assert converted(tmp_path, text, prefix) == "ex:p(1)\n"
    assert converted(tmp_path, text) == "<http://example.org/p>(1)\n"


def test_a_syntax_may_be_asked_for(tmp_path: Path) -> None:
    loose = " ".join(RULES.split())
    assert converted(tmp_path, loose, "--to", "ps") == RULES
    text = converted(tmp_path, loose, "--to", "xml")
    assert converted(tmp_path, text, "--to", "xml") == text


@pytest.mark.parametrize("name", ["r4/demo/storms.rif", "examples/glucose.rif"])
def test_our_rules_are_told_by_their_content_not_their_name(name: str, tmp_path: Path) -> None:
    given = (ROOT / name).read_text("utf-8")
    text = converted(tmp_path, given)
    assert text.startswith("<?xml")
    assert converted(tmp_path, text) == unparse(parse(given).document)


def test_standard_input_goes_to_standard_output(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(RULES.encode())))
    assert main(["convert", "-", "-"]) == DONE
    out, err = capsysbinary.readouterr()
    assert parse_xml(out).document == parse(RULES).document
    assert err == b""


def test_what_is_wrong_is_said_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, made = tmp_path / "given.rif", tmp_path / "made"
    given.write_text("<Document>\n<Group/></Document>", "utf-8")
    assert main(["convert", str(given), str(made)]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{given}:1:1: RIF126" in err
    assert f"{given}:2:1: RIF128" in err
    assert "hint: " in err
    assert not made.exists()


def test_what_xml_cannot_hold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.rif"
    given.write_text('Document(Group(_p("\\u0007")))', "utf-8")
    assert main(["convert", str(given), "-"]) == RULES_REFUSED
    assert "RIF132 XML has no character U+0007" in capsys.readouterr().err


def test_warnings_are_said_and_rules_are_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsafe = "Document(Group(Forall ?x (_p(?x) :- _q(rif:a))))"
    assert parse_xml(converted(tmp_path, unsafe).encode(), check=False).document.group
    assert "RIF106 warning" in capsys.readouterr().err


def test_lenient_reads_what_the_rules_leave_out(tmp_path: Path) -> None:
    text = converted(tmp_path, "Document(Group(p(?x) :- q(?x)))", "--lenient")
    assert (
        parse_xml(text.encode()).document
        == parse("Document(Group(Forall ?x (_p(?x) :- _q(?x))))").document
    )


@pytest.mark.parametrize("options", [["--to", "turtle"], ["--prefix", "ex"], ["--prefix", "e=a b"]])
def test_wrong_usage(options: list[str], tmp_path: Path) -> None:
    given = tmp_path / "given.rif"
    given.write_text(RULES, "utf-8")
    assert main(["convert", *options, str(given), "-"]) == USAGE
    assert main(["convert", str(given), str(given)]) == USAGE
    assert main(["convert", str(tmp_path / "none"), "-"]) == USAGE
    assert main(["convert", str(given), str(tmp_path / "no/folder")]) == USAGE
    assert given.read_text("utf-8") == RULES


def test_other_commands_read_xml_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.rif.gz"
    path.write_bytes(gzip.compress(converted(tmp_path, RULES).encode()))
    assert main(["check", str(path)]) == DONE
    assert "1 rule, no facts, window 1.5 h, no warnings" in capsys.readouterr().out
    assert main(["plan", str(path)]) == DONE
