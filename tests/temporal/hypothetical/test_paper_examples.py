"""Examples 1 to 8 of [CruzFilipe22], and propositions about them, with oracle and engine."""

from __future__ import annotations

import json

import pytest

from tests.generators.hypothetical.text import atom, fact, program
from tests.oracles.hypothetical.definitions import Definition, Delta, Domain, Facts, model
from tests.oracles.hypothetical.output_lines import shown_atom
from tests.oracles.hypothetical.resolution import resolved
from tests.oracles.hypothetical.states import local_mgus
from tests.simulation.hypothetical.engine import QueryRun
from tests.simulation.hypothetical.paper_examples import (
    DEFECTS,
    EXAMPLES,
    TURBINES,
    Example,
    entries_of,
    facts_of,
    high,
    lines_of,
)

each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
DOMAIN = Domain(("wt2", "wt4", "high"), 5, 8)


def facts(text: str) -> Facts:
    return frozenset(map(fact, text.split()))


def malfunctions(delay: int) -> Definition:
    return Definition(program(TURBINES), atom("Malf(X,T)"), Delta(delay), DOMAIN)


@each
def test_the_states_of_the_oracle_are_those_of_the_paper(example: Example) -> None:
    oracle = example.oracle()
    for step in example.steps:
        assert oracle.slice(step.tau, facts_of(step)) == lines_of(step)
        assert entries_of(oracle.state) == set(step.entries)


@each
@pytest.mark.parametrize("cut", [None, 1])
def test_the_engine_tells_of_each_state(example: Example, cut: int | None) -> None:
    player = QueryRun(example.program, example.query, [f"{name}={n}" for name, n in example.delays])
    wanted = [line for step in example.steps for line in lines_of(step)]
    found = list(map(json.loads, player.lines(example.text, cut)))
    assert [line for line in found if line["because"] != "end of input"] == wanted


def test_1_an_answer_follows_when_all_has_come() -> None:
    rules = program(TURBINES)
    for last, times in enumerate([(0,), (0, 1), (0, 1, 2)]):
        found = model(rules, facts(high("wt2", *times)), 8)
        answers = {fact for fact in found if fact[0] == "Malf"}
        assert answers == ({("Malf", ("wt2",), 0)} if last == 2 else set())


def test_2_hypothetical_answers_need_no_evidence() -> None:
    seen = facts(high("wt2", 0, 1))
    definition = malfunctions(0)
    found = definition.hypothetical(seen, 1)
    assert found["wt2", 0] == {facts(high("wt2", 2))}
    assert found["wt2", 3] == {facts(high("wt2", 3, 4, 5))}
    supported = definition.supported(seen, 1)
    assert (("wt2", 0), facts(high("wt2", 2)), seen) in supported
    assert {theta for theta, *_ in supported} == {("wt2", 0), ("wt2", 1)}


def test_3_resolution_leaves_one_schema() -> None:
    (found,) = resolved(program(TURBINES), atom("Malf(X,T)")).schemata
    assert shown_atom(found.answer) == "Malf(?X,?T)"
    assert set(map(shown_atom, found.hypotheses)) == {
        "Temp(?X,high,?T)",
        "Temp(?X,high,?T+1)",
        "Temp(?X,high,?T+2)",
    }


def test_4_what_is_late_is_still_possible() -> None:
    supported = malfunctions(1).supported(facts(high("wt4", 0)), 1)
    assert (("wt4", 0), facts(high("wt4", 1, 2)), facts(high("wt4", 0))) in supported
    assert not malfunctions(0).supported(facts(high("wt4", 0)), 1)


def test_6_local_mgus_are_the_nodes_of_all_trees() -> None:
    (found,) = resolved(program("q(X,T) :- p(X,T), r(Y,T)"), atom("q(X,T)")).schemata
    mgus = [
        {(var.name, value) for var, value in sigma.items()}
        for sigma in local_mgus(list(found.hypotheses), facts("p(a,0) r(b,0)"), {})
    ]
    x, y, t = ("X", "a"), ("Y", "b"), ("T", 0)
    assert len(mgus) == 4
    assert all(sigma in mgus for sigma in (set(), {x, t}, {y, t}, {x, y, t}))


def test_8_what_has_no_time_stays_open_until_the_input_ends() -> None:
    player = QueryRun(DEFECTS, "Defective(X,T)")
    found = [json.loads(line) for line in player.lines("@0 Temp(wt2,high,0)\n@1000000\n")]
    assert [(line["tau"], line["status"], line["because"]) for line in found] == [
        (0, "supported", None),
        (1000000, "withdrawn", "end of input"),
    ]
