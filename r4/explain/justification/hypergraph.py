"""Instances of rules as a directed hypergraph: least proofs, and leaves no proof can do without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Final

from r4.explain.justification.rule_instances import GroundFact, RuleInstance

ROOT: Final = 0
_LEAF: Final = -1
"""In place of an instance: the fact is asserted."""


@dataclass(slots=True, eq=False)
class Hypergraph:
    """Instances of rules as edges, from the facts of their bodies to their heads.

    Inside, facts are numbers, in the order in which they were met; the root is 0.

    Attributes:
        root: the fact of the question.
        instances: the instances.
        asserted: the facts that are asserted, as numbers.
        work: steps done so far.
    """

    root: GroundFact
    instances: list[RuleInstance] = field(default_factory=list)
    asserted: set[int] = field(default_factory=set)
    work: int = 0
    _numbers: dict[GroundFact, int] = field(default_factory=dict)
    _facts: list[GroundFact] = field(default_factory=list)
    _uses: list[list[int]] = field(default_factory=list)
    _heads: list[int] = field(default_factory=list)
    _bodies: list[tuple[int, ...]] = field(default_factory=list)
    _bodiless: list[int] = field(default_factory=list)
    _seen: set[tuple[int, RuleInstance]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._number(self.root)

    def _number(self, fact: GroundFact) -> int:
        number = self._numbers.setdefault(fact, len(self._facts))
        if number == len(self._facts):
            self._facts.append(fact)
            self._uses.append([])
        return number

    def assert_facts(self, facts: Iterable[GroundFact]) -> None:
        """Note that ``facts`` are asserted."""
        self.asserted.update(map(self._number, facts))

    def add(self, head: GroundFact, instance: RuleInstance) -> None:
        """Note that ``instance`` derives ``head``."""
        number = self._number(head)
        if (number, instance) in self._seen:
            return
        self._seen.add((number, instance))
        place = len(self.instances)
        self.instances.append(instance)
        self._heads.append(number)
        body = tuple(map(self._number, instance.body))
        self._bodies.append(body)
        if not body:
            self._bodiless.append(place)
        for fact in body:
            self._uses[fact].append(place)

    def facts(self, numbers: Iterable[int]) -> frozenset[GroundFact]:
        """Facts by their numbers."""
        return frozenset(self._facts[number] for number in numbers)

    def underived(self) -> frozenset[GroundFact]:
        """Facts that are not asserted, and that no instance derives."""
        return self.facts(set(self._numbers.values()) - self.asserted - set(self._heads))

    def is_proved(self) -> bool:
        """Whether the root follows from what is asserted."""
        return ROOT in self.least(self.asserted)

    def proof(self, leaves: Iterable[GroundFact]) -> dict[GroundFact, RuleInstance]:
        """A least proof of the root from ``leaves`` alone, from the root on."""
        least = self.least({self._numbers[fact] for fact in leaves})
        if ROOT not in least:
            return {}
        steps = ((number, least[number]) for number in self._proof_facts(least))
        return {
            self._facts[number]: self.instances[instance]
            for number, instance in steps
            if instance >= 0
        }

    def leaves(self, least: Mapping[int, int]) -> set[int]:
        """The asserted facts of a least proof of the root."""
        return {fact for fact in self._proof_facts(least) if least[fact] < 0}

    def _proof_facts(self, least: Mapping[int, int]) -> Iterator[int]:
        stack, seen = [ROOT], {ROOT}
        while stack:
            fact = stack.pop()
            yield fact
            instance = least[fact]
            if instance >= 0:
                new = [each for each in self._bodies[instance] if each not in seen]
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
        heap += (
            (0, 1, self.instances[instance].rule, instance, self._heads[instance])
            for instance in self._bodiless
        )
        heapify(heap)
        bodies, heads, uses = self._bodies, self._heads, self._uses
        while heap:
            size, steps, _, instance, fact = heappop(heap)
            if fact in least:
                continue
            least[fact] = instance
            cost[fact] = size, steps
            for user in uses[fact]:
                left = missing.get(user)
                left = len(bodies[user]) - 1 if left is None else left - 1
                missing[user] = left
                if not left and heads[user] not in least:
                    size, steps = 0, 1
                    for each in bodies[user]:
                        more = cost[each]
                        size += more[0]
                        steps += more[1]
                    heappush(heap, (size, steps, self.instances[user].rule, user, heads[user]))
        self.work += len(least) + len(missing)
        return least

    def needed(self, least: Mapping[int, int], leaves: AbstractSet[int]) -> set[int]:
        """Those of ``leaves`` without which the root does not follow from the others.

        ``least`` is what follows from them. As dominators are found: what a fact cannot do without
        is what all that gives it cannot; from the leaves of its least proof on, until none is lost.
        """
        self.work += len(self.instances)
        places = {fact: place for place, fact in enumerate(sorted(leaves))}
        masks: dict[int, int] = {}
        for fact, instance in least.items():
            mask = 1 << places[fact] if instance < 0 else 0
            for each in self._bodies[instance] if instance >= 0 else ():
                mask |= masks[each]
            masks[fact] = mask
        waiting = dict.fromkeys(
            instance
            for instance, body in enumerate(self._bodies)
            if least.get(self._heads[instance]) != instance and all(each in masks for each in body)
        )
        while waiting:
            self.work += len(waiting)
            lost: dict[int, None] = {}
            for instance in waiting:
                mask, head = 0, self._heads[instance]
                if not masks[head]:
                    continue
                for each in self._bodies[instance]:
                    mask |= masks[each]
                if masks[head] & ~mask:
                    masks[head] &= mask
                    lost[head] = None
            waiting = dict.fromkeys(
                user
                for fact in lost
                for user in self._uses[fact]
                if all(each in masks for each in self._bodies[user])
            )
        return {fact for fact, place in places.items() if masks[ROOT] >> place & 1}

    def minimal_leaves(self, leaves: AbstractSet[int], needed: AbstractSet[int]) -> frozenset[int]:
        """A minimal set among ``leaves`` that gives the root.

        ``needed``: those of ``leaves`` that are known to be in every such set.
        """
        while leaves != needed:
            least = self.least(leaves)
            needed = self.needed(least, leaves)
            spare = leaves - needed
            if spare:
                leaves = self.leaves(self.least(leaves - {min(spare)}))
        return frozenset(leaves)
