"""A kind that RIF-Core does not have is parsed, written, checked, normalised by its table entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from rif.errors.base import NOWHERE, Span
from rif.errors.report import RuleErrors
from rif.syntax import ast, formula_kinds
from rif.syntax.clauses import clauses
from rif.syntax.formula_kinds import FormulaKind, FormulaSink, FormulaSource
from rif.syntax.terms import IRI, Local
from rif.syntax.traversal import free_variables
from rif.text.parser import parse
from rif.text.writer import Lines, unparse
from tests.rif.kind_registration import registered
from tests.rif.rule_parser import parse_rule, parse_rules


@dataclass(frozen=True, slots=True)
class Lately(ast.Formula):
    """``Lately [5 s] ( F )``: a toy operator with a range, allowed in heads."""

    amount: str
    unit: str
    inner: ast.Formula


@dataclass(frozen=True, slots=True)
class Missing(ast.Formula):
    """``Missing ( F )``: a toy negation."""

    inner: ast.Formula


def read_lately(parser: FormulaSource) -> Lately:
    parser.expect("[")
    amount, unit = parser.duration()
    parser.expect("]")
    return Lately(amount, unit, parser.one_formula())


def write_lately(node: Lately, writer: FormulaSink) -> Lines:
    return writer.call(f"Lately [{node.amount} {node.unit}] ", [writer.formula(node.inner)])


LATELY = FormulaKind(
    "Lately",
    Lately,
    parse=read_lately,
    write=write_lately,
    parts=lambda node: (node.inner,),
    rebuild=lambda node, parts: replace(node, inner=parts[0]),
    binding=lambda node: (node.inner,),
    head=True,
)
MISSING = FormulaKind(
    "Missing",
    Missing,
    parse=lambda parser: Missing(parser.one_formula()),
    write=lambda node, writer: writer.call("Missing", [writer.formula(node.inner)]),
    parts=lambda node: (node.inner,),
    rebuild=lambda _, parts: Missing(parts[0]),
    binding=lambda _: (),
)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with registered(LATELY), registered(MISSING):
        yield


def codes(text: str) -> list[str]:
    try:
        return [fault.code for fault in parse_rules(text).warnings]
    except RuleErrors as found:
        return [f"{fault.code} {fault.span.column}" for fault in found.errors]


def test_it_is_parsed_with_its_annotation_and_span_and_written_back() -> None:
    text = (
        "Document(Group(Forall ?x ((* <urn:h> *) Lately [1 h] (_p(?x)) :-"
        " And((* <urn:m> *) Lately [5 s] (And(_q(?x) _r(?x))) Missing(Lately [5 s] (_s(?x)))))))"
    )
    document = parse(text).document
    assert parse(unparse(document)).document == document
    rule = parse_rule("_p() :- (* <urn:m> *) Lately [5 s] (_q())")
    assert isinstance(rule, ast.Implies)
    inner = ast.Atom(Local("q"), ())
    assert rule.body == Lately("5", "s", inner, meta=ast.Meta(IRI("urn:m")))
    assert rule.body.span == Span(1, 9, 1, 42)


def test_its_faults_are_told_like_any_other() -> None:
    assert codes("_p() :- Lately [-5 s] (_q())") == ["RIF115 17"]
    assert codes("_p() :- Lately [5 s] _q()") == ["RIF101 22"]
    assert codes("_p() :- Lately [5 s] (_q(word))\n_r(word)") == ["RIF108 26", "RIF108 4"]
    assert codes("_p() :- " + "Missing(" * 200 + "_q()" + ")" * 200) == ["RIF111 817"]


def test_only_a_kind_that_says_so_may_be_concluded() -> None:
    assert codes("Lately [1 h] (_p()) :- _q()") == []
    assert codes("Lately [1 h] (_p())") == []
    assert codes("Missing(_p()) :- _q()") == ["RIF157 1"]
    assert codes("Lately [1 h] (_a = _b) :- _q()") == ["RIF154 15"]


def test_its_binders_bind_and_nothing_else_in_it_does() -> None:
    assert codes("Forall ?x (_p(?x) :- Lately [5 s] (_q(?x)))") == []
    assert codes("Forall ?x (_p(?x) :- Lately [5 s] (Or(_q(?x) _r(?x))))") == []
    assert codes("Forall ?x (_p(?x) :- Lately [5 s] (Or(_q(?x) _r())))") == ["RIF301 15"]
    assert codes("Forall ?x (_p(?x) :- Missing(_q(?x)))") == ["RIF301 15"]
    assert codes("Forall ?x (_p(?x) :- And(_r(?x) Missing(_q(?x))))") == []
    assert codes("Forall ?x (_p() :- Missing(_q(?x)))") == ["RIF302 31"]
    assert codes("Forall ?x (Lately [1 h] (_p(?x)) :- _q())") == ["RIF301 29"]
    assert codes("Missing(_q(?x)) _p(?y) :- _q()") == ["RIF157 1", "RIF201 20", "RIF301 20"]


def test_well_formedness_looks_inside() -> None:
    assert codes("_p() :- Missing(External(pred:is-list()))") == ["RIF205 17"]
    assert codes("_p() :- Missing(_q(_p))") == ["RIF203 20"]
    rule = parse_rule("_p(?x) :- Missing(_q(?x ?y))", check=False)
    assert list(free_variables(rule)) == ["x", "y"]


def test_it_feeds_the_graph_of_strong_safeness() -> None:
    rule = "Forall ?x (Lately [1 h] (_p(External(func:numeric-add(?x 1)))) :- {}(_p(?x)))"
    assert codes(rule.format("Lately [5 s] ")) == ["RIF304"]


def test_it_stays_one_literal_in_normal_form_with_variables_renamed_apart() -> None:
    text = (
        "Forall ?x (_p(?x) :- And(_q(?x) Exists ?x (Lately [5 s] (And(_r(?x) Exists ?x (_s(?x)))))"
        " Missing(_q(?x))))"
    )
    (clause,) = clauses(parse_rules(text).document)
    (body,) = clause.bodies
    assert [type(literal) for literal in body] == [ast.Atom, Lately, Missing]
    assert [name for literal in body for name in free_variables(literal)] == ["x", "x_2", "x"]
    assert body[1].span != NOWHERE


def test_without_registration_it_is_no_formula() -> None:
    with pytest.raises(ValueError, match="already"):
        formula_kinds.register(replace(LATELY, head=False))
    with pytest.raises(ValueError, match="And"):
        formula_kinds.register(replace(LATELY, keyword="And"))
    formula_kinds.register(LATELY)


def test_the_word_alone_is_a_bare_word_once_it_is_gone() -> None:
    with registered(replace(LATELY, keyword="Just", node=type("Just", (Lately,), {}))):
        assert codes("_p() :- Just [5 s] (_q())") == []
    assert "Just" not in formula_kinds.BY_KEYWORD
    assert codes("_p() :- Just [5 s] (_q())") == ["RIF108 9", "RIF101 17"]
