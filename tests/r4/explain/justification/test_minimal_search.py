"""Where very much leads to a fact, a reason is found nevertheless, and it is said to be one."""

from __future__ import annotations

import random
from collections.abc import Set as AbstractSet

import pytest
from rdflib import Namespace

from r4 import Engine
from r4.explain.justification import justifications as search
from r4.explain.justification.hitting_sets import find_minimal_sets, minimal_part
from r4.explain.justification.hypergraph import Hypergraph
from r4.explain.justification.rule_instances import GroundFact as Node
from tests.oracles.rules.formulas import TooBig
from tests.oracles.rules.justifications import follows
from tests.simulation.explanation.comparison import MANY, check_proof, explanation, leaves
from tests.simulation.explanation.hypergraphs import built, by_definition, random_graph
from tests.simulation.explanation.runs import dense_rules

ex = Namespace("urn:ex:")
PART = 20
CLOSURE = """Document(Prefix(ex <urn:ex:>) Window(3) Group(
  Forall ?x ?y (?x[ex:on -> ?y] :- ?x[ex:next -> ?y])
  Forall ?x ?y ?z (?x[ex:on -> ?z] :- And(?x[ex:on -> ?y] ?y[ex:on -> ?z]))))"""


def test_a_search_that_is_cut_short_finds_reasons_that_are_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "MAX_INSTANCES", 0)
    explained = cut = 0
    for seed in range(2 * PART):
        run, draw = dense_rules(seed), random.Random(seed)  # noqa: S311 - no secrets here
        at = draw.choice(run.changes())
        base = run.base(at)
        try:
            derived, _ = run.program.least_model(base)
        except TooBig:
            continue
        if not derived:
            continue
        fact = draw.choice(sorted(derived))
        found = explanation(run, fact, at, MANY)
        model = {*base, *derived}
        assert found.trees, seed
        for tree in found.trees:
            assert leaves(tree) <= base, seed
            assert follows(run.program, leaves(tree), model, fact), seed
            check_proof(tree)
        explained += 1
        cut += not found.complete
    assert explained > PART // 2
    assert cut > PART // 4


def test_one_fact_of_a_closure_is_not_explained_by_all_that_leads_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Hypergraph] = []

    def kept(graph: Hypergraph, limit: int) -> tuple[list[frozenset[Node]], bool]:
        made.append(graph)
        return find_minimal_sets(graph, limit)

    monkeypatch.setattr(search, "find_minimal_sets", kept)
    engine = Engine.from_text(CLOSURE, lenient=True)
    length = 60
    engine.add([(ex[f"n{i}"], ex.next, ex[f"n{i + 1}"]) for i in range(length)], at=1)
    found = engine.explain(f"ex:n0 ex:on ex:n{length}")
    assert [tree.size for tree in found.value.trees] == [length]
    assert not found.value.complete
    assert "there may be more justifications than the one shown" in str(found)
    everything = length * (length + 1) * (length + 2) // 6
    assert made
    assert max(len(graph.instances) for graph in made) < everything // 2


def test_what_no_proof_can_do_without_is_known() -> None:
    several = 0
    for seed in range(300):
        case = random_graph(seed)
        graph, sets = built(case), by_definition(case)
        if sets:
            needed = graph.needed(graph.least(graph.asserted), graph.asserted)
            assert graph.facts(needed) == frozenset.intersection(*sets), seed
            several += len(sets) > 1 and len(needed) > 0
    assert several > 3


@pytest.mark.parametrize("seed", range(PART))
def test_a_minimal_part_suffices_and_lacks_the_earlier_members_that_it_can(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    members = range(8)
    enough = [{*draw.sample(members, 3)} for _ in range(3)]
    beside = {*draw.sample(members, draw.randrange(2))}

    def suffices(some: AbstractSet[int]) -> bool:
        return any(one <= some for one in enough)

    wanted = {*members}
    for member in members:
        if suffices(beside | wanted - {member}):
            wanted.remove(member)
    assert minimal_part(members, suffices, beside) == wanted
