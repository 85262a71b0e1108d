"""A kind of formula is parsed, written, checked and normalised by its row and its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import pytest

import rif.text.parser
import rif.text.writer
from rif.errors.base import NOWHERE, Span
from rif.errors.report import RuleErrors
from rif.language import CORE
from rif.syntax import ast
from rif.syntax.clauses import clauses
from rif.syntax.formula_kinds import FormulaKind, FormulaSink, FormulaSource
from rif.syntax.terms import IRI, Local, Variable
from rif.syntax.traversal import free_variables
from rif.text.writer import Lines, unparse_formula
from tests.rif import rule_parser


@dataclass(frozen=True, slots=True)
class Lately(ast.Formula):
    """``Lately [5 s] ( F )``: a toy operator with a range, allowed in heads."""

    is_head: ClassVar[bool] = True

    amount: str
    unit: str
    inner: ast.Formula

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)

    def with_parts(self, parts: Sequence[ast.Formula]) -> Lately:
        return replace(self, inner=parts[0])

    @property
    def binding(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True)
class Missing(ast.Formula):
    """``Missing ( F )``: a toy negation."""

    inner: ast.Formula

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)

    def with_parts(self, parts: Sequence[ast.Formula]) -> Missing:
        return replace(self, inner=parts[0])


@dataclass(frozen=True, slots=True)
class Pick(ast.Formula):
    """``Pick ?n = ?v ?g ( F )``: ?n is a value of the local variable ?v of F, for each ?g."""

    result: ast.Var
    value: Variable
    group: ast.Var
    inner: ast.Formula

    @property
    def terms(self) -> tuple[ast.Term, ...]:
        return self.result, self.group

    def with_terms(self, of: Callable[[ast.Term], ast.Term]) -> Pick:
        result, group = of(self.result), of(self.group)
        assert isinstance(result, ast.Var)
        assert isinstance(group, ast.Var)
        return replace(self, result=result, group=group)

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)

    def with_parts(self, parts: Sequence[ast.Formula]) -> Pick:
        return replace(self, inner=parts[0])

    @property
    def local(self) -> tuple[Variable, ...]:
        return (self.value,)

    @property
    def binding(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)

    @property
    def operands(self) -> tuple[ast.Formula, ...]:
        return (self.inner,)

    @property
    def results(self) -> tuple[ast.Var, ...]:
        return (self.result,)


def read_lately(parser: FormulaSource) -> Lately:
    parser.expect("[")
    amount, unit = parser.duration()
    parser.expect("]")
    return Lately(amount, unit, parser.one_formula())


def write_lately(node: Lately, writer: FormulaSink) -> Lines:
    return writer.call(f"Lately [{node.amount} {node.unit}] ", [writer.formula(node.inner)])


def _variable(parser: FormulaSource) -> ast.Var:
    span = parser.here()
    return ast.Var(Variable(parser.expect("var")[1:]), span=span)


def read_pick(parser: FormulaSource) -> Pick:
    result = _variable(parser)
    parser.expect("=")
    value, group = _variable(parser), _variable(parser)
    return Pick(result, value.value, group, parser.one_formula())


def write_pick(node: Pick, writer: FormulaSink) -> Lines:
    opening = f"Pick {node.result.value} = {node.value} {node.group.value} "
    return writer.call(opening, [writer.formula(node.inner)])


LATELY = FormulaKind("Lately", Lately, parse=read_lately, write=write_lately)
MISSING = FormulaKind(
    "Missing",
    Missing,
    parse=lambda parser: Missing(parser.one_formula()),
    write=lambda node, writer: writer.call("Missing", [writer.formula(node.inner)]),
)
PICK = FormulaKind("Pick", Pick, parse=read_pick, write=write_pick)
TOY = CORE.with_kinds(LATELY, MISSING, PICK)

parse = partial(rif.text.parser.parse, language=TOY)
unparse = partial(rif.text.writer.unparse, language=TOY)
parse_rule = partial(rule_parser.parse_rule, language=TOY)
parse_rules = partial(rule_parser.parse_rules, language=TOY)


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
    assert codes("Missing(_q(?x)) _p(?y) :- _q()") == ["RIF157 1", "RIF301 20"]


def test_well_formedness_looks_inside() -> None:
    assert codes("_p() :- Missing(External(pred:is-list()))") == ["RIF205 17"]
    assert codes("_p() :- Missing(_q(_p))") == ["RIF203 20"]
    rule = parse_rule("_p(?x) :- Missing(_q(?x ?y))", check=False, strict=True)
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


def test_variables_of_its_own_are_local_or_bound_by_it() -> None:
    assert codes("Forall ?n ?g (_p(?n ?g) :- Pick ?n = ?v ?g (_q(?g ?v)))") == []
    assert codes("Forall ?n ?g ?v (_p(?n ?v) :- And(_r(?v) Pick ?n = ?v ?g (_q(?g ?v))))") == []
    assert codes("Forall ?n ?g ?v (_p(?v) :- Pick ?n = ?v ?g (_q(?g ?v)))") == ["RIF301 21"]
    assert codes("Forall ?n ?g (_p(?n) :- Pick ?n = ?v ?g (_q(?g)))") == []
    assert codes("Forall ?n ?g ?w (_p(?n) :- Pick ?n = ?v ?g (External(pred:is-list(?w))))") == [
        "RIF302 41",
        "RIF302 67",
    ]
    rule = parse_rule("_p(?n) :- Pick ?n = ?v ?g (_q(?g ?v ?w))", check=False, strict=True)
    assert list(free_variables(rule)) == ["n", "g", "w"]


def test_its_local_variables_keep_their_names_when_others_are_renamed() -> None:
    text = (
        "Forall ?n ?v (_p(?n ?v) :-"
        " And(_q(?n ?v) Exists ?n ?v (And(_r(?v) Pick ?n = ?v ?n (_q(?v ?n))))))"
    )
    (clause,) = clauses(parse_rules(text).document)
    (*_, pick) = clause.bodies[0]
    assert isinstance(pick, Pick)
    assert pick.result.value.name == "n_2"
    assert pick.value.name == "v"
    assert unparse_formula(pick, language=TOY) == "Pick ?n_2 = ?v ?n_2 (_q(?v ?n_2))"


def test_a_value_that_it_makes_may_feed_on_itself() -> None:
    assert codes("Forall ?n ?g (_p(?n) :- Pick ?n = ?v ?g (And(_p(?v) _p(?g))))") == ["RIF304"]


def test_a_language_without_it_neither_reads_nor_writes_it() -> None:
    assert codes("_p() :- Lately [5 s] (_q())") == []
    with pytest.raises(RuleErrors) as found:
        rule_parser.parse_rule("_p() :- Lately [5 s] (_q())", language=CORE)
    assert [fault.code for fault in found.value.errors] == ["RIF108", "RIF101"]
    formula = Lately("5", "s", ast.Atom(Local("q"), ()))
    with pytest.raises(ValueError, match="Lately is no kind of formula of this language"):
        unparse_formula(formula, language=CORE)


def test_a_word_is_suggested_in_a_language_that_has_it() -> None:
    with pytest.raises(RuleErrors, match="did you mean Lately"):
        parse_rule("_p() :- lately [5 s] (_q())")
