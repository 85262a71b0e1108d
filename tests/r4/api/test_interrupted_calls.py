"""A call that is cut short happens, or does not, or the engine refuses all others from then on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from rdflib import Graph, URIRef

from r4.api import Engine, EngineBroken
from tests.interrupts import Interrupt, bytecodes, interrupted, places

RULES = """
Document( Prefix(ex <urn:ex:>) Window(20) Group(
  Forall ?a ?b ( ?a[ex:r -> ?b] :- ?a[ex:e -> ?b] )
  Forall ?a ?b ?c ( ?a[ex:r -> ?c] :- And(?a[ex:r -> ?b] ?b[ex:e -> ?c]) )
  Forall ?a ?b ( ?a[ex:far -> ?b] :- And(?a[ex:r -> ?b] Naf(?a[ex:e -> ?b])) ) ))
"""
MORE = """
Document( Prefix(ex <urn:ex:>) Group( Forall ?a ?b ( ?b[ex:back -> ?a] :- ?a[ex:r -> ?b] ) ))
"""

Key: TypeAlias = tuple[object, ...]
Step: TypeAlias = "Callable[[Run], object]"


class Run:
    """An engine, a graph that is attached to it, and what came out."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine.from_text(RULES, keep=True)
        self.graph = Graph()
        self.folder = folder
        self.told: list[Key] = []
        self.now = 0

    def tell(self) -> None:
        """Take changes out, each noted once it was given."""
        for each in self.engine.changes():
            self.told.append((each.op, each.at, each.triple, each.start))


def edges(*pairs: tuple[int, int]) -> str:
    return "".join(f"<urn:{a}> <urn:ex:e> <urn:{b}> .\n" for a, b in pairs)


def triple(a: int, b: int) -> tuple[URIRef, URIRef, URIRef]:
    return URIRef(f"urn:{a}"), URIRef("urn:ex:e"), URIRef(f"urn:{b}")


STEPS: dict[str, Step] = {
    "add": lambda run: run.engine.add(edges((1, 2), (2, 3), (4, 5)), at=1, name="urn:first"),
    "attach": lambda run: run.engine.attach(run.graph, clock=lambda: 2),
    "graph add": lambda run: run.graph.add(triple(3, 4)),
    "add again": lambda run: run.engine.add(edges((5, 1), (2, 3)), at=3),
    "changes": Run.tell,
    "add static": lambda run: run.engine.add_static(edges((7, 8))),
    "graph remove": lambda run: run.graph.remove(triple(3, 4)),
    "retract": lambda run: run.engine.retract(edges((2, 3)), name="urn:first", at=5),
    "advance": lambda run: run.engine.advance(9),
    "explain": lambda run: run.engine.explain("<urn:1> <urn:ex:r> <urn:3>"),
    "current": lambda run: run.engine.current(),
    "add rules": lambda run: run.engine.add_rules(MORE),
    "status": lambda run: run.engine.status(),
    "save": lambda run: run.engine.save(run.folder / "saved"),
    "add late": lambda run: run.engine.add(edges((1, 9)), at=2),
    "remove static": lambda run: run.engine.remove_static(edges((7, 8))),
    "changes again": Run.tell,
    "drop rules": lambda run: run.engine.drop_rules(1),
    "finish": lambda run: run.engine.finish(drain=None),
    "last changes": Run.tell,
}
READS = [
    lambda engine: engine.status(),
    lambda engine: engine.current(),
    lambda engine: list(engine.changes()),
    lambda engine: list(engine.prospects()),
    lambda engine: engine.explain("<urn:1> <urn:ex:r> <urn:3>"),
    lambda engine: engine.advance(50),
    lambda engine: engine.add(edges((1, 2)), at=50),
    lambda engine: engine.add_rules(MORE),
    lambda engine: engine.possible(),
    lambda engine: engine.finish(),
    lambda engine: engine.attach(Graph(), clock=lambda: 60),
]


