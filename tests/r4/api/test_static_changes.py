"""Static data that change while an engine runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, Namespace

from r4.api import Engine, PermanentEquality
from tests.simulation.core_run import tiny_stores

ex = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Window(10) Group(
  Forall ?s ?r ( ?r[ex:is -> ex:hot] :- And( ?s[ex:in -> ?r] ?s[ex:reads -> ex:high] ) ) ) )"""
HELD = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?s ?r ( ?r[ex:had -> ?s] :- DiamondMinus [0 ms, 4 ms] (?s[ex:in -> ?r]) )
  Forall ?s ?r ( ?r[ex:keeps -> ?s] :- BoxMinus [0 ms, 4 ms] (?s[ex:in -> ?r]) ) ) )"""
WIND = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?x ( ?x[ex:is -> ex:windy] :- ?x # ex:Wind ) ) )"""
KITCHEN, CELLAR = ((ex.s, ex["in"], room) for room in (ex.kitchen, ex.cellar))
HIGH = (ex.s, ex.reads, ex.high)


def told(engine: Engine) -> list[tuple[str, object, str, str]]:
    return [
        (change.op, change.at, str(change.triple[0])[7:], str(change.triple[1])[7:])
        for change in engine.changes()
        if change.triple is not None
    ]


def test_a_sensor_is_moved_from_one_room_to_another() -> None:
    engine = Engine.from_text(RULES)
    engine.add_static([KITCHEN])
    engine.add([HIGH], at=1)
    engine.advance(4)
    assert engine.remove_static([KITCHEN]) == 1
    engine.add_static([CELLAR])
    engine.finish(None)
    assert told(engine) == [
        *(("+", 1, "kitchen", "is"), ("-", 5, "kitchen", "is")),
        *(("+", 5, "cellar", "is"), ("-", 11, "cellar", "is")),
    ]
    assert engine.counters.static == 2


def test_operators_look_back_on_static_data_as_they_were() -> None:
    engine = Engine.from_text(HELD)
    engine.add_static([KITCHEN])
    engine.advance(9)
    engine.remove_static([KITCHEN])
    engine.add_static([CELLAR])
    engine.advance(30)
    assert told(engine) == [
        *(("+", None, "kitchen", "had"), ("+", None, "kitchen", "keeps")),
        *(("-", 10, "kitchen", "keeps"), ("+", 10, "cellar", "had")),
        *(("-", 14, "kitchen", "had"), ("+", 14, "cellar", "keeps")),
    ]


def test_before_time_has_begun_what_was_removed_never_held() -> None:
    engine = Engine.from_text(RULES.replace("ex:reads -> ex:high", "ex:in -> ?r"))
    engine.add_static([KITCHEN, CELLAR])
    assert engine.remove_static([KITCHEN]) == 1
    engine.add_static([(ex.t, ex["in"], ex.attic)])
    engine.add([HIGH], at=1)
    engine.finish()
    assert told(engine) == [("+", None, "cellar", "is"), ("+", None, "attic", "is")]


def test_what_elements_assert_stays() -> None:
    engine = Engine.from_text(RULES)
    engine.add_static([KITCHEN])
    engine.add([HIGH, KITCHEN], at=1)
    engine.remove_static([KITCHEN])
    engine.finish(None)
    assert told(engine) == [("+", 1, "kitchen", "is"), ("-", 11, "kitchen", "is")]


def test_what_was_no_static_triple_has_no_effect() -> None:
    engine = Engine.from_text(RULES)
    engine.add_static([KITCHEN])
    engine.add([HIGH, CELLAR], at=1)
    assert engine.remove_static([CELLAR]) == 0
    assert engine.remove_static([KITCHEN, KITCHEN, CELLAR]) == 1
    assert engine.remove_static([KITCHEN]) == 0
    assert engine.counters.without_effect == 2


def test_static_data_change_after_loading(tmp_path: Path) -> None:
    engine = Engine.from_text(RULES)
    engine.add_static([KITCHEN])
    engine.add([HIGH], at=1)
    engine.add_static([CELLAR])
    engine.save(tmp_path / "engine.r4")
    engine = Engine.load(tmp_path / "engine.r4", RULES)
    engine.advance(3)
    assert engine.remove_static([KITCHEN, CELLAR]) == 2
    engine.finish(None)
    assert [each[:2] for each in told(engine)] == [("+", 1), ("+", 1), ("-", 4), ("-", 4)]


