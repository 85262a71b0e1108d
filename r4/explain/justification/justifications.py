"""The justifications of a fact: the minimal sets of asserted facts that derive it, smallest first.

A justification of a fact at an instant is a set of facts asserted then from which the rules derive
it, and of which no proper subset does [CoDeR, Justification]. What a rule negates counts as absent
where it is absent in the whole state, so a justification is one of the rules without it.

The instances of rules that lead to the fact make a directed hypergraph, in which a least proof is
found from the leaves on, so that no fact is ever among its own reasons.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from r4.explain.justification.derivation_ranks import DerivationRanks
from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.hitting_sets import MAX_FOUND, find_minimal_sets
from r4.explain.justification.hypergraph import Hypergraph
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.proof_times import ProofTimes
from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    GroundNode,
    RuleInstance,
    hull,
)
from r4.explain.justification.temporal_justifications import TemporalJustifications
from r4.explain.justification.temporal_proof import instant_proof

MAX_INSTANCES: Final = 3_000
"""Instances of rules that are looked at."""
_AT_ONCE: Final = 64
"""So many facts are queried together."""


@dataclass(frozen=True, slots=True)
class Justifications:
    """The justifications of a fact.

    Attributes:
        timings: proofs from minimal sets of leaves, with their times; those of the fewest leaves
            first; of equal size the shorter, or with metric operators those that hold longest.
        complete: whether there are no others.
        assertions: per asserted fact the elements that assert it.
        unkept: what counts as given, as nothing but these rules is known to derive it.
        truncated: what of that leads so far into the past that it was not looked at.
    """

    timings: tuple[ProofTimes, ...]
    complete: bool
    assertions: Mapping[GroundFact, Sequence[Assertion]]
    unkept: Mapping[GroundNode, Sequence[int]]
    truncated: frozenset[GroundNode] = frozenset()


def justify(state: InstantState, fact: GroundFact, limit: int | None = None) -> Justifications:
    """The justifications of ``fact``; none if it does not hold.

    Costs what leads to the fact, not what is held; the number of justifications may be exponential
    in that, so the search for the smallest ``limit`` ends after some work. Where very much leads
    to it, one proof is found by an evaluation of the rules over what holds at the instant; then the
    sets are minimal among the instances of rules that were looked at.
    """
    if state.is_metric:
        return _through_time(state, fact, limit)
    graph = Hypergraph(fact)
    assertions: dict[GroundFact, list[Assertion]] = {}
    whole = _explore(state, graph, assertions)
    unkept = {} if not whole or graph.is_proved() else _unkept(state, graph)
    found, all_found = find_minimal_sets(graph, MAX_FOUND if limit is None else limit)
    given = {each: ProofLeaf(each, *hull(some)) for each, some in assertions.items()} | unkept
    made: list[ProofTimes] = []
    for leaves in found:
        some = {each: given[each] for each in leaves}
        proof = instant_proof(fact, state.cell, graph.proof(leaves), some)
        made.append(ProofTimes(state, proof, assertions))
    rules: dict[GroundNode, Sequence[int]] = {each: state.rules(each) for each in unkept}
    complete = whole and all_found and not unkept
    made.sort(key=_rank)
    return _some(made, limit, Justifications((), complete, assertions, rules))


def _through_time(state: InstantState, fact: GroundFact, limit: int | None) -> Justifications:
    """The same where metric operators let facts depend on other times."""
    program = GroundProgram(state, fact)
    search = TemporalJustifications(program)
    most = MAX_FOUND if limit is None else limit
    made = [ProofTimes(state, proof, program.assertions) for proof in search.proofs(most)]
    rules = {
        leaf.node: state.rules(leaf.node) if isinstance(leaf.node, GroundFact) else ()
        for leaf in search.leaves
        if not isinstance(leaf.node, GroundFact) or leaf.node not in program.assertions
    }
    made.sort(key=lambda each: (len(each.proof.leaves), -each.whole[1]))
    found = Justifications((), search.complete, program.assertions, rules, search.truncated)
    return _some(made, limit, found)


def _some(made: list[ProofTimes], limit: int | None, found: Justifications) -> Justifications:
    kept = made if limit is None else made[:limit]
    complete = found.complete and len(kept) == len(made)
    return replace(found, timings=tuple(kept), complete=complete)


def _rank(found: ProofTimes) -> tuple[object, ...]:
    steps = found.proof.steps
    reasons = (each.reason for some in steps.values() for each in some)
    rules = sorted(reason.rule for reason in reasons if isinstance(reason, RuleInstance))
    nodes = (leaf.node for leaf in found.proof.leaves)
    facts = sorted((node.relation.op, node.terms) for node in nodes if isinstance(node, GroundFact))
    return len(found.proof.leaves), len(steps), rules, facts


def _unkept(state: InstantState, graph: Hypergraph) -> dict[GroundFact, ProofLeaf]:
    """Let those facts count as asserted that no instance derives, though they are derived.

    What they follow from was forgotten, or their rule was dropped.
    """
    found: dict[GroundFact, ProofLeaf] = {}
    for fact in graph.underived():
        span = state.derived(fact)
        if span is not None and fact != graph.root:
            found[fact] = ProofLeaf(fact, *span)
    graph.assert_facts(found)
    return found


def _explore(
    state: InstantState, graph: Hypergraph, assertions: dict[GroundFact, list[Assertion]]
) -> bool:
    """Add to ``graph`` what leads to its root, near facts first; whether that is all of it.

    ``assertions`` gets the elements that assert these facts.
    """
    waiting = deque([graph.root])
    seen = {graph.root}
    most = MAX_INSTANCES
    at_once = _AT_ONCE
    while waiting:
        some = [waiting.popleft() for _ in range(min(at_once, len(waiting)))]
        asserted = state.asserted(some)
        graph.assert_facts(asserted)
        assertions.update(asserted)
        before = len(graph.instances)
        for head, instances in state.rule_instances(some).items():
            for instance in instances:
                graph.add(head, instance)
                new = [fact for fact in instance.body if fact not in seen]
                seen.update(new)
                waiting.extend(new)
        each = max(1, (len(graph.instances) - before) // len(some))
        at_once = max(1, min(_AT_ONCE, MAX_INSTANCES // (4 * each)))
        if len(graph.instances) > most and waiting:
            if graph.is_proved() or _prove(state, graph, assertions):
                return False
            most = 2 * len(graph.instances)
    return True


def _prove(
    state: InstantState, graph: Hypergraph, assertions: dict[GroundFact, list[Assertion]]
) -> bool:
    """Add to ``graph`` one proof of its root; whether there is one that can be found."""
    ranks = DerivationRanks.of(state)
    if ranks is None:
        return False
    waiting = [graph.root]
    seen = {graph.root}
    while waiting:
        some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        asserted = state.asserted(some)
        graph.assert_facts(asserted)
        assertions.update(asserted)
        rest = [fact for fact in some if fact not in asserted]
        for fact, instance in ranks.well_founded_instances(state, rest).items():
            if instance is None:
                return False
            graph.add(fact, instance)
            new = [each for each in instance.body if each not in seen]
            seen.update(new)
            waiting += new
    return graph.is_proved()
