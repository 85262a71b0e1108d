"""The oracles of hypothetical answers against each other, and propositions of [CruzFilipe22]."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rif.errors.base import RuleError
from temporal.hypothetical.online_evaluation import Hypothesiser
from tests.generators.draw import from_hypothesis
from tests.generators.hypothetical.queries import QueryCase, case, random_case
from tests.generators.hypothetical.text import (
    atom,
    program,
    shown_delays,
    shown_program,
    shown_query,
)
from tests.oracles.hypothetical.definitions import (
    Definition,
    Delta,
    DomainTooBig,
    Fact,
    Facts,
    Theta,
    instance,
    is_future_possible,
    matched,
    model,
    variables,
)
from tests.oracles.hypothetical.output_lines import LineOracle, shown_atom
from tests.oracles.hypothetical.resolution import Var, resolved
from tests.oracles.hypothetical.states import Entry, applied, ground
from tests.simulation.hypothetical.expectation import expected

NOTHING: Facts = frozenset()
FAR = 200
"""A time that is later than all that a case has."""


@st.composite
def cases(draw: st.DrawFn) -> QueryCase:
    return case(from_hypothesis(draw), nested=draw(st.booleans()))


def defined(given: QueryCase) -> Definition:
    try:
        return Definition(given.program, given.query, given.delta, given.domain())
    except DomainTooBig:
        assume(condition=False)
        raise


def teller_of(given: QueryCase) -> LineOracle:
    try:
        return LineOracle(given.program, given.query, given.delta)
    except DomainTooBig:
        assume(condition=False)
        raise


def histories(given: QueryCase) -> Iterator[tuple[int, Facts]]:
    """All that has arrived, at -1 and after each slice."""
    seen = NOTHING
    yield -1, seen
    for tau, facts in given.slices:
        seen |= frozenset(facts)
        yield tau, seen


def follows(given: QueryCase, facts: Facts, theta: Theta) -> bool:
    goal = instance(given.query, dict(zip(variables([given.query]), theta, strict=True)))
    return goal in model(given.program, facts, given.domain().beyond)


@given(cases())
def test_schematic_entries_denote_the_supported_answers(given: QueryCase) -> None:
    definition = defined(given)
    with suppress(DomainTooBig):
        expected(given, against=definition)


@given(cases())
def test_hypotheses_complete_an_answer_and_none_can_be_spared(given: QueryCase) -> None:
    """With no hypotheses it is an answer (Proposition 1); if they arrive it will be (2)."""
    definition = defined(given)
    for tau, seen in histories(given):
        for theta, each in sorted(definition.hypothetical(seen, tau).items())[:3]:
            for lacking in sorted(each, key=sorted)[:3]:
                assert all(is_future_possible(fact, tau, given.delta) for fact in lacking)
                assert follows(given, seen | lacking, theta)
                assert not any(follows(given, seen | lacking - {one}, theta) for one in lacking)


@given(cases())
def test_a_hypothetical_answer_was_one_before_any_data(given: QueryCase) -> None:
    """Proposition 3: the hypotheses that have arrived since are evidence of it."""
    definition = defined(given)
    first = definition.hypothetical(NOTHING, -1)
    for tau, seen in histories(given):
        supported = definition.supported(seen, tau)
        for theta, each in definition.hypothetical(seen, tau).items():
            for lacking in each:
                origins = [one for one in first[theta] if one - seen == lacking]
                assert origins
                assert all(
                    one == lacking or (theta, lacking, one - lacking) in supported
                    for one in origins
                )


@given(cases())
def test_a_hypothetical_answer_was_one_at_each_moment_before(given: QueryCase) -> None:
    """Proposition 4: with those hypotheses more that have arrived since."""
    definition = defined(given)
    for (before, known), (tau, seen) in pairwise(histories(given)):
        earlier = definition.hypothetical(known, before)
        for theta, each in definition.hypothetical(seen, tau).items():
            wanted = {one - (seen - known) for one in earlier[theta]}
            assert each <= wanted


@given(cases())
def test_hypotheses_are_not_enough_without_the_evidence(given: QueryCase) -> None:
    """The minimal evidence of a supported answer is not empty (Definition 2).

    A time that is not known counts as any from 0 on, though it may come later only (Definition 3);
    where that makes a difference the engine warns.
    """
    oracle = teller_of(given)
    assume(not warning_of(given))
    for tau, facts in given.slices:
        oracle.slice(tau, facts)
        for entry in oracle.waiting:
            assert any(
                answer not in model(given.program, hypotheses, FAR)
                for answer, hypotheses in some_instances(entry)
            )


def warning_of(given: QueryCase) -> RuleError | None:
    """What is said of a query before any data."""
    rules, query = shown_program(given.program), shown_query(given.query)
    try:
        return Hypothesiser(rules, query, shown_delays(given.delta)).warning
    except RuleError:
        assume(condition=False)
        raise


def some_instances(entry: Entry) -> Iterator[tuple[Fact, Facts]]:
    """An entry with new things for its variables, and early times, or late ones."""
    times = dict(entry.least)
    free = sorted({var for one in (entry.answer, *entry.hypotheses) for var in one.variables})
    things: dict[Var, str | int] = {var: f"new {place}" for place, var in enumerate(free)}
    late = {var: FAR // 2 - 10 * place for place, var in enumerate(sorted(times))}
    for numbers in (times, late):
        atoms = (applied(one, {**things, **numbers}) for one in (entry.answer, *entry.hypotheses))
        answer, *hypotheses = (fact for fact in map(ground, atoms) if fact)
        yield answer, frozenset(hypotheses)


@given(cases())
def test_what_is_told_to_be_an_answer_is_what_follows(given: QueryCase) -> None:
    oracle = teller_of(given)
    answers: set[Theta] = set()
    for tau, facts in given.slices:
        lines = oracle.slice(tau, facts)
        answers |= {tuple(one["answer"].values()) for one in lines if one["status"] == "answer"}
        known = model(given.program, oracle.seen, given.domain().beyond)
        found = [matched(given.query, fact, {}) for fact in known]
        assert answers == {tuple(one.values()) for one in found if one is not None}


@pytest.mark.parametrize(
    ("rules", "query", "wanted"),
    [
        ("Q(X,T) :- p(X,T), r(Y,T)", "Q(X,T)", {"p(?X,?T)", "r(?Y,?T)"}),
        ("Q(A,B) :- p(A,B), r(X,B)", "Q(X,T)", {"p(?X,?T)", "r(?X2,?T)"}),
        ("Q(a,T) :- p(X,T)", "Q(X,T)", {"p(?X2,?T)"}),
        ("Q(X,T) :- p(X,U), A(X,T)\nA(X,T) :- r(X,T), w(U)", "Q(X,T)",
         {"p(?X,?U)", "r(?X,?T)", "w(?U2)"}),
        ("Q(X,T) :- A(X,T), p(Y,T)\nA(X,T) :- r(X,T), e(X,Y,T)", "Q(X,T)",
         {"r(?X,?T)", "p(?Y,?T)", "e(?X,?Y2,?T)"}),
        ("Q(X,T) :- p(X,T), p(Y,T)", "Q(X,T)", {"p(?X,?T)"}),
        ("Q(X,X,T) :- p(X,T)", "Q(V,W,T)", {"p(?V,?T)"}),
        ("Q(X,T-3) :- A(X,T-1)\nA(X,T+2) :- p(X,T)", "Q(X,T)", {"p(?X,?T)"}),
    ],
)  # fmt: skip
def test_variables_have_the_names_that_are_nearest_to_the_query(
    rules: str, query: str, wanted: set[str]
) -> None:
    (found,) = resolved(program(rules), atom(query)).schemata
    assert set(map(shown_atom, found.hypotheses)) == wanted


def test_bounds_say_that_all_times_on_the_way_are_natural_numbers() -> None:
    rules = program("Q(X,T) :- A(X,T-3)\nA(X,T) :- p(X,T+3)")
    (found,) = resolved(rules, atom("Q(X,T)")).schemata
    assert set(map(shown_atom, found.hypotheses)) == {"p(?X,?T)"}
    assert list(found.least.values()) == [3]


def test_a_narrower_pattern_says_the_delay() -> None:
    delta = Delta(1, (("e", 2),), (("e", ("a", "b"), 5), ("e", ("a", None), 0)))
    instances = [("a", "b"), ("a", "c"), ("c", "b")]
    assert [delta.of("e", args) for args in instances] == [5, 0, 2]
    assert delta.of("p", ()) == 1


def test_in_nested_cases_evidence_is_often_not_needed() -> None:
    count, found = 50, 0
    for seed in range(count):
        with suppress(DomainTooBig):
            found += "enough without evidence" in expected(random_case(seed, nested=True)).features
    assert found >= count / 12


def test_random_cases_exercise_what_matters() -> None:
    count = 100
    found: list[set[str]] = []
    for seed in range(count):
        with suppress(DomainTooBig):
            found.append(expected(random_case(seed)).features)
    least = {
        "supported": 1 / 2,
        "answer": 1 / 4,
        "withdrawn": 1 / 3,
        "end of input": 1 / 8,
        "facts come late": 1 / 2,
        "free answer": 1 / 5,
        "free hypotheses": 1 / 4,
        "several time variables": 1 / 10,
        "several sets of hypotheses at once": 1 / 12,
        "deadline between slices": 1 / 6,
        "bounds on times": 1 / 3,
        "names that clash": 1 / 5,
        "instances have delays": 1 / 5,
        "ends without a line": 1 / 50,
        "recursion": 1 / 100,
        "chances": 1 / 3,
        "instances have chances": 1 / 8,
        "confidence below 1": 1 / 8,
        "a cap": 1 / 3,
        "dropped": 1 / 10,
    }
    shares = {name: sum(name in features for features in found) / count for name in least}
    assert not {name: share for name, share in shares.items() if share < least[name]}
