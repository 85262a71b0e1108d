"""Texts with a cursor, written ``|``."""

from __future__ import annotations


def cursor(text: str) -> tuple[str, int]:
    """The text without its first ``|``, and the offset of that."""
    before, _, after = text.partition("|")
    return before + after, len(before)
