"""Graphs that are followed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import OWL, Dataset, Graph, Namespace

from r4.api import Engine, PermanentEquality
from r4.options.engine_options import Entailment

EX = Namespace("http://example.org/")
RULES = """
Document( Prefix(ex <http://example.org/>) Window(100)
  Group( Forall ?x ( ?x[ex:is -> ex:here] :- ?x[ex:at -> ex:home] ) ) )
"""
X, Y, Z = ((node, EX.at, EX.home) for node in (EX.x, EX.y, EX.z))


class Clock:
    """What time it is."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def told(engine: Engine) -> list[tuple[str, object, str]]:
    engine.finish(drain=None)
    changes = [(change.op, change.at, change.triple) for change in engine]
    return [(op, at, str(triple[0])[-1]) for op, at, triple in changes if triple is not None]


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Lives:
    """An engine that another process goes on with: loaded from a file, or by its state."""

    def __init__(self, path: Path, *, crashes: bool) -> None:
        self._path = path / "engine"
        self._crashes = crashes
        self._entailment: Entailment = "none"

    def begin(self, entailment: Entailment = "none") -> Engine:
        """A new engine."""
        self._entailment = entailment
        state = self._path if self._crashes else None
        self._engine = Engine.from_text(RULES, entailment=entailment, state=state)
        return self._engine

    def end(self) -> None:
        """The last one ends."""
        self._engine.close()

    def go_on(self, engine: Engine) -> Engine:
        """The engine of another process; the changes of this one were taken out."""
        if not self._crashes:
            engine.save(self._path)
            return Engine.load(self._path, RULES)
        with pytest.raises(KeyboardInterrupt), engine:
            raise KeyboardInterrupt
        engine = self.begin(self._entailment)
        list(engine.changes())  # those come again
        return engine


@pytest.fixture(params=[False, True], ids=["saved", "crashed"])
def lives(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lives]:
    lives = Lives(tmp_path, crashes=request.param)
    yield lives
    lives.end()


@pytest.mark.parametrize("store", ["Memory", "SimpleMemory"])
def test_graphs_in_any_store_are_followed(store: str, clock: Clock) -> None:
    graph, engine = Graph(store=store), Engine.from_text(RULES)
    engine.attach(graph, clock=clock)
    graph += [X, Y]
    clock.now = 5
    graph.remove((None, None, EX.home))
    graph.add(Z)
    assert len(graph) == 1
    ended = [("-", 5, "x"), ("-", 5, "y"), ("+", 5, "z"), ("-", 105, "z")]
    assert told(engine) == [("+", 0, "x"), ("+", 0, "y"), *ended]


def test_of_a_dataset_one_graph_is_followed(clock: Clock) -> None:
    dataset, engine = Dataset(), Engine.from_text(RULES)
    mine, other = dataset.graph(EX.mine), dataset.graph(EX.other)
    other.add(Z)
    engine.attach(mine, clock=clock)
    other.add(X)
    mine.add(Y)
    clock.now = 5
    other.remove(Y)
    other.remove(X)
    clock.now = 7
    mine.remove(Y)
    assert engine.counters.without_effect == 0
    assert told(engine) == [("+", 0, "y"), ("-", 7, "y")]


def test_of_a_dataset_all_graphs_are_followed(clock: Clock) -> None:
    dataset, engine = Dataset(), Engine.from_text(RULES)
    one, two = dataset.graph(EX.one), dataset.graph(EX.two)
    one.add(X)
    engine.attach(dataset, clock=clock)
    two.add(X)
    dataset.graph(EX.third).add(Y)
    clock.now = 5
    one.remove(X)
    clock.now = 7
    dataset.remove_graph(two)
    assert told(engine) == [("+", 0, "x"), ("+", 0, "y"), ("-", 7, "x"), ("-", 100, "y")]


def test_removals_count_where_the_clock_is_behind(clock: Clock) -> None:
    graph, engine = Graph(), Engine.from_text(RULES)
    clock.now = 9
    engine.attach(graph, clock=clock)
    graph.add(X)
    engine.advance(11)
    graph.add(Y)
    graph.remove(X)
    assert engine.counters.late == 1
    assert told(engine) == [("+", 9, "x"), ("-", 12, "x")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("DiamondMinus [0, 10] (?x[ex:at -> ex:home])", [("+", 1, "x"), ("-", 5, "x")]),
        ("BoxMinus [0, 2] (?x[ex:at -> ex:home])", [("+", 3, "x"), ("-", 5, "x")]),
        ("DiamondPlus [0, 2] (?x[ex:at -> ex:home])", [("+", -1, "x"), ("-", 5, "x")]),
        (
            "And(?x[ex:in -> ex:town] Naf(DiamondMinus [0, 10] (?x[ex:at -> ex:home])))",
            [("+", None, "x"), ("-", 1, "x"), ("+", 5, "x")],
        ),
    ],
    ids=["diamond", "box", "ahead", "denied"],
)
def test_operators_do_not_look_back_on_what_was_removed(clock: Clock, body, expected) -> None:
    graph = Graph()
    engine = Engine.from_text(RULES.replace("?x[ex:at -> ex:home]", body))
    engine.add_static([(EX.x, EX["in"], EX.town)])
    engine.attach(graph, clock=clock)
    clock.now = 1
    graph.add(X)
    clock.now = 5
    graph.remove(X)
    assert told(engine) == expected


