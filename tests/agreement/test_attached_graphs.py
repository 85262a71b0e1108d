"""Graphs that are followed, beside elements, static data and a regime, as the oracle defines it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from rdflib import Graph

from r4 import Engine
from r4.api.options import Entailment
from tests.agreement.test_equal_names import NAMES, current, document, drawn_rule, triple
from tests.oracles.rules.equal_names import Fact, NameRule, derived
from tests.seeds import parts

PART = 40
EVER = 10**6


class Assertions:
    """What is asserted by whom, and when; what is taken back ends at the frontier."""

    def __init__(self, window: int | None) -> None:
        self._window = window
        self._spans: list[tuple[int, int, Fact, str]] = []

    def note(self, fact: Fact, who: str, now: int) -> None:
        end = EVER if self._window is None else now + self._window
        self._spans.append((now, end, fact, who))

    def end(self, who: str, frontier: int, fact: Fact | None = None) -> None:
        self._spans = [
            (begin, max(begin, min(end, frontier)), said, name)
            if name == who and fact in {None, said}
            else (begin, end, said, name)
            for begin, end, said, name in self._spans
        ]

    def at(self, tick: int) -> list[Fact]:
        return [fact for begin, end, fact, _ in self._spans if begin <= tick < end]


def compare(seed: int, folder: Path) -> Counter[str]:  # noqa: C901, PLR0915 - one story
    """A graph that changes at random while an engine follows it; what the case has in it."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    regimes: tuple[Entailment, ...] = ("none", "rdfs", "owl-rl")
    regime, window = draw.choice(regimes), draw.choice([None, 2, 4])
    negates, delay = draw.random() < 0.4, draw.choice([0, 0, 2])
    rules = [NameRule(("p", "?x"), (("t", "?x", "?y"),))]
    rules += [] if negates else [NameRule(("q", "?x", "?y"), (("u", "?x", "?y"),))]
    some = [
        drawn_rule(draw, negates=negates and draw.random() < 0.6, triples=not negates)
        for _ in range(draw.randint(1, 2))
    ]
    rules += [rule for rule in some if rule.head[0] != "same"]
    kinds = ["t", "u"] + ["same"] * (regime == "owl-rl")

    def fact() -> Fact:
        return (draw.choice(kinds), *draw.choices(NAMES, k=2))

    stated: list[Fact] = [("q", *draw.choices(NAMES, k=2))]
    static = [fact() for _ in range(draw.randint(0, 2))]
    text = document(rules, stated, window or 1)
    text = text if window else text.replace("Window(1)", "")
    engine = Engine.from_text(text, entailment=regime, delay=delay)
    engine.add_static(map(triple, static))
    graph, now, asserted = Graph(), 1, Assertions(window)
    held = dict.fromkeys(fact() for _ in range(draw.randint(0, 2)))
    for each in held:
        graph.add(triple(each))
        asserted.note(each, "graph", now)

    def clock() -> int:
        return now

    engine.attach(graph, clock=clock)
    names: list[str] = []
    met: Counter[str] = Counter(cases=1)
    for number in range(draw.randint(3, 9)):
        now += draw.randint(0, 2)
        step = draw.choice(["adds", "adds", "removes", "element", "retracts", "loads"])
        if step == "adds":
            each = fact()
            held[each] = None
            graph.add(triple(each))
            asserted.note(each, "graph", now)
        elif step == "removes" and held:
            each = draw.choice(sorted(held))
            del held[each]
            graph.remove(triple(each))
            asserted.end("graph", now - delay, each)
        elif step == "element":
            each, name = fact(), f"urn:ex:e{number}"
            engine.add([triple(each)], at=now, name=name)
            asserted.note(each, name, now)
            names.append(name)
        elif step == "retracts" and names:
            name = names.pop(draw.randrange(len(names)))
            engine.retract(name=name, at=now)
            asserted.end(name, now - delay)
        elif step == "loads":
            engine.save(folder / "engine.r4")
            engine = Engine.load(folder / "engine.r4", text)
            copy = Graph()
            for one in graph:
                copy.add(one)
            graph = copy
            engine.attach(graph, clock=clock)
        met[step] += 1
    engine.finish(drain=None)
    changes = list(engine.changes())
    for tick in range(now + (window or 0) + 2):
        wanted = derived(rules, [*stated, *static, *asserted.at(tick)], NAMES)
        assert current(changes, tick) == wanted, (seed, tick)
        met.update(instants=1, answers=bool(wanted))
    return met


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_a_followed_graph_is_answered_as_its_changes_say(first: int, tmp_path: Path) -> None:
    met = sum((compare(seed, tmp_path) for seed in range(first, first + PART)), Counter[str]())
    assert met["answers"] > met["instants"] // 2
    assert min(met[step] for step in ("removes", "retracts", "loads")) >= PART // 4
