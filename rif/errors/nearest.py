"""The words among those that are known that are most like one that is not, for hints."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_words(
    asked: str, words: Iterable[str], most: int = 1, likeness: float = 0.6
) -> list[str]:
    """Those of ``words`` that are most like ``asked``, the nearest first.

    Args:
        asked: the word that is not known.
        words: those that are.
        most: so many are given.
        likeness: what they have in common at least, from 0 to 1.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for faults alone

    return get_close_matches(asked, list(words), most, likeness)


def nearest_word(asked: str, words: Iterable[str]) -> str | None:
    """That of ``words`` which is most like ``asked``; None: none is."""
    return next(iter(nearest_words(asked, words)), None)
