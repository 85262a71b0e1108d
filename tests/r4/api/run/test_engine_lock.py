"""An engine is called by several threads, one after the other, and from one event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from rdflib import Graph, Namespace

from r4.api import Engine, EngineInUse

if TYPE_CHECKING:
    from r4.api.values.term_texts import Statement

ex = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Window(3)
  Group( Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:is -> ex:warm] ) ) )"""
MORE = RULES.replace("hot", "noted")
WARM, COLD = ((ex.a, ex["is"], ex[what]) for what in ("warm", "cold"))
Call = Callable[[Engine, Graph, Path], object]
WAITING: dict[str, Call] = {
    "add": lambda engine, *_: engine.add([WARM], at=5),
    "add_rules": lambda engine, *_: engine.add_rules(MORE),
    "add_static": lambda engine, *_: engine.add_static([WARM]),
    "advance": lambda engine, *_: engine.advance(9),
    "attach": lambda engine, *_: engine.attach(Graph()),
    "close": lambda engine, *_: engine.close(),
    "current": lambda engine, *_: engine.current(),
    "drop_rules": lambda engine, *_: engine.drop_rules(1),
    "explain": lambda engine, *_: engine.explain(WARM),
    "finish": lambda engine, *_: engine.finish(),
    "heartbeat": lambda engine, *_: engine.heartbeat(9),
    "network_svg": lambda engine, *_: engine.network_svg(),
    "outside": lambda engine, *_: engine.outside(),
    "possible": lambda engine, *_: engine.possible(),
    "remove_static": lambda engine, *_: engine.remove_static([WARM]),
    "retract": lambda engine, *_: engine.retract([WARM]),
    "run": lambda engine, *_: list(engine.run([([WARM], 5)])),
    "status": lambda engine, *_: engine.status(),
    "save": lambda engine, _, folder: engine.save(folder / "engine.r4"),
    "sync": lambda engine, *_: engine.sync(),
    "a triple more in a graph": lambda _, graph, __: graph.add(WARM),
    "a triple less in a graph": lambda _, graph, __: graph.remove((None, None, None)),
}
NEVER_WAITING = ("changes", "prospects")
ALWAYS = {
    "arun",
    "calls",
    "counters",
    "dropped",
    "from_file",
    "from_text",
    "load",
    "network",
    "warnings",
}
"""What reads attributes alone, is made of other calls, or makes an engine."""


class Busy:
    """A thread in a call of an engine that takes until it is told to end.

    It changes a graph that is attached, whose clock does not answer before.
    """

    def __init__(self, engine: Engine) -> None:
        self._begun, self._end = Event(), Event()
        graph = Graph()
        engine.attach(graph, clock=self._now)
        self._thread = Thread(target=lambda: graph.add((ex.b, ex["is"], ex.warm)))

    def _now(self) -> int:
        self._begun.set()
        assert self._end.wait(10)
        return 1

    def __enter__(self) -> None:
        self._thread.start()
        assert self._begun.wait(10)

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(10)
        assert not self._thread.is_alive()


