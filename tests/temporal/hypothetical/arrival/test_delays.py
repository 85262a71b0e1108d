"""Delays: by instance, by predicate, of all; of atoms with variables; and so of answers."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.errors.report import RuleErrors
from rif.syntax.terms import Literal, Variable
from temporal.facts.fact_patterns import ANY_CONSTANT
from temporal.hypothetical.arrival.delays import (
    AnswerWindow,
    DelayBounds,
    answer_window,
    parse_delays,
)
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.ast import TemporalAtom, TimeTerm
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query

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
