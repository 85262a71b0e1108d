"""An engine is used by one thread at a time; another one is refused."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from rdflib import Graph, Namespace

from r4.api import Engine, EngineInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from r4.api.graph_terms import Statement

ex = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Window(3)
  Group( Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:is -> ex:warm] ) ) )"""
MORE = RULES.replace("hot", "noted")
WARM, COLD = ((ex.a, ex["is"], ex[what]) for what in ("warm", "cold"))
CALLS: dict[str, Callable[[Engine, Graph, Path], object]] = {
    "add": lambda engine, *_: engine.add([WARM], at=5),
    "add_rules": lambda engine, *_: engine.add_rules(MORE),
    "add_static": lambda engine, *_: engine.add_static([WARM]),
    "advance": lambda engine, *_: engine.advance(9),
    "attach": lambda engine, *_: engine.attach(Graph()),
    "changes": lambda engine, *_: list(engine),
    "current": lambda engine, *_: engine.current(),
    "drop_rules": lambda engine, *_: engine.drop_rules(1),
    "explain": lambda engine, *_: engine.explain(WARM),
    "finish": lambda engine, *_: engine.finish(),
    "heartbeat": lambda engine, *_: engine.heartbeat(9),
    "outside": lambda engine, *_: engine.outside(),
    "possible": lambda engine, *_: engine.possible(),
    "retract": lambda engine, *_: engine.retract([WARM]),
    "run": lambda engine, *_: list(engine.run([([WARM], 5)])),
    "save": lambda engine, _, folder: engine.save(folder / "engine.r4"),
    "a triple more in a graph": lambda _, graph, __: graph.add(WARM),
    "a triple less in a graph": lambda _, graph, __: graph.remove((None, None, None)),
}
ALWAYS = {"arun", "counters", "dropped", "from_file", "from_text", "load", "network", "warnings"}
"""What reads attributes alone, is made of other calls, or makes an engine."""


class Slow:
    """Triples that a thread adds to an engine, which takes until it is told to end."""

    def __init__(self, engine: Engine) -> None:
        self._begun, self._end = Event(), Event()
        self._thread = Thread(target=lambda: engine.add(self._triples(), at=1))

    def _triples(self) -> Iterator[Statement]:
        yield (ex.b, ex["is"], ex.warm)
        self._begun.set()
        assert self._end.wait(10)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._begun.wait(10)

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


@pytest.mark.parametrize("call", CALLS)
def test_a_second_thread_is_refused_while_a_call_runs(call: str, tmp_path: Path) -> None:
    engine, graph = Engine.from_text(RULES), Graph()
    graph.add(COLD)
    engine.attach(graph, clock=lambda: 0)
    with Slow(engine), pytest.raises(EngineInUse, match="R4601"):
        CALLS[call](engine, graph, tmp_path)
    assert set(graph) == {COLD}
    engine.finish(None)
    assert [(change.op, change.at) for change in engine.changes()] == [("+", 1), ("-", 4)]


def test_changes_that_are_being_taken_wait_for_no_other_thread() -> None:
    engine = Engine.from_text(RULES)
    engine.add([WARM], at=0)
    engine.advance(0)
    changes = engine.changes()
    with Slow(engine), pytest.raises(EngineInUse):
        next(changes)
    engine.finish(None)
    assert [change.op for change in engine.changes()] == ["+", "+", "-", "-"]


def test_a_call_within_a_call_of_its_own_thread_is_made() -> None:
    engine = Engine.from_text(RULES)

    def triples() -> Iterator[Statement]:
        engine.add([WARM], at=1)
        yield (ex.b, ex["is"], ex.warm)

    assert engine.add(triples(), at=2)
    engine.finish(None)
    assert [change.at for change in engine.changes()] == [1, 2, 4, 5]


def test_every_call_of_an_engine_is_guarded() -> None:
    public = {name for name in vars(Engine) if not name.startswith("_")}
    assert public - ALWAYS - {"prospects"} == {name for name in CALLS if " " not in name}


def test_possible_facts_are_guarded_as_changes_are() -> None:
    engine = Engine.from_text(RULES, hypotheses=True)
    with Slow(engine), pytest.raises(EngineInUse):
        list(engine.prospects())
