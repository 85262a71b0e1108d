"""A cache of what is wrong with malformed texts: one that repeats costs a look-up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

MOST_TEXTS: Final = 1000
LONGEST_TEXT: Final = 1000
"""Bytes or characters of a text that is remembered."""

Text = TypeVar("Text", str, bytes)
Fault = TypeVar("Fault")


class FaultCache(dict[Text, Fault]):
    """Malformed lines or statements, and what is wrong with each.

    A producer that writes a malformed line often writes the same one again and again. Memory is
    bounded: the first `MOST_TEXTS` are remembered, up to `LONGEST_TEXT` long.
    """

    __slots__ = ()

    def of_first(self, texts: Iterable[Text]) -> list[Fault]:
        """What is wrong with the first of ``texts``, up to one that is not known."""
        found: list[Fault] = []
        for text in texts:
            fault = self.get(text)
            if fault is None:
                break
            found.append(fault)
        return found

    def remember(self, text: Text, fault: Fault) -> None:
        """Remember what is wrong with ``text``, if there is room."""
        if len(text) <= LONGEST_TEXT and len(self) < MOST_TEXTS:
            self[text] = fault
