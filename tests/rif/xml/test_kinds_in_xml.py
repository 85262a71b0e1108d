"""Kinds of formula that RIF-Core does not have are elements of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest

from rif.errors.report import RuleErrors
from rif.language import CORE
from rif.syntax import ast
from rif.syntax.formula_kinds import FormulaKind, XmlForm
from rif.syntax.terms import IRI
from rif.text.parser import parse_formula
from rif.xml.parser import parse_xml_either
from rif.xml.writer import write_xml_formula


@dataclass(frozen=True, slots=True)
class Lately(ast.Formula):
    """A toy operator with a range."""

    rho: str
    inner: ast.Formula

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)


LATELY = FormulaKind(
    "Lately",
    Lately,
    parse=lambda parser: Lately("", parser.one_formula()),
    write=lambda node, writer: writer.call("Lately ", [writer.formula(node.inner)]),
    xml=XmlForm(
        ("range",),
        1,
        read=lambda values, parts, _: Lately(values["range"], parts[0]),
        write=lambda node: {"range": node.rho},
    ),
)


def test_a_kind_from_outside_has_its_element() -> None:
    formula = Lately('"<5 s>"', ast.And((parse_formula("_p()"),)), meta=ast.Meta(IRI("urn:m")))
    toy = CORE.with_kinds(LATELY)
    text = write_xml_formula(formula, language=toy)
    assert parse_xml_either(text.encode(), language=toy) == formula
    with pytest.raises(RuleErrors, match=r"RIF130.*has no range"):
        parse_xml_either(re.sub(" range=.*>", ">", text).encode(), language=toy)
    with pytest.raises(RuleErrors, match="RIF127"):
        parse_xml_either(text.encode())
    without = CORE.with_kinds(replace(LATELY, xml=None))
    with pytest.raises(RuleErrors, match="RIF132"):
        write_xml_formula(formula, language=without)
