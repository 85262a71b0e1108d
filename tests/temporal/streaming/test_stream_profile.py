"""When answers are certain is known of all predicates from one network."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rete.inference.inference_engine import InferenceEngine
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from temporal.intervals.interval import End
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram
from temporal.streaming import stream_profile
from temporal.streaming.stream_evaluation import StreamEvaluation
from temporal.streaming.stream_profile import profile_streams
from temporal.streaming.stream_query import StreamQuery, relevant_rules
from temporal.text.program_parser import parse_program
from tests.generators.metric.constraints import constrained_case
from tests.generators.metric.fact_streams import case_of

RANGES = """
A(X) :- Boxplus(1/2,10/3)B(X), Diamondminus[2,7/2)A(X)
C(X) :- Diamondplus[0.7,5.1)(A(X) Until(1/3,3] B(X))
Boxminus(0,1/7)D(X) :- C(X), B(X) Since[1/3,inf) D(X)
E(X) :- Boxplus[1/2,inf)D(X)
BOTTOM :- A(X), Diamondplus(0,1/11)C(X)
"""


def by_queries(program: MetricProgram) -> dict[str, End]:
    """The same by a network for each predicate."""
    found: dict[str, End] = {}
    for name in profile_streams(program, analyse(program)).certain_after:
        query = StreamQuery.of(program, name)
        try:
            one = StreamEvaluation(query, Dictionary(), query.analysis.scale)
        except RuleErrors:
            found[name] = None
        else:
            found[name] = Fraction(one.lateness, 2 * one.scale)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_one_network_says_what_a_query_for_each_predicate_says(seed: int) -> None:
    for program in (case_of(seed).program, constrained_case(seed).program):
        assert profile_streams(program, analyse(program)).certain_after == by_queries(program)


def test_predicates_whose_ranges_have_other_denominators_differ_in_nothing() -> None:
    program = parse_program(RANGES)
    found = profile_streams(program, analyse(program))
    assert found.certain_after == by_queries(program)
    assert found.never_certain == ["E"]
    assert len(set(found.certain_after.values())) > 3


def test_many_predicates_need_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(*args: object, **more: object) -> object:
        made.append(args)
        return InferenceEngine(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(stream_profile, "InferenceEngine", make)
    program = parse_program("".join(f"A{n}(X) :- Boxminus[0,1]A{n + 1}(X)\n" for n in range(100)))
    assert len(profile_streams(program, analyse(program)).certain_after) == 100
    assert len(made) == 1


def test_the_rules_that_a_predicate_depends_on_are_found_in_any_order() -> None:
    lines = [f"A{n}(X) :- A{n + 1}(X)\n" for n in range(50)] + [
        "B(X) :- A0(X)\n",
        "A9(X) :- C(X)\n",
    ]
    for order in (lines, lines[::-1]):
        program = parse_program("".join(order))
        assert len(list(relevant_rules(program, ("A7", 1)))) == 44
