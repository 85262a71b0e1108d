"""A wrong pattern is reported with its place; so is one that has no automaton."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rif.regex import BadFlags, BadPattern, Inexpressible, RegexError, compile_pattern
from rif.regex.scanner import Scanner
from tests.rif.regex.operations import FLAGS, fault, matches


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a(b", 1),
        ("ab)", 2),
        ("a[b", 1),
        ("[", 0),
        ("[a-", 0),
        ("[]", 0),
        ("[^]", 0),
        ("[^-[a]]", 0),
        ("[a-[b]", 0),
        ("[a-[b]c]", 6),
        ("[a[b]]", 2),
        ("[b-a]", 1),
        ("[a--]", 1),
        ("[--z]", 1),
        (r"[a-\d]", 1),
        (r"[\1]", 1),
        ("a]", 1),
        ("a}", 1),
        ("*", 0),
        ("a**", 2),
        ("a|+", 2),
        ("a???", 3),
        ("a{", 1),
        ("a{,2}", 1),
        ("a{2,1}", 1),
        ("a{1000,0999}", 1),
        ("a{x}", 1),
        ("(?=a)", 0),
        ("(?i)a", 0),
        ("(?", 0),
        ("\\", 0),
        (r"a\b", 1),
        (r"\0", 0),
        (r"\x41", 0),
        (r"\p", 0),
        (r"\p{", 0),
        (r"\pL", 0),
        (r"a\p{Foo}", 1),
        (r"\p{IsBadBlockName}", 0),
        (r"\p{Cs}", 0),
        (r"(a)\2", 3),
        (r"(a\1)", 2),
        (r"a\1", 1),
        (r"(a)\1(", 5),
    ],
)
def test_a_wrong_pattern_is_told_with_its_place(pattern: str, position: int) -> None:
    assert fault(pattern) == (BadPattern, position)


def test_the_place_of_a_fault_counts_the_white_space_that_is_dropped() -> None:
    assert fault(" a ( b ", "x") == (BadPattern, 3)
    assert fault("a b \\ q", "x") == (BadPattern, 4)
    assert fault(" (", "x") == (BadPattern, 1)


def test_a_flag_that_there_is_not_is_told() -> None:
    assert fault("a", "sg") == (BadFlags, 1)
    assert matches("A", "a", "iii")


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        (r"(a)\1", 3),
        (r"((((((((((a))))))))))\10", 21),
        (r"(a)\12", 3),
        ("ab{1001}", 2),
        ("a{0,1001}", 1),
        ("a{99999999999999999999}", 1),
        ("(?:a{100}){100}", 0),
        ("((a{10}){11}){12}", 0),
    ],
)
def test_what_is_valid_and_beyond_linear_time_is_told_apart(pattern: str, position: int) -> None:
    assert fault(pattern) == (Inexpressible, position)


def test_the_greatest_bounds_are_expressed() -> None:
    assert matches("a" * 1000, "^a{1000}$")
    assert not matches("a" * 999, "^a{1000}$")
    assert matches("ab" * 1000, "^(?:ab){0,1000}$")
    assert matches("x" * 100, r"^\w{1,100}$")


METACHARACTERS = st.text("ab()[]{}?*+|\\^$.-,10pLiIsdw: \n", max_size=12)


@given(pattern=METACHARACTERS, flags=FLAGS)
@example(pattern="[--[a]]", flags="")
@example(pattern="(?:$*)+", flags="m")
def test_any_text_is_compiled_or_refused_for_a_reason_of_ours(pattern: str, flags: str) -> None:
    found = None
    try:
        compile_pattern(pattern, flags).search("ab\n")
    except RegexError as refused:
        found = refused
    assert found is None or 0 <= found.position <= len(pattern)
    assert found is None or "RE2" not in found.message


def test_a_fault_is_told_each_time() -> None:
    assert fault("a(") == fault("a(")
    assert compile_pattern("a") is compile_pattern("a")


def test_a_source_knows_where_its_characters_stood() -> None:
    source = Scanner(" a[ ]\\ b ", spaced=True)
    assert source.text == "a[ ]\\b"
    assert [source.place(at) for at in range(7)] == [1, 2, 3, 4, 5, 7, 6]
