"""Eight threads on one engine: the same changes as one thread that adds in the order of stamps."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Final

import pytest

from r4.api import Change, Engine
from tests.generators.streams.runs import random_case
from tests.oracles.streams.run import DefaultGraphTriple, Element
from tests.seeds import parts
from tests.simulation.api_engine import instant, line_of, nodes

if TYPE_CHECKING:
    from rdflib.term import Node

    from r4.api import Instant

# rdflib says a word about every ill-typed literal.
pytestmark = pytest.mark.filterwarnings("ignore:Parsing weird boolean")
logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
THREADS: Final = 8
ROUND: Final = 24
"""So many elements are added in any order, before those with later stamps."""
SIZE: Final = 20


@dataclass(frozen=True, slots=True)
class _Addition:
    name: str
    start: Instant
    end: Instant | None
    triples: list[tuple[Node, Node, Node]]


class _ThreadCase:
    """Rounds of elements, none of which is late in whatever order those of a round come.

    Between two rounds an element is retracted.
    """

    def __init__(self, seed: int) -> None:
        self.case = case = random_case(seed, long=True, negation=seed % 2 == 0)
        self._chance = Random(seed)  # noqa: S311 - no secret
        self.scenario = scenario = case.scenario
        items = [item for source in scenario.sources for item in source]
        self._static = [nodes(triple) for triples in scenario.statics for triple in triples]
        self._static += [nodes(one.triple) for one in items if isinstance(one, DefaultGraphTriple)]
        good = [one for one in items if isinstance(one, Element) and not one.is_bad()]
        elements = sorted(good, key=lambda one: one.start or 0)
        cut = [elements[at : at + ROUND] for at in range(0, len(elements), ROUND)]
        spans = [(some[-1].start or 0) - (some[0].start or 0) for some in cut]
        self._delay = math.ceil(max([0, *spans])) + 1
        number = iter(range(len(elements)))
        self.rounds = [[self._addition(next(number), one) for one in some] for some in cut]
        self._retracted = [self._chance.choice(some).name for some in self.rounds]

    def _addition(self, number: int, one: Element) -> _Addition:
        clock = self.scenario.clock
        assert one.start is not None
        end = None if one.end is None else instant(one.end, clock)
        triples = list(map(nodes, one.triples))
        return _Addition(f"urn:element:{number}", instant(one.start, clock), end, triples)

    def engine(self) -> Engine:
        given = self.scenario
        engine = Engine.from_text(
            self.case.rules,
            semantics="facts" if given.semantics == "facts" else "instances",
            window=None if given.window is None else str(given.window),
            delay=self._delay,
            literals="term",
        )
        engine.add_static(self._static)
        return engine

    def in_one_thread(self) -> list[Change]:
        engine = self.engine()
        for some, name in zip(self.rounds, self._retracted, strict=True):
            for one in some:
                assert engine.add(one.triples, at=one.start, until=one.end, name=one.name)
            engine.retract(name=name)
        engine.finish(None)
        return list(engine.changes())

    def in_threads(self) -> list[Change]:
        """Each thread adds its share of every round; one more takes changes and asks questions."""
        engine, found, errors = self.engine(), list[Change](), list[BaseException]()
        shares = [self._shares(some) for some in self.rounds]
        retracted = iter(self._retracted)

        def retract() -> None:
            engine.retract(name=next(retracted))

        barrier = Barrier(THREADS, retract)

        def add(thread: int) -> None:
            try:
                for share in shares:
                    for one in share[thread]:
                        assert engine.add(one.triples, at=one.start, until=one.end, name=one.name)
                    barrier.wait(60)
            except BaseException as error:  # noqa: BLE001 - to be raised in the thread of the test
                errors.append(error)
                barrier.abort()

        threads = [Thread(target=add, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            found += engine.changes()
            engine.current()
        if errors:
            raise errors[0]
        engine.finish(None)
        return found + list(engine.changes())

    def _shares(self, some: list[_Addition]) -> list[list[_Addition]]:
        shares: list[list[_Addition]] = [[] for _ in range(THREADS)]
        for one in some:
            self._chance.choice(shares).append(one)
        return shares


@contextmanager
def _often_switched() -> Iterator[None]:
    """Python lets another thread run after 10 us, where it would be 5 ms."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("first", parts(SIZE, check=0, test=1, soak=10))
def test_eight_threads_tell_the_same_as_one(first: int) -> None:
    answers = 0
    for seed in range(first, first + SIZE):
        case = _ThreadCase(seed)
        expected = list(map(line_of, case.in_one_thread()))
        with _often_switched():
            found = list(map(line_of, case.in_threads()))
        assert found == expected, str(case.case)
        answers += len(expected) > 0
    assert answers >= SIZE // 2
