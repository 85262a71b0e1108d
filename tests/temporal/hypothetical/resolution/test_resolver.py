"""Resolution of queries: the examples of the paper, laws beside oracles, and recursion."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rif.syntax.terms import Variable
from temporal.hypothetical.resolution.resolver import Resolution, ResolutionLimits, resolve
from temporal.hypothetical.syntax.ast import (
    SchematicAnswer,
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    TimeTerm,
)
from temporal.hypothetical.syntax.errors import (
    EndlessResolution,
    NotDerived,
    QueryArity,
    TooManyPremises,
)
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query
from tests.generators.draw import Draw, from_seed
from tests.generators.hypothetical.queries import random_case
from tests.oracles.hypothetical.definitions import (
    Binding,
    DomainTooBig,
    Fact,
    instance,
    matched,
    model,
)
from tests.oracles.hypothetical.resolution import Pattern, Schema, Var, resolved, stands_for

TURBINES = """
Temp(X,high,T) -> Flag(X,T)
Flag(X,T), Flag(X,T+1) -> Cool(X,T+1)
Cool(X,T), Flag(X,T+1) -> Shdn(X,T+1)
Shdn(X,T) -> Malf(X,T-2)
Temp(X,high,T1), Temp(X,na,T2) -> Defective(X,0)
"""
SINCE = """
P(X,T) :- S(X,T)
P(X,T) :- P(X,T-1), E(X,T)
"""


def shown(one: TemporalAtom) -> str:
    """As people write it."""
    names = (arg.name if isinstance(arg, Variable) else arg.lexical for arg in one.args)
    return f"{one.predicate}({','.join((*names, str(one.time)))})"


def texts_of(found: Resolution) -> list[str]:
    """A line for each of the premises, with bounds that are not 0."""
    return [
        f"{shown(each.answer)} <- {' '.join(map(shown, each.hypotheses))}"
        + "".join(f" {name}>={number}" for name, number in each.least if number)
        for each in found.answers
    ]


def resolution_of(
    rules: str, query: str, depth: int | None = None, most: ResolutionLimits | None = None
) -> Resolution:
    """The resolution of a query."""
    read = parse_program(rules, "rules"), parse_query(query)
    return resolve(*read, depth=depth, most=most or ResolutionLimits())


def texts(rules: str, query: str, depth: int | None = None) -> list[str]:
    """What a query needs."""
    return texts_of(resolution_of(rules, query, depth))


def follows(found: Resolution, facts: set[Fact]) -> set[Fact]:
    """The answers that the premises have among facts."""
    return {answer for each in found.answers for answer in _answers(each, facts)}


def _answers(premises: SchematicAnswer, facts: set[Fact]) -> Iterator[Fact]:
    bindings: list[Binding] = [{}]
    for hypothesis in premises.hypotheses:
        tried = (matched(hypothesis, fact, binding) for binding in bindings for fact in facts)
        bindings = [one for one in tried if one is not None]
    for binding in bindings:
        if all(int(binding[name]) >= number for name, number in premises.least):
            answer = instance(premises.answer, binding)
            assert answer is not None
            yield answer


# The paper.


def test_a_query_is_resolved_until_input_remains():
    assert texts(TURBINES, "Malf(X,T)") == [
        "Malf(X,T) <- Temp(X,high,T) Temp(X,high,T+1) Temp(X,high,T+2)"
    ]


def test_times_of_a_derivation_bound_those_of_the_query():
    assert texts(TURBINES, "Shdn(X,T)") == [
        "Shdn(X,T) <- Temp(X,high,T-2) Temp(X,high,T-1) Temp(X,high,T) T>=2"
    ]
    assert texts("Malf(X,T-2) :- Shdn(X,T)", "Malf(X,T)") == ["Malf(X,T) <- Shdn(X,T+2)"]
    assert texts("Malf(X,T+2) :- Shdn(X,T)", "Malf(X,T)") == ["Malf(X,T) <- Shdn(X,T-2) T>=2"]


def test_a_bound_stays_when_the_atom_that_asks_for_it_is_gone():
    rules = "A(X,T) :- B(X,T-3)\nB(X,T) :- S(X,T+3)"
    assert texts(rules, "A(X,T)") == ["A(X,T) <- S(X,T) T>=3"]
    assert texts(rules, "A(X,2)") == []


def test_every_variable_is_a_natural_number_also_where_only_a_later_time_occurs():
    assert texts("A(X,T+1) :- S(X,T+2)", "A(X,T)") == ["A(X,T) <- S(X,T+1) T>=1"]
    assert texts("A(X,0) :- S(X,T+1)", "A(X,T)") == ["A(X,0) <- S(X,T2+1)"]
    assert texts("A(X,T) :- S(X,T)", "A(X,T-2)") == ["A(X,T-2) <- S(X,T-2) T>=2"]


def test_numbers_are_times():
    assert texts(TURBINES, "Malf(wt2,3)") == [
        "Malf(wt2,3) <- Temp(wt2,high,3) Temp(wt2,high,4) Temp(wt2,high,5)"
    ]
    assert texts(TURBINES, "Shdn(X,1)") == []
    assert texts("A(X,T+4) :- S(X,0), R(X,T)", "A(X,T+1)") == ["A(X,T+1) <- S(X,0) R(X,T-3) T>=3"]
    assert texts("A(X,4) :- S(X,T)", "A(X,T+1)") == ["A(X,4) <- S(X,T2)"]
    assert texts("A(X,4) :- S(X,T)", "A(X,T+5)") == []


def test_times_that_hang_on_nothing_stay_open():
    assert texts(TURBINES, "Defective(X,T)") == ["Defective(X,0) <- Temp(X,high,T1) Temp(X,na,T2)"]


# Names.


def test_variables_are_named_as_in_the_query_else_as_in_the_rule_nearest_to_it():
    rules = "A(U,T) :- B(U,V,T)\nB(M,N,S) :- E(M,N,K,S)"
    assert texts(rules, "A(X,Time)") == ["A(X,Time) <- E(X,V,K,Time)"]


def test_a_name_that_is_taken_gets_a_number():
    rules = "A(U,T) :- E(U,X,T), B(X,T)\nB(Y,T) :- E(Y,X,T), E(Y,X2,T+1)"
    assert texts(rules, "A(X,T)") == ["A(X,T) <- E(X,X2,T) E(X2,X3,T) E(X2,X22,T+1)"]
    assert texts("A(X,0) :- E(X,Y,T)", "A(Y,T)") == ["A(Y,0) <- E(Y,Y2,T2)"]


def test_arguments_that_rules_make_equal_are_the_variable_that_comes_first():
    assert texts("A(X,X,T) :- S(X,T)", "A(U,V,T)") == ["A(U,U,T) <- S(U,T)"]
    assert texts("A(X,Y,T) :- E(X,Y,T)", "A(U,U,T)") == ["A(U,U,T) <- E(U,U,T)"]
    assert texts("A(X,b,T) :- S(X,T)", "A(U,V,T)") == ["A(U,b,T) <- S(U,T)"]
    assert texts("A(X,X,T) :- S(X,T)", "A(a,b,T)") == []


# What is minimal.


def test_hypotheses_are_a_set():
    assert texts("A(X,T) :- B(X,T), C(X,T)\nB(X,T) :- S(X,T)\nC(X,T) :- S(X,T)", "A(X,T)") == [
        "A(X,T) <- S(X,T)"
    ]


def test_premises_that_hold_others_of_the_same_answer_are_dropped():
    assert texts("A(X,T) :- S(X,T), R(X,T)\nA(X,T) :- S(X,T)", "A(X,T)") == ["A(X,T) <- S(X,T)"]
    assert texts("A(X,T) :- E(X,Y,T), S(Y,T)\nA(X,T) :- E(X,Z,T)", "A(X,T)") == [
        "A(X,T) <- E(X,Z,T)"
    ]
    assert texts("A(X,T) :- S(X,T)\nA(b,T) :- S(b,T), R(b,T)", "A(X,T)") == ["A(X,T) <- S(X,T)"]


def test_premises_for_other_times_or_answers_stay():
    assert len(texts("A(X,T) :- S(X,T)\nA(X,T) :- S(X,T+1), R(X,T)", "A(X,T)")) == 2
    assert len(texts("A(X,T) :- S(X,T), R(X,T)\nA(b,T) :- S(b,T)", "A(X,T)")) == 2


def test_of_equal_premises_the_one_with_the_lower_bound_stays():
    rules = "A(X,T) :- B(X,T-2)\nB(X,T) :- S(X,T+2)\nA(X,T) :- S(X,T)"
    assert texts(rules, "A(X,T)") == ["A(X,T) <- S(X,T)"]
    assert texts(rules.replace("A(X,T) :- S(X,T)", "A(X,T) :- S(X,T), R(X,T)"), "A(X,T)") == [
        "A(X,T) <- S(X,T) R(X,T)",
        "A(X,T) <- S(X,T) T>=2",
    ]


def test_a_hypothesis_that_asks_nothing_which_another_does_not_is_dropped():
    assert texts("A(X,T) :- E(X,Y,T), E(X,Z,T)", "A(X,T)") == ["A(X,T) <- E(X,Y,T)"]
    assert texts("A(X,0) :- S(X,T1), S(X,T2+1)", "A(X,T)") == ["A(X,0) <- S(X,T2+1)"]


# Recursion.


def test_recursion_that_adds_nothing_ends():
    assert texts("P(X,T) :- P(X,T)\nP(X,T) :- S(X,T)", "P(X,T)") == ["P(X,T) <- S(X,T)"]
    assert texts("P(X,T) :- P(X,T)", "P(X,T)") == []
    assert texts("Q(X,Y,T) :- Q(Y,X,T)\nQ(X,Y,T) :- E(X,Y,T)", "Q(X,Y,T)") == [
        "Q(X,Y,T) <- E(X,Y,T)",
        "Q(X,Y,T) <- E(Y,X,T)",
    ]
    rotation = "Q(X,Y,Z,T) :- Q(Y,Z,X,T)\nQ(X,Y,Z,T) :- F(X,Y,Z,T)"
    assert len(texts(rotation, "Q(X,Y,Z,T)")) == 3


def test_recursion_over_what_does_not_depend_on_the_answer_ends():
    rules = "B(X,Y,T) :- L(X,Y,T)\nB(X,Y,T) :- R(X,T), B(Z,Y,T)"
    assert texts(rules, "B(X,Y,T)") == ["B(X,Y,T) <- L(X,Y,T)", "B(X,Y,T) <- R(X,T) L(Z,Y,T)"]


def test_steps_there_and_back_in_time_end():
    rules = "P(X,T) :- R(X,T-1)\nR(X,T) :- P(X,T+1), E(X,T)\nP(X,T) :- S(X,T)"
    assert texts(rules, "P(X,T)") == ["P(X,T) <- S(X,T)"]


def test_recursion_ends_when_all_further_premises_hold_those_of_another_rule():
    lasting = "P(T) :- S(T), P(T-1)\nP(T) :- S(T), S(T-1), S(T-2), S(T-3)"
    assert texts(lasting, "P(T)") == ["P(T) <- S(T) S(T-1) S(T-2) S(T-3) T>=3"]
    later = "P(X,T) :- P(X,T-1), S(X,T)\nP(X,T) :- Q(X,T)\nQ(X,T) :- S(X,T)"
    assert texts(later, "P(X,T)") == ["P(X,T) <- S(X,T)"]


def test_looking_back_from_a_number_ends_at_0():
    assert texts(SINCE, "P(X,2)") == [
        "P(X,2) <- S(X,2)",
        "P(X,2) <- S(X,1) E(X,2)",
        "P(X,2) <- S(X,0) E(X,1) E(X,2)",
    ]
    assert texts("P(X,T) :- P(X,T-1), E(X,T)\nP(X,0) :- S(X,0)", "P(X,2)") == [
        "P(X,2) <- S(X,0) E(X,1) E(X,2)"
    ]
    assert len(texts(SINCE, "P(X,60)")) == 61


@pytest.mark.parametrize(
    ("rules", "query", "cycle"),
    [
        (SINCE, "P(X,T)", "P(T) <- P(T-1)"),
        ("P(X,T) :- P(X,T-1), E(X,T)", "P(X,T)", "P(T) <- P(T-1)"),
        ("P(X,T) :- P(X,T+1)\nP(X,T) :- S(X,T)", "P(X,7)", "P(7) <- P(8)"),
        (
            "P(X,T) :- Q(X,T-1)\nQ(X,T) :- E(X,T), P(X,T-1)\nP(X,T) :- S(X,T)",
            "P(X,T)",
            "P(T) <- Q(T-1) <- P(T-2)",
        ),
        (
            "A(X,T) :- P(X,T)\nP(X,T) :- S(X,T)\nP(X,T) :- E(X,Y,T), P(Y,T)",
            "A(X,T)",
            "P(T) <- P(T)",
        ),
        ("P(X,T) :- S(X,T)\nP(X,T) :- E(X,Y,T), P(Y,U)", "P(X,T)", "P(U) <- P(U2)"),
    ],
)
def test_recursion_of_which_nothing_says_that_it_ends_is_refused(rules, query, cycle):
    with pytest.raises(EndlessResolution, match="HYP403") as caught:
        texts(rules, query)
    assert caught.value.message.endswith(f" may not end: {cycle}")


def test_doubling_recursion_is_refused_soon():
    rules = "R(X,Y,T) :- E(X,Y,T)\nR(X,Z,T) :- R(X,Y,T), R(Y,Z,T)"
    with pytest.raises(EndlessResolution, match=r"R\(T\) <- R\(T\)"):
        resolution_of(rules, "R(X,Y,T)", most=ResolutionLimits(steps=20_000))


def test_a_depth_cuts_recursion():
    found = resolution_of(SINCE, "P(X,T)", depth=2)
    assert found.is_partial
    assert texts_of(found) == ["P(X,T) <- S(X,T)", "P(X,T) <- S(X,T-1) E(X,T) T>=1"]


def test_a_depth_that_is_not_reached_leaves_nothing_out():
    found = resolution_of(TURBINES, "Malf(X,T)", depth=4)
    assert not found.is_partial
    assert found == resolution_of(TURBINES, "Malf(X,T)")
    assert resolution_of(TURBINES, "Malf(X,T)", depth=3) == Resolution((), is_partial=True)


def test_a_derivation_within_the_depth_is_found_though_a_deeper_one_looks_alike():
    rules = """
    A(X,T) :- S(X,T), D(X,T)
    D(X,T) :- P(X,T)
    A(X,T) :- G(X,T), H(X,T), P(X,T)
    G(X,T) :- S(X,T)
    H(X,T) :- S(X,T)
    P(X,T) :- P1(X,T)
    P1(X,T) :- R(X,T)
    """
    assert texts(rules, "A(X,T)", depth=2) == []
    assert texts(rules, "A(X,T)", depth=3) == ["A(X,T) <- S(X,T) R(X,T)"]


# What is asked wrongly, or asks too much.


def test_a_query_of_input_is_refused():
    with pytest.raises(NotDerived, match="HYP401 Temp is read from input") as caught:
        texts(TURBINES, "Temp(X,Y,T)")
    assert caught.value.hint == "rules conclude Cool, Defective, Flag, Malf, Shdn"
    with pytest.raises(NotDerived, match="Nothing is not known"):
        texts(TURBINES, "Nothing(X,T)")


def test_a_query_with_another_number_of_arguments_is_refused():
    with pytest.raises(QueryArity, match=r"HYP402 Malf has 2 argument\(s\) in the rules, 1 in"):
        texts(TURBINES, "Malf(T)")


def test_more_premises_than_are_followed_are_refused_with_the_limit():
    rules = "A(X,T) :- B(X,T), B(X,T+1), B(X,T+2)\n" + "".join(
        f"B(X,T) :- S{number}(X,T)\n" for number in range(6)
    )
    assert len(texts(rules, "A(X,T)")) == 216
    for most, limit in (
        (ResolutionLimits(clauses=100), "100 sets of premises"),
        (ResolutionLimits(atoms=100), "100 premises"),
        (ResolutionLimits(steps=100), "100 comparisons of atoms"),
    ):
        with pytest.raises(TooManyPremises, match=f"HYP404 .* more than {limit}"):
            resolution_of(rules, "A(X,T)", most=most)


# Laws.


def test_premises_are_those_of_naive_resolution():
    compared = 0
    for seed in range(300):
        drawn = random_case(seed)
        try:
            expected = resolved(drawn.program, drawn.query).schemata
        except DomainTooBig:
            continue
        compared += 1
        found = [_schema(each) for each in resolve(drawn.program, drawn.query).answers]
        assert len(found) == len(expected), drawn
        for one in found:
            equal = (other for other in expected if stands_for(one, other))
            assert any(stands_for(other, one) for other in equal), drawn
    assert compared > 280


def _schema(premises: SchematicAnswer) -> Schema:
    answer, *hypotheses = map(_pattern, (premises.answer, *premises.hypotheses))
    least = {_var(name): number for name, number in premises.least}
    return Schema(answer, tuple(hypotheses), least)


def _pattern(one: TemporalAtom) -> Pattern:
    args = tuple(_var(a.name) if isinstance(a, Variable) else a.lexical for a in one.args)
    base = one.time.variable
    return Pattern(one.predicate, args, None if base is None else _var(base), one.time.offset)


def _var(name: str) -> Var:
    return Var(0, (), 0, name)


def recursive(draw: Draw) -> tuple[TemporalProgram, TemporalAtom]:
    """Rules in which everything may rest on everything, and a query."""
    inputs = {"s": 1, "r": 1, "e": 2}
    derived = {"P": 1, "Q": draw.weighted((2, 1), (1, 2))}
    arity = inputs | derived
    rules: list[TemporalRule] = []
    for name in (*derived, *draw.some(["P", "P", "Q"], 1, 3)):
        is_base = name not in {rule.head.predicate for rule in rules}
        names = sorted(inputs if is_base else arity)
        body = tuple(
            TemporalAtom(
                one,
                tuple(Variable(draw.weighted((4, "X"), (2, "Y"))) for _ in range(arity[one])),
                TimeTerm(draw.weighted((6, "T"), (1, "U")), draw.weighted((4, 0), (2, -1), (2, 1))),
            )
            for one in draw.some(names, 1, 2)
        )
        things = [arg for one in body for arg in one.args]
        times = [one.time.variable for one in body]
        args = tuple(draw.choice(things) for _ in range(arity[name]))
        time = TimeTerm(draw.choice(times), draw.weighted((5, 0), (1, 1), (1, -1)))
        rules.append(TemporalRule(TemporalAtom(name, args, time), body))
    when = draw.choice([TimeTerm("T", 0), TimeTerm(None, draw.integer(0, 3))])
    query = TemporalAtom("P", (Variable("X"),), when)
    return TemporalProgram(tuple(rules)), query


def some_facts(draw: Draw) -> set[Fact]:
    """A few facts of the input of `recursive`."""
    return {
        (name, tuple(draw.choice("ab") for _ in range(arity)), draw.integer(0, 3))
        for name, arity in draw.some([("s", 1), ("r", 1), ("e", 2)] * 4, 1, 9)
    }


def test_answers_of_recursive_rules_are_the_matches_of_their_premises():
    exact = cut = 0
    for seed in range(200):
        draw = from_seed(seed)
        rules, query = recursive(draw)
        facts = some_facts(draw)
        known = model(rules, facts, last=12)
        true = {fact for fact in known if matched(query, fact, {}) is not None}
        try:
            found = resolve(rules, query)
        except EndlessResolution:
            found = resolve(rules, query, depth=3)
            assert follows(found, facts) <= true, seed
            cut += found.is_partial
        else:
            assert follows(found, facts) == true, seed
            exact += any(one.predicate in rules.intensional for r in rules.rules for one in r.body)
    assert exact > 30
    assert cut > 15
