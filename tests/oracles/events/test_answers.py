"""Aggregates, event times and the calendar, worked out by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

import pytest

from rif.syntax.ast import Equal, External, Or
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, PRED, Variable
from temporal.intervals.durations import DurationLiteral, Durations
from temporal.intervals.interval import Interval
from temporal.metric_rif.events import At, Ended, Every, From
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Since, Until
from tests.oracles.events.answers import event_lines
from tests.oracles.events.trees import (
    agg,
    both,
    document,
    element,
    equals,
    f,
    ground,
    history,
    rho,
    rule,
    some,
    term,
    told,
)
from tests.oracles.rules.formulas import text
from tests.oracles.rules.strata import NotStratified


def at(time: str, fact: str) -> At:
    return At(f(fact), term(time))


def greater(left: str, right: str) -> External:
    return External(IRI(PRED + "numeric-greater-than"), (term(left), term(right)))


def every(period: str, offset: str = "0", mark: str | None = None) -> Every:
    by = None if offset == "0" else DurationLiteral(offset)
    return Every(DurationLiteral(period), by, None, None if mark is None else term(mark))


READINGS = [element(1, "a p 5"), element(2, "a p 5"), element(3, "a p 7")]


# -- aggregates ----------------------------------------------------------------------------


def test_values_count_once_where_times_are_quantified_and_readings_where_they_are_not() -> None:
    values = agg("count", "?v [?s]", some("?t", at("?t", "?s p ?v")))
    readings = agg("count", "?v [?s]", at("?t", "?s p ?v"))
    rules = document(
        rule("?s values ?n", equals("?n", values)),
        rule("?s readings ?n", equals("?n", readings)),
        window=10,
    )
    assert told(history(rules, *READINGS)) == [
        "+ 1 a readings 1",
        "+ 1 a values 1",
        "- 2 a readings 1",
        "+ 2 a readings 2",
        "- 3 a readings 2",
        "- 3 a values 1",
        "+ 3 a readings 3",
        "+ 3 a values 2",
    ]


def test_an_assertion_twice_at_one_stamp_is_one_solution_and_two_named_events() -> None:
    rules = document(
        rule("?s n ?n", equals("?n", agg("count", "?v [?s]", at("?t", "?s p ?v")))),
        rule("?s g ?n", equals("?n", agg("count", "?g [?s]", From(f("?s p ?v"), term("?g"))))),
        window=5,
    )
    events = [element(1, "a p 5", name="urn:one"), element(1, "a p 5", name="urn:two")]
    assert told(history(rules, *events)) == ["+ 1 a g 2", "+ 1 a n 1"]


def test_an_interval_goes_on_while_the_result_is_the_same() -> None:
    rules = document(
        rule("?s most ?m", equals("?m", agg("max", "?v [?s]", f("?s p ?v")))), window=2
    )
    given = [element(1, "a p 5"), element(2, "a p 3"), element(3, "a p 5"), element(9)]
    assert told(history(rules, *given)) == ["+ 1 a most 5", "- 5 a most 5"]


def test_without_a_group_there_is_one_group_even_of_nothing() -> None:
    body = f("?s p ?v")
    rules = document(
        rule("all count ?n", equals("?n", agg("count", "?v", body))),
        rule("all sum ?n", equals("?n", agg("sum", "?v", body))),
        rule("all list ?n", equals("?n", agg("list", "?v", body))),
        rule("all avg ?n", equals("?n", agg("avg", "?v", body))),
        rule("all max ?n", equals("?n", agg("max", "?v", body))),
        window=2,
    )
    assert told(history(rules, element(1, "a p 5"), element(3))) == [
        "* all count 0",
        "* all list List()",
        "* all sum 0",
        "- 1 all count 0",
        "- 1 all list List()",
        "- 1 all sum 0",
        '+ 1 all avg "5"^^<http://www.w3.org/2001/XMLSchema#decimal>',
        "+ 1 all count 1",
        "+ 1 all list List(5^^<http://www.w3.org/2001/XMLSchema#integer>)",
        "+ 1 all max 5",
        "+ 1 all sum 5",
        '- 3 all avg "5"^^<http://www.w3.org/2001/XMLSchema#decimal>',
        "- 3 all count 1",
        "- 3 all list List(5^^<http://www.w3.org/2001/XMLSchema#integer>)",
        "- 3 all max 5",
        "- 3 all sum 5",
        "+ 3 all count 0",
        "+ 3 all list List()",
        "+ 3 all sum 0",
    ]


COUNT = equals("?n", agg("count", "?v [?s]", f("?s p ?v")))


@pytest.mark.parametrize(
    ("body", "static", "at_first"),
    [
        ((COUNT,), "", []),
        (("?s type sensor", COUNT), "a type sensor", ["* a n 0"]),
        ((both("?s type sensor", both(COUNT)),), "a type sensor", ["* a n 0"]),
        ((some("?c", f("?s type ?c")), COUNT), "a type sensor", ["* a n 0"]),
        ((Or((f("?s type sensor"), f("?s type room"))), COUNT), "a type room", ["* a n 0"]),
        ((Or((both("?s type sensor", COUNT), both(COUNT))),), "a type sensor", ["* a n 0"]),
        (("?x like ?y", Equal(term("?s"), term("?y")), COUNT), "b like a", ["* a n 0"]),
        ((DiamondMinus(rho("[0 1]"), f("?s type sensor")), COUNT), "a type sensor", ["* a n 0"]),
        ((DiamondMinus(rho("[0 1]"), both("?s type sensor", COUNT)),), "a type sensor",
         ["* a n 0"]),
        ((DiamondMinus(rho("[0 1]"), COUNT), f("?s type sensor")), "a type sensor", []),
        ((equals("?s", agg("first", "?w ?w", f("?w type sensor"))), COUNT), "a type sensor", []),
        ((equals("?m", agg("count", "?w [?s]", f("?s type ?w"))), COUNT), "a type sensor", []),
        (("?s type sensor", equals("?m", agg("max", "?v [?s]", f("?s p ?v"))), COUNT),
         "a type sensor", []),
        (("?s type sensor", equals("0", agg("count", "?v [?s]", f("?s p ?v"))),
          Equal(term("?n"), term("0"))), "a type sensor", ["* a n 0"]),
    ],
)  # fmt: skip
def test_a_group_without_solutions_is_there_if_the_positive_rest_of_its_scope_binds_it(
    body: tuple[object, ...], static: str, at_first: list[str]
) -> None:
    rules = document(rule("?s n ?n", *body), window=2)  # type: ignore[arg-type]
    assert told(history(rules, static=static)) == at_first


def test_inside_a_negation_what_stands_beside_it_counts_too() -> None:
    empty = equals("0", agg("count", "?v [?s]", f("?s p ?v")))
    rules = document(rule("?s busy yes", "?s type sensor", Naf(empty)), window=2)
    given = history(rules, element(1, "a p 1"), element(4), static="a type sensor. b type sensor")
    assert told(given) == ["+ 1 a busy yes", "- 3 a busy yes"]


def test_both_sides_may_be_aggregates_and_are_compared_by_value() -> None:
    least, most = (agg(word, "?v [?s]", f("?s p ?v")) for word in ("min", "avg"))
    rules = document(rule("?s same yes", equals(least, most)), window=5)
    assert told(history(rules, element(1, "a p 2"), element(2, "b p 1", "a p 3"))) == [
        "+ 1 a same yes",
        "- 2 a same yes",
        "+ 2 b same yes",
    ]


def test_a_variable_with_a_term_of_the_data_is_compared() -> None:
    rules = document(
        rule("?s full yes", "?s room ?n", equals("?n", agg("count", "?v [?s]", f("?s p ?v")))),
        window=5,
    )
    given = history(rules, element(1, "a p 2"), element(2, "a p 3"), static="a room 2. b room 0")
    assert told(given) == ["* b full yes", "+ 2 a full yes"]


def test_an_aggregate_may_stand_in_another() -> None:
    inner = equals("?n", agg("count", "?v [?s]", f("?s p ?v")))
    rules = document(rule("all most ?m", equals("?m", agg("max", "?n", inner))), window=9)
    given = [element(1, "a p 2"), element(2, "b p 1", "b p 3")]
    assert told(history(rules, *given)) == ["+ 1 all most 1", "- 2 all most 1", "+ 2 all most 2"]


def test_a_member_outside_the_domain_leaves_its_group_without_a_value() -> None:
    rules = document(rule("?s sum ?m", equals("?m", agg("sum", "?v [?s]", f("?s p ?v")))), window=2)
    given = [element(1, "a p 2", "b p 2"), element(2, "a p 'x"), element(4)]
    assert told(history(rules, *given)) == [
        "+ 1 a sum 2", "+ 1 b sum 2", "- 2 a sum 2", "- 3 b sum 2",
    ]  # fmt: skip


def test_the_last_value_is_looked_for_in_the_whole_past() -> None:
    past = DiamondMinus(rho("[0 inf)"), at("?t", "?s p ?v"))
    rules = document(rule("?s last ?m", equals("?m", agg("last", "?v ?t [?s]", past))))
    given = [element(1, "a p 5"), element(4, "a p 3"), element(9)]
    assert told(history(rules, *given)) == ["+ 1 a last 5", "- 4 a last 5", "+ 4 a last 3"]


def test_the_mean_of_the_last_two() -> None:
    past = DiamondMinus(rho("[0 inf)"), at("?t", "?s p ?v"))
    rules = document(rule("?s mean ?m", equals("?m", agg("sum last 2", "?v ?t [?s]", past))))
    assert told(history(rules, *READINGS)) == [
        "+ 1 a mean 5", "- 2 a mean 5", "+ 2 a mean 10", "- 3 a mean 10", "+ 3 a mean 12",
    ]  # fmt: skip


def test_of_names_of_one_thing_the_least_counts() -> None:
    rules = document(
        rule("n() ?n", equals("?n", agg("count", "?s", f("?s p ?v")))),
        rule("of() ?s ?n", equals("?n", agg("count", "?v [?s]", f("?s p ?v")))),
        window=5,
    )
    given = history(
        rules,
        element(1, "a p 1", "c p 2", "d p 2"),
        static="b http://www.w3.org/2002/07/owl#sameAs a. b http://www.w3.org/2002/07/owl#sameAs c",
        regime="owl-rl",
    )
    zero, one, two, three = (text(ground(word)) for word in "0123")
    assert told(given) == [
        f"* <urn:n>({zero})",
        f"- 1 <urn:n>({zero})",
        f"+ 1 <urn:n>({three})",
        f"+ 1 <urn:of>(<urn:a> {two})",
        f"+ 1 <urn:of>(<urn:b> {two})",
        f"+ 1 <urn:of>(<urn:c> {two})",
        f"+ 1 <urn:of>(<urn:d> {one})",
    ]


def test_an_aggregate_of_itself_has_no_strata() -> None:
    rules = document(rule("?s p ?n", equals("?n", agg("count", "?v [?s]", f("?s p ?v")))), window=5)
    with pytest.raises(NotStratified):
        told(history(rules, element(1, "a p 1")))


# -- event times ---------------------------------------------------------------------------


def test_first_one_then_another_within_five_with_both_times() -> None:
    rules = document(
        rule(
            "then() ?a ?b",
            at("?b", "x is two"),
            DiamondMinus(rho("(0 5]"), at("?a", "x is one")),
        )
    )
    given = [element(1, "x is one"), element(3, "x is one", "x is two"), element(7, "x is two")]
    one, three, seven = (text(ground(word)) for word in "137")
    assert told(history(rules, *given, element(9))) == [
        f"+ 3 <urn:then>({one} {three})",
        f"- 4 <urn:then>({one} {three})",
        f"+ 7 <urn:then>({three} {seven})",
        f"- 8 <urn:then>({three} {seven})",
    ]


def test_each_assertion_that_holds_gives_its_own_time_and_static_ones_none() -> None:
    rules = document(rule("?s since ?t", at("?t", "?s p ?v")), window=3)
    given = [element(1, "a p 1"), element(2, "a p 1"), element(8)]
    assert told(history(rules, *given, static="b p 1")) == [
        "+ 1 a since 1", "+ 2 a since 2", "- 4 a since 1", "- 5 a since 2",
    ]  # fmt: skip


def test_what_is_derived_has_the_begin_of_its_run() -> None:
    rules = document(
        rule("?s hot yes", "?s p ?v"),
        rule("?s since ?t", at("?t", "?s hot yes")),
        window=3,
    )
    given = [element(1, "a p 1"), element(2, "a p 2"), element(8, "a p 2"), element(9)]
    assert told(history(rules, *given)) == [
        "+ 1 a hot yes",
        "+ 1 a since 1",
        "- 5 a hot yes",
        "- 5 a since 1",
        "+ 8 a hot yes",
        "+ 8 a since 8",
    ]


def test_a_run_that_begins_before_the_first_stamp_has_no_time() -> None:
    rules = document(
        rule("?s soon yes", DiamondPlus(rho("[0 2]"), f("?s p ?v"))),
        rule("?s since ?t", at("?t", "?s soon yes")),
    )
    given = [element(1, "a p 1"), element(9, "a p 1"), element(12)]
    assert [one for one in told(history(rules, *given)) if "since" in one] == [
        "+ 7 a since 7",
        "- 10 a since 7",
    ]


def test_a_run_with_an_open_begin_has_the_time_of_its_first_tick() -> None:
    rules = document(
        rule("?s late yes", DiamondMinus(rho("(2 4)"), f("?s p ?v"))),
        rule("?s since ?t", at("?t", "?s late yes")),
    )
    assert told(history(rules, element(1, "a p 1"), element(9))) == [
        "+ 4 a late yes", "+ 4 a since 4", "- 5 a late yes", "- 5 a since 4",
    ]  # fmt: skip


def test_a_derived_run_lasts_up_to_the_tick_at_which_it_is_told_to_end() -> None:
    """What holds at an instant alone is told to end a tick later: its time holds up to then."""
    rules = document(
        rule("?s now yes", "?s p ?v"),
        rule("?s soon ?t", DiamondMinus(rho("(0 1)"), at("?t", "?s now yes"))),
    )
    assert told(history(rules, element(1, "a p 1"), element(9))) == [
        "+ 1 a now yes", "- 2 a now yes", "+ 2 a soon 1", "- 3 a soon 1",
    ]  # fmt: skip


def test_what_ended_is_told_at_its_end_with_its_run() -> None:
    rules = document(
        rule("?s run ?f", Ended(f("?s p ?v"), term("?f"), term("?u"))),
        rule("?s end ?u", Ended(f("?s p ?v"), term("?f"), term("?u"))),
        window=3,
    )
    given = [element(1, "a p 1"), element(4, "a p 1"), element(9)]
    assert told(history(rules, *given, static="b p 2")) == [
        "+ 7 a end 7", "+ 7 a run 1", "- 8 a end 7", "- 8 a run 1",
    ]  # fmt: skip


def test_what_is_taken_back_has_not_ended() -> None:
    rules = document(rule("?s run ?f", Ended(f("?s p ?v"), term("?f"), term("?u"))), window=3)
    given = [
        element(1, "a p 1", name="urn:one"),
        element(2, "b p 1", name="urn:two"),
        element(3, takes="urn:one"),
        element(9),
    ]
    assert told(history(rules, *given)) == ["+ 5 b run 2", "- 6 b run 2"]


def test_an_element_is_known_while_it_lets_a_fact_hold() -> None:
    rules = document(rule("?g says ?v", From(f("?s p ?v"), term("?g"))), window=2)
    given = [element(1, "a p 1", name="urn:one"), element(9)]
    assert told(history(rules, *given, static="a p 1")) == ["+ 1 one says 1", "- 3 one says 1"]


def test_the_left_side_is_asked_with_what_the_right_side_binds() -> None:
    """From when p began to now it is not below what it was."""
    below = both("?s p ?w", greater("?v", "?w"))
    rules = document(
        rule(
            "?s rose ?v",
            "?s p ?x",
            Since(rho("(0 9]"), Naf(some("?w", below)), f("?s p ?v")),
        )
    )
    given = [element(1, "a p 5"), element(3, "a p 7"), element(5, "a p 6"), element(6, "a p 9")]
    assert told(history(rules, *given, element(7))) == [
        "+ 3 a rose 5",
        "- 4 a rose 5",
        "+ 5 a rose 5",
        "+ 5 a rose 7",
        "- 6 a rose 7",
        "+ 6 a rose 6",
        "- 7 a rose 5",
        "- 7 a rose 6",
    ]


@dataclass(frozen=True, slots=True)
class OpenRange(Interval):
    """A range whose right end is a variable: of its own it says only whether it is closed."""

    variable: Variable | None = None


def test_the_right_end_of_a_range_may_be_a_variable_that_static_data_bind() -> None:
    seen = DiamondMinus(OpenRange(Fraction(0), Fraction(1), variable=Variable("d")), f("?s p ?v"))
    rules = document(rule("?s seen ?v", "?s waits ?d", seen))
    given = [element(1, "a p 1", "b p 2", "c p 3", "d p 4"), element(9)]
    static = "a waits 3. b waits 0. c waits PT1S. d waits -1"
    assert told(history(rules, *given, static=static)) == [
        "+ 1 a seen 1", "+ 1 b seen 2", "- 2 b seen 2", "- 5 a seen 1",
    ]  # fmt: skip


def test_the_left_side_of_until_is_asked_with_what_the_right_side_binds() -> None:
    """As long as no less was read, looking ahead to the next alarm."""
    low = equals("0", agg("count", "?w [?s]", f("?s p ?w")))
    rules = document(rule("?s quiet ?v", Until(rho("(0 5]"), low, f("?s alarm ?v"))))
    given = [element(1, "a p 1"), element(3, "a p 1"), element(6, "a alarm 7"), element(9)]
    assert told(history(rules, *given)) == ["+ 3 a quiet 7", "- 6 a quiet 7"]


# -- the calendar --------------------------------------------------------------------------


def test_marks_are_counted_from_0_and_told_from_the_first_stamp_on() -> None:
    rules = document(rule("clock at ?t", every("5", "2", "?t")))
    given = [element(3), element(13)]
    assert told(history(rules, *given)) == [
        "+ 7 clock at 7", "- 8 clock at 7", "+ 12 clock at 12", "- 13 clock at 12",
    ]  # fmt: skip


def test_the_mean_of_each_full_period() -> None:
    past = DiamondMinus(rho("(0 10]"), at("?t", "?s p ?v"))
    rules = document(rule("?s mean ?a", every("10"), equals("?a", agg("sum", "?v [?s]", past))))
    given = [element(10, "a p 1"), element(12, "a p 2"), element(20, "a p 4"), element(31)]
    assert told(history(rules, *given)) == [
        "+ 20 a mean 3", "- 21 a mean 3", "+ 30 a mean 4", "- 31 a mean 4",
    ]  # fmt: skip


def test_the_average_of_each_full_hour() -> None:
    hour = Durations(Fraction(0), Fraction(3600), left_closed=False)
    past = DiamondMinus(hour, at("?t", "?s p ?v"))
    hourly = Every(DurationLiteral("1", "h"), None, None, term("?h"))
    rules = document(rule("?s mean ?a", hourly, equals("?a", agg("avg", "?v [?s]", past))))
    minute = 60_000
    given = [
        element(at_minute * minute, f"a p {v}")
        for at_minute, v in ((0, 9), (10, 1), (50, 2), (60, 4), (80, 5))
    ]
    lines = event_lines(history(rules, *given, element(121 * minute), clock="dateTime"))
    found = [(one["op"], one["at"], one["o"]) for one in map(json.loads, lines)]
    mean = '"{}"^^<http://www.w3.org/2001/XMLSchema#decimal>'.format
    assert found == [
        ("+", "1970-01-01T01:00:00Z", mean("4")),  # of 9, 1 and 2
        ("-", "1970-01-01T01:00:00.001Z", mean("4")),
        ("+", "1970-01-01T02:00:00Z", mean("4.5")),  # of 4 and 5
        ("-", "1970-01-01T02:00:00.001Z", mean("4.5")),
    ]


def test_a_night_that_began_before_the_first_stamp_is_known() -> None:
    rules = document(
        rule(BoxPlus(rho("[0 4)"), f("it is night")), every("10", "8")),
        rule("?s dark yes", "?s p ?v", "it is night"),
    )
    given = [element(10, "a p 1"), element(13, "a p 1"), element(18)]
    assert told(history(rules, *given)) == [
        "+ 10 a dark yes",
        "+ 10 it is night",
        "- 11 a dark yes",
        "- 12 it is night",
        "+ 18 it is night",
    ]


def test_marks_in_a_zone_follow_its_clocks() -> None:
    daily = Every(
        DurationLiteral("1", "d"), DurationLiteral("150", "m"), "Europe/Berlin", term("?t")
    )
    rules = document(rule("clock at ?t", daily))
    day = 86_400_000
    first = 19_811 * day  # 2024-03-29, the clocks jump on the 31st
    given = history(rules, element(first), element(first + 4 * day), clock="dateTime")
    stamps = [line.split('"at":"')[1][:20] for line in event_lines(given) if '"+"' in line]
    assert stamps == [
        "2024-03-29T01:30:00Z",
        "2024-03-30T01:30:00Z",
        "2024-03-31T01:00:00Z",
        "2024-04-01T00:30:00Z",
    ]


# -- negation through time -----------------------------------------------------------------


def test_at_most_one_answer_in_a_while() -> None:
    before = DiamondMinus(rho("(0 5)"), some("?w", f("?s told ?w")))
    rules = document(rule("?s told ?v", "?s bad ?v", Naf(before)))
    given = [element(n, f"a bad {n}") for n in (1, 3, 6, 8, 10, 11)]
    assert [one for one in told(history(rules, *given, element(12))) if one[0] == "+"] == [
        "+ 1 a told 1", "+ 6 a told 6", "+ 11 a told 11",
    ]  # fmt: skip


def test_only_what_is_more_than_the_last_that_was_sent() -> None:
    sent = DiamondMinus(rho("(0 100]"), at("?t", "?s sent ?w"))
    rules = document(
        rule(
            "?s sent ?v", "?s p ?v", Naf(DiamondMinus(rho("(0 100]"), some("?w", f("?s sent ?w"))))
        ),
        rule(
            "?s sent ?v",
            "?s p ?v",
            equals("?l", agg("last", "?w ?t [?s]", sent)),
            greater("?v", "?l"),
        ),
    )
    given = [element(n, f"a p {v}") for n, v in ((1, 5), (2, 4), (3, 6), (4, 6), (5, 9), (6, 7))]
    assert [one for one in told(history(rules, *given, element(7))) if one[0] == "+"] == [
        "+ 1 a sent 5", "+ 3 a sent 6", "+ 5 a sent 9",
    ]  # fmt: skip


def test_a_closed_range_lets_an_answer_alternate() -> None:
    rules = document(
        rule("it is on", "it may be", Naf(DiamondMinus(rho("[2 2]"), f("it is on")))), window=20
    )
    given = [element(0, "it may be"), element(7)]
    assert told(history(rules, *given)) == [
        "+ 0 it is on", "- 2 it is on", "+ 4 it is on", "- 6 it is on",
    ]  # fmt: skip


def test_a_negation_of_the_same_instant_has_no_model() -> None:
    now = Naf(DiamondMinus(rho("[0 2]"), f("it is on")))
    with pytest.raises(NotStratified):
        told(history(document(rule("it is on", "it may be", now)), element(0, "it may be")))


def test_operators_see_aggregates_between_ticks() -> None:
    """Of two windows that touch there is at no time less than one."""
    here = equals("1", agg("count", "?v [?s]", f("?s p ?v")))
    rules = document(rule("?s steady yes", BoxMinus(rho("[0 3]"), here)), window=2)
    given = [element(1, "a p 1"), element(3, "a p 2"), element(4, "a p 3"), element(9)]
    assert told(history(rules, *given)) == []
    given = [element(1, "a p 1"), element(3, "a p 2"), element(9)]
    assert told(history(rules, *given)) == ["+ 4 a steady yes", "- 5 a steady yes"]
