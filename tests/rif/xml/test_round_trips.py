"""What is written as RIF/XML is read back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings

from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import Variable
from tests.generators.rules import syntax
from tests.generators.rules.parsers import (
    parse,
    parse_formula,
    parse_xml_either,
    unparse,
    write_xml,
    write_xml_formula,
)
from tests.paths import ROOT
from tests.rif.xml.snippets import again

OURS = [ROOT / "r4/demo/storms.rif", *sorted(ROOT.glob("examples/*.rif"))]
CHAR = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*\\Z")
"""What a text of XML consists of [XML10, 2.2]."""


def texts_of(node: object) -> Iterator[str]:
    """Every text in a syntax tree."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from texts_of(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from texts_of(getattr(node, field.name))


@given(syntax.documents)
def test_every_document_is_read_back_or_has_a_character_that_xml_has_not(
    given: ast.Document,
) -> None:
    if all(CHAR.match(text) for text in texts_of(given)):
        assert again(given) == given
        assert unparse(again(given)) == unparse(given)
    else:
        with pytest.raises(RuleErrors, match="RIF132"):
            write_xml(given)


@given(syntax.formulas)
@settings(max_examples=50)
def test_every_formula_is_read_back(formula: ast.Formula) -> None:
    if all(CHAR.match(text) for text in texts_of(formula)):
        text = write_xml_formula(formula, {"e": "http://e/"})
        assert parse_xml_either(text.encode(), check=False) == formula


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_rules_are_the_same_in_both_syntaxes(path: Path) -> None:
    given = parse(path.read_text("utf-8")).document
    assert again(given) == given
    assert unparse(again(given)) == unparse(given)


def test_variables_have_any_name() -> None:
    given = parse_formula('Exists ?" a<&>\\n" (_p(?" a<&>\\n"))')
    assert parse_xml_either(write_xml_formula(given).encode()) == given
    assert isinstance(given, ast.Exists)
    assert given.variables == (Variable(" a<&>\n"),)
