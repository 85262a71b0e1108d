"""Malformed lines are remembered up to a bound, and found again one by one or together."""

from __future__ import annotations

from rete.terms.fault_cache import LONGEST_TEXT, MOST_TEXTS, FaultCache


def test_what_is_remembered_is_bounded_in_number_and_length() -> None:
    cache: FaultCache[str, int] = FaultCache()
    cache.remember("x" * LONGEST_TEXT, -1)
    cache.remember("x" * (LONGEST_TEXT + 1), -2)
    for number in range(2 * MOST_TEXTS):
        cache.remember(f"{number}", number)
    assert len(cache) == MOST_TEXTS
    assert cache.get("x" * LONGEST_TEXT) == -1
    assert cache.get(f"{MOST_TEXTS - 2}") == MOST_TEXTS - 2
    assert "x" * (LONGEST_TEXT + 1) not in cache


def test_the_first_of_many_texts_are_found_up_to_one_that_is_not_known() -> None:
    cache: FaultCache[str, int] = FaultCache()
    cache.remember("a", 0)
    cache.remember("b", 1)
    assert cache.of_first(["a", "b", "a"]) == [0, 1, 0]
    assert cache.of_first(["b", "c", "a"]) == [1]
    assert cache.of_first(["c", "a"]) == []
