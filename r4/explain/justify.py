"""Justifications: the minimal sets of asserted facts from which a fact follows, smallest first.

A justification of a fact at an instant is a set of facts asserted then from which the rules derive
it, and of which no proper subset does [CoDeR, Justification]. What a rule negates counts as absent
where it is absent in the whole state, so a justification is one of the rules without it.

The instances of rules that lead to the fact make a directed hypergraph. A least proof in it is
found from the leaves on [Knuth77], so that no fact is ever among its own reasons; its leaves, those
left out that can be, are a justification. All others avoid one of them each, which makes a tree of
sets to avoid [Reiter87].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from r4.explain.ground import Fact, Ground, Held, Way

MOST_WAYS: Final = 5_000
"""Instances of rules that are looked at; more only until the first proof is among them."""
MOST_WORK: Final = 500_000
"""Steps of the search for further justifications."""
MOST_FOUND: Final = 1_000
_AT_ONCE: Final = 64
"""So many facts are asked about together."""
_ROOT: Final = 0
_LEAF: Final = -1
"""In place of a way: the fact is asserted."""


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
    """

    justifications: tuple[Justification, ...]
    complete: bool
    held: Mapping[Fact, Sequence[Held]]


def justify(ground: Ground, fact: Fact, limit: int | None = None) -> Justified:
    """The justifications of ``fact``; none if it does not hold.

    Costs what leads to the fact, not what is held; the number of justifications may be exponential
    in that, so the search for the smallest ``limit`` ends after some work.
    """
    graph = Hypergraph(fact)
    held: dict[Fact, list[Held]] = {}
    whole = _explore(ground, graph, held)
    found, all_found = graph.minimal_sets(MOST_FOUND if limit is None else limit)
    made = [Justification(leaves, graph.proof(leaves)) for leaves in found]
    made.sort(key=lambda each: (len(each.facts), len(each.proof), _rules(each)))
    kept = made if limit is None else made[:limit]
    complete = whole and all_found and len(kept) == len(made)
    return Justified(tuple(kept), complete, held)


def _rules(found: Justification) -> list[int]:
    return sorted(way.rule for way in found.proof.values())


def _explore(ground: Ground, graph: Hypergraph, held: dict[Fact, list[Held]]) -> bool:
    """Let ``graph`` have what leads to its root, what is near first; whether that is all of it.

    ``held`` gets the elements that assert the facts among it.
    """
    waiting = deque([graph.root])
    seen = {graph.root}
    look = MOST_WAYS
    while waiting:
        some = [waiting.popleft() for _ in range(min(_AT_ONCE, len(waiting)))]
        asserted = ground.asserted(some)
        graph.hold(asserted)
        held.update(asserted)
        for head, ways in ground.ways(some).items():
            for way in ways:
                graph.add(head, way)
                new = [fact for fact in way.body if fact not in seen]
                seen.update(new)
                waiting.extend(new)
        if len(graph.ways) > look and waiting:
            if graph.is_proved():
                return False
            look = len(graph.ways) * 3 // 2
    return True


