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
from dataclasses import dataclass
from typing import Final

from r4.explain.ground import Fact, Ground, Held, Way
from r4.explain.hypergraph import Hypergraph
from r4.explain.minimal import MOST_FOUND, minimal_sets
from r4.explain.retrace import Retraced

MOST_WAYS: Final = 3_000
"""Instances of rules that are looked at."""
_AT_ONCE: Final = 64
"""So many facts are asked about together."""


@dataclass(frozen=True, slots=True)
class Justification:
    """A minimal set of asserted facts, and how the fact follows from them.

    Attributes:
        facts: the set.
        proof: per fact of the proof but those of the set the instance of a rule that gives it;
            what is in its body comes before it.
    """

    facts: frozenset[Fact]
    proof: Mapping[Fact, Way]


@dataclass(frozen=True, slots=True)
class Justified:
    """What was found for a fact.

    Attributes:
        justifications: smallest first; of equal size those with the shorter proof.
        complete: whether there are no others.
        held: per asserted fact the elements that assert it.
        unkept: facts that count as asserted, as nothing is known to give them but these rules.
    """

    justifications: tuple[Justification, ...]
    complete: bool
    held: Mapping[Fact, Sequence[Held]]
    unkept: Mapping[Fact, Sequence[int]]


def justify(ground: Ground, fact: Fact, limit: int | None = None) -> Justified:
    """The justifications of ``fact``; none if it does not hold.

    Costs what leads to the fact, not what is held; the number of justifications may be exponential
    in that, so the search for the smallest ``limit`` ends after some work. Where very much leads
    to it, one reason is found from an evaluation of the rules over what holds at the instant; then
    the sets are minimal among the instances of rules that were looked at.
    """
    graph = Hypergraph(fact)
    held: dict[Fact, list[Held]] = {}
    whole = _explore(ground, graph, held)
    unkept = {} if not whole or graph.is_proved() else _unkept(ground, graph, held)
    found, all_found = minimal_sets(graph, MOST_FOUND if limit is None else limit)
    made = [Justification(leaves, graph.proof(leaves)) for leaves in found]
    made.sort(key=_rank)
    kept = made if limit is None else made[:limit]
    complete = whole and all_found and len(kept) == len(made) and not unkept
    return Justified(tuple(kept), complete, held, unkept)


def _rank(found: Justification) -> tuple[object, ...]:
    rules = sorted(way.rule for way in found.proof.values())
    facts = sorted((fact.relation.op, fact.terms) for fact in found.facts)
    return len(found.facts), len(found.proof), rules, facts


def _unkept(
    ground: Ground, graph: Hypergraph, held: dict[Fact, list[Held]]
) -> Mapping[Fact, Sequence[int]]:
    """Let those facts count as asserted that nothing gives, though they are derived; their rules.

    What they follow from was forgotten, or their rule was dropped.
    """
    found: dict[Fact, Sequence[int]] = {}
    for fact in graph.without_ways():
        span = ground.derived(fact)
        if span is not None and fact != graph.root:
            found[fact] = ground.rules(fact)
            held[fact] = [Held(0, *span)]
    graph.hold(found)
    return found


def _explore(ground: Ground, graph: Hypergraph, held: dict[Fact, list[Held]]) -> bool:
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


def _prove(ground: Ground, graph: Hypergraph, held: dict[Fact, list[Held]]) -> bool:
    """Let ``graph`` have one proof of its root; whether there is one that can be found."""
    retraced = Retraced.of(ground)
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
