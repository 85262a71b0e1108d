"""Metric rules that are refused, also when they join others."""

from __future__ import annotations

import pytest

from r4 import Engine
from rif.errors.report import RuleErrors
from tests.temporal.metric_rif.metric_documents import P, document, rule, stream


def test_a_cycle_that_looks_ahead_is_refused_and_shown(run) -> None:
    rules = document(
        rule("DiamondPlus [0, 1] (?x[ex:u -> ex:y])"),
        rule("?x[ex:t -> ex:y]", "BoxMinus [0, 2] (?x[ex:u -> ex:y])"),
    )
    printed = run(rules, stream(1))
    assert printed.code == 3
    assert "R4109 rules look ahead in a cycle" in printed.err
    assert "rule 1 (1:40), which derives from rule 2" in printed.err
    assert "hint: " in printed.err


def test_a_range_to_infinity_ahead_is_refused(run) -> None:
    printed = run(document(rule(f"DiamondPlus [0, inf) ({P})")), stream(1))
    assert printed.code == 3
    assert "R4109 rule 1 (1:40) looks ahead to inf" in printed.err


def test_a_negation_before_a_cycle_that_derives_on_is_refused(run) -> None:
    cycle = rule(f"And({P} DiamondMinus [1, 1] (?x[ex:t -> ex:y]))")
    first = rule(f"And({P} Naf(?x[ex:q -> ex:y]))")
    printed = run(document(first, cycle), stream(1))
    assert printed.code == 3
    assert "R4110 rule 1 (1:40) negates, and feeds a cycle that derives on: rule 2" in printed.err
    behind = rule("And(?x[ex:t -> ex:y] Naf(?x[ex:q -> ex:y]))", "?x[ex:u -> ex:y]")
    assert run(document(rule(P), cycle, behind), stream(1)).code == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (f"DiamondMinus [0 us, 5 us] ({P})", "R4107"),
        (f"DiamondMinus [0 s, 0.0005 s] ({P})", "R4107"),
        (f"DiamondMinus [0 d, 99999999999999 d] ({P})", "MTL206"),
    ],
)
def test_a_range_that_is_no_whole_number_of_ticks_is_refused(body, code) -> None:
    with pytest.raises(RuleErrors) as caught:
        Engine.from_text(document(rule(body)))
    (fault,) = caught.value.errors
    assert fault.code == code
    assert fault.hint
    assert fault.span.column == 72
    if code == "R4107":
        Engine.from_text(document(rule(body)), tick="us")


@pytest.mark.parametrize(
    ("marks", "hint"),
    [
        ('Every 1 h zone "Europe/Berlin"', "write Every 1 h at ?t, without a zone"),
        ('Every 1.5 d zone "Europe/Berlin"', "write Every 1 d offset 8 h"),
        ('Every 1 d zone "Berlin"', "write Every 1 d offset 8 h"),
    ],
)
def test_full_hours_need_no_zone(marks, hint) -> None:
    with pytest.raises(RuleErrors) as caught:
        Engine.from_text(document(rule(f"And( {P} {marks} )")))
    (fault,) = caught.value.errors
    assert fault.code == "RIF216"
    assert fault.hint.startswith(hint)


def test_instances_have_no_metric_operators(run) -> None:
    rules = document(rule(f"DiamondMinus [0, 1] ({P})"))
    printed = run(rules, stream(1), "--semantics", "instances")
    assert printed.code == 3
    assert "R4108 DiamondMinus has no instances" in printed.err


LOOKS_AHEAD = rule("DiamondPlus [0, 1] (?x[ex:u -> ex:y])")

GOES_ROUND = rule("?x[ex:t -> ex:y]", "?x[ex:u -> ex:y]")

LOOKS_BACK = rule(f"And({P} DiamondMinus [1, 1] (?x[ex:t -> ex:y]))")

NEGATES = rule(f"And({P} Naf(?x[ex:q -> ex:y]))")


@pytest.mark.parametrize(
    ("runs", "joins", "code"),
    [
        (LOOKS_AHEAD, GOES_ROUND, "R4109"),
        (GOES_ROUND, LOOKS_AHEAD, "R4109"),
        (LOOKS_BACK, NEGATES, "R4110"),
        (NEGATES, LOOKS_BACK, "R4110"),
    ],
)
def test_rules_that_join_are_judged_with_those_that_run(runs, joins, code) -> None:
    engine = Engine.from_text(document(runs))
    with pytest.raises(RuleErrors, match=code):
        engine.add_rules(document(joins))
    engine.drop_rules(1)
    engine.add_rules(document(joins))
