"""Times of facts that elements assert and rules derive at once, through an engine."""

from __future__ import annotations

from typing import NoReturn

import pytest

from r4 import Engine
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from tests.simulation.core_run import tiny_stores

COUNTS = """Document( Prefix(ex <urn:ex:>) Group( Forall ?s ?m ?v (
  ?s[ex:t -> ?m] :- And( ?s[ex:q -> ?v]
    ?m = count{ ?w [?s] | DiamondMinus [1, 4] ( At ?t ( ?s[ex:t -> ?w] ) ) } ) ) ) )"""


def test_a_time_that_is_derived_no_longer_may_still_be_asserted() -> None:
    """3 is derived from 3 to 4, and asserted from 3 to 6: its time 3 counts until 10."""
    engine = Engine.from_text(COUNTS)
    engine.add_static("<urn:ex:b> <urn:ex:q> 1 .")
    engine.heartbeat(0)
    engine.add("<urn:ex:b> <urn:ex:t> 3 .", at=3, until=6)
    engine.heartbeat(9)
    engine.finish()
    told = [(each.op, each.at, str(each.triple and each.triple[2])) for each in engine.changes()]
    assert told[-3:] == [("+", 4, "4"), ("-", 6, "4"), ("+", 6, "3")]


LONG = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?s ?v ( ?s[ex:u -> ?v] :- ?s[ex:p -> ?v] )
  Forall ?s ?v ?t ( ex:since(?s ?t) :- DiamondMinus [0, 1] ( At ?t ( ?s[ex:u -> ?v] ) ) )
  Forall ?s ?v ?f ?t ( ex:from(?s ?f) :- Ended ?f ?t ( ?s[ex:u -> ?v] ) ) ) )"""


ALL_AT_ONCE = """Document( Prefix(ex <urn:ex:>) Window(3) Group(
  Forall ?s ?v ( ?s[ex:u -> ?v] :- ?s[ex:p -> ?v] ) ) )"""


def test_a_run_of_instants_is_remembered_from_its_begin() -> None:
    """It holds at each of 99 ticks; what it held at long ago is forgotten."""
    with tiny_stores():
        engine = Engine.from_text(LONG)
        for tick in range(99):
            engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=tick)
        engine.finish(5)
        told = [(each.op, each.at, each.atom) for each in engine.changes() if each.atom]
    atom = '<urn:ex:{}>(<urn:ex:a> "0"^^<http://www.w3.org/2001/XMLSchema#integer>)'
    assert [(op, at) for op, at, _ in told] == [("+", 0), ("+", 99), ("-", 100), ("-", 100)]
    assert {text for _, _, text in told} == {atom.format("since"), atom.format("from")}


STATIC_ENDS = """Document( Prefix(ex <urn:ex:>) Group( Forall ?m ?s ?v (
  ?s[ex:t -> ?m] :- And( ?s[ex:p -> ?v]
    ?m = count{ ?w [?s] | DiamondMinus [2, 3] ( ?s[ex:t -> ?w] ) } ) ) ) )"""


def test_the_first_stamp_may_fall_after_static_data_have_changed() -> None:
    engine = Engine.from_text(STATIC_ENDS, delay=3)
    engine.add_static("<urn:ex:b> <urn:ex:p> 1 .")
    engine.add("<urn:ex:b> <urn:ex:other> 1 .", at=0)
    engine.remove_static("<urn:ex:x> <urn:ex:p> 1 .")
    engine.advance(-2)
    engine.finish()
    assert [each.at for each in engine.changes()] == [-2, 0, 0]


def test_a_group_that_an_equation_names_is_joined_by_term() -> None:
    """The rest of the body gives the group "01", which has no members; "1" is another one."""
    engine = Engine.from_text(
        """Document( Prefix(ex <urn:ex:>) Group( Forall ?m ?s ?x ?y ( ?y[ex:u -> ?m] :- And(
          ?m = first{ ?v ?v [?s] | ?s[ex:t -> ?v] } ?y[ex:p -> ?x] ?s = ?x ) )
          Forall ?x ?n ( ?n[ex:t -> 5] :- And( ?x[ex:q -> ?n] ) ) ) )"""
    )
    number = "http://www.w3.org/2001/XMLSchema#integer"
    engine.add(f'<urn:ex:a> <urn:ex:p> "01"^^<{number}>; <urn:ex:q> "1"^^<{number}> .', at=1)
    engine.finish()
    assert [str(each.triple and each.triple[1]) for each in engine.changes()] == ["urn:ex:t"]


def test_marks_before_the_first_stamp_are_earlier_answers() -> None:
    engine = Engine.from_text(
        """Document( Prefix(ex <urn:ex:>) Group(
          Forall ?s ( ?s[ex:u -> 1] :- And( Every 100 ?s[ex:p -> 1] ) )
          Forall ?s ( ?s[ex:u -> 2] :- And( ?s[ex:p -> 1]
            Naf( DiamondMinus [2, 6] ( Exists ?w ( ?s[ex:u -> ?w] ) ) ) ) ) ) )"""
    )
    engine.add_static("<urn:ex:a> <urn:ex:p> 1 .")
    engine.heartbeat(206)
    engine.finish()
    assert list(engine.changes()) == []


def test_a_rule_that_is_dropped_leaves_the_ends_that_another_one_reads() -> None:
    rule = "Forall ?f ?s ?u ?v ( ?s[ex:{} -> ?v] :- Ended ?f ?u ( ?s[ex:q -> ?v] ) )"
    rules = " ".join(map(rule.format, "tu"))
    engine = Engine.from_text(f"Document( Prefix(ex <urn:ex:>) Window(3) Group( {rules} ) )")
    engine.drop_rules(1)
    engine.add("<urn:ex:a> <urn:ex:q> 1 .", at=19)
    engine.heartbeat(25)
    engine.finish()
    assert [each.at for each in engine.changes()] == [22, 23]


EARLIER = """Document( Prefix(ex <urn:ex:>) Window(2) Group(
  Forall ?s ?v ( ?s[ex:u -> ?v] :- And( ?s[ex:t -> ?v]
    Naf( DiamondMinus [2, 4] ( Exists ?w ( ?s[ex:u -> ?w] ) ) ) ) )
  Forall ?m ?s ?v ( ?s[ex:u -> ?m] :- And( ?s[ex:q -> ?v]
    count{ ?w [?s] | DiamondMinus [2, 3] ( ?s[ex:u -> ?w] ) } = ?m ) ) ) )"""


@pytest.mark.parametrize("keep", [False, True])
def test_what_a_dropped_rule_had_derived_is_not_looked_back_on(keep: bool) -> None:
    """The first rule went on to see what the second one had derived at 7, and had forgotten."""
    engine = Engine.from_text(EARLIER, keep=keep)
    engine.add("", at=6)
    engine.add_static("<urn:ex:b> <urn:ex:q> 1 .")
    engine.add("<urn:ex:b> <urn:ex:t> 5 .", at=10)
    engine.add("", at=11)
    list(engine.changes())
    engine.drop_rules(2)
    engine.finish()
    told = [(each.op, each.rule, str(each.triple and each.triple[2])) for each in engine.changes()]
    assert told == [("-", 2, "2"), ("+", 1, "5")]


class _Unread(dict[Plan, Stream]):
    """A mapping that is not gone through."""

    def _refuse(self, *_: object) -> NoReturn:
        message = "all nodes are looked at"
        raise AssertionError(message)

    __iter__ = items = values = keys = _refuse


@pytest.mark.parametrize("rule", [LONG, ALL_AT_ONCE])
def test_time_looks_at_no_node_that_it_does_not_move(rule: str) -> None:
    """An event under 2,000 rules took eight times as long as all nodes were looked at for it."""
    engine = Engine.from_text(rule)
    for at in (0, 1):  # the first element lets time begin, the second one finds who takes it in
        engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=at)
    assert bool(engine.network.timed) == (rule == LONG)
    engine.network.streams = _Unread(engine.network.streams)
    engine.add("<urn:ex:a> <urn:ex:p> 2 .", at=2)
    engine.heartbeat(4)


LEAST = """Document( Prefix(ex <urn:ex:>) Group( Forall ?m ?s ?v (
  ?s[ex:t -> ?m] :- ?m = min{ ?v [?s] | ?s[ex:q -> ?v] } ) ) )"""


def test_a_member_may_be_lost_and_forgotten_before_its_time_comes() -> None:
    with tiny_stores():
        engine = Engine.from_text(LEAST, delay=4)
        engine.add("<urn:ex:b> <urn:ex:q> 2.5 .", at=4, name="urn:e:1")
        engine.add("<urn:ex:b> <urn:ex:q> 3.5 .", at=5)
        engine.retract(name="urn:e:1", at=6)
        for at in range(7, 12):
            engine.add("<urn:ex:a> <urn:ex:q> 1 .", at=at)
        engine.finish()
        told = [
            (each.at, each.op, str(each.triple and each.triple[2])) for each in engine.changes()
        ]
    assert told == [(5, "+", "3.5"), (7, "+", "1")]


SHARED_TIMES = """Document( Prefix(ex <urn:ex:>) Window(5) Group(
  Forall ?m ?s ?v ( ?s[ex:t -> ?m] :- And( ?s[ex:p -> ?v]
    ?m = count{ ?w [?s] | DiamondMinus [2, 6] ( At ?t ( ?s[ex:t -> ?w] ) ) } ) )
  Forall ?a ?s ?w ( ex:flag(?s ?a) :- DiamondMinus [1, 3) ( At ?a ( ?s[ex:t -> ?w] ) ) ) ) )"""


def test_a_dropped_rule_leaves_the_times_that_another_one_asks_for() -> None:
    """Both rules make the times of ex:t; those of long ago could not be derived again."""
    values = []
    for dropped in (False, True):
        with tiny_stores():
            engine = Engine.from_text(SHARED_TIMES, order="arrival")
            engine.add("", at=-6)
            engine.add_static("<urn:ex:a> <urn:ex:p> 2 .")
            list(engine.changes())
            engine.add("<urn:ex:b> <urn:ex:p> 2 .", at=3)
            list(engine.changes())
            if dropped:
                engine.drop_rules(2)
            engine.finish(3)
            told = [each for each in engine.changes() if each.triple and each.rule == 1]
        values.append([(each.op, each.at, str(each.triple and each.triple[2])) for each in told])
    assert values[0] == values[1]
