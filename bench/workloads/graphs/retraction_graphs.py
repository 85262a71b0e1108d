"""The graphs that facts are retracted from: the schema, and the facts that are streamed.

Ways and the pairs they connect, in four shapes; names for the same things; the university of
`bench.workloads.graphs.university`; ways that do not touch, under rules with metric operators
and without. Everything random follows from `random.Random(SEED).random()`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.workloads.catalogue import RULES
from bench.workloads.graphs.university import assertions, ontology
from bench.workloads.stream_terms import OWL, RDF_TYPE, SAME_AS

WAYS: Final = "http://ways.example/"
REACH: Final = RULES / "reach.rif"
TRANSITIVE: Final = f"<{WAYS}to> {RDF_TYPE} <{OWL}TransitiveProperty> .\n"
SEED: Final = 20240229
_PEERS: Final = ("owlrl", "reasonable")
_MOST: Final = 3000
_CLIQUE: Final = 8
"""Names of one thing."""
_CHORDS: Final = 2
"""Ways across a circle, for each point on it."""
_PAUSE: Final = 10
"""Ticks, more than the box of `operators.rif` looks back."""


@dataclass(frozen=True, slots=True)
class RetractionGraph:
    """A graph that facts are retracted from."""

    description: str  # one line on what it is
    # its facts, as N-Triples lines, when it is to have so many of whatever it consists of
    facts: Callable[[int], Iterator[str]]
    size: int  # how many of these the whole graph has
    schema: Callable[[], list[str]] = list  # what always holds, as N-Triples lines
    regime: str = ""  # the entailment regime that closes it; empty: ``rules`` do
    rules: Path = REACH  # the rules that close it
    pause: int = 1  # the ticks that pass after each change
    bare: str = ""  # the name of the same graph under the same rules without operators; empty: none
    # the peers of `bench.suites.graphs.closure` that can close it, and the most facts that they can
    # close in minutes
    peers: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(_PEERS, _MOST))
    # how many times as fast as recomputing it R4 means to take 100 facts back
    least: float | None = None

    @property
    def part(self) -> str:
        """The part of `bench.suites.graphs.closure_parts` under which peers close it."""
        return "owl-rl"

    @property
    def for_peers(self) -> list[str]:
        """The triples that a peer reads in place of the rules."""
        return [*self.schema(), *([] if self.regime else [TRANSITIVE])]


def short_chains(count: int) -> Iterator[str]:
    """``count`` chains of one to ten ways."""
    draw = _draw()
    for number in range(count):
        yield from _chain(number, 1 + int(draw() * 10))


def long_chains(count: int) -> Iterator[str]:
    """``count`` chains of a hundred ways."""
    for number in range(count):
        yield from _chain(number, 100)


def tree(count: int) -> Iterator[str]:
    """A way from each of ``count`` points but the root to the one half as far on."""
    return (_way(f"tree/{number}", f"tree/{number // 2}") for number in range(2, count + 1))


def circle(count: int) -> Iterator[str]:
    """A circle of ``count`` points with ways across: one strongly connected component."""
    draw = _draw()
    ends = {(point, (point + 1) % count) for point in range(count)}
    for _ in range(_CHORDS * count):
        ends.add((int(draw() * count), int(draw() * count)))
    return (_way(f"circle/{a}", f"circle/{b}") for a, b in sorted(ends) if a != b)


def cliques(count: int) -> Iterator[str]:
    """``count`` things of eight names, equated in a tree and some more pairs; a fact a name."""
    draw = _draw()
    for number in range(count):
        names = [f"<{WAYS}thing/{number}/{place}>" for place in range(_CLIQUE)]
        pairs = {(place, int(draw() * place)) for place in range(1, _CLIQUE)}
        pairs |= {(int(draw() * _CLIQUE), int(draw() * _CLIQUE)) for _ in range(_CLIQUE // 2)}
        for a, b in sorted(pairs):
            if a != b:
                yield f"{names[a]} {SAME_AS} {names[b]} .\n"
        for place, name in enumerate(names):
            yield f"{name} <{WAYS}called> <{WAYS}name/{number}/{place}> .\n"


def pairs(count: int) -> Iterator[str]:
    """``count`` ways that do not touch."""
    return (_way(f"from/{number}", f"to/{number}") for number in range(count))


def _chain(number: int, length: int) -> Iterator[str]:
    points = [f"chain/{number}/{place}" for place in range(length + 1)]
    return map(_way, points, points[1:])


def _way(a: str, b: str) -> str:
    return f"<{WAYS}{a}> <{WAYS}to> <{WAYS}{b}> .\n"


def _draw() -> Callable[[], float]:
    return random.Random(SEED).random  # noqa: S311 - a workload, not a secret


RETRACTION_GRAPHS: Final[Mapping[str, RetractionGraph]] = {
    "chains-10": RetractionGraph(
        "10,000 chains of one to ten ways, closed", short_chains, 10_000, least=50.0
    ),
    "chains-100": RetractionGraph("1,000 chains of a hundred ways, closed", long_chains, 1000),
    "tree": RetractionGraph("the ways up a binary tree of 30,000 points, closed", tree, 30_000),
    "circle": RetractionGraph(
        "one strongly connected component of 300 points, closed", circle, 300
    ),
    "same": RetractionGraph(
        "1,000 things of eight names, told by owl:sameAs, under OWL 2 RL",
        cliques,
        1000,
        regime="owl-rl",
    ),
    "university": RetractionGraph(
        "the university of 100,000 triples, under OWL 2 RL, its ontology static",
        assertions,
        100_000,
        schema=ontology,
        regime="owl-rl",
        peers={"owlrl": _MOST, "reasonable": 100_000},
    ),
    "windows": RetractionGraph(
        "100,000 ways in a window, each copied by two rules",
        pairs,
        100_000,
        rules=RULES / "windows.rif",
        pause=_PAUSE,
        peers={},
    ),
    "operators": RetractionGraph(
        "the same, with a diamond and a box in these rules",
        pairs,
        100_000,
        rules=RULES / "operators.rif",
        pause=_PAUSE,
        bare="windows",
        peers={},
    ),
}
"""Name → what it stands for."""
