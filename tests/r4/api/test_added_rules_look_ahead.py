"""Rules that join or leave where rules look ahead: what lies before is answered as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Namespace

from r4.api import Engine
from r4.checkpoint import errors

EX = Namespace("http://e/")
HEAD = "Document( Prefix(ex <http://e/>)"
P = "?x[ex:p -> ex:y]"
Told = list[tuple[str, object, str]]


def rule(body: str, head: str = "h") -> str:
    return f"Forall ?x (?x[ex:{head} -> ex:y] :- {body})"


def document(*rules: str) -> str:
    return f"{HEAD} Group({' '.join(rules)}))"


AHEAD = rule(f"DiamondPlus [0 ms, 5 ms] ({P})")
FARTHER = rule(f"DiamondPlus [0 ms, 9 ms] ({P})", "k")
BACK = rule(f"DiamondMinus [0 ms, 2 ms] ({P})", "b")


def running(*rules: str, **options: object) -> Engine:
    """An engine whose frontier is 3, before which nothing was asserted."""
    engine = Engine.from_text(document(*rules), **options)  # type: ignore[arg-type]
    engine.advance(2)
    return engine


def assert_p(engine: Engine, at: int) -> None:
    engine.add([(EX.a, EX.p, EX.y)], at=at)


def changes(engine: Engine) -> Told:
    return [(c.op, c.at, str(c.triple[1])[-1]) for c in engine.changes() if c.triple]


def told(engine: Engine) -> Told:
    """All changes, where something is asserted at 4."""
    assert_p(engine, 4)
    engine.finish(None)
    return changes(engine)


def test_a_rule_that_leaves_answers_for_all_instants_before() -> None:
    engine = running(AHEAD)
    assert engine.drop_rules(1) == 1
    assert told(engine) == [("+", -1, "h"), ("-", 3, "h")]


@pytest.mark.parametrize("keep", [False, True])
def test_so_do_facts_of_the_rules_that_leave(keep: bool) -> None:
    engine = running(AHEAD, "ex:b[ex:p -> ex:y]", keep=keep)
    engine.drop_rules(2)
    engine.advance(9)
    assert changes(engine) == [("+", None, "h"), ("-", 3, "h")]


def test_a_rule_that_joins_answers_for_no_instant_before() -> None:
    engine = running(AHEAD, keep=True)
    engine.add_rules(document(rule(f"DiamondPlus [1 ms, 4 ms] ({P})", "j")))
    assert told(engine) == [("+", -1, "h"), ("+", 3, "j"), ("-", 4, "j"), ("-", 5, "h")]


def test_a_rule_that_ran_looks_ahead_at_one_that_joins_from_there_on() -> None:
    engine = running(rule("DiamondPlus [0 ms, 5 ms] (?x[ex:j -> ex:y])"), keep=True)
    engine.add_rules(document(rule(P, "j")))
    assert told(engine) == [("+", 3, "h"), ("+", 4, "j"), ("-", 5, "h"), ("-", 5, "j")]


def test_a_rule_that_leaves_where_it_joined_answers_nothing() -> None:
    engine = running(AHEAD, keep=True)
    engine.add_rules(document("(* ex:joined *)" + rule(P, "j")))
    assert engine.drop_rules("http://e/joined") == 1
    assert told(engine) == [("+", -1, "h"), ("-", 5, "h")]


def test_rules_join_while_others_wait() -> None:
    engine = running(AHEAD, keep=True)
    engine.add_rules(document(FARTHER))
    engine.drop_rules(1)
    engine.advance(3)
    engine.add_rules(document(rule(P, "j")))
    assert told(engine) == [
        *(("+", -1, "h"), ("-", 3, "h"), ("+", 3, "k"), ("+", 4, "j")),
        *(("-", 5, "j"), ("-", 5, "k")),
    ]


def test_answers_come_sooner_once_no_rule_looks_ahead() -> None:
    engine = running(AHEAD, BACK)
    engine.drop_rules(1)
    engine.advance(9)
    assert_p(engine, 10)
    engine.advance(10)
    assert changes(engine) == [("+", 10, "b")]
    engine.retract([(EX.a, EX.p, EX.y)], at=11)
    engine.advance(11)
    assert changes(engine) == [("-", 11, "b")]


def test_a_retraction_counts_from_its_own_frontier_where_rules_wait() -> None:
    engine = running(AHEAD, FARTHER, BACK)
    engine.drop_rules(2)
    engine.add([(EX.a, EX.p, EX.y)], at=4, name="urn:e")
    engine.retract(name="urn:e", at=5)
    engine.finish(None)
    assert changes(engine) == [
        *(("+", -5, "k"), ("+", -1, "h"), ("-", 3, "k"), ("+", 4, "b")),
        *(("-", 5, "b"), ("-", 5, "h")),
    ]


def test_waiting_rules_are_saved_and_checked(tmp_path: Path) -> None:
    engine, path = running(AHEAD, keep=True), tmp_path / "engine.r4"
    joined = document(rule(P, "j"))
    engine.add_rules(joined)
    engine.drop_rules(1)
    engine.save(path)
    loaded = Engine.load(path, document(AHEAD), added=[joined])
    expected = [("+", -1, "h"), ("-", 3, "h"), ("+", 4, "j"), ("-", 5, "j")]
    assert [told(each) for each in (engine, loaded)] == [expected, expected]
    with pytest.raises(errors.OtherRules, match="of other rules"):
        Engine.load(path, document(AHEAD), added=[document(rule("?x[ex:q -> ex:y]", "j"))])


def test_rules_look_ahead_past_the_end_at_what_goes_on_for_ever() -> None:
    on = "Forall ?x (?x[ex:p -> ex:y] :- DiamondMinus [1 ms, 1 ms] (?x[ex:p -> ex:y]))"
    engine = running(on, rule(f"DiamondPlus [10 ms, 10 ms] ({P})"))
    assert_p(engine, 3)
    engine.advance(5)
    engine.finish("5 ms")
    assert changes(engine) == [("+", -7, "h"), ("+", 4, "p")]
