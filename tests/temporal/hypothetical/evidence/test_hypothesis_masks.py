"""Masks: which hypotheses, arrived together, tell of an entry, and what plans that makes."""

from __future__ import annotations

from functools import reduce
from operator import or_

from rete.nodes.join import Join
from rete.nodes.metric.shift import Shift
from rete.nodes.scan import Scan
from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.evidence.hypothesis_masks import find_bindings, lower
from temporal.hypothetical.syntax.program_parser import parse_query
from tests.temporal.hypothetical.schematic_runs import schematic_answer


def bound(*hypotheses: str) -> dict[str, tuple[int, tuple[int, ...]]]:
    """By the names that are bound the hypotheses of all masks, and the masks."""
    found = find_bindings(tuple(map(parse_query, hypotheses)))
    return {
        "".join(name for _, name in each.names): (reduce(or_, each.masks), each.masks)
        for each in found
    }


def test_hypotheses_of_the_same_variables_are_told_of_one_by_one() -> None:
    assert bound("p(X,T)", "r(X,T+1)", "p(X,T+2)") == {"XT": (0b111, (0b001, 0b010, 0b100))}


def test_what_binds_less_than_all_is_joined_with_what_binds_the_rest() -> None:
    assert bound("p(X,T)", "r(Y,T)") == {"XT": (1, (1,)), "YT": (2, (2,)), "XYT": (3, (3,))}


def test_one_that_binds_all_is_joined_with_each_that_binds_less() -> None:
    # {p, r} binds all, too; with it all that e tells of is told.
    assert bound("p(X,T)", "r(Y,T)", "e(X,Y,T)")["XYT"] == (0b111, (0b011, 0b100, 0b101, 0b110))


def test_hypotheses_without_variables_are_told_of_one_by_one() -> None:
    assert bound("p(a,0)", "p(b,1)") == {"": (3, (1, 2))}


def test_equal_parts_of_plans_are_shared_between_schematic_answers() -> None:
    one = schematic_answer("q(X,T)", "p(X,T)", "p(X,T+1)")
    other = schematic_answer("q(X,T)", "p(X,T+1)", "p(X,T+2)")
    plans = {emit.source for emit in lower([one, other], DelayBounds()).emits}
    assert sorted(plan.by for plan in plans if isinstance(plan, Shift)) == [-2, -1]
    assert sum(isinstance(plan, Scan) for plan in plans) == 1


def test_a_joined_fact_lasts_as_long_as_another_may_arrive() -> None:
    schema = schematic_answer("q(X,Y,T)", "p(X,T)", "r(Y,T+2)")
    (join,) = (
        emit.source
        for emit in lower([schema], DelayBounds(3)).emits
        if isinstance(emit.source, Join)
    )
    assert [source.lasts for source in join.sources if isinstance(source, Shift)] == [6, 6]
    free = schematic_answer("q(X,Y,T)", "p(X,T)", "r(Y,S)", "r(X,S)")
    lasts = {
        source.lasts
        for emit in lower([free], DelayBounds(3)).emits
        for source in emit.source.sources
        if isinstance(source, Shift)
    }
    assert lasts == set()
