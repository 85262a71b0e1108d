"""Plain texts that are numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rif.syntax.terms import Literal
from rif.values.plain_numbers import COMPARISONS, plain_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", Fraction(5)),
        ("-02.50", Fraction(-5, 2)),
        ("+1/3", Fraction(1, 3)),
        (".5", Fraction(1, 2)),
        ("1/0", None),
        ("1e3", None),
        ("5.", None),
        ("٣", None),
        ("", None),
        ("9" * 1001, None),
    ],
)
def test_a_number_is_an_integer_a_decimal_or_a_fraction(text: str, number: Fraction | None) -> None:
    assert plain_number(text) == number


def test_what_is_no_number_has_equality_alone() -> None:
    held = {sign for sign, holds in COMPARISONS.items() if holds(Literal("a"), Literal("1"))}
    assert held == {"!="}
    held = {sign for sign, holds in COMPARISONS.items() if holds(Literal("a"), Literal("a"))}
    assert held == {"="}
