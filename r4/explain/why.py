"""Why a fact holds: what the networks of an engine say about it at one instant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from r4.engine import Core
from r4.explain.ground import Absent, Fact, Ground
from r4.explain.justify import Justified, justify
from r4.explain.missing import missing
from r4.explain.planting import Planter, around, in_ticks
from r4.explain.tree import Asserted, Cause, Explanation, Span, Statement, Tree, Went
from r4.explain.wording import Wording
from rete.delta import POS_INF
from rete.explain import Names
from rete.plan import Relation


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The justifications of a fact at an instant.

    Attributes:
        at: the instant, in ticks.
        held: per asserted fact that they rest on the cells in which it holds.
        absent: the same of what must be absent.
        leaves: the facts as they are shown.
    """

    at: int
    justified: Justified
    trees: tuple[Tree, ...]
    held: dict[Fact, tuple[int, int]]
    absent: dict[Absent, tuple[int, int]]
    leaves: dict[Fact, Asserted]


class Why:
    """Asks the networks of an engine, in which nothing is pending."""

    def __init__(self, core: Core, names: Names, limit: int) -> None:
        """Begin.

        Args:
            core: the engine.
            names: what its rules call things.
            limit: the most justifications that are given.
        """
        self._core = core
        self._limit = limit
        self._wording = Wording(core.terms, names)

    def fact(self, relation: Relation, terms: Iterable[int]) -> Fact:
        """A fact by its ids."""
        return Ground(self._core.layers, 0).fact(relation, terms)

    def explain(
        self, relation: Relation, terms: Iterable[int], tick: int, *, gone: bool = False
    ) -> Explanation:
        """Why a fact holds at ``tick``, or what it lacks. Times are what is known so far.

        ``gone``: what ended since then may be forgotten.
        """
        ids = tuple(terms)
        ground = Ground(self._core.layers, 2 * tick)
        fact = ground.fact(relation, ids)
        said = self._wording.statement(relation, ids)
        span = self.span(fact, tick)
        if span is None:
            if gone:
                return Explanation(said, tick, None, known=False)
            lacks = missing(ground, self._wording, relation, ids)
            return Explanation(said, tick, None, missing=tuple(lacks))
        found = self.snapshot(fact, tick)
        return Explanation(
            said,
            tick,
            span,
            ground.derived(fact) is not None,
            found.trees,
            found.justified.complete and not gone,
            final=False,
            known=not gone,
            rules=() if found.trees else tuple(ground.rules(fact)),
        )

    def span(self, fact: Fact, tick: int) -> Span | None:
        """When a fact that is derived at ``tick`` is so, or else is asserted; None: neither."""
        derived = self.derived(fact, tick)
        if derived is not None:
            return derived
        ground = Ground(self._core.layers, 2 * tick)
        held = ground.asserted([fact]).get(fact)
        return None if held is None else in_ticks(*around(held))

    def derived(self, fact: Fact, tick: int) -> Span | None:
        """When a fact that is derived at ``tick`` is so; None: it is not."""
        derived = Ground(self._core.layers, 2 * tick).derived(fact)
        return None if derived is None else in_ticks(*derived)

    def snapshot(self, fact: Fact, tick: int) -> Snapshot:
        """Its justifications at ``tick``."""
        ground = Ground(self._core.layers, 2 * tick)
        found = justify(ground, fact, self._limit)
        planter = Planter(ground, self._wording, found.held)
        trees = tuple(planter.tree(fact, each) for each in found.justifications)
        leaves = {each: planter.leaf(each) for each in planter.held}
        return Snapshot(tick, found, trees, planter.held, planter.absent, leaves)

    def causes(self, last: Snapshot, end: int) -> tuple[Cause, ...]:
        """What ended the justifications that held to the tick ``end``, and did so then."""
        now = Ground(self._core.layers, 2 * end)
        still = now.asserted(last.held)
        found: dict[Cause, None] = {}
        for fact, (_, hi) in last.held.items():
            leaf = last.leaves[fact]
            if hi <= 2 * end:
                went = Went.EXPIRED if self._left_the_window(leaf) else Went.ENDED
                found[Cause(went, leaf)] = None
            elif fact not in still:
                found[Cause(Went.RETRACTED, leaf)] = None
        before = Planter(
            Ground(self._core.layers, 2 * last.at),
            self._wording,
            last.justified.held,
        )
        for absent, (_, hi) in last.absent.items():
            lo, _ = now.interval(absent)
            if hi <= 2 * end or lo > now.cell or not now.is_absent(absent):
                found[Cause(Went.APPEARED, before.absence(absent))] = None
        return tuple(found)

    def with_end(self, found: Explanation, fact: Fact) -> Explanation:
        """``found`` with why it ends when it does, as far as that is known now."""
        if found.span is None or found.span.until >= POS_INF:
            return found
        last = self.snapshot(fact, found.span.until - 1)
        return ended(found, last, self.causes(last, found.span.until))

    def _left_the_window(self, leaf: Asserted) -> bool:
        window = self._core.program.window
        last = [each.span for each in leaf.elements if each.span.until == leaf.span.until]
        return window is not None and all(span.until - span.since == window for span in last)


def ended(found: Explanation, last: Snapshot, causes: tuple[Cause, ...]) -> Explanation:
    """``found`` with ``last``, its justifications when it ended, and why they did."""
    shown = {_leaves(tree) for tree in found.trees}
    known = any(_leaves(tree) in shown for tree in last.trees)
    return replace(found, causes=causes, last=None if known else next(iter(last.trees), None))


def _leaves(tree: Tree) -> frozenset[Statement]:
    return frozenset(node.fact for node in tree.nodes if isinstance(node, Asserted))
