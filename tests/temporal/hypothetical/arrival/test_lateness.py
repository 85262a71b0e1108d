"""Lateness: delays by instance, by predicate, of all; and how probable it is that facts come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.errors.report import RuleErrors
from rif.syntax.terms import Literal, Variable
from temporal.facts.fact_patterns import ANY_CONSTANT
from temporal.hypothetical import Hypothesiser
from temporal.hypothetical.arrival.lateness import (
    AnswerWindow,
    Chances,
    DelayBounds,
    answer_window,
    parse_chances,
    parse_delays,
    prospect_of,
)
from temporal.hypothetical.ranking.arrival_probability import NOT_YET_DUE, format_confidence
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.ast import TemporalAtom, TimeTerm
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query
from tests.oracles.hypothetical.confidence import Channel, confidence, shown_number
from tests.oracles.hypothetical.definitions import Delta
from tests.oracles.hypothetical.resolution import Pattern, Var

PROGRAM = parse_program("Flag(X,T) :- Temp(X,Y,T), Wind(T)")
CONSTANTS = ("a", "b", "c")
FRESH = "z"
"""Stands for all constants that nothing names."""


def delays(*texts: str) -> DelayBounds:
    return parse_delays(texts, PROGRAM)


def temp(*args: str) -> TemporalAtom:
    terms = [Variable(arg) if arg.isupper() else Literal(arg) for arg in args]
    return TemporalAtom("Temp", tuple(terms), TimeTerm("T", 0))


def test_facts_are_in_time_unless_something_is_said() -> None:
    assert delays().of(temp("X", "Y")) == 0
    assert delays("2").of(temp("X", "Y")) == 2
    assert delays("2", "Wind=1").of(temp("X", "Y")) == 2
    assert delays("2", "Temp=1").of(temp("X", "Y")) == 1


def test_what_is_said_of_an_instance_goes_before_what_is_said_of_its_predicate() -> None:
    found = delays("Temp=2", "Temp(a,_)=1", "Temp(a,b) = 5", "Temp(b,'b c')=0")
    assert found.of(temp("a", "b")) == 5
    assert found.of(temp("a", "c")) == 1
    assert found.of(temp("b", "b")) == 2
    assert found.of(temp("b", "b c")) == 0


def test_an_atom_with_variables_has_the_largest_delay_of_its_instances() -> None:
    found = delays("Temp=2", "Temp(a,_)=1", "Temp(a,b)=5")
    assert found.of(temp("a", "Y")) == 5
    assert found.of(temp("X", "c")) == 2
    assert found.of(temp("X", "X")) == 2
    assert delays("Temp=0", "Temp(a,a)=3").of(temp("X", "X")) == 3
    assert delays("Temp(_,a)=3", "Temp(a,a)=1").of(temp("X", "X")) == 1


def test_there_are_always_more_constants_than_patterns_name() -> None:
    assert delays("Temp=4", "Temp(a,_)=1").of(temp("X", "Y")) == 4
    assert delays("4", "Temp(a,_)=1").of(temp("X", "b")) == 4


def test_a_predicate_may_be_spelled_with_all_its_arguments() -> None:
    assert delays("Temp(_,_)=3") == delays("Temp=3")
    assert delays("Wind()=3") == delays("Wind=3")


def test_patterns_that_overlap_need_one_for_what_they_share() -> None:
    with pytest.raises(RuleErrors) as raised:
        delays("Temp=1", "Temp(a,_)=1", "Temp(_,b)=2")
    assert raised.value.report() == (
        "--delay:3:1: HYP205 this says 2, and another 1, of the same instances\n"
        "  Temp(_,b)=2\n"
        "  ^^^^^^^^^^^\n"
        "  hint: say what holds for Temp(a,b)"
    )
    assert delays("Temp(a,_)=1", "Temp(_,b)=2", "Temp(a,b)=7").of(temp("a", "b")) == 7
    assert delays("Temp(a,_)=2", "Temp(_,b)=2").of(temp("a", "b")) == 2


def test_a_predicate_that_the_program_does_not_have_is_named_and_changes_nothing() -> None:
    found = delays("Tmp=1", "Tmp(a)=2", "Rain(a,_)=3")
    assert found == DelayBounds(0, {"Tmp": (), "Rain": ()})


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["Temp"], ["HYP111"]),
        (["Temp="], ["HYP111"]),
        (["Temp=-1"], ["HYP111"]),
        (["Temp=1.5"], ["HYP111"]),
        ([f"Temp={MAX_TIME + 1}"], ["HYP203"]),
        ([f"Temp={'9' * 5000}"], ["HYP203"]),
        (["Temp=1", "Temp=2"], ["HYP111"]),
        (["Temp=1", "Temp(_,_)=1"], ["HYP111"]),
        (["1", "1"], ["HYP111"]),
        (["Flag=1"], ["HYP111"]),
        (["Temp(a)=1"], ["HYP201"]),
        (["Temp(a,b,_)=1"], ["HYP201"]),
        (["Temp(a=1"], ["HYP101"]),
        (["Temp('a,_)=1"], ["HYP103"]),
        (["=1"], ["HYP101"]),
        (["Temp=x", "Wind=1", "Flag=1"], ["HYP111", "HYP111"]),
    ],
)
def test_a_delay_that_says_nothing_is_refused(texts: list[str], codes: list[str]) -> None:
    with pytest.raises(RuleErrors) as raised:
        delays(*texts)
    assert [fault.code for fault in raised.value.errors] == codes


patterns = st.tuples(
    st.sampled_from((ANY_CONSTANT, *CONSTANTS)), st.sampled_from((ANY_CONSTANT, *CONSTANTS))
)
arguments = st.tuples(st.sampled_from(("X", "Y", *CONSTANTS)), st.sampled_from(("X", *CONSTANTS)))


@given(st.dictionaries(patterns, st.integers(0, 9), max_size=8), arguments)
def test_the_delay_of_an_atom_is_that_of_its_latest_instance(
    said: dict[tuple[str, str], int], args: tuple[str, str]
) -> None:
    try:
        found = delays("3", *(f"Temp({','.join(each)})={n}" for each, n in said.items()))
    except RuleErrors as errors:
        assert {fault.code for fault in errors.errors} == {"HYP205"}  # noqa: PT017
        return
    instances = []
    for values in product((*CONSTANTS, FRESH), repeat=2):
        bound = dict(zip("XY", values, strict=True))
        instances.append(tuple(bound.get(arg, arg) for arg in args))
    expected = max(by_definition(said, each) for each in instances)
    assert found.of(temp(*args)) == expected


def by_definition(said: dict[tuple[str, str], int], instance: tuple[str, ...]) -> int:
    """What the narrowest pattern says: all that match and are not wider say the same."""
    matching = {
        each: delay
        for each, delay in said.items()
        if all(one in {ANY_CONSTANT, arg} for one, arg in zip(each, instance, strict=True))
    }
    narrowest = {
        delay
        for each, delay in matching.items()
        if not any(
            other != each
            and all(one in {ANY_CONSTANT, b} for one, b in zip(each, other, strict=True))
            for other in matching
        )
    }
    assert len(narrowest) <= 1
    return max(narrowest, default=3)


@pytest.mark.parametrize(
    ("rules", "query", "texts", "expected"),
    [
        ("A(T) :- B(T)", "A(T)", [], AnswerWindow(0, 0)),
        ("A(T) :- B(T), B(T+2)", "A(T)", [], AnswerWindow(2, 2)),
        ("A(T+2) :- B(T), B(T+1)", "A(T)", [], AnswerWindow(0, 1)),
        ("A(T) :- B(T), C(T+1)", "A(T)", ["B=5", "C=1"], AnswerWindow(5, 5)),
        ("A(T) :- B(T)\nA(T) :- C(T-3)", "A(T)", ["C=1"], AnswerWindow(0, 1)),
        ("A(T) :- B(T), B(T+2)", "A(4)", [], AnswerWindow(2, 2)),
        ("A(0) :- B(T)", "A(T)", [], None),
        ("A(T) :- B(T), C(S)", "A(T)", [], None),
    ],
)
def test_a_query_has_a_delay_and_a_window_if_all_its_times_depend_on_one(
    rules: str, query: str, texts: list[str], expected: AnswerWindow | None
) -> None:
    program = parse_program(rules)
    found = resolve(program, parse_query(query)).answers
    assert answer_window(found, parse_delays(texts, program)) == expected


def chances(*texts: str, late: tuple[str, ...] = ("3",)) -> Chances:
    return parse_chances(texts, PROGRAM, parse_delays(late, PROGRAM))


def left(atom: TemporalAtom, *texts: str, late: tuple[str, ...] = ("3",)) -> list[Fraction]:
    """What is left of the chance of an atom before its time, and then moment by moment."""
    found = prospect_of(atom, chances(*texts, late=late), parse_delays(late, PROGRAM))
    return [found.at(seen) for seen in (NOT_YET_DUE, 0, 1, 2, 3)]


def parts(*numbers: str) -> list[Fraction]:
    return list(map(Fraction, numbers))


def test_numbers_are_exact() -> None:
    assert chances("Temp=0.1,1/3,1.0").of_instance("Temp", ("a", "b")) == tuple(
        parts("1/10", "1/3", "1")
    )
    assert chances("0.5").of_instance("Wind", ()) == (Fraction(1, 2),)
    assert chances("Temp(a,_)=0.5").of_instance("Temp", ("b", "b")) is None


def test_what_has_not_come_is_less_probable_than_before() -> None:
    assert left(temp("a", "b"), "Temp=1/2,3/4,7/8") == parts("7/8", "3/4", "1/2", "0", "0")


def test_what_comes_for_certain_but_has_not_come_comes_never() -> None:
    assert left(temp("a", "b"), "1") == parts("1", "0", "0", "0", "0")
    assert left(temp("a", "b"), "0,0,1") == parts("1", "1", "1", "0", "0")


def test_an_instance_with_a_smaller_delay_has_fewer_numbers() -> None:
    late = "Temp=2", "Temp(a,_)=1"
    assert left(temp("a", "b"), "Temp=1/2,3/4,7/8", late=late) == parts("3/4", "1/2", "0", "0", "0")


def test_an_atom_with_variables_is_its_most_probable_instance_at_each_moment() -> None:
    given = "Temp=0,1/2", "Temp(a,_)=3/4"
    assert left(temp("X", "b"), *given) == parts("3/4", "1/2", "0", "0", "0")
    assert left(temp("X", "b"), "Temp(a,_)=1/2", late=("Temp=1",)) == parts("1", "1", "0", "0", "0")


def test_chances_of_what_the_program_does_not_have_are_named_and_change_nothing() -> None:
    assert chances("Tmp=0.1,0.2,0.3,0.4,0.5") == Chances(None, {"Tmp": ()})


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["Temp"], ["HYP112"]),
        (["Temp="], ["HYP112"]),
        (["Temp=1.5"], ["HYP112"]),
        (["Temp=-0.5"], ["HYP112"]),
        (["Temp=1e-3"], ["HYP112"]),
        (["Temp=1/0"], ["HYP112"]),
        (["Temp=nan"], ["HYP112"]),
        (["Temp=٠"], ["HYP112"]),
        ([f"Temp=0.{'3' * 5000}"], ["HYP112"]),
        (["Temp=0.5,"], ["HYP112"]),
        (["Temp=0.5,0.4"], ["HYP112"]),
        (["Temp=0,0,0,0,0"], ["HYP112"]),
        (["0,0,0,0,0"], ["HYP112"]),
        (["Temp=1", "Temp(_,_)=1"], ["HYP112"]),
        (["1", "1"], ["HYP112"]),
        (["Flag=1"], ["HYP112"]),
        (["Temp(a)=1"], ["HYP201"]),
        (["Temp(a=1"], ["HYP101"]),
        (["Temp(a,_)=0.1", "Temp(_,b)=0.2"], ["HYP205"]),
        (["Temp=x", "Wind=2", "Flag=1"], ["HYP112"] * 3),
    ],
)
def test_a_chance_that_says_nothing_is_refused_with_a_place(
    texts: list[str], codes: list[str]
) -> None:
    with pytest.raises(RuleErrors) as raised:
        chances(*texts)
    assert [fault.code for fault in raised.value.errors] == codes
    assert raised.value.report().startswith("--chance:")


def test_numbers_for_delays_that_no_instance_has_are_refused() -> None:
    late = "Temp=1", "Temp(a,_)=2"
    assert chances("Temp(a,_)=0,0,1", "Temp=0,0,1", late=late).args_of("Temp")
    for text in ("Temp(b,_)=0,0,1", "Temp=0,0,0,1", "Wind=0,1"):
        with pytest.raises(RuleErrors) as raised:
            chances(text, late=late)
        assert "numbers, but no such fact is more than" in raised.value.report()


numbers = st.lists(st.fractions(0, 1, max_denominator=12), min_size=1, max_size=4).map(sorted)
patterns = st.sampled_from([(), ("_", "_"), ("a", "_"), ("a", "b"), ("a", "a")])
arguments = st.tuples(st.sampled_from("XYab"), st.sampled_from("XYab"))


@given(
    st.dictionaries(patterns, st.integers(0, 3)),
    st.dictionaries(patterns, numbers),
    arguments,
    st.integers(-1, 4),
)
def test_what_is_left_of_a_chance_is_what_is_left_in_the_worlds(
    late: dict[tuple[str, ...], int],
    likely: dict[tuple[str, ...], list[Fraction]],
    args: tuple[str, str],
    seen: int,
) -> None:
    late[()] = 3  # so that there are not too many numbers
    delays = parse_delays([_option(args, str(n)) for args, n in late.items()], PROGRAM)
    said = [_option(args, ",".join(map(str, some))) for args, some in likely.items()]
    try:
        found = prospect_of(temp(*args), parse_chances(said, PROGRAM, delays), delays)
    except RuleErrors as errors:
        assert {fault.code for fault in errors.errors} == {"HYP112"}  # noqa: PT017
        return
    order = sorted(late, key=lambda each: each.count("_"))
    delta = Delta(3, (), tuple(("Temp", _any(args), late[args]) for args in order if args))
    order = sorted(likely, key=lambda each: each.count("_"))
    channel = Channel(
        tuple(likely[()]) if () in likely else None,
        (),
        tuple(("Temp", _any(args), tuple(likely[args])) for args in order if args),
    )
    atom = Pattern(
        "Temp", tuple(Var(0, (), 0, arg) if arg.isupper() else arg for arg in args), None, 0
    )
    possible = seen < delays.of(temp(*args))
    assert found.at(seen) == confidence([atom], seen, delta, channel) or not possible


def _option(args: tuple[str, ...], value: str) -> str:
    return f"Temp({','.join(args)})={value}" if args else value


def _any(args: tuple[str, ...]) -> tuple[str | None, ...]:
    return tuple(None if arg == "_" else arg for arg in args)


@given(st.fractions(0, 1))
def test_confidences_are_decimal_numbers_of_six_places(number: Fraction) -> None:
    assert format_confidence(number) == shown_number(number)


def test_halves_are_rounded_to_even() -> None:
    halves = [Fraction(part, 2 * 10**6) for part in (0, 1, 3, 2 * 10**6 - 1, 2 * 10**6)]
    assert list(map(format_confidence, halves)) == ["0", "0", "0.000002", "1", "1"]


RULES = "Temp(X,high,T), Temp(X,high,T+1), Temp(X,high,T+2) -> Malf(X,T)"
CHANCE = Fraction(1, 2), Fraction(3, 4)
"""Of readings that may be 1 late."""
WEIGHTS = {0: CHANCE[0], 1: CHANCE[1] - CHANCE[0], None: 1 - CHANCE[1]}
World = tuple[int | None, ...]
"""The delay of each reading; None: it never comes."""


def history(world: World, tau: int) -> str:
    """What has been read of a world until a moment."""
    seen = sorted(
        (time + late, time)
        for time, late in enumerate(world)
        if late is not None and time + late <= tau
    )
    return "".join(f"@{at} Temp(a,high,{time})\n" for at, time in seen) + f"@{tau}\n"


def worlds() -> Iterator[tuple[World, Fraction]]:
    for world in product(WEIGHTS, repeat=3):
        yield world, prod((WEIGHTS[late] for late in world), start=Fraction(1))


def test_the_confidence_is_the_part_of_the_worlds_in_which_the_answer_comes_true() -> None:
    asked = 0
    for tau in range(4):
        every: defaultdict[str, Fraction] = defaultdict(Fraction)
        true: defaultdict[str, Fraction] = defaultdict(Fraction)
        for world, weight in worlds():
            every[history(world, tau)] += weight
            if None not in world:
                true[history(world, tau)] += weight
        for text, weight in every.items():
            run = Hypothesiser(RULES, "Malf(a,0)", ["Temp=1"], ["Temp=0.5,0.75"])
            told = list(run.follow(text))
            found = [each.confidence for each in run.ranked()]
            if told and told[-1].status == "answer":
                assert true[text] == weight
            elif found:
                assert found == [true[text] / weight]
                asked += 1
            elif told:
                assert true[text] == 0
    assert asked == 9


def test_a_line_tells_the_confidence_of_its_moment_and_the_ranking_that_of_now() -> None:
    run = Hypothesiser(RULES, "Malf(X,T)", ["Temp=1"], ["Temp=0.5,0.75"])
    (told,) = run.follow("@0 Temp(a,high,0)\n")
    assert told.confidence == Fraction("0.5625")
    assert list(run.follow("@1\n")) == []
    (now,) = run.ranked()
    assert (now.tau, now.confidence) == (1, Fraction(3, 8))
    assert (now.answer, now.hypotheses) == (told.answer, told.hypotheses)


def test_answers_are_ranked_the_most_probable_first_then_by_text() -> None:
    rules = f"{RULES}\nFire(X,T), Smoke(X,T) -> Malf(X,T)"
    for program in (RULES, rules):
        run = Hypothesiser(program, "Malf(X,T)", ["2"], ["Temp(b,_)=0.9"])
        list(run.follow("@0 Temp(b,high,0)\n@0 Temp(c,high,0)\n@0 Temp(a,high,0)\n"))
        assert [each.answer["X"] for each in run.ranked()] == ["a", "c", "b"]


def test_without_chances_no_line_has_a_confidence_and_all_are_ranked_with_1() -> None:
    run = Hypothesiser(RULES, "Malf(X,T)", ["2"])
    (told,) = run.follow("@0 Temp(b,high,0)\n")
    assert told.confidence is None
    assert [each.confidence for each in run.ranked()] == [1]
