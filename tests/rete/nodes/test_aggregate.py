"""Aggregates: at each instant the value of the bag of what holds then, whenever members come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import StateReader
from rete.graph.plan import Emit
from rete.nodes.aggregate import Aggregate
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.rete.aggregates.test_bags import XSD, random_aggregate, random_terms
from tests.rete.nodes.by_cell import scan
from tests.seeds import parts
from tests.simulation.inference_run import InferenceRun

PART: Final = 100
READS, MEAN = Relation("<urn:reads>", 3), Relation("<urn:mean>", 2)
GROUPS: Final = ("<urn:a>", "<urn:b>", "<urn:c>")


class Follower:
    """An aggregate of what reads(group value order) holds, by group."""

    def __init__(self, function: str, *, share: str = "", part: str = "", size: int | None = None):
        plan = Aggregate(scan(READS), function, (0,), 1, 2, share, part, size)
        self.rules = [Emit(plan, 1, (Head(MEAN, (0, 1)),))]
        self.terms = Dictionary()
        self.engine = InferenceRun(self.rules, self.terms)
        self.node = self._node()

    def _node(self):
        (node,) = [stream.node for stream in self.engine.network.timed]
        return node

    def add(self, *facts: tuple[str, str, str, int, int]) -> None:
        """Terms and the cells of each fact."""
        rows = [[*map(self.terms.encode, fact[:3]), *fact[3:]] for fact in facts]
        found = np.array(rows, np.int64)
        self.terms.touch(found[:, :3], found[:, -1])
        self.engine.assert_facts(READS, found)

    def advance(self, clock: int) -> None:
        """All is known before this cell."""
        self.engine.advance(clock)
        self.engine.settle(clock)

    def reload(self) -> None:
        """Go on in another engine with the saved state."""
        self.engine.run()
        state = StateReader(self.engine.saved())
        self.engine = InferenceRun(self.rules, self.terms, begins=False)
        self.engine.restore(state, np.ones(len(self.terms.texts.last), np.bool_))
        self.node = self._node()

    def holding(self, cell: int) -> dict[str, str]:
        """The value of each group at a cell."""
        rows = self.engine.content().get(MEAN, [])
        held = [row for row in rows if row[-2] <= cell < row[-1]]
        found = {self.terms.decode(row[0]): self.terms.decode(row[1]) for row in held}
        assert len(found) == len(held)
        return found


def wanted(
    facts: Sequence[tuple[str, str, str, int, int]],
    cell: int,
    function: str,
    share: str,
    part: str,
    size: int | None,
) -> dict[str, str]:
    """By the definition."""
    found = {}
    for group in GROUPS:
        items = {
            Item(value, order)
            for name, value, order, lo, hi in facts
            if name == group and lo <= cell < hi
        }
        if items:
            value = aggregate_value(function, [*items], share=share, part=part, size=size)
            if value is not None:
                found[group] = value
    return found


def disagreement(seed: int) -> str | None:
    """Facts come early and late; time moves, terms are forgotten, another engine goes on."""
    draw = Random(seed)  # noqa: S311
    function, share, part, size, _ = random_aggregate(draw)
    follower = Follower(function, share=share, part=part, size=size)
    values, orders = random_terms(draw), random_terms(draw)
    facts: list[tuple[str, str, str, int, int]] = []
    clock = 0
    for _ in range(draw.randint(1, 8)):
        some = []
        for _ in range(draw.randint(0, 5)):
            lo = clock + draw.randint(0, 6)
            hi = draw.choice((lo + 1, lo + draw.randint(1, 9), POS_INF))
            some.append((draw.choice(GROUPS), draw.choice(values), draw.choice(orders), lo, hi))
        if some:
            follower.add(*some)
        facts += some
        if draw.random() < 0.8:
            clock += draw.randint(1, 9)
            follower.advance(clock)
        if draw.random() < 0.2:
            follower.engine.run()
            follower.engine.forget(anew=draw.random() < 0.5)
        if draw.random() < 0.2:
            follower.reload()
        for cell in (clock - 1,):
            found = follower.holding(cell)
            right = wanted(facts, cell, function, share, part, size) if clock else {}
            if found != right:
                return f"{seed}: {function} {share} {part} {size} at {cell}: {found}, not {right}"
    return None


@pytest.mark.parametrize("first", parts(PART, check=1, test=3, soak=60))
def test_values_are_those_of_the_definition_at_each_instant(first: int) -> None:
    assert [each for seed in range(first, first + PART) if (each := disagreement(seed))] == []


def readings(count: int, length: int = 10) -> Iterator[tuple[str, str, str, int, int]]:
    """One a cell, each other than all others, for so many cells."""
    for number in range(count):
        text = f'"{number}"^^<{XSD}integer>'
        yield "<urn:a>", text, text, number, number + length


def test_a_member_outside_the_domain_that_stays_is_not_forgotten_with_the_others() -> None:
    """No value was given, and nothing is known to come or go: the group is there nevertheless."""
    follower = Follower("sum")
    follower.add(("<urn:a>", '"x"', '"x"', 0, POS_INF))
    follower.advance(5)
    follower.add(("<urn:a>", f'"1"^^<{XSD}integer>', '"x"', 6, 9))
    follower.advance(12)
    assert all(follower.holding(cell) == {} for cell in range(12))


@pytest.mark.parametrize("function", ["avg", "median", "list"])
def test_a_long_stream_leaves_nothing_behind(function: str) -> None:
    """Terms and rows that are kept do not become more."""
    follower = Follower(function)
    sizes = []
    for cell, reading in enumerate(readings(900)):
        follower.add(reading)
        follower.advance(cell)
        if cell % 300 == 299:
            follower.engine.forget(anew=False)
            sizes.append((len(follower.terms), *(stem.n for stem in follower.node.stems)))
    assert sizes[0] == sizes[1] == sizes[2]


def test_ended_values_are_dropped_as_time_moves() -> None:
    """Without anything that asks for it."""
    follower = Follower("max")
    most = 0
    for cell, reading in enumerate(readings(2_500)):
        follower.add(reading)
        follower.advance(cell)
        most = max(most, *(stem.n for stem in follower.node.stems))
    assert most < 1_000


def test_groups_that_ended_are_dropped() -> None:
    """So are their numbers, which are used again."""
    follower = Follower("count")
    for cell in range(500):
        follower.add((f"<urn:g{cell}>", '"x"', '"x"', cell, cell + 3))
        follower.advance(cell)
    follower.advance(600)
    follower.engine.forget(anew=False)
    assert len(follower.terms) < 20
    assert len(follower.node._groups._numbers) == 0
    assert follower.node._groups._timeline.open() < 20


def test_a_value_that_stays_the_same_is_no_change() -> None:
    follower = Follower("max")
    follower.add(("<urn:a>", f'"9"^^<{XSD}integer>', '"x"', 0, 100))
    for cell in range(50):
        number = f'"{cell % 9}"^^<{XSD}integer>'
        follower.add(("<urn:a>", number, number, cell, cell + 2))
        follower.advance(cell)
    assert len(follower.engine.content()[MEAN]) == 1
    assert follower.engine.derived == 1


def test_nothing_holds_before_time_began() -> None:
    follower = Follower("count")
    follower.add(("<urn:a>", '"x"', '"x"', NEG_INF, 5))
    follower.advance(3)
    assert follower.holding(0) == {"<urn:a>": f'"1"^^<{XSD}integer>'}
