"""Graphs that are followed, beside elements, static data and a regime, as the oracle defines it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from unittest.mock import PropertyMock, patch

import pytest
from rdflib import Graph

from r4 import Engine
from r4.options.engine_options import Entailment
from r4.state.checkpoint_writer import CheckpointWriter
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


def crash(engine: Engine) -> None:
    """The process of the engine ends."""
    with pytest.raises(KeyboardInterrupt), engine:
        raise KeyboardInterrupt


def compare(  # noqa: C901, PLR0912, PLR0915 - one story
    seed: int, folder: Path, *, state: Path | None = None
) -> Counter[str]:
    """A graph that changes at random while an engine follows it; what the case has in it.

    With a ``state`` the engine goes on from that after crashes, where it is loaded otherwise.
    """
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

    def opened() -> Engine:
        return Engine.from_text(text, entailment=regime, delay=delay, state=state)

    engine = opened()
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
    removed: list[Fact] = []
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
            removed.append(each)
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
            copy = Graph()
            for one in graph:
                copy.add(one)
            if state is None:
                engine.save(folder / "engine.r4")
                engine = Engine.load(folder / "engine.r4", text)
            else:
                crash(engine)
                engine = opened()
                if draw.random() < 0.5:  # it has changed meanwhile
                    each = draw.choice(removed) if draw.random() < 0.5 and removed else fact()
                    change = "graph_adds" if each not in held else "graph_lacks"
                    if change == "graph_adds":
                        held[each] = None
                        copy.add(triple(each))
                        asserted.note(each, "graph", now)
                    else:
                        del held[each]
                        copy.remove(triple(each))
                        asserted.end("graph", now - delay, each)
                    met[change] += 1
            graph = copy
            engine.attach(graph, clock=clock)
        met[step] += 1
    engine.finish(drain=None)
    changes = list(engine.changes())
    engine.close()
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


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=5))
def test_a_graph_of_a_crashed_engine_is_followed_on(first: int, tmp_path: Path) -> None:
    met: Counter[str] = Counter()
    for seed in range(first, first + PART):
        draw = random.Random(-1 - seed)  # noqa: S311 - no secrets here
        often = draw.choice([0.0, 0.2, 0.6])
        due = PropertyMock(side_effect=lambda draw=draw, often=often: draw.random() < often)
        with patch.object(CheckpointWriter, "is_due", due):
            met += compare(seed, tmp_path, state=tmp_path / f"{seed}")
    assert met["answers"] > met["instants"] // 2
    assert min(met[step] for step in ("removes", "retracts", "loads")) >= PART // 4
    assert met["graph_adds"]
