"""Sets of characters: ranges, categories, blocks, names of XML, variants in case."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from elementpath.regex import unicode_block, unicode_category
from hypothesis import given
from hypothesis import strategies as st

from rif.regex.character_sets import (
    LAST,
    Ranges,
    add_case_variants,
    complement,
    intersect,
    subtract,
    union,
)
from rif.regex.properties import block, category, escape_class
from rif.syntax.lexical import name_character, name_start


def codes(ranges: Ranges) -> set[int]:
    return {code for low, high in ranges for code in range(low, high + 1)}


def has(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def small_sets() -> st.SearchStrategy[list[tuple[int, int]]]:
    lows = st.integers(0, 12) | st.integers(LAST - 12, LAST)
    pairs = st.tuples(lows, st.integers(0, 5))
    return st.lists(pairs.map(lambda pair: (pair[0], min(pair[0] + pair[1], LAST))))


@given(one=small_sets(), two=small_sets())
def test_ranges_are_sets(one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    left, right = union(one), union(two)
    assert codes(left) == {code for low, high in one for code in range(low, high + 1)}
    assert all(a[1] + 1 < b[0] for a, b in pairwise(left))
    assert codes(subtract(left, right)) == codes(left) - codes(right)
    assert codes(intersect(left, right)) == codes(left) & codes(right)
    assert complement(complement(left)) == left
    assert not codes(intersect(complement(left), left))


CATEGORIES = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk"


@pytest.mark.parametrize("name", [*CATEGORIES.split(), "So", "C", "Cc", "Cf", "Co", "Cn"])
def test_categories_are_those_of_elementpath(name: str) -> None:
    points = unicode_category(name).codepoints
    expected = union((p, p) if isinstance(p, int) else (p[0], p[1] - 1) for p in points)
    assert category(name) == expected


def test_what_is_not_scanned_is_of_the_category_it_is_taken_for() -> None:
    for code in [*range(0x40000, LAST, 997), 0xE1000, 0xEFFFF, 0xFFFFD, 0xFFFFE, LAST - 2, LAST]:
        assert has(category(unicodedata.category(chr(code))), code)


def test_blocks_have_the_names_of_xsd_and_the_ranges_of_unicode() -> None:
    assert block("IsBasicLatin") == ((0, 0x7F),)
    assert block("IsLatin-1Supplement") == ((0x80, 0xFF),)
    assert block("IsEmoticons") == ((0x1F600, 0x1F64F),)
    assert len(codes(block("IsHangulJamo"))) == len(unicode_block("HangulJamo")) == 256
    for name in ("IsBasic Latin", "Isbasiclatin", "IsNowhere", "BasicLatin", "Is"):
        with pytest.raises(KeyError):
            block(name)


@pytest.mark.parametrize("name", ["Cs", "LC", "lu", "", "X", "Lul"])
def test_there_are_no_other_categories(name: str) -> None:
    with pytest.raises(KeyError):
        category(name)


def test_names_are_those_of_xml_beyond_the_first_plane() -> None:
    initial, name = escape_class("i") or (), escape_class("c") or ()
    assert not subtract(initial, name)
    for code in (0x3A, 0x5F, 0x10000, 0xEFFFF):
        assert has(initial, code)
    for code in (0x2D, 0x2E, 0x30, 0xB7, 0x300, 0x36F, 0x203F, 0x2040):
        assert has(subtract(name, initial), code)
    for code in (0xD7, 0xF7, 0x37E, 0x2000, 0x3000, 0xFFFE, 0xF0000):
        assert not has(name, code)


@pytest.mark.parametrize(
    ("letter", "character"), [("i", name_start(":")), ("c", name_character(":.-"))]
)
def test_the_names_of_expressions_are_those_of_the_syntax(letter: str, character: str) -> None:
    every = "".join(map(chr, range(LAST + 1)))
    runs = re.finditer(f"{character}+", every)
    assert escape_class(letter) == tuple((run.start(), run.end() - 1) for run in runs)


def test_variants_have_the_same_lower_or_the_same_upper_case() -> None:
    assert {chr(code) for code in codes(add_case_variants(((0x6B, 0x6B),)))} == {"k", "K", "\u212a"}
    assert {chr(code) for code in codes(add_case_variants(((0x3C2, 0x3C2),)))} == set("ςσΣ")
    assert {chr(code) for code in codes(add_case_variants(((0xDF, 0xDF),)))} == set("ßẞ")
    assert add_case_variants(((0x31, 0x31),)) == ((0x31, 0x31),)
