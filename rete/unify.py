"""Which patterns can speak of the same fact: found by constants, not by trying all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

Key: TypeAlias = tuple[str | None, str | None]
"""The constants of a pattern at the two routing places of its relation; None: any."""


class ByConstants(Generic[T]):
    """Items by their key; those whose key can be that of the same fact are found at once."""

    __slots__ = ("_items",)

    def __init__(self) -> None:
        self._items: dict[str | None, dict[str | None, list[T]]] = {}

    def add(self, key: Key, item: T) -> None:
        """Enter ``item`` under ``key``."""
        self._items.setdefault(key[0], {}).setdefault(key[1], []).append(item)

    def find(self, key: Key) -> Iterator[T]:
        """The items whose keys have no other constant where ``key`` has one."""
        for seconds in _compatible(self._items, key[0]):
            for items in _compatible(seconds, key[1]):
                yield from items


def _compatible(table: dict[str | None, T], constant: str | None) -> Iterator[T]:
    if constant is None:
        yield from table.values()
        return
    for key in (constant, None):
        if key in table:
            yield table[key]
