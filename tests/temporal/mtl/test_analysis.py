"""Which fragment a program is in, and what that says of how it is run."""

from __future__ import annotations

from fractions import Fraction

import pytest

from temporal.mtl.analysis import Algorithm, Direction, analyse
from temporal.text.program_parser import parse_program


def of(rules: str):
    return analyse(parse_program(rules))


@pytest.mark.parametrize(
    ("rules", "direction", "back", "ahead"),
    [
        ("A(X) :- B(X)", Direction.NOW, 0, 0),
        ("", Direction.NOW, 0, 0),
        ("A :- Diamondminus[1,2]Boxminus[0,3]B, C Since[0,4] D", Direction.PAST, 5, 0),
        ("Boxplus[0,3]A :- Boxminus[1,2]B", Direction.PAST, 5, 0),
        ("Boxminus[0,1/2]A :- Diamondplus[1,2]B", Direction.FUTURE, 0, Fraction(5, 2)),
        ("A :- Diamondminus[1,2]Diamondplus[0,5]B", Direction.BOTH, 2, 5),
        ("A :- B\nA :- Diamondminus[2,inf)B", Direction.PAST, None, 0),
        ("A :- B Until[0,1] Boxplus[1,1]C\nBoxplus[0,7]A :- B", Direction.BOTH, 7, 2),
    ],
)
def test_where_rules_look_and_how_far(rules, direction, back, ahead) -> None:
    found = of(rules)
    assert (found.direction, found.lookback, found.lookahead) == (direction, back, ahead)
    assert found.is_forward_propagating == (direction in {Direction.NOW, Direction.PAST})


def test_the_depth_is_the_greatest_sum_of_right_ends_of_a_rule() -> None:
    assert of("A :- Diamondminus[0,2]B, Boxplus[1,3]C\nBoxplus[1,4]A :- B").depth == 5
    assert of("A :- Diamondminus[7,inf)B").depth == 7


def test_the_step_divides_all_numbers() -> None:
    assert of("A :- Diamondminus[0,4]B\nBoxplus[2/3,6]A :- B").step == Fraction(2, 3)
    assert of("A :- Diamondminus[0,0]B").step == 1
    assert of("A :- Diamondminus[0,4]B\nBoxplus[2/3,6]A :- B").scale == 3


@pytest.mark.parametrize(
    ("rules", "recursive", "algorithm"),
    [
        ("A :- Diamondminus[0,1]B\nB :- C", False, Algorithm.ROUNDS),
        ("A(X) :- B(X,Y), A(Y)\nC(X) :- Diamondminus[0,1]A(X)", True, Algorithm.ROUNDS),
        ("A :- B\nB :- C\nC :- Diamondminus[0,1]A", True, Algorithm.PERIODS),
        ("Boxplus[1,1]A :- A", True, Algorithm.PERIODS),
        ("Boxplus[1,1]A :- A\nB :- Diamondminus[0,inf)A", True, Algorithm.TAILS),
        ("B :- Diamondminus[0,inf)A", False, Algorithm.ROUNDS),
    ],
)
def test_only_a_cycle_through_an_operator_may_go_on_for_ever(rules, recursive, algorithm) -> None:
    found = of(rules)
    assert (found.is_recursive, found.algorithm) == (recursive, algorithm)


def test_memory_is_bounded_where_rules_look_back_only_and_not_for_ever() -> None:
    assert of("A :- Diamondminus[0,1]B").has_bounded_memory
    assert not of("A :- Diamondminus[0,inf)B").has_bounded_memory
    assert not of("A :- Diamondplus[0,1]B").has_bounded_memory


def test_a_range_of_one_point_is_seen() -> None:
    assert of("A :- Diamondminus[1,1]B").has_punctual
    assert not of("A :- Diamondminus[0,1]B").has_punctual
