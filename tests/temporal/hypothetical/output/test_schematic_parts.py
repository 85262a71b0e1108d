"""Sets without evidence, or with free variables, make those needless of which they are a part.

Of sets that are minimal only for early times that are not known R4 warns.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest

from rete.arrays.delta import Rows
from rete.storage.row_algebra import join_rows
from rif.errors.base import RuleError
from temporal.hypothetical.online_evaluation import Hypothesiser, Told
from temporal.hypothetical.output import schematic_parts
from temporal.hypothetical.syntax.errors import TimeNotKnown
from tests.generators.hypothetical.queries import random_case
from tests.generators.hypothetical.text import shown_program, shown_query
from tests.simulation.hypothetical.seeds import NESTED, case_of, engine_output

ANY = "Goal(X,T) :- S(X,T), P(Y,T+1)\n"
OWN = "Goal(X,T) :- Q(X,Y,T), P(Y,T+1), R(Y,T+1)\n"


def hypotheses(rules: str, facts: str) -> list[str]:
    """The sets of hypotheses that are told of the answer of ``a`` at 0."""
    told = Hypothesiser(rules, "Goal(X,T)", ["1"]).follow(facts)
    ours = (each for each in told if tuple(each.answer.values()) == ("a", 0))
    return [" ".join(each.hypotheses) for each in ours if each.status == "supported"]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ("@0 Q(a,b,0)\n", ["P(b,1) R(b,1)"]),
        ("@0 S(a,0)\n@0 Q(a,b,0)\n", ["P(?Y,1)"]),
        ("@0 S(a,0)\n@1 Q(a,b,0)\n", ["P(?Y,1)"]),
        ("@0 Q(a,b,0)\n@1 S(a,0)\n", ["P(b,1) R(b,1)", "P(?Y,1)"]),
        ("@0 S(a,0)\n@0 Q(a,b,0)\n@1 R(b,1)\n", ["P(?Y,1)", "P(b,1)"]),
        ("@0 S(c,0)\n@0 Q(a,b,0)\n", ["P(b,1) R(b,1)"]),
    ],
)
def test_any_thing_is_less_than_one_and_more(facts: str, told: list[str]) -> None:
    assert hypotheses(ANY + OWN, facts + "@3\n") == told


def test_a_set_that_is_no_longer_minimal_is_held_no_longer() -> None:
    query = Hypothesiser(ANY + OWN, "Goal(X,T)", ["3"])
    [*query.follow("@0 Q(a,b,0)\n@1 S(a,0)\n@2\n")]
    assert [each.hypotheses for each in query.ranked()] == [["P(?Y,1)"]]


def test_names_of_variables_do_not_tell_sets_apart() -> None:
    """What both wait for is ``P(Y,1)`` in the one rule, and ``P(Z,1)`` in the other."""
    named = "Goal(X,T) :- W(X,T), P(Z,T+1), R(X,T+1)\n"
    assert hypotheses(ANY + named, "@0 S(a,0)\n@0 W(a,0)\n@3\n") == ["P(?Y,1)"]


@pytest.mark.parametrize(("later", "told"), [(1, 1), (2, 2)])
def test_times_of_parts_are_as_far_apart(later: int, told: int) -> None:
    """The times of both are open; one thing is known."""
    some = "Goal(X,0) :- S(X,0), P(Y,U), R(Y,U+1)\n"
    more = f"Goal(X,0) :- Q(X,Y,0), P(Y,V), R(Y,V+{later}), W(Y,V)\n"
    assert len(hypotheses(some + more, "@0 S(a,0)\n@0 Q(a,b,0)\n@3\n")) == told


def test_the_pairs_that_are_compared_grow_as_the_sets() -> None:
    """With another thing each they agree on no term but the answer."""
    rules = "Goal(X,T) :- S(X,Y,T), P(Y,Z,T+1), R(Z,T+1)\n"
    counts = []
    for count in (20, 200):
        pairs = 0

        def join(*args: Any) -> Rows:
            nonlocal pairs
            found = join_rows(*args)
            pairs += len(found)
            return found

        facts = "".join(f"@0 S(a,y{number},0)\n" for number in range(count))
        with patch("temporal.hypothetical.output.schematic_parts.join_rows", join):
            assert len(hypotheses(rules, facts + "@3\n")) == count
        counts.append(pairs / count)
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_rows_that_are_compared_one_by_one_give_the_same() -> None:
    for number in (15, 408, *range(100, 120)):
        wanted = engine_output(case_of(number), number)
        with patch.object(schematic_parts, "MOST_STEPS", 0):
            assert engine_output(case_of(number), number) == wanted


GOAL = "Goal(a,T) :- Q(X,T), S(X,T), P(X,T)\nGoal(X,T) :- Q(X,T)\n"
LATE = ["3"]


def lines_about(rules: str, facts: str) -> list[tuple[int, str, str]]:
    """Moment, status and hypotheses of the lines about the answer of ``a`` at 3."""
    lines = Hypothesiser(rules, "Goal(X,T)", LATE).follow(facts)
    return [_brief(each) for each in lines if tuple(each.answer.values()) == ("a", 3)]


def _brief(line: Told) -> tuple[int, str, str]:
    return line.tau, line.status, " ".join(line.hypotheses)


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ("@3 S(a,3)\n@9\n", []),
        ("@3 S(b,3)\n@9\n", [(3, "supported", "P(b,3) Q(b,3)"), (6, "withdrawn", "")]),
        ("@3 S(a,3)\n@4 P(a,3)\n@9\n", []),
        ("@3 S(a,3)\n@4 Q(a,3)\n@9\n", [(4, "answer", "")]),
        (
            "@3 S(b,3)\n@4 S(a,3)\n@4 P(b,3)\n@9\n",
            [(3, "supported", "P(b,3) Q(b,3)"), (4, "supported", "Q(b,3)"), (6, "withdrawn", "")],
        ),
    ],
)
def test_what_is_enough_without_evidence_needs_no_more(
    facts: str, wanted: list[tuple[int, str, str]]
) -> None:
    assert lines_about(GOAL, facts) == wanted


def test_a_free_variable_may_be_anything() -> None:
    """``R`` of any thing is enough, so that of the evidence is."""
    some = "Goal(X,T) :- R(Y,T), Q(X,T)\n"
    more = "Goal(a,T) :- S(Y,T), R(Y,T), Q(Y,T)\n"
    assert lines_about(some + more, "@3 S(a,3)\n@9\n") == []
    assert lines_about(some + more, "@3 S(b,3)\n@9\n")[0] == (3, "supported", "Q(b,3) R(b,3)")


def test_what_is_enough_for_one_thing_is_not_for_any() -> None:
    """``R`` of ``b`` is enough; of another thing it needs the evidence."""
    rules = "Goal(X,T) :- S(X,T), R(Y,T), P(Y,T)\nGoal(a,T) :- R(b,T)\n"
    found = lines_about(rules, "@3 S(a,3)\n@4 P(b,3)\n@5 P(c,3)\n@9\n")
    assert found == [
        (3, "supported", "P(?Y,3) R(?Y,3)"),
        (5, "supported", "R(c,3)"),
        (6, "withdrawn", ""),
    ]


@pytest.mark.parametrize(("time", "wanted"), [(6, []), (7, [(7, "supported", "P(a,7) Q(a,7)")])])
def test_times_must_be_as_far_apart(time: int, wanted: list[tuple[int, str, str]]) -> None:
    rules = "Goal(X,T) :- P(X,T+3)\nGoal(X,T) :- S(X,T), P(X,U), Q(X,U), W(X,U)\n"
    facts = f"@3 S(a,3)\n@{time} W(a,{time})\n"
    assert [line for line in lines_about(rules, facts) if line[0] == time] == wanted


def test_bounds_of_what_is_less_must_be_kept() -> None:
    """Before 3 there is no ``B(X,T-3)``, so only from there on is ``P`` enough."""
    less = "Goal(X,T) :- B(X,T-3)\nB(X,T) :- P(X,T+3)\n"
    more = "Goal(a,T) :- S(X,T), P(X,T), R(X,T)\n"
    lines = Hypothesiser(less + more, "Goal(X,T)", LATE).follow("@2 S(a,2)\n@3 S(a,3)\n@9\n")
    assert [(e.answer["T"], e.status) for e in lines] == [(2, "supported"), (2, "withdrawn")]


@pytest.mark.slow
def test_rows_compared_one_by_one_are_parts_without_evidence_as_well() -> None:
    for number in range(NESTED // 2 - 1, 20 * NESTED, NESTED):
        wanted = engine_output(case_of(number), number)
        with patch.object(schematic_parts, "MOST_STEPS", 0):
            assert engine_output(case_of(number), number) == wanted


LATER = "Q(X,T+3) :- e(X,T+2)\nQ(X,T+1) :- f(X,U), w(T-1), e(X,T)\n"
FACTS = "@0 f(a,0)\n@5\n"


def warning_of(rules: str, query: str) -> RuleError | None:
    return Hypothesiser(rules, query).warning


def test_a_set_that_needs_its_evidence_at_one_time_that_has_passed_is_told_with_a_warning() -> None:
    found = Hypothesiser(LATER, "Q(X,T)")
    assert isinstance(found.warning, TimeNotKnown)
    assert found.warning.severity == "warning"
    assert "w(T-2), e(X,T-1) may come for any T from 0 on" in found.warning.message
    told = [(each.status, each.hypotheses) for each in found.follow(FACTS)]
    assert told == [("supported", ["e(a,?T-1)", "w(?T-2)"])]


def test_a_set_of_which_a_part_is_always_enough_is_not_told_and_not_warned_of() -> None:
    rules = LATER.replace("Q(X,T+3) :- e(X,T+2)", "Q(X,T+1) :- e(X,T)")
    found = Hypothesiser(rules, "Q(X,T)")
    assert found.warning is None
    assert [*found.follow(FACTS)] == []


@pytest.mark.parametrize(
    ("rules", "query"),
    [
        (LATER, "Q(X,3)"),
        (LATER.replace("f(X,U)", "f(X,T)"), "Q(X,T)"),
        ("Q(X,T) :- p(X,T), r(Y,U)\n", "Q(X,T)"),
        ("Q(X,5) :- p(X,T)\nQ(X,5) :- r(X,U), s(X,5)\n", "Q(X,5)"),
    ],
)
def test_there_is_no_warning_where_times_are_known_or_make_no_difference(
    rules: str, query: str
) -> None:
    assert warning_of(rules, query) is None


def test_evidence_of_the_part_may_be_what_makes_it_one() -> None:
    rules = "Q(X,T+3) :- s(X,U), e(X,T+2)\nQ(X,T+1) :- f(X,U), w(T-1), e(X,T), s(X,V)\n"
    assert warning_of(rules, "Q(X,T)") is not None


def test_what_takes_too_long_to_compare_is_warned_of() -> None:
    rules = "Q(X,T) :- p(X,U), r(X,T)\nQ(X,T) :- p(X,U), r(X,T), r(Y,V)\n"
    assert warning_of(rules, "Q(X,T)") is None
    with patch.object(schematic_parts, "_MOST_STEPS_OF_WARNING", 0):
        assert warning_of(rules, "Q(X,T)") is not None


def test_few_random_queries_are_warned_of() -> None:
    """A time that a rule relates to no other is frequent; that it matters is rare."""
    warned = []
    for given in (random_case(seed, nested=seed % 2 > 0) for seed in range(100)):
        with suppress(RuleError):
            warned.append(warning_of(shown_program(given.program), shown_query(given.query)))
    assert 0 < sum(each is not None for each in warned) < len(warned) / 10
