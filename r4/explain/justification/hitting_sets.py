"""Minimal sets by a tree of hitting sets [Reiter87], and those of a hypergraph of rule instances.

Each node of the tree is a set of members to avoid, and has a minimal set without them. Every other
minimal set lacks at least one member of that one, so a child avoids one member more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias, TypeVar

from r4.explain.justification.hypergraph import ROOT, Hypergraph
from r4.explain.justification.rule_instances import GroundFact

MAX_WORK: Final = 200_000
"""Steps of the search for further sets."""
MAX_FOUND: Final = 1_000

Member = TypeVar("Member", bound=Hashable)
Find: TypeAlias = Callable[
    [frozenset[Member], frozenset[Member] | None], tuple[frozenset[Member], Iterable[Member]] | None
]


def hitting_set_tree(
    find: Find[Member], is_spent: Callable[[int], bool]
) -> tuple[list[frozenset[Member]], bool]:
    """Minimal sets, breadth first from the one that avoids nothing, and whether they are all.

    Args:
        find: gives a minimal set without the members to ``avoid``, and those of its members that
            further sets may lack, in order; None: no set is left. It is called as
            ``find(avoid, known)``; ``known`` is a minimal set of before without these members,
            which it then gives again; None: there is none yet.
        is_spent: whether the search is to end after so many sets; asked from the first set on.
    """
    found: list[frozenset[Member]] = []
    nothing: frozenset[Member] = frozenset()
    queue = deque([nothing])
    seen = {nothing}
    while queue:
        if found and is_spent(len(found)):
            return found, False
        avoid = queue.popleft()
        known = next((each for each in found if each.isdisjoint(avoid)), None)
        result = find(avoid, known)
        if result is None:
            continue
        minimal, members = result
        if known is None:
            found.append(minimal)
        for member in members:
            more = avoid | {member}
            if more not in seen:
                seen.add(more)
                queue.append(more)
    return found, True


def minimal_part(
    part: Sequence[Member],
    suffices: Callable[[AbstractSet[Member]], bool],
    beside: AbstractSet[Member] = frozenset(),
) -> set[Member]:
    """A part of ``part`` that suffices with what is ``beside`` it, and of which all is needed.

    Earlier members are left out first, as many together as can be [Junker04, QuickXplain]:
    O(k log n) questions for k members of n.
    """
    if not part or suffices(beside):
        return set()
    if len(part) == 1:
        return set(part)
    left, right = part[: len(part) // 2], part[len(part) // 2 :]
    found = minimal_part(left, suffices, {*beside, *right})
    return found | minimal_part(right, suffices, {*beside, *found})


def find_minimal_sets(graph: Hypergraph, limit: int) -> tuple[list[frozenset[GroundFact]], bool]:
    """Some minimal sets of asserted facts that give the root, and whether they are all.

    More than ``limit`` are found where that is cheap, as smaller ones may come late.
    """
    until = graph.work + MAX_WORK
    count = 0

    def find(
        avoid: frozenset[int], known: frozenset[int] | None
    ) -> tuple[frozenset[int], Iterable[int]] | None:
        nonlocal count
        graph.work += count
        left = graph.asserted - avoid
        least = graph.least(left)
        if ROOT not in least:
            return None
        needed = graph.needed(least, left)
        if known is None:
            known = graph.minimal_leaves(graph.leaves(least), needed)
            count += 1
        return known, sorted(known - needed)

    found, complete = hitting_set_tree(
        find, lambda size: graph.work > until or size >= max(MAX_FOUND, limit)
    )
    return [graph.facts(one) for one in found], complete