class Result:
    """What a thread does, and whether it is done."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._done = Event()
        self.error: Exception | None = None
        self._thread = Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._call()
        except Exception as error:  # noqa: BLE001 - to be looked at in the thread of the test
            self.error = error
        self._done.set()

    def is_done(self, seconds: float) -> bool:
        return self._done.wait(seconds)


@pytest.mark.parametrize("call", WAITING)
def test_a_second_thread_waits_while_a_call_runs(call: str, tmp_path: Path) -> None:
    engine, graph = Engine.from_text(RULES), Graph()
    graph.add(COLD)
    engine.attach(graph, clock=lambda: 0)
    with Busy(engine):
        second = Result(lambda: WAITING[call](engine, graph, tmp_path))
        assert not second.is_done(0.02)
    assert second.is_done(10)
    assert second.error is None
    if call in {"finish", "run"}:
        engine = Engine.from_text(RULES)
    engine.finish(None)


def test_every_call_of_an_engine_waits_or_says_that_it_does_not() -> None:
    public = {name for name in vars(Engine) if not name.startswith("_")}
    assert public - ALWAYS - {*NEVER_WAITING} == {name for name in WAITING if " " not in name}


def test_changes_are_taken_while_a_call_of_another_thread_runs() -> None:
    engine = Engine.from_text(RULES)
    engine.add([WARM], at=0)
    engine.advance(0)
    with Busy(engine):
        assert [change.op for change in engine.changes()] == ["+"]
        assert list(engine.prospects()) == []


def test_statements_are_read_before_a_call_waits() -> None:
    engine, read = Engine.from_text(RULES), Event()

    def triples() -> Iterator[Statement]:
        yield WARM
        read.set()

    with Busy(engine):
        second = Result(lambda: engine.add(triples(), at=5))
        assert read.wait(10)
        assert not second.is_done(0.02)
    assert second.is_done(10)


def test_a_call_within_a_call_of_its_own_thread_is_made() -> None:
    engine, graph = Engine.from_text(RULES), Graph()

    def now() -> int:
        engine.add([WARM], at=1)
        return 2

    def triples() -> Iterator[Statement]:
        engine.add([WARM], at=0)
        yield (ex.b, ex["is"], ex.warm)

    assert engine.add(triples(), at=1)
    engine.attach(graph, clock=now)
    graph.add((ex.c, ex["is"], ex.warm))
    engine.finish(None)
    starts = [(change.at, str(change.triple[0])[-1]) for change in engine if change.op == "+"]  # type: ignore[index]
    assert starts == [(0, "a"), (1, "b"), (2, "c")]


def test_graphs_attached_to_two_engines_in_opposite_orders_change_at_once() -> None:
    engines = [Engine.from_text(RULES) for _ in range(2)]
    graphs = [Graph(), Graph()]
    for graph, order in zip(graphs, (engines, engines[::-1]), strict=True):
        for engine in order:
            engine.attach(graph, clock=lambda: 0)

    def change(graph: Graph) -> None:
        for number in range(300):
            graph.add((ex[f"n{number}"], ex["is"], ex.warm))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [Thread(target=change, args=(graph,), daemon=True) for graph in graphs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    finally:
        sys.setswitchinterval(interval)
    for engine in engines:
        engine.finish(None)
        assert len([change for change in engine if change.op == "+"]) == 300


class OtherLoop:
    """An event loop in another thread, which runs, and has called an engine."""

    def __init__(self, engine: Engine) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self._engine = engine

    async def _call(self) -> None:
        self._engine.heartbeat(0)

    def __enter__(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._call(), self._loop).result(10)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def _no_elements() -> AsyncIterator[tuple[list[Statement], int]]:
    none: list[tuple[list[Statement], int]] = []
    for element in none:
        yield element


async def _arun(engine: Engine) -> list[str]:
    return [change.op async for change in engine.arun(_no_elements())]


@pytest.mark.parametrize("call", [*WAITING, *NEVER_WAITING, "arun"])
def test_a_second_event_loop_is_refused_by_name(call: str, tmp_path: Path) -> None:
    engine, graph = Engine.from_text(RULES), Graph()
    graph.add(COLD)
    engine.attach(graph, clock=lambda: 0)

    async def second() -> None:
        if call == "arun":
            await _arun(engine)
        elif call in NEVER_WAITING:
            getattr(engine, call)()
        else:
            WAITING[call](engine, graph, tmp_path)

    with OtherLoop(engine):
        with pytest.raises(EngineInUse, match="R4601 another event loop"):
            asyncio.run(second())
        assert engine.add([WARM], at=0)  # no loop runs in this thread
    assert set(graph) == {COLD}
    assert asyncio.run(_arun(engine)) == ["+"]  # the other loop has ended


def test_python_without_its_global_lock_is_refused_at_import() -> None:
    code = "import sys; sys._is_gil_enabled = lambda: False; import r4"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "ImportError: R4 needs the global interpreter lock" in ran.stderr
    with_lock = code.replace("False", "True")
    assert subprocess.run([sys.executable, "-c", with_lock], check=False).returncode == 0
