"""Safeness: the examples of the standard, and a definition that shares no code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.checks import safety
from rif.checks.document import check_document
from rif.errors.report import RuleErrors
from rif.language import CORE
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.terms import FUNC, IRI, PRED, GroundList, Variable
from rif.syntax.traversal import free_variables
from tests.rif.rule_parser import parse_rules


def codes(text: str) -> list[str]:
    try:
        return [fault.code for fault in parse_rules(text).warnings]
    except RuleErrors as found:
        return [f"{fault.code} {fault.span.line}:{fault.span.column}" for fault in found.errors]


@pytest.mark.parametrize(
    "text",
    [
        "_p(1)",
        "_p() :- And()",
        "_p() :- Or()",
        "Forall ?x (_p(?x) :- Or())",
        "Forall ?x (_p(?x) :- _q(?x))",
        "Forall ?x (_p(?x) :- ?x[_a -> 1])",
        "Forall ?x (_p(?x) :- _o[?x -> 1])",
        "Forall ?x (_p(?x) :- ?x[])",
        "Forall ?x (_p(?x) :- _o # ?x)",
        "Forall ?x (_p(?x) :- ?x = 1)",
        "Forall ?x (_p(?x) :- ?x = List(1 2))",
        "Forall ?x (_p(?x) :- External(func:concat(1 2)) = ?x)",
        "Forall ?x ?y (_p(?y) :- And(?y = External(func:numeric-add(?x 1)) _q(?x)))",
        "Forall ?x ?y ?z (_p(?z) :- And(_q(?x) ?x = ?y ?y = ?z))",
        "Forall ?x ?z (_p(?x) :- And(_q(?z) External(pred:iri-string(?x ?z))))",
        "Forall ?x ?z (_p(?x) :- And(_q(?z) External(pred:iri-string(?z ?x))))",
        "Forall ?x (_p(?x) :- External(pred:list-contains(List(1 2) ?x)))",
        "Forall ?x (_p(?x) :- Or(_q(?x) _r(?x) ?x = 1))",
        "Forall ?x ?y (_p(?x) :- Or(_q(?x) And(_r(?x) _s(?y))))",
        "Forall ?x ?y ?z (_p(?z) :- And(Or(_q(?x) _q(?y)) Or(?x = 1 ?y = 1) ?z = 1 ?x = 1 ?y = 2))",
        "Forall ?x (_p(?x) :- Exists ?y (_q(?x ?y)))",
        "Forall ?x (_p(?x) :- And(_q(?x) Exists ?x (_r(?x))))",
        "Forall ?x (?x[_a -> External(func:numeric-add(?x 1))] :- _q(?x))",
    ],
)
def test_safe(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Forall ?x (_p(?x))", ["RIF303 1:15"]),
        ("Forall ?x (_p(?x) :- And())", ["RIF301 1:15"]),
        ("Forall ?x (_p(?x) :- ?x = ?x)", ["RIF301 1:15"]),
        ("Forall ?x ?y (_p(?x) :- ?x = ?y)", ["RIF301 1:18", "RIF302 1:30"]),
        ("Forall ?x (_p(?x) :- External(pred:is-list(?x)))", ["RIF301 1:15"]),
        ("Forall ?x (_p(?x) :- External(pred:list-contains(?x 1)))", ["RIF301 1:15"]),
        (
            "Forall ?x ?z (_p(?x) :- External(pred:iri-string(?x ?z)))",
            ["RIF301 1:18", "RIF302 1:53"],
        ),
        ("Forall ?x (_p(?x) :- Or(_q(?x) _r()))", ["RIF301 1:15"]),
        ("Forall ?x (_p() :- Or(_q(?x) External(pred:is-list(?x))))", ["RIF302 1:52"]),
        (
            "Forall ?x ?y (_p(?y) :- And(?y = External(func:numeric-add(?x 1)) _q(?y)))",
            ["RIF302 1:60"],
        ),
        ("Forall ?x (_p(?x) :- _q(External(func:numeric-add(?x 1))))", ["RIF301 1:15"]),
        ("Forall ?x (_p(?x) :- Exists ?x (_q(?x)))", ["RIF301 1:15"]),
        ("_p() :- Exists ?x (?x = ?x)", ["RIF302 1:20"]),
        (
            "_p() :- And(_q() Exists ?x (?x = ?x) Exists ?x (?x = ?x))",
            ["RIF302 1:29", "RIF302 1:49"],
        ),
        ("Forall ?x (_p(External(func:numeric-add(?x 1))) :- _q())", ["RIF301 1:41"]),
    ],
)
def test_not_safe(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_a_renamed_variable_is_told_by_its_own_name() -> None:
    with pytest.raises(RuleErrors, match=r"\?x is bound by nothing"):
        parse_rules("Forall ?x (_p(?x) :- And(_q(?x) Exists ?x (External(pred:is-list(?x)))))")


NAMES = ["x", "y", "z"]
X, Y = IRI("urn:p"), IRI("urn:q")
terms = st.one_of(
    st.sampled_from(NAMES).map(lambda name: ast.Var(Variable(name))),
    st.just(ast.Constant(GroundList())),
    st.sampled_from(NAMES).map(
        lambda name: ast.ExternalTerm(IRI(FUNC + "concat"), (ast.Var(Variable(name)),) * 2)
    ),
)
literals: st.SearchStrategy[ast.Formula] = st.one_of(
    st.builds(lambda one: ast.Atom(X, (one,)), terms),
    st.builds(lambda one, two: ast.Frame(one, ((ast.Constant(X), two),)), terms, terms),
    st.builds(ast.Equal, terms, terms),
    st.builds(
        lambda name, one, two: ast.External(IRI(PRED + name), (one, two)),
        st.sampled_from(["iri-string", "list-contains", "numeric-equal"]),
        terms,
        terms,
    ),
)
bodies: st.SearchStrategy[ast.Formula] = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: ast.And(tuple(items))),
        st.lists(inner, max_size=3).map(lambda items: ast.Or(tuple(items))),
    ),
    max_leaves=6,
)


def in_term(term: ast.Term) -> set[str]:
    match term:
        case ast.Var():
            return {term.value.name}
        case ast.ExternalTerm():
            return {name for arg in term.args for name in in_term(arg)}
    return set()


def oracle_bound(conjunction: list[ast.Formula]) -> set[str]:
    """By the letter of the definition: rounds until nothing new is bound."""
    bound: set[str] = set()
    while True:
        new = {name for one in conjunction for name in oracle_step(one, bound)} - bound
        if not new:
            return bound
        bound |= new


def oracle_step(literal: ast.Formula, bound: set[str]) -> set[str]:
    match literal:
        case ast.Atom():
            direct = literal.args
        case ast.Frame():
            direct = (literal.object, *(term for slot in literal.slots for term in slot))
        case ast.Equal():
            return {
                side.value.name
                for side, other in ((literal.left, literal.right), (literal.right, literal.left))
                if isinstance(side, ast.Var) and in_term(other) <= bound
            }
        case ast.External():
            one, two = literal.args
            found: set[str] = set()
            if not literal.op.value.endswith("numeric-equal") and in_term(one) <= bound:
                found |= in_term(two) if isinstance(two, ast.Var) else set()
            if literal.op.value.endswith("iri-string") and in_term(two) <= bound:
                found |= in_term(one) if isinstance(one, ast.Var) else set()
            return found
        case _:
            raise AssertionError
    return {name for term in direct if isinstance(term, ast.Var) for name in in_term(term)}


@given(bodies)
def test_bound_variables_are_those_of_the_definition(body: ast.Formula) -> None:
    for conjunction in DisjunctiveNormalForm(body, ()).conjunctions:
        assert safety.bound_variables(conjunction, CORE) == oracle_bound(conjunction)


@given(bodies, st.lists(st.sampled_from(NAMES), max_size=2))
def test_a_rule_is_safe_by_the_definition(body: ast.Formula, head: list[str]) -> None:
    rule = ast.Forall(
        tuple(map(Variable, NAMES)),
        ast.Implies((ast.Atom(Y, tuple(ast.Var(Variable(name)) for name in head)),), body),
    )
    conjunctions = DisjunctiveNormalForm(body, ()).conjunctions
    safe = all(
        {name for one in conjunction for name in free_variables(one)} | set(head)
        <= oracle_bound(conjunction)
        for conjunction in conjunctions
    )
    faults = check_document(ast.Document(group=ast.Group((rule,))))
    assert safe == (not any(fault.code in {"RIF301", "RIF302"} for fault in faults))


def test_the_built_ins_with_binding_patterns_are_those_of_the_standard() -> None:
    standard = (PRED, FUNC)
    patterns = {
        name: built.patterns
        for name, built in BUILTINS.items()
        if built.patterns and name.startswith(standard)
    }
    assert patterns == {PRED + "iri-string": ("bu", "ub"), PRED + "list-contains": ("bu",)}
