"""An engine whose rules have aggregates and event times goes on from where it was saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from r4.api import Engine
from rete.nodes.known import KnownNode
from tests.simulation.core_run import tiny_stores

RULES = {
    "Aggregate": "Forall ?s ?n (?s[ex:n -> ?n] :- ?n = list{ ?v [?s] | ?s[ex:q -> ?v] })",
    "Aggregate of stamps": (
        "Forall ?s ?m (?s[ex:m -> ?m] :- ?m = avg last 2{ ?v ?t [?s] | At ?t (?s[ex:q -> ?v]) })"
    ),
    "Aggregate over a range": (
        "Forall ?m (ex:m(?m) :- ?m = sum{ ?v | Exists ?s (DiamondMinus [0, 3] (?s[ex:q -> ?v])) })"
    ),
    "Begins": (
        "Forall ?s ?v (?s[ex:h -> ?v] :- ?s[ex:q -> ?v])"
        "Forall ?s ?t ?v (ex:t(?s ?t) :- At ?t (?s[ex:h -> ?v]))"
    ),
    "Ends": "Forall ?s ?t ?u ?v (ex:t(?s ?t ?u) :- Ended ?t ?u (?s[ex:q -> ?v]))",
    "Known": (
        "Forall ?s ?v (?s[ex:told -> ?v] :- And(?s[ex:q -> ?v]"
        " Naf(DiamondMinus [1, 3] (?s[ex:told -> ?v]))))"
    ),
    "named": "Forall ?s ?g ?v (ex:by(?s ?g) :- From ?g (?s[ex:q -> ?v]))",
}
CALLS: list[Callable[[Engine], object]] = [
    lambda engine: engine.add("ex:b ex:q 3 .", at=7, until=14, name="urn:g1"),
    lambda engine: engine.add("ex:b ex:p ex:a . ex:b ex:q 3, 4 .", at=9, until=12, name="urn:g2"),
    lambda engine: engine.retract(name="urn:g1", at=11),
    lambda engine: engine.heartbeat(14),
    lambda engine: engine.add("ex:a ex:p ex:a . ex:b ex:q 5, 4 .", at=15, until=17),
    lambda engine: engine.add("ex:b ex:q 5 .", at=16, until=19),
    lambda engine: engine.heartbeat(25),
    lambda engine: engine.finish(0),
]


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_after_each_call_it_may_stop_and_another_goes_on(rules: str, tmp_path: Path) -> None:
    text = f"Document(Prefix(ex <urn:ex:>) Group({rules}))"
    with tiny_stores():
        whole = Engine.from_text(text)
        for call in CALLS:
            call(whole)
        wanted = list(map(str, whole.changes()))
        assert len(wanted) > 2
        engine, found = Engine.from_text(text), list[str]()
        for number, call in enumerate(CALLS):
            call(engine)
            found += map(str, engine.changes())
            engine.save(tmp_path / f"{number}.r4c")
            engine = Engine.load(tmp_path / f"{number}.r4c", text)
        assert found == wanted


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_ended_is_forgotten(rules: str) -> None:
    """No more rows after 150 readings than after 30."""
    text = f"Document(Prefix(ex <urn:ex:>) Window(2) Group({rules}))"
    held = []
    with tiny_stores():
        engine = Engine.from_text(text)
        for at in range(1, 151):
            engine.add(f"ex:b ex:q {at} .", at=at)
            list(engine.changes())
            if at in {30, 150}:
                core = engine._run.core
                core.forget()
                held.append(
                    sum(stem.n for network in core.layers.networks for stem in network.stems)
                )
    assert held[1] <= held[0] + 5


@pytest.mark.filterwarnings("ignore:RIF304")
def test_earlier_answers_that_ended_are_not_passed_on_again() -> None:
    count = "?n = count{ ?w [?s] | DiamondMinus [1, 5] ( At ?t ( ?s[ex:t -> ?w] ) ) }"
    rule = f"Forall ?s ?v ?n (?s[ex:t -> ?n] :- And(?s[ex:p -> ?v] {count}))"
    engine = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({rule}))")
    engine.add_static("ex:b ex:p 1 .")
    streams = engine._run.core.network.streams.values()
    nodes = [each.node for each in streams if isinstance(each.node, KnownNode)]
    held = []
    for at in range(1, 101):
        engine.add("ex:b ex:q ex:a .", at=at)
        if at in {25, 100}:
            held.append(sum(len(node._open) for node in nodes))
    assert nodes
    assert held[1] <= held[0] + 5
