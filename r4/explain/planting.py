"""Trees of justifications, with names in place of ids, and the time of what they rest on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from r4.explain.conditions import Wording
from r4.explain.ground import Absent, Fact, Ground, Held, Way
from r4.explain.justify import Justification, Justified
from r4.explain.tree import (
    Absence,
    Asserted,
    Concluded,
    Condition,
    Element,
    Node,
    Origin,
    Span,
    Tree,
)
from r4.explain.wording import is_of_regime
from rete.delta import NEG_INF, POS_INF
from rete.plan import TRIPLES


class Planter:
    """Makes trees.

    Attributes:
        held: per asserted fact of the trees so far the cells in which it holds.
        absent: the same of what must be absent.
    """

    def __init__(
        self,
        ground: Ground,
        wording: Wording,
        justified: Justified,
        dropped: Collection[int] = (),
    ) -> None:
        """Begin.

        Args:
            ground: the state.
            wording: says what ids stand for.
            justified: says what asserts the facts.
            dropped: rules that are there no longer.
        """
        self._ground = ground
        self._wording = wording
        self._elements = justified.held
        self._unkept = justified.unkept
        self._dropped = dropped
        self.held: dict[Fact, tuple[int, int]] = {}
        self.absent: dict[Absent, tuple[int, int]] = {}

    def tree(self, root: Fact, found: Justification) -> Tree:
        """A justification of ``root`` as a tree, in which no fact is explained twice."""
        nodes: dict[Fact, Concluded | Asserted] = {}
        spans: dict[Fact, tuple[int, int]] = {}
        first: dict[Fact, Fact | None] = {root: None}
        stack = [root]
        while stack:
            fact = stack[-1]
            way = found.proof.get(fact)
            if way is None:
                nodes[fact], spans[fact] = self.leaf(fact), self.held[fact]
                stack.pop()
                continue
            body = sorted(way.body, key=self._is_for_ever)
            waiting = next((each for each in body if each not in first), None)
            if waiting is not None:
                first[waiting] = fact
                stack.append(waiting)
                continue
            stack.pop()
            absent = {each: self._time_of(each) for each in way.absent}
            spans[fact] = meet([*(spans[each] for each in way.body), *absent.values()])
            because: list[Node] = [
                nodes[each] if first[each] == fact else again(nodes[each]) for each in body
            ]
            because += map(Condition, self._conditions(way))
            because += map(self.absence, way.absent)
            nodes[fact] = self._concluded(fact, way, tuple(because), spans[fact])
        return Tree(nodes[root], len(found.facts), in_ticks(*spans[root]))

    def leaf(self, fact: Fact) -> Asserted:
        """An asserted fact."""
        held = sorted(self._elements[fact], key=lambda each: (each.lo, each.hi, each.name))
        lo, hi = self.held[fact] = around(held)
        said = self._wording.statement(*fact)
        rules = [-each.name for each in held if each.name < 0]
        if fact in self._unkept:
            rules = list(self._unkept[fact])
            gone = bool(rules) and all(rule in self._dropped for rule in rules)
            origin = Origin.DROPPED if gone else Origin.UNKEPT
        elif rules:
            origin = Origin.RULES
        elif lo == NEG_INF:
            origin = Origin.STATIC
        else:
            origin = Origin.STREAM if any(each.name for each in held) else Origin.LATER
        elements = (
            Element(self._wording.element(each.name), in_ticks(each.lo, each.hi))
            for each in held
            if origin is Origin.STREAM
        )
        rule = min(rules, default=0)
        span = in_ticks(lo, hi)
        return Asserted(said, origin, tuple(elements), span, rule, self._same(fact))

    def _is_for_ever(self, fact: Fact) -> bool:
        """What always holds says less than what came, and comes after it."""
        return any(each.lo == NEG_INF for each in self._elements.get(fact, ()))

    def _conditions(self, way: Way) -> Iterable[str]:
        """Built-ins with their values; regimes test what nobody doubts."""
        if is_of_regime(self._wording.names.labels.get(way.rule, 0)):
            return ()
        return dict.fromkeys(filter(None, map(self._wording.tested, way.tested)))

    def absence(self, absent: Absent) -> Absence:
        """What must be absent."""
        return Absence(self._wording.absent(absent), in_ticks(*self._time_of(absent)))

    def _concluded(
        self, fact: Fact, way: Way, because: tuple[Node, ...], span: tuple[int, int]
    ) -> Concluded:
        label = self._wording.names.labels.get(way.rule, way.rule)
        said = self._wording.statement(*fact)
        return Concluded(said, way.rule, label, because, in_ticks(*span))

    def _time_of(self, absent: Absent) -> tuple[int, int]:
        if absent not in self.absent:
            self.absent[absent] = self._ground.interval(absent)
        return self.absent[absent]

    def _same(self, fact: Fact) -> tuple[tuple[str, str], ...]:
        """The other names of the terms of a fact that stands for all that are the same."""
        if fact.relation != TRIPLES:
            return ()
        others = self._ground.same(fact.terms)
        decode = self._wording.text
        return tuple((decode(one), decode(other)) for one, other in others)


def again(node: Concluded | Asserted) -> Node:
    """A node that was explained before."""
    if isinstance(node, Asserted):
        return node
    return Concluded(node.fact, node.rule, node.label, (), node.span, again=True)


def around(held: Iterable[Held]) -> tuple[int, int]:
    """The time of all elements that assert a fact at one instant, which is one interval."""
    spans = [(each.lo, each.hi) for each in held]
    return min(lo for lo, _ in spans), max(hi for _, hi in spans)


def meet(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What is common to intervals that have something in common."""
    return max((lo for lo, _ in spans), default=NEG_INF), min(
        (hi for _, hi in spans), default=POS_INF
    )


def in_ticks(lo: int, hi: int) -> Span:
    """Cells as ticks: the first tick in, and the first no longer in."""
    return Span(lo if lo == NEG_INF else (lo + 1) >> 1, hi if hi == POS_INF else (hi + 1) >> 1)
