"""Negation as failure is read, written and checked like other conditions; a warning names it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.errors.base import Span
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.clauses import clauses
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.negation import Naf
from rif.syntax.terms import RIF
from rif.syntax.traversal import free_variables
from tests.generators.rules import syntax
from tests.generators.rules.parsers import (
    PLAIN,
    parse,
    parse_formula,
    parse_xml,
    parse_xml_either,
    unparse,
    unparse_formula,
    write_xml,
    write_xml_formula,
)
from tests.rif.rule_parser import parse_rule, parse_rules

BODY = "And(_q(?x) Naf(Exists ?y (And(_r(?x ?y) Naf(Or(_s(?y) ?y = 1))))))"
RULE = f"Forall ?x (_p(?x) :- {BODY})"


def codes(text: str) -> list[str]:
    """Code and column of each fault; of a warning the code alone."""
    try:
        return [fault.code for fault in parse_rules(text).warnings]
    except RuleErrors as found:
        return [
            f"{fault.code} {fault.span.column}"
            for fault in found.errors
            if fault.severity == "error"
        ]


def test_it_is_a_formula_with_span_and_annotation() -> None:
    rule = parse_rule("_p() :- (* <urn:m> *) Naf(_q())")
    assert isinstance(rule, ast.Implies)
    assert isinstance(rule.body, Naf)
    assert rule.body.meta is not None
    assert rule.body.span == Span(1, 9, 1, 32)
    assert rule.body.body == parse_formula("_q()")


def test_a_document_is_written_and_read_in_both_syntaxes() -> None:
    document = parse(f"Document(Group({RULE}))").document
    assert parse(unparse(document)).document == document
    assert parse_xml(write_xml(document).encode()).document == document


def test_its_element_is_that_of_rif_fld() -> None:
    lines = [line.strip() for line in write_xml_formula(parse_formula("Naf(_q())")).splitlines()]
    assert lines[1:4] == [f'<Naf xmlns="{RIF}">', "<formula>", "<Atom>"]
    own = f'<n:Naf xmlns:n="urn:r4:rif#" xmlns="{RIF}"><formula><And/></formula></n:Naf>'
    with pytest.raises(RuleErrors, match="RIF127"):
        parse_xml_either(own.encode())


def test_an_element_without_formula_is_refused() -> None:
    with pytest.raises(RuleErrors, match="RIF129 Naf has no formula"):
        parse_xml_either(f'<Naf xmlns="{RIF}"/>'.encode())


negations: st.SearchStrategy[ast.Formula] = st.recursive(
    syntax.literals_of_bodies,
    lambda inner: st.one_of(
        st.builds(Naf, inner),
        st.builds(lambda one, meta: Naf(one, meta=meta), inner, syntax.metas()),
        st.builds(lambda one, two: ast.And((one, two)), inner, inner),
        st.builds(ast.Exists, syntax.quantified, inner),
    ),
    max_leaves=4,
)


@given(negations)
def test_what_is_written_is_read_back(formula: ast.Formula) -> None:
    written = unparse_formula(formula)
    assert parse_formula(written, {}, check=False, language=PLAIN) == formula


def test_it_is_told_once_that_it_is_not_rif_core() -> None:
    parsed = parse_rules(f"{RULE} {RULE}")
    assert [(fault.code, fault.span.column) for fault in parsed.warnings] == [("RIF161", 33)]
    assert parsed.warnings[0].severity == "warning"
    xml = write_xml(parsed.document).encode()
    assert [fault.code for fault in parse_xml(xml).warnings] == ["RIF161"]


def test_nothing_is_told_where_there_is_none() -> None:
    assert codes("_p() :- And(_q() Or(_r() _s()))") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Naf(_p())", ["RIF157 1"]),
        ("Naf(_p()) :- _q()", ["RIF157 1"]),
        ("And(_p() Naf(_p())) :- _q()", ["RIF157 10"]),
        ("_p() :- Naf _q()", ["RIF101 13"]),
        ("_p() :- Naf(_q() _r())", ["RIF101 18"]),
        ("_p() :- Naf()", ["RIF101 13"]),
        ("_p() :- Neg(_q())", ["RIF153 9"]),
        ("_p() :- " + "Naf(" * 200 + "_q()" + ")" * 200, ["RIF111 413"]),
    ],
)
def test_it_stands_in_bodies_with_one_formula(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    "body",
    [
        "Naf(_q())",
        "And(_q(?x) Naf(_r(?x)))",
        "And(Naf(_r(?x)) _q(?x))",
        "And(?x = 1 Naf(_r(?x)))",
        "And(_q(?x) Naf(Naf(_r(?x))))",
        "And(_q(?x) Naf(External(pred:is-list(?x))))",
        "And(_q(?x) Naf(Exists ?y (And(_r(?y) External(pred:numeric-less-than(?y ?x))))))",
        "And(_q(?x) Naf(Exists ?y (And(?y = ?x _r(?y)))))",
        "And(_q(?x) Naf(Exists ?y (And(_r(?y) Naf(?x = ?y)))))",
        "And(_q(?x) Naf(Exists ?x (_r(?x))))",
        "Or(And(_q(?x) Naf(_r(?x))) _s(?x))",
    ],
)
def test_what_is_bound_beside_it_is_bound_in_it(body: str) -> None:
    rule = f"Forall ?x (_p(?x) :- {body})" if "?x" in body else f"_p() :- {body}"
    assert codes(rule) == ["RIF161"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Forall ?x (_p(?x) :- Naf(_q(?x)))", ["RIF301 15"]),
        ("Forall ?x (_p() :- Naf(_q(?x)))", ["RIF302 27"]),
        ("Forall ?x ?y (_p(?x) :- And(_q(?x) Naf(_r(?x ?y))))", ["RIF302 46"]),
        (
            "Forall ?x (_p(?x) :- And(_q(?x) Naf(Exists ?y (External(pred:is-list(?y))))))",
            ["RIF302 70"],
        ),
        ("Forall ?x (_p() :- And(Naf(_q(?x)) External(pred:is-list(?x))))", ["RIF302 31"]),
        ("Forall ?x (_p(?x) :- Or(And(_q(?x) Naf(_r(?x))) Naf(_s(?x))))", ["RIF301 15"]),
        (
            "_p() :- Naf(Exists ?x (And(_q(?x) Naf(Exists ?y (And(_r(?x) ?y = ?y))))))",
            ["RIF302 61"],
        ),
        ("_p() :- Naf(Exists ?x (Naf(_q(?x))))", ["RIF302 31"]),
    ],
)
def test_it_binds_nothing(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_the_hint_says_where_a_variable_belongs_that_is_free_in_it() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules("Forall ?x ?y ?z (_p(?x) :- And(_q(?x) ?z = ?z Naf(_r(?x ?y ?z))))")
    hints = {fault.message[:2]: fault.hint for fault in caught.value.errors if fault.code[3] == "3"}
    assert hints["?y"] == "bind it beside the Naf, or put it under an Exists inside"
    assert hints["?z"].startswith("bind it in an atom")


def test_well_formedness_looks_inside() -> None:
    assert codes("_p() :- Naf(External(pred:is-list()))") == ["RIF205 13"]
    assert codes("_p() :- Naf(_q(_p))") == ["RIF203 16"]
    assert codes("Forall ?x (_p() :- Naf(_q(?z)))")[0] == "RIF201 27"


def test_values_do_not_come_out_of_it() -> None:
    body = "And(_q(?x) Naf(_p(External(func:numeric-add(?x 1)))))"
    assert codes(f"Forall ?x (_r(?x) :- {body}) Forall ?x (_p(?x) :- _r(?x))") == ["RIF161"]


def test_it_is_one_literal_in_normal_form() -> None:
    (clause,) = clauses(parse_rules(RULE).document)
    (body,) = clause.bodies
    assert [type(literal) for literal in body] == [ast.Atom, Naf]
    text = "Forall ?x (_p(?x) :- And(_q(?x) Exists ?x (And(_r(?x) Naf(_s(?x))))))"
    (clause,) = clauses(parse_rules(text).document)
    (body,) = clause.bodies
    assert [name for literal in body for name in free_variables(literal)] == ["x", "x_2", "x_2"]


def test_what_is_negated_is_bounded_like_a_body() -> None:
    wide = " ".join(["Or(_q() _r())"] * 14)
    assert codes(f"_p() :- Naf(And({wide}))") == ["RIF209 13"]
    assert len(DisjunctiveNormalForm(parse_formula(f"Naf(And({wide}))"), ()).conjunctions) == 1
