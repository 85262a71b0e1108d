"""Numbers of patterns match the terms that are equal to them as XPath compares numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.planning.unification import fed_groups, unifies
from rete.terms.dictionary import Dictionary
from rete.terms.number_constants import (
    NO_NUMBER,
    NumberIndex,
    constant_number,
    marked,
    matches_members,
    matches_number,
    number_text,
)
from rif.builtins import BUILTINS
from rif.syntax.terms import PRED, XSD, GroundList, Literal, parse_canonical

NUMERIC_EQUAL = BUILTINS[PRED + "numeric-equal"].evaluate
WHOLE = ("0", "1", "01", "+1", "2", "16777217", "9007199254740993", "1" + "0" * 40)
DECIMALS = (
    "0.1",
    "1.0",
    "2.50",
    "16777216.0",
    "9007199254740992.0",
    "0.100000001490116119384765625",
)
REALS = ("0.1", "1", "1e0", "-0", "0", "16777217", "9007199254740992", "1e40", "INF", "-INF", "NaN")
NUMBERS = tuple(
    str(Literal(text, XSD + kind))
    for kind, texts in (
        ("integer", WHOLE),
        ("byte", ("1", "x")),
        ("decimal", DECIMALS),
        ("double", REALS),
        ("float", REALS),
        ("string", ("1",)),
    )
    for text in texts
)
some_numbers = st.lists(st.sampled_from(NUMBERS), max_size=12)


def equal(text: str, constant: str) -> bool:
    return (
        text == constant or NUMERIC_EQUAL(parse_canonical(text), parse_canonical(constant)) is True
    )


@given(some_numbers, some_numbers)
def test_an_index_finds_what_numeric_equal_is_true_of(
    constants: list[str], data: list[str]
) -> None:
    texts = [found for each in constants if (found := number_text(each)) is not None]
    index, terms = NumberIndex(texts), Dictionary()
    ids = terms.encode_many(data)
    matching = dict(index.matches(np.array(ids, np.int64), terms))
    for term, text in zip(ids.tolist(), data, strict=True):
        wanted = {each for each in texts if equal(text, each) and constant_number(text) is not None}
        assert {*matching.get(term, ())} == wanted


def test_a_constant_matches_its_own_term_and_equal_numbers() -> None:
    for text, constant in product(NUMBERS, NUMBERS):
        number = number_text(constant)
        found = text == constant if number is None else equal(text, number)
        assert found == equal(text, constant)
        assert matches_number(parse_canonical(text), parse_canonical(constant)) == found


heads = st.lists(
    st.tuples(st.sampled_from((*NUMBERS, None)), st.sampled_from((*NUMBERS, None))), max_size=6
)


@given(heads, heads)
def test_heads_feed_the_patterns_whose_numbers_they_match(
    some: list[tuple[str | None, str | None]], others: list[tuple[str | None, str | None]]
) -> None:
    def pattern(text: str | None) -> str | None:
        number = None if text is None else number_text(text)
        return text if number is None else marked(number)

    patterns = [(pattern(a), pattern(b)) for a, b in others]
    groups = fed_groups(((key, key) for key in some), [(key, key) for key in patterns])
    found = {pair for left, right in groups for pair in product(left, right)}
    assert found == {(a, b) for a, b in product(some, patterns) if unifies(b, a)}


def test_lists_match_member_by_member_numbers_by_value() -> None:
    one, first = Literal("1.0", XSD + "decimal"), Literal("1", XSD + "integer")
    text = Literal("a", XSD + "string")
    inner, outer = GroundList((first, text)), GroundList((one, text))
    numbers = GroundList((first, NO_NUMBER))
    assert matches_members(outer, inner, numbers)
    assert matches_members(GroundList((outer,)), GroundList((inner,)), GroundList((numbers,)))
    assert not matches_members(outer, inner, GroundList((NO_NUMBER, NO_NUMBER)))
    assert not matches_members(GroundList((one,)), inner, numbers)
    assert not matches_members(one, inner, numbers)
