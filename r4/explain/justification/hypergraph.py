"""Instances of rules as a directed hypergraph: least proofs, and leaves no proof can do without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import Final

from r4.explain.justification.rule_instances import GroundFact, RuleInstance

ROOT: Final = 0
_LEAF: Final = -1
"""In place of a way: the fact is asserted."""


class Hypergraph:
    """Instances of rules, from what they need to what they give.

    Inside, facts are numbers, in the order in which they were met; the root is 0.

    Attributes:
        root: the fact that is asked about.
        ways: the instances.
        held: the facts that are asserted, as numbers.
        work: steps done so far.
    """

    __slots__ = (
        "_bodies",
        "_facts",
        "_given",
        "_heads",
        "_numbers",
        "_seen",
        "_uses",
        "held",
        "root",
        "ways",
        "work",
    )

    def __init__(self, root: GroundFact) -> None:
        self.root = root
        self.ways: list[RuleInstance] = []
        self.held: set[int] = set()
        self.work = 0
        self._numbers: dict[GroundFact, int] = {}
        self._facts: list[GroundFact] = []
        self._uses: list[list[int]] = []
        self._heads: list[int] = []
        self._bodies: list[tuple[int, ...]] = []
        self._given: list[int] = []
        self._seen: set[tuple[int, RuleInstance]] = set()
        self._number(root)

    def _number(self, fact: GroundFact) -> int:
        number = self._numbers.setdefault(fact, len(self._facts))
        if number == len(self._facts):
            self._facts.append(fact)
            self._uses.append([])
        return number

    def hold(self, facts: Iterable[GroundFact]) -> None:
        """These are asserted."""
        self.held.update(map(self._number, facts))

    def add(self, head: GroundFact, way: RuleInstance) -> None:
        """``way`` gives ``head``."""
        number = self._number(head)
        if (number, way) in self._seen:
            return
        self._seen.add((number, way))
        place = len(self.ways)
        self.ways.append(way)
        self._heads.append(number)
        body = tuple(map(self._number, way.body))
        self._bodies.append(body)
        if not body:
            self._given.append(place)
        for fact in body:
            self._uses[fact].append(place)

    def facts(self, numbers: Iterable[int]) -> frozenset[GroundFact]:
        """Facts by their numbers."""
        return frozenset(self._facts[number] for number in numbers)

    def without_ways(self) -> frozenset[GroundFact]:
        """Facts that are not asserted, and that nothing gives."""
        return self.facts(set(self._numbers.values()) - self.held - set(self._heads))

    def is_proved(self) -> bool:
        """Whether the root follows from what is asserted."""
        return ROOT in self.least(self.held)

    def proof(self, leaves: Iterable[GroundFact]) -> dict[GroundFact, RuleInstance]:
        """A least proof of the root from ``leaves`` alone, from the root on."""
        least = self.least({self._numbers[fact] for fact in leaves})
        if ROOT not in least:
            return {}
        steps = ((number, least[number]) for number in self._reached(least))
        return {self._facts[number]: self.ways[way] for number, way in steps if way >= 0}

    def leaves(self, least: Mapping[int, int]) -> set[int]:
        """The asserted facts of a least proof of the root."""
        return {fact for fact in self._reached(least) if least[fact] < 0}

    def _reached(self, least: Mapping[int, int]) -> Iterator[int]:
        """The facts of a least proof of the root."""
        stack, seen = [ROOT], {ROOT}
        while stack:
            fact = stack.pop()
            yield fact
            way = least[fact]
            if way >= 0:
                new = [each for each in self._bodies[way] if each not in seen]
                seen.update(new)
                stack += reversed(new)

    def least(self, leaves: AbstractSet[int]) -> dict[int, int]:
        """What follows from ``leaves``, each with the last step of a least proof, or less than 0.

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

    def needed(self, least: Mapping[int, int], leaves: AbstractSet[int]) -> set[int]:
        """Those of ``leaves`` without which the root does not follow from the others.

        ``least`` is what follows from them. As dominators are found: what a fact cannot do without
        is what all that gives it cannot; from the leaves of its least proof on, until none is lost.
        """
        self.work += len(self.ways)
        places = {fact: place for place, fact in enumerate(sorted(leaves))}
        masks: dict[int, int] = {}
        for fact, way in least.items():
            mask = 1 << places[fact] if way < 0 else 0
            for each in self._bodies[way] if way >= 0 else ():
                mask |= masks[each]
            masks[fact] = mask
        waiting = dict.fromkeys(
            way
            for way, body in enumerate(self._bodies)
            if least.get(self._heads[way]) != way and all(each in masks for each in body)
        )
        while waiting:
            self.work += len(waiting)
            lost: dict[int, None] = {}
            for way in waiting:
                mask, head = 0, self._heads[way]
                if not masks[head]:
                    continue
                for each in self._bodies[way]:
                    mask |= masks[each]
                if masks[head] & ~mask:
                    masks[head] &= mask
                    lost[head] = None
            waiting = dict.fromkeys(
                use
                for fact in lost
                for use in self._uses[fact]
                if all(each in masks for each in self._bodies[use])
            )
        return {fact for fact, place in places.items() if masks[ROOT] >> place & 1}
