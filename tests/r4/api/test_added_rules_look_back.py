"""Rules that join an engine look back: on what ended before they joined, too."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from rdflib import Namespace

from r4.api import Engine
from rif.errors.report import RuleErrors

EX = Namespace("http://e/")
HEAD = "Document( Prefix(ex <http://e/>)"
P = "?x[ex:p -> ex:y]"
NOTHING = "Forall ?x (?x[ex:z -> ex:y] :- ?x[ex:none -> ex:y])"


def rule(body: str, head: str = "?x[ex:h -> ex:y]") -> str:
    return f"Forall ?x ({head} :- {body})"


def document(*rules: str, window: str = "") -> str:
    return f"{HEAD} {window} Group({' '.join(rules)}))"


def changes(engine: Engine) -> list[tuple[str, object, str]]:
    return [(c.op, c.at, str(c.triple[1])[-1]) for c in engine.changes() if c.triple]


def running(*rules: str, start: int, end: int | None, window: str = "", **options) -> Engine:
    engine = Engine.from_text(document(*rules, window=window), keep=True, **options)
    engine.add([(EX.a, EX.p, EX.y)], at=start, until=end)
    engine.advance(3)
    return engine


def told(engine: Engine, joins: str) -> list[tuple[str, object, str]]:
    engine.add_rules(document(joins))
    engine.finish(None)
    return changes(engine)


@pytest.mark.parametrize(
    ("body", "start", "end", "expected"),
    [
        (f"DiamondMinus [3 ms, 3 ms] ({P})", 1, 6, [("+", 4, "h"), ("-", 9, "h")]),
        (f"BoxMinus [0 ms, 2 ms] ({P})", 1, 6, [("+", 4, "h"), ("-", 6, "h")]),
        (f"DiamondMinus [0 ms, 3 ms] ({P})", 1, 2, [("+", 4, "h"), ("-", 5, "h")]),
        (f"DiamondMinus [0 ms, 2 ms] ({P})", 1, 2, []),
        (f"Since [0 ms, inf) ({P} {P})", 1, 6, [("+", 4, "h"), ("-", 7, "h")]),
        (
            f"And(DiamondMinus [1 ms, inf) ({P}) Naf(DiamondMinus [2 ms, 2 ms] ({P})))",
            2,
            6,
            [("+", 8, "h")],
        ),
    ],
)
def test_a_rule_that_joins_looks_back_on_what_was_there_before(body, start, end, expected) -> None:
    assert told(running(NOTHING, start=start, end=end), rule(body)) == expected


def test_so_it_does_over_windows() -> None:
    engine = running(NOTHING, start=1, end=None, window="Window(2)")
    assert told(engine, rule(f"DiamondMinus [2 ms, 2 ms] ({P})")) == [("+", 4, "h"), ("-", 5, "h")]


def test_rules_that_ran_look_back_on_what_a_rule_that_joins_derives() -> None:
    engine = running(
        rule("DiamondMinus [0 ms, 3 ms] (?x[ex:h -> ex:y])", "?x[ex:k -> ex:y]"), start=1, end=2
    )
    assert told(engine, rule(P)) == [("+", 4, "k"), ("-", 5, "k")]


def test_a_rule_that_joins_looks_back_on_what_others_derived_that_joined() -> None:
    engine = running(NOTHING, start=1, end=2)
    engine.add_rules(document(rule(P)))
    later = rule("DiamondMinus [0 ms, 3 ms] (?x[ex:h -> ex:y])", "?x[ex:k -> ex:y]")
    assert told(engine, later) == [("+", 4, "k"), ("-", 5, "k")]


def test_facts_that_join_hold_from_the_first() -> None:
    engine = running(NOTHING, start=1, end=2)
    engine.add_rules(document("ex:b[ex:p -> ex:y]"))
    engine.add_rules(document(rule(f"BoxMinus [0 ms, 9 ms] ({P})")))
    engine.advance(4)
    assert changes(engine) == [("+", 4, "h")]


def test_a_rule_that_ran_loses_what_a_rule_that_joins_denies() -> None:
    engine = running(
        rule(f"And({P} Naf(DiamondMinus [0 ms, 3 ms] (?x[ex:h -> ex:y])))", "?x[ex:k -> ex:y]"),
        start=1,
        end=9,
    )
    assert changes(engine) == [("+", 1, "k")]
    assert told(engine, rule("?x[ex:p -> ex:y]")) == [("-", 4, "k"), ("+", 4, "h"), ("-", 9, "h")]


def test_what_lies_before_stays_as_it_was_said() -> None:
    engine = running(rule(P), start=1, end=9)
    joins = rule(f"DiamondMinus [1 ms, 1 ms] ({P})", "?x[ex:h -> ex:y]")
    assert changes(engine) == [("+", 1, "h")]
    assert told(engine, joins) == [("-", 10, "h")]


def test_an_engine_that_is_loaded_has_what_ended_for_rules_that_join(tmp_path: Path) -> None:
    first = document(NOTHING)
    running(NOTHING, start=1, end=2, lookback=5).save(tmp_path / "engine.r4")
    engine = Engine.load(tmp_path / "engine.r4", first)
    joins = rule(f"DiamondMinus [0 ms, 3 ms] ({P})")
    engine.add_rules(document(joins))
    engine.save(tmp_path / "engine.r4")
    engine = Engine.load(tmp_path / "engine.r4", first, added=[document(joins)])
    with pytest.raises(RuleErrors, match="R4114"):
        engine.add_rules(document(rule(f"DiamondMinus [0 ms, 6 ms] ({P})")))
    engine.finish(None)
    assert changes(engine) == [("+", 4, "h"), ("-", 5, "h")]


def test_what_ended_is_kept_for_the_lookback_and_rules_that_look_further_are_refused() -> None:
    engine = Engine.from_text(document(NOTHING, window="Window(1)"), keep=True, lookback=10)
    base = engine._run.core.layers.base_table
    assert base is not None
    for at in range(5000):
        engine.add([(EX[f"a{at}"], EX.p, EX.y)], at=at)
    assert sum(len(rows) for _, rows in base.content()) < 50
    with pytest.raises(RuleErrors, match="look back 11 ticks; facts are kept for 10"):
        engine.add_rules(document(rule(f"DiamondMinus [0 ms, 11 ms] ({P})")))
    with pytest.raises(RuleErrors, match="without end"):
        engine.add_rules(document(rule("DiamondMinus [1 ms, 1 ms] (?x[ex:h -> ex:y])")))
    engine.add_rules(document(rule(f"DiamondMinus [9 ms, 10 ms] ({P})")))
    engine.advance(4999)
    assert [at for _, at, _ in changes(engine)][:2] == [4999, 4999]


def test_as_far_as_other_rules_look_back_all_facts_are_kept_for_rules_that_join() -> None:
    back = rule("DiamondMinus [0 ms, 9 ms] (?x[ex:none -> ex:y])", "?x[ex:k -> ex:y]")
    engine = running(back, start=1, end=2, lookback=0)
    engine.add([(EX.b, EX.p, EX.y)], at=4, until=5)  # what ended may be dropped by this
    assert told(engine, rule(f"DiamondMinus [0 ms, 3 ms] ({P})")) == [
        ("+", 4, "h"),
        ("+", 4, "h"),
        ("-", 5, "h"),
        ("-", 8, "h"),
    ]


def test_a_lookback_is_for_engines_that_keep() -> None:
    with pytest.raises(ValueError, match="keep=True"):
        Engine.from_text(document(NOTHING), lookback=10)


def test_facts_are_derived_once_the_rules_that_derived_for_ever_have_left() -> None:
    engine = Engine.from_text(document(rule("DiamondMinus [1 ms, 1 ms] (?x[ex:h -> ex:y])")))
    assert engine.drop_rules(1) == 1
    engine.add_rules(document(rule(P, "?x[ex:k -> ex:y]")))
    engine.add([(EX.a, EX.p, EX.y)], at=3)
    engine.finish(None)
    assert changes(engine)[0] == ("+", 3, "k")


@pytest.mark.parametrize("order", ["time", "arrival"])
def test_operators_do_not_see_what_a_dropped_rule_derived_before(
    order: Literal["time", "arrival"],
) -> None:
    """From the frontier on it is as if the rule had never been there; without the drop k holds."""
    rules = """Document( Prefix(ex <urn:ex:>) Window(3) Group(
      Forall ?y ( ?y[ex:h -> ?y] :- ?y[ex:q -> ?y] )
      Forall ?y ( ?y[ex:k -> ?y] :- And( BoxMinus (0, 1] ( ?y[ex:h -> ?y] ) ?y[ex:q -> ?y] ) ) ))"""
    told = {}
    for drops in (False, True):
        engine = Engine.from_text(rules, order=order, keep=True)
        engine.add("ex:b ex:q ex:b .", at=6, until=9)
        engine.add("ex:z ex:q ex:y .", at=7)
        if drops:
            engine.drop_rules(1)
        engine.add("ex:z ex:q ex:y .", at=9)
        engine.finish(drain=None)
        found = [each for each in engine.changes() if each.triple]
        names = [str(each.triple[1]) for each in found if each.triple]
        told[drops] = [
            (each.op, each.at, each.undone)
            for each, name in zip(found, names, strict=True)
            if name == "urn:ex:k"
        ]
    assert told[False][0] == ("+", 7, False)
    # By the order of arrival it was told before the rule was dropped, and is undone then.
    begun = ("+", 7, False), ("+", 7, True)
    assert told[True] == ([] if order == "time" else list(begun))
