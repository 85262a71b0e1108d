"""From rules of DatalogMTL to plans."""

from __future__ import annotations

import pytest

from rete.arrays.delta import POS_INF
from rete.graph.plan import Emit, Plan
from rete.nodes.join import Join
from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.metric.since import Since
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.terms.relations import Head, Relation
from rif.errors.report import RuleErrors
from temporal.mtl.guards import add_guards, guarded_rules
from temporal.mtl.lowering import MAX_CONDITIONS, lower
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_rule
from tests.simulation.metric.single_texts import parse_rule


def plan_of(rule: str, scale: int = 1) -> Emit:
    (found,) = lower(parse_program(rule), scale)
    return found


def scan(name: str, arity: int, *keep: int) -> Scan:
    return Scan(Relation(f"_:d0_{name}", arity), (), (), keep)


def head(name: str, *args: int | str) -> Head:
    return Head(Relation(f"_:d0_{name}", len(args)), args)


def test_operators_are_plans_over_those_of_their_body_and_ranges_are_cells() -> None:
    found = plan_of("A(X) :- Diamondminus(0,1/2]Boxplus[1,inf)B(X)", 2)
    inner = Erode(scan("B", 1, 0), (4, POS_INF), future=True)
    assert found == Emit(Dilate(inner, (1, 3)), 1, (head("A", 0),))


def test_a_head_under_boxes_is_seen_around_its_body() -> None:
    found = plan_of("Boxplus[0,1]Boxminus[2,3)A(X) :- B(X)")
    body = Dilate(scan("B", 1, 0), (0, 3))
    assert found.source == Dilate(body, (4, 6), future=True)


def test_a_diamond_projects_what_is_not_needed_and_a_box_does_not() -> None:
    assert plan_of("A(X) :- Diamondminus[0,1]B(X,Y)").source == Dilate(scan("B", 2, 0), (0, 3))
    found = plan_of("A(X) :- Boxminus[0,1]B(X,Y)")
    assert found.source == Erode(scan("B", 2, 0, 1), (0, 3))
    assert found.heads == (head("A", 0),)


def test_top_is_the_unit_alone_and_nothing_beside_others() -> None:
    assert plan_of("A :- TOP").source == Unit()
    assert plan_of("A :- B, TOP").source == scan("B", 0)
    assert plan_of("A :- Diamondminus[0,1]TOP").source == Dilate(Unit(), (0, 3))


def test_since_keeps_its_left_columns_only_without_zero_in_its_range() -> None:
    left, right = scan("B", 2, 0, 1), scan("C", 1, 0)
    found = plan_of("A(X,Y) :- B(X,Y) Since(0,1] C(X)")
    assert found.source == Since(left, right, ((0, 0),), (~0, 1), (1, 3))
    assert found.heads == (head("A", 0, 1),)
    found = plan_of("A(X) :- B(X,Y) Until[0,1] C(X)")
    assert found.source == Since(left, right, ((0, 0),), (~0,), (0, 3), future=True)


def test_the_right_side_of_since_is_projected_to_what_is_needed() -> None:
    found = plan_of("A(X) :- B(X) Since[0,1] C(X,Y)")
    assert found.source == Since(scan("B", 1, 0), scan("C", 2, 0), ((0, 0),), (~0,), (0, 3))


def test_equal_parts_of_rules_are_equal_plans() -> None:
    rules = "A(X) :- Boxminus[0,1]B(X,Y), C(Y)\nD(Z) :- Boxminus[0,1]B(Z,W), E(Z)"
    one, other = lower(parse_program(rules), 1)
    shared = Erode(scan("B", 2, 0, 1), (0, 3))
    assert shared in set(below(one.source)) & set(below(other.source))


def below(plan: Plan) -> list[Plan]:
    return [plan, *(found for source in plan.sources for found in below(source))]


def test_constants_and_equal_variables_are_those_of_the_scan() -> None:
    found = plan_of("A(X,b) :- Diamondminus[0,1]B(X,X,'c d')")
    expected = Scan(Relation("_:d0_B", 3), ((2, '"c d"'),), ((0, 1),), (0,))
    assert found == Emit(Dilate(expected, (0, 3)), 1, (head("A", 0, '"b"'),))