@pytest.mark.parametrize("saves", [0, 1, 2])
def test_graphs_are_attached_again_to_an_engine_that_was_saved(
    saves: int, clock: Clock, tmp_path: Path
) -> None:
    first, second, engine = Graph(), Graph(), Engine.from_text(RULES)
    engine.attach(first, clock=clock)
    first.add(X)
    clock.now = 95
    second.add(Y)
    second.add(X)
    engine.attach(second, clock=clock)
    clock.now = 120  # what the first holds has ended
    engine.advance(clock.now - 1)
    for _ in range(saves):
        engine.save(tmp_path / "engine.r4")
        engine = Engine.load(tmp_path / "engine.r4", RULES)
    if saves:
        first.add(Z)  # nobody follows it
        for graph in (first, second):
            engine.attach(graph, clock=clock)
    else:
        first.add(Z)
    clock.now = 130
    second.remove(Y)
    clock.now = 140
    first.remove(Z)
    second.remove(X)
    assert told(engine) == [
        ("+", 0, "x"),
        ("+", 95, "y"),
        ("+", 120, "z"),
        ("-", 130, "y"),
        ("-", 140, "x"),
        ("-", 140, "z"),
    ]


def test_a_graph_is_saved_with_what_has_ended_or_came_late(clock: Clock, tmp_path: Path) -> None:
    graph, engine = Graph(), Engine.from_text(RULES)
    engine.attach(graph, clock=clock)
    graph.add(X)
    engine.advance(500)
    graph.add(Y)  # late
    for _ in range(2):
        engine.save(tmp_path / "engine.r4")
        engine = Engine.load(tmp_path / "engine.r4", RULES)
    clock.now = 600
    graph = Graph()
    graph += [X, Y, Z]
    engine.attach(graph, clock=clock)
    assert told(engine) == [("+", 0, "x"), ("-", 100, "x"), ("+", 600, "z"), ("-", 700, "z")]


def test_what_was_removed_while_nobody_followed_is_taken_back(clock: Clock, tmp_path: Path) -> None:
    graph, engine = Graph(), Engine.from_text(RULES)
    engine.attach(graph, clock=clock)
    graph.add(X)
    graph.add(Y)
    engine.save(tmp_path / "engine.r4")
    engine = Engine.load(tmp_path / "engine.r4", RULES)
    graph = Graph()
    graph.add(Y)
    clock.now = 30
    engine.attach(graph, clock=clock)
    assert told(engine) == [("+", 0, "x"), ("+", 0, "y"), ("-", 30, "x"), ("-", 100, "y")]


def test_a_static_graph_changes_at_the_frontier_and_has_no_window() -> None:
    graph, other = Graph(), Graph()
    other.add(X)
    engine = Engine.from_text(RULES)
    engine.attach(graph, static=True)
    engine.attach(other, static=True)
    engine.add([(EX.w, EX.at, EX.away)], at=0)
    engine.advance(9)
    graph += [X, Y]
    engine.advance(200)
    graph.remove((None, None, EX.home))
    engine.advance(300)
    other.remove(X)
    assert told(engine) == [
        *(("+", None, "x"), ("+", 10, "y"), ("-", 201, "y"), ("-", 301, "x")),
    ]


def test_a_static_graph_is_attached_again(lives: Lives, clock: Clock) -> None:
    graph, engine = Graph(), lives.begin()
    graph += [X, Y]
    engine.attach(graph, static=True)
    engine.advance(4)
    assert [(one.op, one.at) for one in engine.changes()] == [("+", None)] * 2
    again = lives.go_on(engine)
    with pytest.raises(ValueError, match="in this place was static"):
        again.attach(graph, clock=clock)
    graph.remove(X)
    graph.add(Z)
    again.attach(graph, static=True)
    assert told(again) == [("-", 5, "x"), ("+", 5, "z")]


@pytest.mark.parametrize("loses", ["before", "between", "last"])
def test_a_triple_of_several_static_graphs_stays_when_they_are_attached_again(
    loses: str, lives: Lives
) -> None:
    graphs, engine = [Graph(), Graph()], lives.begin()
    for graph in graphs:
        graph.add(X)
        engine.attach(graph, static=True)
    engine.advance(4)
    assert [(one.op, one.at) for one in engine.changes()] == [("+", None)]
    engine = lives.go_on(engine)
    if loses == "before":
        graphs[0].remove(X)
    if loses == "last":
        graphs[1].remove(X)
    engine.attach(graphs[0], static=True)
    if loses == "between":
        graphs[0].remove(X)
    engine.attach(graphs[1], static=True)
    assert list(engine.changes()) == []
    engine.advance(9)
    for graph in graphs:
        graph.remove(X)
    assert told(engine) == [("-", 10, "x")]


def test_a_graph_that_cannot_change_so_is_not_followed(lives: Lives) -> None:
    graph, engine = Graph(), lives.begin("owl-rl")
    same = (EX.x, OWL.sameAs, EX.v)
    graph += [X, same]
    engine.attach(graph, static=True)
    engine.advance(4)
    engine = lives.go_on(engine)
    graph = Graph()
    graph.add(X)
    with pytest.raises(PermanentEquality):
        engine.attach(graph, static=True)
    graph += [same, Y]
    engine.attach(graph, static=True)
    assert ("+", 5, "y") in told(engine)


def test_a_static_graph_has_no_clock_and_no_hypotheses(clock: Clock) -> None:
    with pytest.raises(ValueError, match="no clock"):
        Engine.from_text(RULES).attach(Graph(), clock=clock, static=True)
    with pytest.raises(ValueError, match="hypotheses"):
        Engine.from_text(RULES, hypotheses=True).attach(Graph(), static=True)
