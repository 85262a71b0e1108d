"""The words among those that are known that are most like one that is not, for hints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

LONGEST_WORD: Final = 1000
"""Characters of words that are compared, as the time is quadratic: nobody mistypes a longer one."""


def nearest_words(
    asked: str, words: Iterable[str], most: int = 1, likeness: float = 0.6
) -> list[str]:
    """Those of ``words`` that are most like ``asked``, the nearest first.

    Args:
        asked: the word that is not known; nothing is like one longer than `LONGEST_WORD`.
        words: those that are.
        most: so many are given.
        likeness: what they have in common at least, from 0 to 1.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for faults alone

    if len(asked) > LONGEST_WORD:
        return []
    short = [word for word in words if len(word) <= LONGEST_WORD]
    return get_close_matches(asked, short, most, likeness)


def nearest_word(asked: str, words: Iterable[str]) -> str | None:
    """That of ``words`` which is most like ``asked``; None: none is."""
    return next(iter(nearest_words(asked, words)), None)