def outcome(folder: Path, without: str = "") -> list[Key]:
    """What comes out in the end, without one of the steps."""
    run = Run(folder)
    for name, step in STEPS.items():
        if name != without:
            step(run)
    return run.told


def check(folder: Path, name: str, most: int) -> int:
    """Interrupt a step at ``most`` of its bytecodes; how often the engine was broken by that."""
    run, broken = Run(folder), 0
    before = list(STEPS)[: list(STEPS).index(name)]
    for each in before:
        STEPS[each](run)
    total = bytecodes(lambda: STEPS[name](run))
    allowed = [outcome(folder), outcome(folder, without=name)]
    for place in places(total, most):
        run = Run(folder)
        for each in before:
            STEPS[each](run)
        interrupted(lambda: STEPS[name](run), place)  # noqa: B023 - called at once
        try:
            for each in [*STEPS][len(before) + 1 :]:
                STEPS[each](run)
            if name.endswith("changes"):
                run.tell()
        except EngineBroken:
            broken += 1
            for read in READS:
                with pytest.raises(EngineBroken):
                    read(run.engine)
            run.engine.close()
        else:
            assert run.told in allowed, (name, place)
    return broken


CHANGING = {"add", "add again", "advance", "retract", "add rules", "drop rules", "graph add"}


@pytest.mark.parametrize("name", STEPS)
def test_a_call_that_is_cut_short_is_whole_or_the_engine_refuses(name: str, tmp_path: Path) -> None:
    broken = check(tmp_path, name, 12)
    assert broken or name not in CHANGING


@pytest.mark.soak
@pytest.mark.parametrize("name", STEPS)
def test_a_call_is_cut_short_at_many_bytecodes(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, 150)


def test_the_error_names_the_cause_and_the_way_out() -> None:
    engine = Engine.from_text(RULES)
    total = bytecodes(lambda: engine.add(edges((1, 2)), at=1))
    assert interrupted(lambda: engine.add(edges((1, 2)), at=2), total // 2)
    with pytest.raises(EngineBroken, match=f"R4604 .* {Interrupt.__name__}.* saved last"):
        engine.advance(3)


def test_an_engine_with_a_state_goes_on_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Engine.from_text(RULES, state=folder) as engine:
        for _ in range(2):  # the second one finds who takes elements in
            engine.add(edges((1, 2)), at=1)
        total = bytecodes(lambda: engine.add(edges((2, 3)), at=2))
        interrupted(lambda: engine.add(edges((3, 4)), at=3), total // 2)
        with pytest.raises(EngineBroken):
            engine.add(edges((3, 4)), at=3)
    with Engine.from_text(RULES, state=folder) as again:
        assert again.calls == 3
        again.add(edges((3, 4)), at=3)
        again.finish()
        told = [each.triple for each in again.changes() if each.op == "+" and each.triple]
    assert (URIRef("urn:1"), URIRef("urn:ex:far"), URIRef("urn:4")) in told


def test_an_attached_graph_may_still_be_changed() -> None:
    engine, graph = Engine.from_text(RULES), Graph()
    engine.attach(graph, clock=lambda: 1)
    interrupted(lambda: engine.add(edges((1, 2)), at=1), 1100)
    with pytest.raises(EngineBroken):
        engine.status()
    graph.add(triple(1, 2))
    assert len(graph) == 1


def test_an_error_of_the_clock_of_a_graph_changes_nothing() -> None:
    times = iter([1, 2])
    engine, graph = Engine.from_text(RULES), Graph()
    engine.attach(graph, clock=lambda: next(times))
    graph.add(triple(1, 2))
    graph.add(triple(2, 3))
    with pytest.raises(StopIteration):
        graph.add(triple(3, 4))
    assert len(graph) == 2
    engine.finish()
    assert sum(each.op == "+" for each in engine.changes()) == 4
