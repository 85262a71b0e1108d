"""The minimal sets of asserted facts that give a root, by hitting sets.

A least proof has leaves; those left out that can be, they are a minimal set. All others avoid one
of them each, which makes a tree of sets to avoid [Reiter87].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set as AbstractSet
from typing import Final

from r4.explain.justification.hypergraph import ROOT, Hypergraph
from r4.explain.justification.rule_instances import GroundFact

MOST_WORK: Final = 200_000
"""Steps of the search for further sets."""
MOST_FOUND: Final = 1_000


def find_minimal_sets(graph: Hypergraph, limit: int) -> tuple[list[frozenset[GroundFact]], bool]:
    """Some minimal sets of asserted facts that give the root, and whether they are all.

    More than ``limit`` are found where that is cheap, as smaller ones may come late.
    """
    found: dict[frozenset[int], None] = {}
    nothing: frozenset[int] = frozenset()
    queue = deque([nothing])
    seen = {nothing}
    until = graph.work + MOST_WORK
    complete = True
    while queue:
        if found and (graph.work > until or len(found) >= max(MOST_FOUND, limit)):
            complete = False
            break
        avoided = queue.popleft()
        graph.work += len(found)
        left = graph.held - avoided
        least = graph.least(left)
        if ROOT not in least:
            continue
        needed = graph.needed(least, left)
        one = next((each for each in found if each.isdisjoint(avoided)), None)
        if one is None:
            one = _minimal(graph, graph.leaves(least), needed)
            found[one] = None
        for fact in sorted(one - needed):
            more = avoided | {fact}
            if more not in seen:
                seen.add(more)
                queue.append(more)
    return [graph.facts(one) for one in found], complete


def _minimal(
    graph: Hypergraph, leaves: AbstractSet[int], needed: AbstractSet[int]
) -> frozenset[int]:
    """A minimal set among ``leaves``, of which those that are ``needed`` are known to be so."""
    while leaves != needed:
        least = graph.least(leaves)
        needed = graph.needed(least, leaves)
        spare = leaves - needed
        if spare:
            leaves = graph.leaves(graph.least(leaves - {min(spare)}))
    return frozenset(leaves)