class Hypergraph:
    """Instances of rules, from what they need to what they give.

    Inside, facts are numbers, in the order in which they were met; the root is 0.

    Attributes:
        root: the fact that is asked about.
        ways: the instances, with what they give.
        work: steps done so far.
    """

    __slots__ = (
        "_bodies",
        "_facts",
        "_given",
        "_heads",
        "_held",
        "_numbers",
        "_uses",
        "root",
        "ways",
        "work",
    )

    def __init__(self, root: Fact) -> None:
        self.root = root
        self.ways: list[Way] = []
        self.work = 0
        self._numbers: dict[Fact, int] = {}
        self._facts: list[Fact] = []
        self._uses: list[list[int]] = []
        self._heads: list[int] = []
        self._bodies: list[tuple[int, ...]] = []
        self._given: list[int] = []
        self._held: set[int] = set()
        self._number(root)

    def _number(self, fact: Fact) -> int:
        number = self._numbers.setdefault(fact, len(self._facts))
        if number == len(self._facts):
            self._facts.append(fact)
            self._uses.append([])
        return number

    def hold(self, facts: Iterable[Fact]) -> None:
        """These are asserted."""
        self._held.update(map(self._number, facts))

    def add(self, head: Fact, way: Way) -> None:
        """``way`` gives ``head``."""
        place = len(self.ways)
        self.ways.append(way)
        self._heads.append(self._number(head))
        body = tuple(map(self._number, way.body))
        self._bodies.append(body)
        if not body:
            self._given.append(place)
        for fact in body:
            self._uses[fact].append(place)

    def is_proved(self) -> bool:
        """Whether the root follows from what is asserted."""
        return _ROOT in self._least(self._held)

    def proof(self, leaves: Iterable[Fact]) -> dict[Fact, Way]:
        """A least proof of the root from ``leaves`` alone, from the root on."""
        least = self._least({self._numbers[fact] for fact in leaves})
        if _ROOT not in least:
            return {}
        steps = ((number, least[number]) for number in self._reached(least))
        return {self._facts[number]: self.ways[way] for number, way in steps if way >= 0}

    def minimal_sets(self, limit: int) -> tuple[list[frozenset[Fact]], bool]:
        """Some minimal sets of asserted facts that give the root, and whether they are all.

        More than ``limit`` are found where that is cheap, as smaller ones may come late.
        """
        found: dict[frozenset[int], None] = {}
        nothing: frozenset[int] = frozenset()
        queue = deque([nothing])
        seen = {nothing}
        until = self.work + MOST_WORK
        complete = True
        while queue:
            if found and (self.work > until or len(found) >= max(MOST_FOUND, limit)):
                complete = False
                break
            avoided = queue.popleft()
            self.work += len(found)
            one = next((each for each in found if each.isdisjoint(avoided)), None)
            if one is None:
                one = self._minimal(avoided)
                if one is None:
                    continue
                found[one] = None
            for fact in sorted(one - self._needed(avoided)):
                more = avoided | {fact}
                if more not in seen:
                    seen.add(more)
                    queue.append(more)
        return [frozenset(self._facts[number] for number in one) for one in found], complete

    def _minimal(self, avoided: AbstractSet[int]) -> frozenset[int] | None:
        """A minimal set without what is ``avoided``; None: there is none."""
        least = self._least(self._held - avoided)
        if _ROOT not in least:
            return None
        leaves = self._leaves(least)
        if self._has_alternatives(leaves):
            for fact in sorted(leaves):
                least = self._least(leaves - {fact}) if fact in leaves else {}
                if _ROOT in least:
                    leaves = self._leaves(least)
                    if not self._has_alternatives(leaves):
                        break
        return frozenset(leaves)

    def _needed(self, avoided: AbstractSet[int]) -> set[int]:
        """Leaves that every proof without what is ``avoided`` has; perhaps not all of those."""
        supports = self._supports(self._held - avoided)
        stack, needed = [_ROOT], {_ROOT}
        while stack:
            ways = supports.get(stack.pop(), ())
            if len(ways) == 1 and ways[0] >= 0:
                new = [each for each in self._bodies[ways[0]] if each not in needed]
                needed.update(new)
                stack += new
        return {fact for fact in needed if supports.get(fact) == [_LEAF]}

    def _has_alternatives(self, leaves: AbstractSet[int]) -> bool:
        """Whether some fact of the proof from ``leaves`` follows from them in two ways."""
        supports = self._supports(leaves)
        stack, seen = [_ROOT], {_ROOT}
        while stack:
            ways = supports.get(stack.pop(), ())
            if len(ways) > 1:
                return True
            for way in ways:
                new = [] if way < 0 else [each for each in self._bodies[way] if each not in seen]
                seen.update(new)
                stack += new
        return False

    def _supports(self, leaves: AbstractSet[int]) -> dict[int, list[int]]:
        """All that gives a fact, if ``leaves`` are asserted: ways, or that it is one of them."""
        given = self._least(leaves)
        found: dict[int, list[int]] = {fact: [_LEAF] for fact in leaves}
        for way, (head, body) in enumerate(zip(self._heads, self._bodies, strict=True)):
            if head in given and all(fact in given for fact in body):
                found.setdefault(head, []).append(way)
        self.work += len(self.ways)
        return found

    def _leaves(self, least: Mapping[int, int]) -> set[int]:
        """The asserted facts of a least proof of the root."""
        return {fact for fact in self._reached(least) if least[fact] < 0}

    def _reached(self, least: Mapping[int, int]) -> Iterator[int]:
        """The facts of a least proof of the root."""
        stack, seen = [_ROOT], {_ROOT}
        while stack:
            fact = stack.pop()
            yield fact
            way = least[fact]
            if way >= 0:
                new = [each for each in self._bodies[way] if each not in seen]
                seen.update(new)
                stack += reversed(new)

    def _least(self, leaves: AbstractSet[int]) -> dict[int, int]:
        """What follows from ``leaves``, each with the last step of a least proof, or `_LEAF`.

        A proof is the less the fewer leaves, then steps, it has, each counted as often as it is
        used; then the least rule counts [Knuth77].
        """
        least: dict[int, int] = {}
        cost: dict[int, tuple[int, int]] = {}
        missing: dict[int, int] = {}
        heap = [(1, 0, 0, _LEAF, fact) for fact in leaves]
        heap += ((0, 1, self.ways[way].rule, way, self._heads[way]) for way in self._given)
        heapify(heap)
        bodies, heads, uses = self._bodies, self._heads, self._uses
        while heap:
            size, steps, _, way, fact = heappop(heap)
            if fact in least:
                continue
            least[fact] = way
            cost[fact] = size, steps
            for use in uses[fact]:
                left = missing.get(use)
                left = len(bodies[use]) - 1 if left is None else left - 1
                missing[use] = left
                if not left and heads[use] not in least:
                    size, steps = 0, 1
                    for each in bodies[use]:
                        more = cost[each]
                        size += more[0]
                        steps += more[1]
                    heappush(heap, (size, steps, self.ways[use].rule, use, heads[use]))
        self.work += len(least) + len(missing)
        return least