def test_classes_of_a_regime_change() -> None:
    gale, wind = (ex.Gale, RDFS.subClassOf, ex.Wind), (ex.Storm, RDFS.subClassOf, ex.Gale)
    engine = Engine.from_text(WIND, entailment="rdfs", window="100 ms")
    engine.add_static([gale, wind])
    engine.add([(ex.x, RDF.type, ex.Storm)], at=1)
    engine.advance(4)
    assert engine.remove_static([gale]) == 1
    engine.advance(6)
    engine.add_static([gale])
    engine.finish(None)
    assert [each[:2] for each in told(engine)] == [("+", 1), ("-", 5), ("+", 7), ("-", 101)]


def test_equality_of_static_data_cannot_end() -> None:
    same = (ex.evening, OWL.sameAs, ex.morning)
    engine = Engine.from_text(WIND, entailment="owl-rl")
    engine.add_static([same, (ex.evening, RDF.type, ex.Star)])
    engine.add([HIGH], at=1)
    for triple in (same, (ex.morning, RDF.type, ex.Star)):
        with pytest.raises(PermanentEquality, match="R4602 <urn:ex:"):
            engine.remove_static([triple])
    engine.add_static([(ex.evening, RDF.type, ex.Wind)])
    engine.finish()
    assert {each[2] for each in told(engine)} == {"evening", "morning"}


def test_with_hypotheses_static_data_do_not_change() -> None:
    engine = Engine.from_text(RULES, hypotheses=True)
    engine.add_static([KITCHEN])
    with pytest.raises(ValueError, match="other static data"):
        engine.remove_static([KITCHEN])
    engine.add([HIGH], at=1)
    with pytest.raises(ValueError, match="once time has begun"):
        engine.add_static([CELLAR])


def test_after_the_end_static_data_do_not_change() -> None:
    engine = Engine.from_text(RULES)
    engine.finish()
    for call in (engine.add_static, engine.remove_static):
        with pytest.raises(ValueError, match="ended"):
            call([KITCHEN])


def test_a_journal_explains_what_static_data_led_to() -> None:
    engine = Engine.from_text(RULES, journal=100)
    engine.add_static([KITCHEN])
    engine.add([HIGH], at=1)
    engine.advance(2)
    engine.add_static([CELLAR])
    engine.advance(5)
    assert "ex:cellar]  asserted from 3 on" in str(
        engine.explain((ex.cellar, ex["is"], ex.hot), at=4)
    )
    assert "not hold" in str(engine.explain((ex.cellar, ex["is"], ex.hot), at=2))
    engine.remove_static([CELLAR])
    engine.advance(9)
    assert "not hold" in str(engine.explain((ex.cellar, ex["is"], ex.hot), at=7))
    assert "ex:kitchen]  static data" in str(engine.explain((ex.kitchen, ex["is"], ex.hot), at=7))


def test_a_journal_of_static_data_that_were_added_is_saved(tmp_path: Path) -> None:
    engine = Engine.from_text(RULES, journal=100)
    engine.add([HIGH], at=1)
    engine.advance(2)
    engine.add_static([CELLAR])
    engine.advance(5)
    engine.save(tmp_path / "engine.r4")
    engine = Engine.load(tmp_path / "engine.r4", RULES)
    assert "ex:cellar]  asserted from 3 on" in str(
        engine.explain((ex.cellar, ex["is"], ex.hot), at=4)
    )


@pytest.mark.slow
def test_memory_stays_flat_while_static_data_are_replaced() -> None:
    engine = Engine.from_text(RULES)
    engine.add([HIGH], at=0)
    sizes = []
    for number in range(12_000):
        room = [(ex.s, ex["in"], ex[f"room{number}"])]
        engine.add_static(room)
        engine.advance(number)
        assert engine.remove_static(room) == 1
        for _ in engine.changes():
            pass
        if number % 3000 == 2999:
            sizes.append(len(engine._run.core.terms))
    assert sizes[-1] < sizes[0] + 3_000


def test_static_data_that_are_added_leave_the_journal_its_terms() -> None:
    with tiny_stores():
        engine = Engine.from_text(RULES, journal=100)
        engine.add([(ex.z, ex["in"], ex.attic), (ex.z, ex.reads, ex.high)], at=1, until=2)
        engine.advance(40)
        list(engine.changes())
        for number in range(5):
            engine.add_static([(ex[f"s{number}"], ex["in"], ex[f"room{number}"])])
        assert "ex:z[ex:in -> ex:attic" in str(engine.explain((ex.attic, ex["is"], ex.hot), at=1))