def test_what_shares_no_variable_is_joined_last() -> None:
    found = plan_of("A(X) :- B(Y), Boxminus[0,1]C(X,Z), D(Z)").source
    assert isinstance(found, Join)
    assert found.on == ()
    assert scan("B", 1) in found.sources


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("A(X) :- B(Y) Since[0,1] C(X)", None),
        ("A(X,Y) :- B(Y) Since(0,1] C(X)", None),
        (
            "A(X,Y) :- B(Y) Since[0,1] C(X), D(Y)",
            "A(X,Y) :- B(Y) Since[0,1] (C(X), Diamondplus[0,1]D(Y)), D(Y)",
        ),
        (
            "A(X,Y) :- Boxplus[2,3](B(Y) Until[0,1] C(X)), D(Y)",
            (
                "A(X,Y) :- Boxplus[2,3](B(Y) Until[0,1] (C(X), Diamondminus[0,1]"
                "Diamondminus[2,3]D(Y))), D(Y)"
            ),
        ),
        (
            "A(X,Y) :- (B(Y) Since[0,1] C(X)) Since[0,2] D(X,Y)",
            (
                "A(X,Y) :- B(Y) Since[0,1] (C(X), Diamondplus[0,1]Diamondminus(0,2)D(X,Y)) "
                "Since[0,2] D(X,Y)"
            ),
        ),
        (
            "A(X,Y) :- D(Y) Since(0,2] (B(Y) Since[0,1] C(X))",
            (
                "A(X,Y) :- D(Y) Since(0,2] (B(Y) Since[0,1] (C(X), Diamondplus[0,1]"
                "Diamondplus(0,2)D(Y)))"
            ),
        ),
    ],
)
def test_guards_bind_what_the_right_side_of_since_does_not(rule, expected) -> None:
    given = parse_rule(rule)
    found = add_guards(given)
    if expected is None:
        assert found is given
    else:
        assert write_rule(found) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("A(X) :- B(Y) Since[0,1] C(X)", ["A(X) :- B(Y) Since[0,1] C(X)"]),
        (
            "A(X) :- Boxminus[1,2](B(X,Y) Since[0,3] C(X))",
            [
                "A(X) :- Boxminus[1,2]C(X)",
                (
                    "A(X) :- Boxminus[1,2](B(X,Y) Since[0,3] (C(X), Diamondminus[0,5]"
                    "Diamondplus[0,5]B(X,Y)))"
                ),
            ],
        ),
        (
            "A :- Boxplus[0,1](Diamondminus[0,2]B(X) Since[0,3] C)",
            [
                "A :- Boxplus[0,1]C",
                (
                    "A :- Boxplus[0,1](Diamondminus[0,2]B(X) Since[0,3] (C, Diamondminus[0,6]"
                    "Diamondplus[0,4]B(X)))"
                ),
            ],
        ),
        (
            "A :- (B(X) Since[0,inf) C) Until(0,1] D",
            [
                "A :- C Until(0,1] D",
                (
                    "A :- B(X) Since[0,inf) (C, Diamondminus[0,inf)Diamondplus[0,inf)B(X)) "
                    "Until(0,1] D"
                ),
            ],
        ),
    ],
)
def test_a_value_for_a_whole_box_is_sought_apart(rule: str, expected: list[str]) -> None:
    assert list(map(write_rule, guarded_rules(parse_rule(rule)))) == expected


def test_rules_in_place_of_one_have_its_number() -> None:
    rules = "A :- D\nA :- Boxminus[0,1](B(X) Since[0,1] C)\nA :- D"
    assert [each.rule for each in lower(parse_program(rules), 1)] == [1, 2, 2, 3]


def test_a_body_longer_than_plans_are_deep_is_refused() -> None:
    body = ", ".join(f"P{number}(X)" for number in range(MAX_CONDITIONS + 1))
    with pytest.raises(RuleErrors) as caught:
        lower(parse_program(f"A(X) :- {body}"), 1)
    assert [error.code for error in caught.value.errors] == ["MTL207"]


def test_equal_rules_have_equal_plans_and_numbers_of_their_own() -> None:
    one, other, again = lower(parse_program("A(X) :- B(X)\nC :- D\nA(X) :- B(X)"), 1)
    assert (one.source, one.heads) == (again.source, again.heads)
    assert [one.rule, other.rule, again.rule] == [1, 2, 3]
