"""Malformed lines are remembered up to a bound."""

from __future__ import annotations

from rete.terms.refused_texts import LONGEST_TEXT, MOST_TEXTS, RefusedTexts


def test_what_is_remembered_is_bounded_in_number_and_length() -> None:
    refused: RefusedTexts[str, int] = RefusedTexts()
    refused.remember("x" * LONGEST_TEXT, -1)
    refused.remember("x" * (LONGEST_TEXT + 1), -2)
    for number in range(2 * MOST_TEXTS):
        refused.remember(f"{number}", number)
    assert len(refused) == MOST_TEXTS
    assert refused.get("x" * LONGEST_TEXT) == -1
    assert refused.get(f"{MOST_TEXTS - 2}") == MOST_TEXTS - 2
    assert "x" * (LONGEST_TEXT + 1) not in refused
