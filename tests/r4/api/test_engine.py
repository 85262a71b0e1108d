"""The engine as a library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib import BNode, Literal, Namespace, URIRef
from rdflib.namespace import RDF

from r4.api import Engine
from r4.options.shared_options import Literals, Order
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse, write_xml

EX = Namespace("http://example.org/")
HOT = """
Document( Prefix(ex <http://example.org/>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
          Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)
  Window(10 s)
  Group( (* <http://example.org/hot> *)
    Forall ?o ?s ?v ?r ( ?r[ex:is -> ex:hot] :-
      And(?o[ex:by -> ?s] ?o[ex:value -> ?v] ?s[ex:in -> ?r]
          External(pred:numeric-greater-than(?v 30))) ) ) )
"""
BAD: list = [("no", "statement")]
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def reading(value: object, name: str = "o") -> list:
    node = EX[name]
    return [(node, EX.by, EX.sensor), (node, EX.value, Literal(value))]


def engine(**options) -> Engine:
    made = Engine.from_text(HOT, **options)
    made.add_static(
        rdflib.Graph().parse(
            data="@prefix e: <http://example.org/> . e:sensor e:in e:hall .", format="turtle"
        )
    )
    return made


def test_an_answer_comes_with_its_times_and_its_rule() -> None:
    running = engine()
    running.add(reading(31), at=NOON)
    running.advance(NOON + timedelta(seconds=10))
    began, ceased = running.changes()
    assert began.triple == (EX.hall, EX["is"], EX.hot)
    assert (began.op, began.at, began.start, began.until) == ("+", NOON, NOON, None)
    assert (ceased.op, ceased.at) == ("-", NOON + timedelta(seconds=10))
    assert ceased.until == ceased.at
    assert ceased.start == NOON
    assert began.rule == "http://example.org/hot"
    assert not list(running.changes()), "each change is told once"


def test_what_holds_can_be_asked_for() -> None:
    running = engine()
    running.add(reading(31), at=NOON)
    running.advance(NOON)
    assert set(running.current()) == {(EX.hall, EX["is"], EX.hot)}
    running.advance(NOON + timedelta(seconds=10))
    assert not len(running.current())


def test_late_elements_are_counted_and_have_no_effect() -> None:
    running = engine(delay="2s")
    running.add(reading(20), at=NOON)
    assert running.add(reading(31), at=NOON - timedelta(seconds=2))
    assert not running.add(reading(32, "p"), at=NOON - timedelta(seconds=3))
    running.finish()
    assert [change.at for change in running.changes()] == [NOON - timedelta(seconds=2)]
    assert running.counters.late == 1


def test_datasets_and_pyoxigraph_quads_are_taken() -> None:
    dataset = rdflib.Dataset()
    for triple in reading(40):
        dataset.graph(EX.g).add(triple)
    running = engine()
    running.add(dataset, at=1)
    quads = ox.parse(
        "<http://example.org/q> <http://example.org/by> <http://example.org/sensor> . "
        "<http://example.org/q> <http://example.org/value> 50 .",
        format=ox.RdfFormat.TURTLE,
    )
    running.add(list(quads), at=20_000)
    running.finish(drain=None)
    assert [(c.op, c.at) for c in running] == [
        ("+", 1),
        ("-", 10_001),
        ("+", 20_000),
        ("-", 30_000),
    ]


def test_blank_nodes_of_rdflib_stay_the_same_node() -> None:
    node = BNode()
    running = engine()
    running.add([(node, EX.by, EX.sensor)], at=1)
    running.add([(node, EX.value, Literal(99))], at=2)
    running.finish()
    assert [c.at for c in running] == [2]


def test_times_of_two_kinds_do_not_mix() -> None:
    running = engine()
    running.add(reading(1), at=5)
    with pytest.raises(ValueError, match="all datetimes or all integers"):
        running.add(reading(1), at=NOON)
    with pytest.raises(ValueError, match="ends after it starts"):
        running.add(reading(1), at=6, until=6)


def test_an_attached_graph_is_followed_removals_too() -> None:
    graph = rdflib.Graph()
    graph.add((EX.o, EX.by, EX.sensor))
    times = iter(range(1, 100))
    running = engine()
    running.attach(graph, clock=lambda: next(times))
    graph.add((EX.o, EX.value, Literal(31)))
    graph.remove((EX.o, EX.value, None))
    graph.remove((EX.nobody, None, None))
    graph.add((EX.o, EX.value, Literal(32)))
    running.finish(drain=None)
    times_of = [(change.op, change.at) for change in running]
    assert times_of == [("+", 2), ("-", 3), ("+", 4), ("-", 10_001)]
    assert len(graph) == 2


def test_elements_and_single_triples_are_taken_back() -> None:
    running = engine()
    running.add(reading(31), at=1, name="urn:one")
    running.add(reading(32), at=2)
    assert running.retract(name="urn:one", at=3) == 1, "that o is by the sensor is said twice"
    assert running.retract(name="urn:one") == 0
    assert running.retract(reading(32)[1:], at=4) == 1
    assert running.counters.without_effect == 1
    running.finish(drain=None)
    assert [(change.op, change.at) for change in running] == [("+", 1), ("-", 4)]
    with pytest.raises(ValueError, match="say what"):
        Engine.from_text(HOT).retract()


def test_changes_come_from_an_asynchronous_source() -> None:
    async def source():
        for at, value in enumerate([20, 31, 40], 1):
            await asyncio.sleep(0)
            yield reading(value, f"o{value}"), at

    async def collected() -> list:
        return [change.at async for change in engine().arun(source(), drain=None)]

    assert asyncio.run(collected()) == [2, 10_003]
    plain = engine().run(
        [(reading(v, f"o{v}"), t) for t, v in enumerate([20, 31, 40], 1)], drain=None
    )
    assert [change.at for change in plain] == [2, 10_003]


def test_a_heartbeat_moves_time_less_the_delay_and_never_back() -> None:
    running = engine(delay=5)
    running.add(reading(31), at=1)
    running.heartbeat(6)
    assert [change.at for change in running] == []
    running.heartbeat(7)
    assert [change.at for change in running] == [1]
    running.heartbeat(3)
    assert running.add(reading(31), at=2)
    assert not running.add(reading(31), at=1)
    assert running.counters.late == 1


SILENT = """
Document( Prefix(ex <urn:ex:>) Window(2 s) Group(
  Forall ?x ( ?x[ex:is -> ex:silent] :-
    And( ?x[ex:is -> ex:sensor] Naf( Exists ?v ( ?x[ex:reads -> ?v] ) ) ) ) ) )
"""


def test_a_clock_tells_what_begins_while_nothing_arrives() -> None:
    """The clock goes on by 500 ms whenever it is waited for."""
    begin, a = datetime(2026, 1, 1, tzinfo=UTC), URIRef("urn:ex:a")

    class Steps:
        def __init__(self) -> None:
            self.shown = begin
            self.at_end = asyncio.Event()

        def now(self) -> datetime:
            return self.shown

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(0 * seconds)
            self.shown += timedelta(milliseconds=500)
            if self.shown >= begin + timedelta(seconds=8):
                self.at_end.set()

    async def collected() -> list:
        clock = Steps()

        async def source():
            yield [(a, URIRef("urn:ex:reads"), Literal(1))], begin
            await clock.at_end.wait()

        running = Engine.from_text(SILENT, delay="1s")
        running.add_static([(a, URIRef("urn:ex:is"), URIRef("urn:ex:sensor"))])
        return [
            (change.op, change.at, clock.shown)
            async for change in running.arun(source(), clock=clock)
        ]

    told = asyncio.run(collected())
    assert [(op, at) for op, at, _ in told] == [
        ("+", None),
        ("-", begin),
        ("+", begin + timedelta(seconds=2)),
    ]
    assert told[-1][2] == begin + timedelta(seconds=3.5)


def test_unsafe_rules_are_refused_with_all_faults() -> None:
    with pytest.raises(RuleErrors):
        Engine.from_text("Document( Group( Forall ?x ( <a:p>(?x) :- And() ) ) )")


def test_what_rdflib_lets_pass_but_is_no_term_is_refused() -> None:
    for bad in (rdflib.URIRef("a> <b"), rdflib.URIRef("relative"), BNode("a b")):
        with pytest.raises(TypeError, match="no "):
            engine().add([(bad, EX.by, EX.sensor)], at=1)


def test_nothing_comes_after_the_end() -> None:
    running = engine()
    running.add(reading(31), at=5)
    running.finish(drain=None)
    with pytest.raises(ValueError, match="has ended"):
        running.add(reading(31), at=5)
    with pytest.raises(ValueError, match="has ended"):
        running.advance(50)


def test_a_refused_element_does_not_fix_the_kind_of_time() -> None:
    running = engine()
    with pytest.raises(ValueError, match="ends after it starts"):
        running.add(reading(31), at=1, until=1)
    assert running.add(reading(31), at=NOON)


def test_what_is_no_time_or_no_option_is_refused() -> None:
    for bad in (1.5, True, "2026-01-01", NOON.date()):
        with pytest.raises(TypeError, match="a time is"):
            engine().add(reading(31), at=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is none of"):
        engine(semantics="fact")


def test_times_that_no_datetime_can_say_are_texts() -> None:
    running = engine()
    running.add(reading(31), at=datetime(9999, 12, 31, 23, 59, 55, tzinfo=UTC))
    running.finish(drain=None)
    assert [change.at for change in running][1] == "10000-01-01T00:00:05Z"


def test_what_the_rules_of_a_file_import_takes_part(tmp_path: Path) -> None:
    (tmp_path / "main.rif").write_text(
        "Document( Prefix(ex <http://example.org/>) Import(<more.rif>)"
        " Import(<classes.ttl> <http://www.w3.org/ns/entailment/RDFS>)"
        " Import(<live.nq> <urn:r4:profile#stream>) Group() )"
    )
    (tmp_path / "more.rif").write_text(
        "Document( Prefix(ex <http://example.org/>)"
        " Group( Forall ?x (?x[ex:is -> ex:thing] :- ?x # ex:Sensor) ) )"
    )
    (tmp_path / "classes.ttl").write_text(
        "@prefix ex: <http://example.org/> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."
        " ex:Gauge r:subClassOf ex:Sensor ."
    )
    (tmp_path / "live.nq").write_text("")
    engine = Engine.from_file(tmp_path / "main.rif")
    assert [stream.path for stream in engine.streams] == [str(tmp_path / "live.nq")]
    engine.add([(EX.x, RDF.type, EX.Gauge)], at=1)
    engine.finish()
    assert [change.triple for change in engine.changes()] == [(EX.x, EX["is"], EX.thing)]


def test_an_import_that_is_not_followed_is_refused() -> None:
    text = "Document( Import(<http://example.org/x>) Group() )"
    for make in (Engine.from_text, lambda text: Engine(parse(text).document)):
        with pytest.raises(RuleErrors) as caught:
            make(text)
        assert {error.code for error in caught.value.errors} <= {"R4302", "R4308"}
    engine = Engine.from_text("Document( Group() )")
    with pytest.raises(RuleErrors, match="R4308"):
        engine.add_rules(text)


def test_rules_may_be_rif_xml_and_values_may_be_terms(tmp_path: Path) -> None:
    text = (
        "Document( Prefix(ex <http://example.org/>)"
        " Group( Forall ?x (?x[ex:is -> ex:warm] :- ?x[ex:temp -> 20]) ) )"
    )
    path = tmp_path / "rules.xml"
    path.write_text(write_xml(parse(text).document))
    known: tuple[tuple[Literals, int], ...] = (("term", 0), ("value", 1))
    for literals, answers in known:
        engine = Engine.from_file(path, literals=literals)
        engine.add([(EX.x, EX.temp, Literal(Decimal("20.0")))], at=1)
        engine.finish()
        assert len(list(engine.changes())) == answers


def test_a_late_retraction_has_no_effect() -> None:
    running = engine()
    running.add(reading(31), at=1, name="urn:one")
    running.add(reading(20, "other"), at=5)
    assert running.retract(name="urn:one", at=4) == 0
    assert (running.counters.late, running.counters.retractions) == (1, 0)
    running.finish(drain=None)
    assert [(change.op, change.at) for change in running] == [("+", 1), ("-", 10_001)]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda running: running.retract(BAD, name="urn:one", at=7),
        lambda running: running.retract(name="no IRI", at=7),
        lambda running: running.retract(name=5, at=7),
        lambda running: running.retract(name="urn:one", at="7"),
        lambda running: running.add(BAD, at=7),
        lambda running: running.add(reading(31), at=7, name="no IRI"),
    ],
)
def test_what_cannot_be_added_or_taken_back_moves_no_time(wrong: Callable) -> None:
    running = engine()
    running.add(reading(31), at=1, name="urn:one")
    with pytest.raises(TypeError):
        wrong(running)
    assert not list(running)
    assert running.add(reading(20, "other"), at=2), "it is in time"


def test_a_retraction_that_fails_does_not_say_what_times_are() -> None:
    running = engine()
    with pytest.raises(TypeError):
        running.retract(BAD, at=NOON)
    assert running.add(reading(31), at=1)


def test_an_element_begins_and_ends_in_times_of_one_kind() -> None:
    with pytest.raises(ValueError, match="all datetimes or all integers"):
        engine().add(reading(31), at=1, until=NOON)


def test_what_another_element_says_too_is_taken_back_with_effect() -> None:
    running = engine()
    running.add(reading(31), at=1, name="urn:one")
    running.add(reading(31), at=1, name="urn:two")
    assert running.retract(name="urn:one", at=2) == 0, "the other says it still"
    assert running.retract(reading(31), name="urn:two", at=3) == 2
    assert running.counters.without_effect == 0
    running.retract(reading(31), name="urn:two", at=3)
    assert running.counters.without_effect == 1
    running.finish(drain=None)
    assert [(change.op, change.at) for change in running] == [("+", 1), ("-", 3)]


def test_rules_that_are_dropped_before_time_begins_give_nothing() -> None:
    running = engine()
    running.add_static(reading(31))
    assert running.drop_rules("http://example.org/hot") == 1
    running.add(reading(32, "other"), at=5)
    running.finish(drain=None)
    assert not list(running)


@pytest.mark.parametrize("order", ["time", "arrival"])
def test_answers_without_time_that_were_returned_end_without_time(order: Order) -> None:
    engine = Engine.from_text(
        "Document( Prefix(ex <http://example.org/>) Group("
        " Forall ?x (?x[ex:is -> ex:hot] :- ?x[ex:is -> ex:c])"
        " Forall ?x (?x[ex:is -> ex:red] :- ?x[ex:is -> ex:hot])"
        " Forall ?x (?x[ex:is -> ex:dim] :- And(?x[ex:is -> ex:c] Naf(?x[ex:is -> ex:hot]))) ) )",
        order=order,
    )
    engine.add_static([(EX.a, EX["is"], EX.c)])

    def told() -> list[tuple[str, object, str]]:
        return [
            (c.op, c.at, str(c.triple[2]).rpartition("/")[2]) for c in engine.changes() if c.triple
        ]

    engine.current()
    assert told() == [("+", None, "hot"), ("+", None, "red")]
    engine.drop_rules(2)
    assert told() == [("-", None, "red")]
    engine.drop_rules(1)
    assert told() == [("-", None, "hot"), ("+", None, "dim")]
    engine.add([], at=3)
    engine.drop_rules(3)
    engine.finish(None)
    assert told() == [("-", 3, "dim")]


def test_rules_of_a_regime_are_not_dropped() -> None:
    running = engine(entailment="rdfs", keep=True)
    running.add(reading(31), at=1)
    assert running.drop_rules(2) == 0
    assert running.drop_rules(1) == 1


def test_rules_that_have_just_joined_in_are_explained() -> None:
    running = engine(keep=True)
    running.add(reading(31), at=1)
    rule = "Forall ?o (?o[ex:is -> ex:seen] :- ?o[ex:value -> 31])"
    running.add_rules(f"Document( Prefix(ex <http://example.org/>) Group({rule}))")
    assert running.explain((EX.o, EX["is"], EX.seen)).holds


@pytest.mark.parametrize("delay", ["0", "2"])
@pytest.mark.parametrize(
    ("aggregate", "first", "then"),
    [("count", "1", "1"), ("sum", "6", "8"), ("max", "6", "8"), ("median", "6", "8")],
)
def test_what_added_rules_never_saw_is_not_lost_by_them(
    delay: str, aggregate: str, first: str, then: str
) -> None:
    """It began when they joined, or later; `max` raised a KeyError, `sum` subtracted it."""
    prefix = "@prefix ex: <urn:ex:> ."
    engine = Engine.from_text(
        f"{prefix} @window 2 ms . ?x[ex:z -> 1] :- ?x[ex:y -> 1] .", delay=delay
    )
    engine.add("ex:a ex:q 5 . ex:b ex:q 7 .", at=10, name="urn:ex:unseen")
    engine.add_rules(f"{prefix} ?x[ex:t -> ?m] :- ?m = {aggregate}{{ ?v [?x] | ?x[ex:q -> ?v] }} .")
    engine.add("ex:a ex:q 6 .", at=10)
    engine.retract(name="urn:ex:unseen", at=10)
    engine.add("ex:a ex:q 8 .", at=13)
    engine.finish(None)
    found = [(one.op, one.at, str(one.triple[2])) for one in engine.changes() if one.triple]
    assert found == [("+", 10, first), ("-", 12, first), ("+", 13, then), ("-", 15, then)]
