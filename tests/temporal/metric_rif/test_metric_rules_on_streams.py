"""Metric rules on streams: when elements hold, when answers are final."""

from __future__ import annotations

import json

import pytest

from r4 import Change, Engine
from r4.run import driver
from rete.inference.errors import LimitReached
from tests.temporal.metric_rif.metric_documents import (
    EX,
    P,
    document,
    element,
    rule,
    spells,
    stream,
)

# When facts hold.


def test_without_a_window_an_element_holds_at_its_instant_alone(run) -> None:
    rules = document(rule(f"And({P} DiamondMinus [0, 9] ({P}))"))
    printed = run(rules, stream(1, 5), "--quiet")
    assert spells(printed) == [(1, 2)]
    assert printed.err == ""


def test_with_a_window_operators_see_what_it_keeps(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"), window="Window(3)")
    assert spells(run(rules, stream(1, 4), "--drain")) == [(3, 7)]


def test_a_window_of_the_command_line_counts_too(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"))
    assert spells(run(rules, stream(1, 4), "--drain")) == []
    assert spells(run(rules, stream(1, 4), "--drain", "--window", "3")) == [(3, 7)]


def test_an_element_with_an_end_holds_up_to_it(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"))
    assert spells(run(rules, element(1, 1, end=6), "--drain")) == [(3, 6)]


def test_static_data_hold_always(run, tmp_path) -> None:
    static = tmp_path / "static.nt"
    static.write_text("<http://e/a> <http://e/q> <http://e/y> .\n")
    rules = document(rule(f"And(DiamondMinus [1, 1] ({P}) BoxMinus [0, inf) (?x[ex:q -> ex:y]))"))
    assert spells(run(rules, stream(1), "--drain", "--static", str(static))) == [(2, 3)]


def test_operators_see_what_the_rules_of_a_regime_derive(run, tmp_path) -> None:
    static = tmp_path / "ontology.nt"
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    static.write_text(f"<http://e/Hot> {sub} <http://e/Warm> .\n")
    rules = document(rule("DiamondMinus [1, 2] (?x # ex:Warm)"))
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    data = element(1, 5).replace("<http://e/p>", kind).replace("<http://e/y>", "<http://e/Hot>")
    regime = ("--static", str(static), "--entailment", "rdfs", "--drain")
    assert spells(run(rules, data, *regime)) == [(6, 8)]
    assert spells(run(rules, data, "--drain")) == []
    assert (6, 8) in spells(run(rules, data, *regime, "--include-background"))
    assert (6, 8) in spells(run(rules, data, *regime, "--include-input"))


# Ticks.


def test_answers_begin_and_end_at_ticks_and_touching_runs_are_one(run) -> None:
    open_range = document(rule(f"DiamondMinus (1, 3) ({P})"))
    assert spells(run(open_range, stream(1), "--drain")) == [(3, 4)]
    points = document(rule(f"DiamondMinus [1, 1] ({P})"))
    assert spells(run(points, stream(1, 2, 3, 6), "--drain")) == [(2, 5), (7, 8)]


def test_what_holds_only_between_ticks_is_no_answer(run) -> None:
    rules = document(rule(f"DiamondMinus (0, 1) ({P})"))
    assert spells(run(rules, stream(1), "--drain")) == []
    both = document(rule(f"DiamondMinus (0, 1) (DiamondMinus (0, 1) ({P}))"))
    assert spells(run(both, stream(1), "--drain")) == [(2, 3)]


# Looking ahead.


def test_what_looks_ahead_is_told_once_time_has_passed_that() -> None:
    engine = Engine.from_text(document(rule(f"DiamondPlus [2, 2] ({P})")))
    engine.add([(EX.a, EX.p, EX.y)], at=10)
    assert list(engine.changes()) == []
    engine.advance(10)
    assert [(one.op, one.at) for one in engine.changes()] == [("+", 8)]
    engine.advance(11)
    assert [(one.op, one.at) for one in engine.changes()] == [("-", 9)]


def test_what_comes_within_the_delay_is_seen_ahead(run) -> None:
    rules = document(rule(f"And({P} BoxPlus [0, 2] ({P}))"))
    data = stream(5, 6, 7) + element(9, 6, "b p y") + stream(8)
    in_order = document(rule(f"DiamondPlus [1, 2] ({P})"))
    assert spells(run(rules, data, "--delay", "2", "--drain")) == []
    assert spells(run(in_order, data, "--delay", "2", "--drain")) == [(4, 6), (3, 8)]


# Deriving for ever.


def test_a_rule_that_derives_for_ever_tells_what_is_due(run) -> None:
    rules = document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [3, 3] (?x[ex:t -> ex:y])"))
    assert spells(run(rules, stream(0) + element(7, 10, "a q y"))) == [
        (0, 1),
        (3, 4),
        (6, 7),
        (9, 10),
    ]
    assert spells(run(rules, stream(0), "--drain=5")) == [(0, 1), (3, 4)]


def test_draining_a_rule_that_derives_for_ever_reaches_the_limit(run) -> None:
    rules = document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [3, 3] (?x[ex:t -> ex:y])"))
    printed = run(rules, stream(0), "--drain", "--limit", "200")
    assert printed.code == 5
    assert "more than 200 facts" in printed.err


def test_what_static_data_say_for_ever_is_told_without_any_stamp(run, tmp_path) -> None:
    static = tmp_path / "static.nt"
    static.write_text(f"<{EX.a}> <{EX.p}> <{EX.y}> .\n", "utf-8")
    rules = document(rule(P), rule("DiamondMinus [1, 1] (?x[ex:t -> ex:y])"))
    printed = run(rules, "", "--static", str(static))
    assert printed.code == 0
    assert [json.loads(line)["at"] for line in printed.lines()] == [None]


# An engine that stops, and rules that join.


def fed(engine: Engine, first: int, last: int) -> list[tuple[object, ...]]:
    found: list[Change] = []
    for number in range(first, last):
        engine.add([(EX.a, EX.p if number % 3 else EX.q, EX.y)], at=2 * number)
        found += engine.changes()
    return [(one.op, one.at, one.triple, one.rule) for one in found]


@pytest.mark.parametrize(
    "rules",
    [
        document(
            rule(f"And({P} DiamondMinus [1, 3] ({P}))"),
            rule(f"DiamondPlus [2, 2] ({P})", "?x[ex:u -> ex:y]"),
            rule(f"Since [1, 4] (?x[ex:q -> ex:y] {P})"),
        ),
        document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [2, 2] (?x[ex:t -> ex:y])")),
    ],
    ids=["ahead", "for ever"],
)
def test_an_engine_that_is_saved_and_loaded_tells_the_same(rules, tmp_path) -> None:
    whole = Engine.from_text(rules)
    expected = fed(whole, 0, 10)
    assert len(expected) > 10
    first = Engine.from_text(rules)
    found = fed(first, 0, 5)
    first.save(tmp_path / "engine.r4")
    assert found + fed(Engine.load(tmp_path / "engine.r4", rules), 5, 10) == expected


def test_what_holds_for_ever_beside_is_not_taken_back_step_by_step() -> None:
    engine = Engine.from_text(
        "Document(Prefix(ex <http://e/>) Group("
        "Forall ?x (?x[ex:t -> ex:y] :- ?x[ex:s -> ex:y])"
        "Forall ?x (?x[ex:t -> ex:y] :- ?x[ex:q -> ex:y])"
        "Forall ?x (BoxPlus [3, 3] (?x[ex:t -> ex:y]) :- ?x[ex:t -> ex:y])))"
    )
    engine.add_static([(EX["a"], EX["s"], EX["y"])])
    engine.add([(EX["a"], EX["q"], EX["y"])], at=1, until=9, name="urn:g")
    engine.add([(EX["b"], EX["p"], EX["y"])], at=4)
    engine.retract(name="urn:g")
    engine.advance(9)
    assert [(change.op, change.at) for change in engine.changes()] == [("+", None)]


def test_metric_rules_may_join_rules_without() -> None:
    engine = Engine.from_text(document(rule(P), window="Window(1)"))
    first = fed(engine, 1, 3)
    assert [(op, at) for op, at, *_ in first] == [("+", 2), ("-", 3)]
    engine.add_rules(document(rule(f"DiamondMinus [1, 3] ({P})")))
    told = [(op, at, name) for op, at, _, name in fed(engine, 5, 9)]
    assert told == [("+", 4, 1), ("-", 5, 1), ("+", 10, 1)]


ENDLESS = "Forall ?x (BoxPlus [1, 1] (?x[ex:h -> ex:y]) :- Or(?x[ex:q -> ex:y] ?x[ex:h -> ex:y]))"


@pytest.mark.parametrize("joins", [False, True])
def test_rules_that_derive_for_ever_reach_a_limit_if_all_is_asked_for(
    joins, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(driver, "MOST", 500)
    rules = (document(rule(P)), document(ENDLESS))
    engine = Engine.from_text(rules[0] if joins else rules[1], keep=True)
    engine.add([(EX["a"], EX["q"], EX["y"])], at=1, until=2)
    engine.advance(3)
    if joins:
        engine.add_rules(rules[1])
    engine.save(tmp_path / "engine.r4")
    loaded = Engine.load(tmp_path / "engine.r4", rules[not joins], added=rules[1:] * joins)
    for each in (engine, loaded):
        with pytest.raises(LimitReached):
            each.finish(drain=None)
    again = Engine.load(tmp_path / "engine.r4", rules[not joins], added=rules[1:] * joins)
    again.finish(drain=3)
    assert [(c.op, c.at) for c in again.changes()] == [("+", 4 if joins else 2)]
