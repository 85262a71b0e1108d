"""Justifications: the minimal sets of asserted facts from which a fact follows, smallest first.

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
from r4.explain.justification.hitting_sets import MOST_FOUND, find_minimal_sets
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

MOST_WAYS: Final = 3_000
"""Instances of rules that are looked at."""
_AT_ONCE: Final = 64
"""So many facts are asked about together."""


@dataclass(frozen=True, slots=True)
class Justifications:
    """What was found for a fact.

    Attributes:
        timings: proofs from minimal sets of leaves, with their times; those of the fewest leaves
            first; of equal size the shorter, or with metric operators those that hold longest.
        complete: whether there are no others.
        held: per asserted fact the elements that assert it.
        unkept: what counts as given, as nothing is known to give it but these rules.
        cut: what of that leads so far into the past that it was not looked at.
    """

    timings: tuple[ProofTimes, ...]
    complete: bool
    held: Mapping[GroundFact, Sequence[Assertion]]
    unkept: Mapping[GroundNode, Sequence[int]]
    cut: frozenset[GroundNode] = frozenset()


def justify(ground: InstantState, fact: GroundFact, limit: int | None = None) -> Justifications:
    """The justifications of ``fact``; none if it does not hold.

    Costs what leads to the fact, not what is held; the number of justifications may be exponential
    in that, so the search for the smallest ``limit`` ends after some work. Where very much leads
    to it, one reason is found from an evaluation of the rules over what holds at the instant; then
    the sets are minimal among the instances of rules that were looked at.
    """
    if ground.is_metric:
        return _through_time(ground, fact, limit)
    graph = Hypergraph(fact)
    held: dict[GroundFact, list[Assertion]] = {}
    whole = _explore(ground, graph, held)
    unkept = {} if not whole or graph.is_proved() else _unkept(ground, graph)
    found, all_found = find_minimal_sets(graph, MOST_FOUND if limit is None else limit)
    given = {each: ProofLeaf(each, *hull(some)) for each, some in held.items()} | unkept
    made: list[ProofTimes] = []
    for leaves in found:
        some = {each: given[each] for each in leaves}
        proof = instant_proof(fact, ground.cell, graph.proof(leaves), some)
        made.append(ProofTimes(ground, proof, held))
    rules: dict[GroundNode, Sequence[int]] = {each: ground.rules(each) for each in unkept}
    complete = whole and all_found and not unkept
    made.sort(key=_rank)
    return _some(made, limit, Justifications((), complete, held, rules))


def _through_time(ground: InstantState, fact: GroundFact, limit: int | None) -> Justifications:
    """The same where metric operators let facts rest on other times."""
    grounding = GroundProgram(ground, fact)
    search = TemporalJustifications(grounding)
    most = MOST_FOUND if limit is None else limit
    made = [ProofTimes(ground, proof, grounding.held) for proof in search.proofs(most)]
    rules = {
        leaf.node: ground.rules(leaf.node) if isinstance(leaf.node, GroundFact) else ()
        for leaf in search.leaves
        if not isinstance(leaf.node, GroundFact) or leaf.node not in grounding.held
    }
    made.sort(key=lambda each: (len(each.proof.leaves), -each.whole[1]))
    return _some(
        made, limit, Justifications((), search.complete, grounding.held, rules, search.cut)
    )


def _some(made: list[ProofTimes], limit: int | None, found: Justifications) -> Justifications:
    kept = made if limit is None else made[:limit]
    complete = found.complete and len(kept) == len(made)
    return replace(found, timings=tuple(kept), complete=complete)


def _rank(found: ProofTimes) -> tuple[object, ...]:
    pieces = found.proof.pieces
    ways = [
        each.by for some in pieces.values() for each in some if isinstance(each.by, RuleInstance)
    ]
    rules = sorted(way.rule for way in ways)
    nodes = (leaf.node for leaf in found.proof.leaves)
    facts = sorted((node.relation.op, node.terms) for node in nodes if isinstance(node, GroundFact))
    return len(found.proof.leaves), len(pieces), rules, facts


def _unkept(ground: InstantState, graph: Hypergraph) -> dict[GroundFact, ProofLeaf]:
    """Let those facts count as asserted that nothing gives, though they are derived.

    What they follow from was forgotten, or their rule was dropped.
    """
    found: dict[GroundFact, ProofLeaf] = {}
    for fact in graph.without_ways():
        span = ground.derived(fact)
        if span is not None and fact != graph.root:
            found[fact] = ProofLeaf(fact, *span)
    graph.hold(found)
    return found


def _explore(
    ground: InstantState, graph: Hypergraph, held: dict[GroundFact, list[Assertion]]
) -> bool:
    """Let ``graph`` have what leads to its root, what is near first; whether that is all of it.

    ``held`` gets the elements that assert the facts among it.
    """
    waiting = deque([graph.root])
    seen = {graph.root}
    most = MOST_WAYS
    at_once = _AT_ONCE
    while waiting:
        some = [waiting.popleft() for _ in range(min(at_once, len(waiting)))]
        asserted = ground.asserted(some)
        graph.hold(asserted)
        held.update(asserted)
        before = len(graph.ways)
        for head, ways in ground.ways(some).items():
            for way in ways:
                graph.add(head, way)
                new = [fact for fact in way.body if fact not in seen]
                seen.update(new)
                waiting.extend(new)
        each = max(1, (len(graph.ways) - before) // len(some))
        at_once = max(1, min(_AT_ONCE, MOST_WAYS // (4 * each)))
        if len(graph.ways) > most and waiting:
            if graph.is_proved() or _prove(ground, graph, held):
                return False
            most = 2 * len(graph.ways)
    return True


def _prove(
    ground: InstantState, graph: Hypergraph, held: dict[GroundFact, list[Assertion]]
) -> bool:
    """Let ``graph`` have one proof of its root; whether there is one that can be found."""
    retraced = DerivationRanks.of(ground)
    if retraced is None:
        return False
    waiting = [graph.root]
    seen = {graph.root}
    while waiting:
        some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        asserted = ground.asserted(some)
        graph.hold(asserted)
        held.update(asserted)
        rest = [fact for fact in some if fact not in asserted]
        for fact, way in retraced.founded(ground, rest).items():
            if way is None:
                return False
            graph.add(fact, way)
            new = [each for each in way.body if each not in seen]
            seen.update(new)
            waiting += new
    return graph.is_proved()
