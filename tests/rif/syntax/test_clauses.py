"""Rules in normal form say what the rules say."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rif.syntax import ast
from rif.syntax.clauses import Clause, clauses
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.terms import IRI, Literal
from rif.syntax.traversal import free_variables
from tests.generators.rules import syntax
from tests.rif.rule_parser import parse_rules


def of(text: str) -> tuple[Clause, ...]:
    return clauses(parse_rules(text, check=False).document)


def test_rules_and_facts_are_numbered_through_all_groups() -> None:
    found = of(
        "_p(1) Group((* <urn:r> *) Forall ?x (_q(?x) :- _p(?x)) Group(_p(2))) _p(3)"
        " Forall ?x ((* <urn:s> *) _r(?x) :- _p(?x)) (* _a[_b -> _c] *) _p(4)"
    )
    assert [clause.number for clause in found] == [1, 2, 3, 4, 5, 6]
    assert [clause.iri for clause in found] == [None, "urn:r", None, None, "urn:s", None]
    assert [clause.is_fact for clause in found] == [True, False, True, True, False, True]
    assert found[1].span.column == 13


def test_a_fact_has_one_body_that_is_always_true() -> None:
    (fact,) = of("_o[_a -> 1 _b -> 2]")
    assert fact.bodies == ((),)
    assert [type(head) for head in fact.head] == [ast.Frame, ast.Frame]


def test_bodies_that_are_always_and_never_true() -> None:
    always, never, rare = of("_p() :- And() _p() :- Or() _p() :- And(_q() Or())")
    assert (always.bodies, always.is_fact) == (((),), False)
    assert never.bodies == rare.bodies == ()


def test_heads_and_frames_are_split_and_a_frame_without_slots_stays() -> None:
    (clause,) = of("And(_a[_b -> 1 _c -> 2] _p() _d[]) :- And(_e[_f -> 1 _g -> 2] _h[])")
    assert [len(head.slots) for head in clause.head if isinstance(head, ast.Frame)] == [1, 1, 0]
    assert [len(one.slots) for one in clause.bodies[0] if isinstance(one, ast.Frame)] == [1, 1, 0]


def test_conjuncts_keep_the_order_of_the_text() -> None:
    (clause,) = of("_p() :- And(_a() And(_b() Or(_c() And(_d() _e()))) _f())")
    ops = [[str(one.op) for one in body if isinstance(one, ast.Atom)] for body in clause.bodies]
    assert ops == [[f"_:d0_{name}" for name in names] for names in ("abcf", "abdef")]


def test_quantified_variables_are_renamed_apart() -> None:
    (clause,) = of(
        "Forall ?x (_p(?x) :- And(_q(?x) Exists ?x ?y (_r(?x ?y))"
        " Exists ?y (And(_s(?y) Exists ?x (_t(?x)))) ?x_2 = 1))"
    )
    (body,) = clause.bodies
    names = [list(free_variables(one)) for one in body]
    assert names == [["x"], ["x_3", "y"], ["y_2"], ["x_4"], ["x_2"]]


def test_a_list_that_only_annotations_kept_open_is_a_constant_again() -> None:
    (clause,) = of("_p(List((* <urn:m> *) 1 List(2)))")
    (head,) = clause.head
    assert isinstance(head, ast.Atom)
    assert isinstance(head.args[0], ast.Constant)
    assert str(head.args[0].value).startswith('List("1"^^')


ATOMS = [ast.Atom(IRI(f"urn:{name}"), ()) for name in "abcd"]
propositions: st.SearchStrategy[ast.Formula] = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: ast.And(tuple(items))),
        st.lists(inner, max_size=3).map(lambda items: ast.Or(tuple(items))),
    ),
    max_leaves=8,
)


def holds(formula: ast.Formula, true: frozenset[ast.Formula]) -> bool:
    match formula:
        case ast.And():
            return all(holds(item, true) for item in formula.items)
        case ast.Or():
            return any(holds(item, true) for item in formula.items)
    return formula in true


@given(propositions)
def test_the_normal_form_is_true_when_the_formula_is(formula: ast.Formula) -> None:
    disjuncts = DisjunctiveNormalForm(formula, ()).conjunctions
    for values in product((False, True), repeat=len(ATOMS)):
        true = frozenset(atom for atom, value in zip(ATOMS, values, strict=True) if value)
        assert holds(formula, true) == any(true.issuperset(one) for one in disjuncts)


@given(syntax.formulas)
def test_no_quantifier_is_left_and_free_variables_stay(formula: ast.Formula) -> None:
    free = set(free_variables(formula))
    normal = DisjunctiveNormalForm(formula, free)
    for conjunction in normal.conjunctions:
        assert not any(isinstance(one, ast.And | ast.Or | ast.Exists) for one in conjunction)
        names = {name for one in conjunction for name in free_variables(one)}
        written = {normal.original_names.get(name, name) for name in names - free}
        assert written <= quantified(formula)


def quantified(formula: ast.Formula) -> set[str]:
    match formula:
        case ast.And() | ast.Or():
            return {name for item in formula.items for name in quantified(item)}
        case ast.Exists():
            return quantified(formula.body) | {variable.name for variable in formula.variables}
    return set()


def test_the_head_of_a_fact_keeps_its_lexical_form() -> None:
    (clause,) = of('_p("01"^^xs:integer)')
    (head,) = clause.head
    assert isinstance(head, ast.Atom)
    assert head.args == (ast.Constant(Literal("01", "http://www.w3.org/2001/XMLSchema#integer")),)
