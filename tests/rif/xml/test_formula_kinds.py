"""Kinds of formula that RIF-Core does not have are elements of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.formula_kinds import FormulaKind, XmlForm
from rif.syntax.terms import IRI
from rif.text.parser import parse_formula
from rif.xml.parser import parse_xml_formula
from rif.xml.writer import write_xml_formula
from tests.rif.kind_registration import registered


@dataclass(frozen=True, slots=True)
class Lately(ast.Formula):
    """A toy operator with a range."""

    rho: str
    inner: ast.Formula


LATELY = FormulaKind(
    "Lately",
    Lately,
    parse=lambda parser: Lately("", parser.one_formula()),
    write=lambda node, writer: writer.call("Lately ", [writer.formula(node.inner)]),
    parts=lambda node: (node.inner,),
    rebuild=lambda node, parts: replace(node, inner=parts[0]),
    binding=lambda node: (node.inner,),
    xml=XmlForm(
        ("range",),
        1,
        read=lambda values, parts, _: Lately(values["range"], parts[0]),
        write=lambda node: {"range": node.rho},
    ),
)


def test_a_kind_from_outside_has_its_element() -> None:
    formula = Lately('"<5 s>"', ast.And((parse_formula("_p()"),)), meta=ast.Meta(IRI("urn:m")))
    with registered(LATELY):
        text = write_xml_formula(formula)
        assert parse_xml_formula(text.encode()) == formula
        with pytest.raises(RuleErrors, match=r"RIF130.*has no range"):
            parse_xml_formula(re.sub(" range=.*>", ">", text).encode())
    with pytest.raises(RuleErrors, match="RIF127"):
        parse_xml_formula(text.encode())
    with (
        registered(replace(LATELY, xml=None)),
        pytest.raises(RuleErrors, match="RIF132"),
    ):
        write_xml_formula(formula)
