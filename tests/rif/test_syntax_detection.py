"""Which syntax it is, its content tells."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.errors.report import RuleErrors
from rif.parser import parse_bytes, parse_conclusion
from rif.syntax import ast
from rif.syntax.terms import IRI, Local
from rif.text.parser import parse_formula
from rif.xml.writer import write_xml, write_xml_formula
from tests.rif.xml.snippets import FACT, PLAIN


@pytest.mark.parametrize(
    "text",
    ["<urn:a>[<urn:b> -> 1]", "\n<http://e/a>(1)", "Exists ?x (_p(?x))", "(* <urn:m> *) _p()"],
)
def test_a_formula_that_begins_with_an_iri_is_no_xml(text: str) -> None:
    assert parse_conclusion(text.encode()) == parse_formula(text)


def test_a_conclusion_is_a_formula_or_a_document_in_either_syntax() -> None:
    formula = ast.Atom(Local("p"), ())
    inside = ast.Document(group=ast.Group((formula,)))
    assert parse_conclusion(b"_p()") == formula
    assert parse_conclusion(write_xml_formula(formula).encode()) == formula
    assert parse_conclusion(b"\xef\xbb\xbf(* <urn:a> *) Document(Group(_p()))") == replace(
        inside, meta=ast.Meta(IRI("urn:a"))
    )
    assert parse_conclusion(write_xml(inside).encode()) == inside
    assert parse_conclusion(b"a:p()", prefixes={"a": "urn:"}) == ast.Atom(IRI("urn:p"), ())


@pytest.mark.parametrize("text", ["_p(?x)", "Exists ?x ?x (_p(?x))"])
def test_a_conclusion_is_closed_and_well_formed(text: str) -> None:
    formula = parse_formula(text, check=False) if text == "_p(?x)" else None
    with pytest.raises(RuleErrors, match="RIF20"):
        parse_conclusion(text.encode())
    if formula is not None:
        with pytest.raises(RuleErrors, match="RIF201"):
            parse_conclusion(write_xml_formula(formula).encode())


@given(st.sampled_from([PLAIN, b"Document(Group(_p(1)))"]))
def test_either_syntax_is_told_by_its_content(data: bytes) -> None:
    assert parse_bytes(data).document.group == ast.Group((FACT,))
