"""What operators look back on, or ahead to, is retracted: from the frontier on it never was.

``warm`` comes at 5 and is retracted at 7. The time lines are drawn in docs/semantics.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rdflib import Graph, Namespace
from rdflib.term import Node

from r4.api import Engine
from r4.program.program import Program
from r4.spark.partition.program_partition import Partition, partition
from tests.simulation.command import call
from tests.simulation.shards.command import sharded_session

EX = Namespace("http://e/")
HEAD = "Document( Prefix(ex <http://e/>)"
WARM, DOOR, HOT = (f"?x[ex:is -> ex:{name}]" for name in ("warm", "door", "hot"))
BACK = f"DiamondMinus [0, 10] ( {WARM} )"
AHEAD = f"DiamondPlus [0, 3] ( {WARM} )"
REPORT = "http://e/report"


def document(*rules: str, window: str = "") -> str:
    found = " ".join(f"Forall ?x ({rule})" for rule in rules)
    return f"{HEAD} {window} Group( {found} ) )"


def rule(body: str, head: str = HOT) -> str:
    return f"{head} :- {body}"


def facts(*names: str) -> list[tuple[Node, Node, Node]]:
    return [(EX.d, EX["is"], EX[name]) for name in names]


def told(engine: Engine) -> list[tuple[str, object]]:
    engine.finish(None)
    return [(change.op, change.at) for change in engine.changes()]


@pytest.mark.parametrize(
    ("body", "window", "expected"),
    [
        (BACK, "", [("+", 5), ("-", 7)]),
        (BACK, "Window(4)", [("+", 5), ("-", 7)]),
        (f"BoxMinus [0, 1] ( {WARM} )", "Window(4)", [("+", 6), ("-", 7)]),
        (f"Since [0, 10] ( {DOOR} {WARM} )", "", [("+", 5), ("-", 7)]),
        (f"Since [1, 10] ( {DOOR} {WARM} )", "Window(4)", [("+", 6), ("-", 7)]),
        (AHEAD, "Window(4)", [("+", 2), ("-", 7)]),
        (f"BoxPlus [0, 1] ( {WARM} )", "Window(4)", [("+", 5), ("-", 7)]),
        (f"Until [0, 4] ( {DOOR} {WARM} )", "Window(4)", [("+", 1), ("-", 7)]),
        (f"BoxMinus [0, 1] ( {BACK} )", "", [("+", 6), ("-", 7)]),
        (f"DiamondMinus [0, 9] ( {AHEAD} )", "", [("+", 2), ("-", 7)]),
        (f"And( {DOOR} Naf( {BACK} ) )", "Window(4)", [("+", None), ("-", 5), ("+", 7)]),
    ],
)
def test_an_operator_sees_it_no_longer(body: str, window: str, expected: object) -> None:
    engine = Engine.from_text(document(rule(body), window=window))
    engine.add_static(facts("door"))
    engine.add(facts("warm"), at=5, name=REPORT)
    assert engine.retract(name=REPORT, at=7) == 1
    assert told(engine) == expected


def test_a_head_under_a_box_is_concluded_no_longer() -> None:
    rules = document(rule(WARM, f"BoxPlus [1, 8] ( {HOT} )"), window="Window(4)")
    engine = Engine.from_text(rules)
    engine.add(facts("warm"), at=5, name=REPORT)
    engine.retract(name=REPORT, at=7)
    assert told(engine) == [("+", 6), ("-", 7)]


def test_a_recursive_rule_derives_it_no_longer() -> None:
    engine = Engine.from_text(document(rule(WARM), rule(f"DiamondMinus [1, 3] ( {HOT} )")))
    engine.add(facts("warm"), at=5, name=REPORT)
    engine.retract(name=REPORT, at=7)
    assert told(engine) == [("+", 5), ("-", 7)]


def test_the_other_part_of_an_element_is_seen_on() -> None:
    cold = "?x[ex:is -> ex:cold]"
    rules = document(rule(BACK), rule(f"DiamondMinus [0, 10] ( {cold} )", "?x[ex:is -> ex:icy]"))
    engine = Engine.from_text(rules)
    engine.add(facts("warm", "cold"), at=5, name=REPORT)
    assert engine.retract(facts("warm"), name=REPORT, at=7) == 1
    engine.finish(None)
    changes = [(c.op, c.at, str(c.triple[2])[-3:]) for c in engine.changes() if c.triple]
    assert changes == [("+", 5, "hot"), ("+", 5, "icy"), ("-", 7, "hot"), ("-", 16, "icy")]


def test_so_it_is_with_an_end_of_its_own_that_has_passed() -> None:
    engine = Engine.from_text(document(rule(BACK)))
    engine.add(facts("warm"), at=3, until=6, name=REPORT)
    engine.retract(name=REPORT, at=7)
    assert told(engine) == [("+", 3), ("-", 7)]


def test_a_repeated_fact_is_seen_on_by_its_other_element() -> None:
    engine = Engine.from_text(document(rule(BACK)))
    engine.add(facts("warm"), at=5, name=REPORT)
    engine.add(facts("warm"), at=6, name="http://e/other")
    engine.retract(name=REPORT, at=7)
    assert told(engine) == [("+", 5), ("-", 17)]


def test_one_that_came_late_goes_too_and_a_late_retraction_has_no_effect() -> None:
    engine = Engine.from_text(document(rule(BACK)), delay=3)
    engine.add([], at=8)
    engine.add(facts("warm"), at=5, name=REPORT)
    assert engine.retract(name=REPORT, at=4) == 0
    assert engine.retract(name=REPORT, at=10) == 1
    assert told(engine) == [("+", 5), ("-", 7)]


def test_what_an_attached_graph_loses_is_seen_no_longer() -> None:
    engine, graph = Engine.from_text(document(rule(BACK), window="Window(2)")), Graph()
    times = iter((5, 7))
    engine.attach(graph, clock=lambda: next(times))
    (triple,) = facts("warm")
    graph.add(triple)
    graph.remove(triple)
    assert told(engine) == [("+", 5), ("-", 7)]


def test_it_is_explained_so() -> None:
    engine = Engine.from_text(document(rule(BACK)))
    engine.add(facts("warm"), at=5, name=REPORT)
    engine.advance(6)
    assert engine.explain(facts("hot")[0], at=6).holds
    engine.retract(name=REPORT, at=7)
    assert not engine.explain(facts("hot")[0], at=8).holds


STREAM = """\
PREFIX ex: <http://e/> PREFIX prov: <http://www.w3.org/ns/prov#>
ex:report prov:generatedAtTime 5 . ex:report { ex:d ex:is ex:warm }
ex:taking prov:generatedAtTime 7 . ex:taking <urn:r4:retracts> ex:report .
ex:end prov:generatedAtTime 30 .
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    rules, stream = tmp_path / "r.rif", tmp_path / "s.trig"
    rules.write_text(document(rule(BACK), window="Window(4)"))
    stream.write_text(STREAM)
    return str(rules), str(stream)


