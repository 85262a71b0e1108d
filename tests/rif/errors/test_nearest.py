"""The words that are most like one that is not known."""

from __future__ import annotations

from unittest.mock import patch

from rif.errors.nearest import LONGEST_WORD, nearest_word, nearest_words


def test_the_nearest_word_comes_first() -> None:
    words = ["window", "delay", "delays"]
    assert nearest_words("dellay", words, 2) == ["delay", "delays"]
    assert nearest_word("zzz", words) is None


def test_long_words_are_not_compared() -> None:
    long = "a" * (LONGEST_WORD + 1)
    assert nearest_word(long[1:], [long[1:], long]) == long[1:]
    assert nearest_word(long[1:], [long]) is None
    with patch("difflib.SequenceMatcher", side_effect=AssertionError):
        assert nearest_word(long, [long]) is None
