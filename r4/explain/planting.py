"""The leaves of trees, with names in place of ids: what is asserted, and what is absent."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from r4.explain.conditions import Wording
from r4.explain.ground import Ground
from r4.explain.grounding import Leaf
from r4.explain.justify import Justified
from r4.explain.ticks import in_ticks
from r4.explain.timing import Timing
from r4.explain.tree import Absence, Asserted, Element, Origin
from r4.explain.ways import Absent, Fact, Way, around
from r4.explain.wording import is_of_regime
from rete.delta import NEG_INF
from rete.plan import TRIPLES


class Planter:
    """Makes leaves.

    Attributes:
        wording: says what ids stand for.
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
        self.wording = wording
        self._justified = justified
        self._dropped = dropped

    def leaf(self, leaf: Leaf, timing: Timing) -> Asserted:
        """A fact that is asserted, by the elements that are needed; or counts as that."""
        fact = leaf.node
        assert isinstance(fact, Fact)
        held = sorted(timing.used[leaf], key=lambda each: (each.lo, each.hi, each.name))
        lo, hi = around(held) if held else (leaf.lo, leaf.hi)
        said = self.wording.statement(*fact)
        rules = [-each.name for each in held if each.name < 0]
        if not held:
            rules = list(self._justified.unkept.get(fact, ()))
            gone = bool(rules) and all(rule in self._dropped for rule in rules)
            origin = Origin.DROPPED if gone else Origin.UNKEPT
            origin = Origin.CUT if fact in self._justified.cut else origin
        elif rules:
            origin = Origin.RULES
        elif lo == NEG_INF:
            origin = Origin.STATIC
        else:
            origin = Origin.STREAM if any(each.name for each in held) else Origin.LATER
        elements = (
            Element(self.wording.element(each.name), in_ticks(each.lo, each.hi))
            for each in held
            if origin is Origin.STREAM
        )
        return Asserted(
            said,
            origin,
            tuple(elements),
            in_ticks(lo, hi),
            min(rules, default=0),
            self._same(fact),
            timing.ends.get(leaf),
        )

    def absence(self, absent: Absent, cell: int, timing: Timing) -> Absence:
        """What must be absent at a cell."""
        span = in_ticks(*timing.absent(absent, cell))
        return Absence(self.wording.absent(absent), span, timing.ends.get((absent, cell)))

    def is_for_ever(self, fact: Fact) -> bool:
        """What always holds says less than what came, and comes after it."""
        return any(each.lo == NEG_INF for each in self._justified.held.get(fact, ()))

    def conditions(self, way: Way) -> Iterable[str]:
        """Built-ins with their values; regimes test what nobody doubts."""
        if is_of_regime(self.wording.names.labels.get(way.rule, 0)):
            return ()
        return dict.fromkeys(filter(None, map(self.wording.tested, way.tested)))

    def _same(self, fact: Fact) -> tuple[tuple[str, str], ...]:
        """The other names of the terms of a fact that stands for all that are the same."""
        if fact.relation != TRIPLES:
            return ()
        others = self._ground.same(fact.terms)
        decode = self.wording.text
        return tuple((decode(one), decode(other)) for one, other in others)