def test_the_command_tells_it_so(files: tuple[str, str]) -> None:
    found = call(["run", *files])
    lines = [json.loads(line) for line in found.lines()]
    assert [(line["op"], line["at"]) for line in lines] == [("+", 5), ("-", 7)]


def test_the_command_explains_it_so(files: tuple[str, str]) -> None:
    asked = ["explain", *files, "--fact", "ex:d ex:is ex:hot", "--at"]
    assert call([*asked, "6"]).code == 0
    assert call([*asked, "8"]).code == 1


def test_so_do_shards(files: tuple[str, str]) -> None:
    def divide(program: Program, by_value: bool) -> Partition:
        return partition(program, 2, by_value=by_value)

    with sharded_session(divide) as shown:
        assert call(["run", *files]).code == 0
    lines = [json.loads(line) for line in shown.lines]
    assert [(line["op"], line["at"]) for line in lines] == [("+", 5), ("-", 7)]


def test_a_fact_that_has_ended_counts_while_rules_look_ahead_to_it() -> None:
    engine = Engine.from_text(document(rule(AHEAD)))
    engine.add(facts("warm"), at=5, name=REPORT)  # at this instant alone
    engine.add(facts("door"), at=20, name="http://e/other")
    engine.add(facts("warm"), at=30, name="http://e/other")
    assert engine.retract(name="http://e/other", at=32) == 1
    assert engine.retract(name=REPORT) == 0


@pytest.mark.parametrize(
    ("names", "gap", "expected"),
    [
        ([REPORT], 1, [2]),
        ([REPORT], 30, [2]),  # held in six intervals, of which all but the last count no longer
        ([REPORT, "http://e/other"], 1, [2, 2]),
        ([REPORT, "http://e/other"], 30, [0, 2]),
    ],
)
def test_each_fact_that_counts_still_is_counted_once(
    names: list[str], gap: int, expected: list[int]
) -> None:
    engine = Engine.from_text(document(rule(BACK), window="Window(4)"))
    for number in range(6):
        engine.add(facts("warm", "door"), at=gap * number, name=names[number % len(names)])
    assert [engine.retract(name=name, at=5 * gap) for name in names] == expected


def test_no_rule_is_dropped_where_others_look_back_on_what_is_forgotten() -> None:
    rules = document(rule(BACK), rule(DOOR, "?x[ex:is -> ex:open]"))
    engine = Engine.from_text(rules, retract_within="2")
    with pytest.raises(ValueError, match="what they derived is forgotten"):
        engine.drop_rules(1)
    assert Engine.from_text(document(rule(WARM)), retract_within="2").drop_rules(1) == 1
