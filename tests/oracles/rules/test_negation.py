"""The oracle of negation gives what the definitions give by hand, and stable models."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import assume, given

from rif.syntax.ast import Document
from rif.syntax.negation import Naf
from tests.generators.rules.parsers import parse, parse_formula
from tests.generators.streams.features import features_of
from tests.generators.streams.runs import RunCase, cases, random_case
from tests.generators.streams.shrinking import minimal
from tests.oracles.rules.conjunct_order import bound_by, free
from tests.oracles.rules.datalog import Program, always
from tests.oracles.rules.formulas import ALWAYS, Evaluator, Fact, Store, TooBig
from tests.oracles.rules.strata import NotStratified
from tests.oracles.streams.run import Element, Scenario, Triple, expected, read_all
from tests.oracles.streams.test_run import said, short
from tests.rif.rule_parser import parse_rules

P = "Prefix(ex <http://e/>)"


def document(*rules: str) -> Document:
    """Propositions ``a`` stand for ``ex:a[ex:is -> ex:true]``."""
    text = " ".join(rules)
    for name in "abcdz":
        text = text.replace(f"${name}", f"ex:{name}[ex:is -> ex:true]")
    return parse(f"Document({P} Window(3 ms) Group({text}))").document


def run(rules: Document, *elements: tuple[int, str], static: str = "") -> list[str]:
    items = tuple(
        Element(f"http://e/g{number}", at, None, tuple(map(said, names)))
        for number, (at, names) in enumerate(elements)
    )
    statics: tuple[tuple[Triple, ...], ...] = (tuple(map(said, static)),) if static else ()
    scenario = Scenario(rules, statics=statics, sources=(items,), drain=math.inf)
    return [short(line) for line in expected(scenario).lines]


def test_a_fact_holds_while_what_is_negated_does_not() -> None:
    rules = document("$c :- And($a Naf($b))")
    assert run(rules, (1, "a"), (2, "b")) == ["+1 c 1..None r1", "-2 c 1..2 r1"]
    assert run(rules, (1, "b"), (2, "a")) == ["+4 c 4..None r1", "-5 c 4..5 r1"]
    assert run(rules, (1, "ab"), (3, "a")) == ["+4 c 4..None r1", "-6 c 4..6 r1"]


def test_what_is_derived_is_negated_after_it_is_complete() -> None:
    rules = document("$c :- And($a Naf($b))", "$b :- $d")
    lines = run(rules, (1, "a"), (2, "d"))
    assert lines == ["+1 c 1..None r1", "-2 c 1..2 r1", "+2 b 2..None r2", "-5 b 2..5 r2"]


def test_a_chain_of_negations_turns_and_turns_again() -> None:
    rules = document("$c :- And($a Naf($b))", "$b :- And($a Naf($d))")
    assert run(rules, (1, "a")) == ["+1 b 1..None r2", "-4 b 1..4 r2"]
    assert run(rules, (1, "ad")) == ["+1 c 1..None r1", "-4 c 1..4 r1"]


def test_what_follows_from_an_absence_before_all_time_ends_and_begins_again() -> None:
    rules = document("$c :- Naf($a)")
    assert run(rules, (1, "a")) == ["+None c None..None r1", "-1 c None..1 r1", "+4 c 4..None r1"]
    assert run(rules, (1, "b")) == ["+None c None..None r1"]
    assert run(rules, (1, "b"), static="a") == []


def is_true(text: str, *facts: Fact) -> bool:
    """Whether a formula is true of some facts."""
    solutions = Evaluator().solve(parse_formula(text), ALWAYS, Store(always(facts)))
    return any(True for _ in solutions)


def test_negation_by_truth() -> None:
    one: Fact = ("atom", "_:d0_p", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
    assert is_true("Naf(_p(1))")
    assert not is_true("Naf(_p(1))", one)
    assert is_true("Naf(Naf(_p(1)))", one)
    assert is_true("Naf(Or())")
    assert not is_true("Naf(And())")
    assert not is_true("Naf(Exists ?x (_p(?x)))", one)
    assert is_true("Naf(Exists ?x (And(_p(?x) ?x = 2)))", one)
    assert not is_true("Exists ?x (And(?x = 1.0 Naf(Exists ?y (And(_p(?y) ?y = ?x)))))", one)
    assert is_true("Exists ?x (And(?x = 1.0 Naf(_p(?x))))", one)


def test_what_is_free_in_a_negation_must_be_bound_beside_it() -> None:
    negation = Naf(parse_formula("And(_p(?x ?y) Exists ?z (_q(?z)))", closed=False))
    assert free(negation) == {"x", "y"}
    assert bound_by(negation, frozenset("x")) is None
    assert bound_by(negation, frozenset("xyw")) == frozenset("xyw")


@pytest.mark.parametrize(
    "rules", ["_a() :- Naf(_a())", "_a() :- Naf(_b()) _b() :- Naf(_a())", "_a() :- Naf(Naf(_a()))"]
)
def test_rules_without_strata_are_refused(rules: str) -> None:
    with pytest.raises(NotStratified):
        Program(parse_rules(rules).document)


def test_atoms_and_triples_are_different_facts() -> None:
    rules = "Forall ?x (_a(?x 1) :- And(_a(?x ?x) Naf(?x[_k -> 1])))"
    assert len(Program(parse_rules(rules).document).strata) == 1


def test_models_are_stable() -> None:
    some = [models_are_stable(random_case(seed, negation=True)) for seed in range(200)]
    assert some.count(True) > 50


@given(cases(negation=True))
def test_models_of_cases_that_shrink_are_stable(case: RunCase) -> None:
    assume(models_are_stable(case))


def models_are_stable(case: RunCase) -> bool:
    """Check the models at a few instants; False: there is no negation in the rules."""
    if "Naf" not in case.rules:
        return False
    program = Program(case.scenario.document)
    assertions = read_all(case.scenario).assertions
    for now in sorted({one.e for one in assertions})[:3]:
        base = {fact for fact, e, n in assertions if e <= now < n}
        try:
            derived, _ = program.least_model(base)
            assert program.is_stable(base, base | derived.keys()), str(case)
            changed = base | set(list(derived)[1:])
            assert (
                not derived
                or changed == base | derived.keys()
                or not program.is_stable(base, changed)
            ), str(case)
        except TooBig:
            return True
    return True


def test_random_rules_with_negation_are_read_as_they_were_made() -> None:
    for seed in range(150):
        case = random_case(seed, negation=True)
        assert parse(case.rules).document == case.scenario.document, case.rules


def test_random_cases_are_the_same_as_ever_without_negation() -> None:
    for seed in range(100):
        assert "Naf" not in random_case(seed).rules
        assert random_case(seed) == random_case(seed, negation=False)


def test_random_cases_have_negations_that_matter() -> None:
    found: Counter[str] = Counter()
    for seed in range(150):
        scenario = random_case(seed, negation=True).scenario
        try:
            outcome = expected(scenario)
        except TooBig:
            continue
        found.update(features_of(scenario, outcome))
        found["several strata"] += len(Program(scenario.document).strata) > 1
        assert scenario.semantics == "facts"
    assert found["negation"] > 50
    assert found["several strata"] > 20
    assert found["answers at some time"] > 75


def test_a_failing_case_with_negation_is_made_smaller() -> None:
    negating = (random_case(seed, negation=True) for seed in range(99))
    case = next(one for one in negating if "Naf" in one.rules)
    least = minimal(case, lambda one: "Naf" in one.rules)
    assert len(least.rules) < len(case.rules)
    assert not least.scenario.sources
    assert not least.scenario.statics
