"""Unification: which patterns can match the same fact, found without trying all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

T = TypeVar("T")
U = TypeVar("U")

ConstantPattern: TypeAlias = tuple[str | None, ...]
"""The constants of a pattern at the places of its relation; None: any term."""
_Keyed: TypeAlias = list[tuple[ConstantPattern, T]]


class UnificationHub:
    """In a graph: all that feeds it unifies with all that it feeds, with fewer edges than pairs."""

    __slots__ = ()


def unifiable_groups(
    left: Iterable[tuple[ConstantPattern, T]], right: Iterable[tuple[ConstantPattern, U]]
) -> Iterator[tuple[list[T], list[U]]]:
    """Groups of patterns of one relation, all of the first with all of the second.

    Two patterns unify if they have no different constants at one place. Each pair that does is in
    exactly one pair of groups, so there may be many more pairs than groups. The cost is that of
    the patterns, times the different sets of places where they have constants.
    """
    rights = _by_places(right)
    for places, patterns in _by_places(left).items():
        for others, opposite in rights.items():
            common = [place for place in places if place in others]
            found = _by_constants(opposite, common)
            for constants, items in _by_constants(patterns, common).items():
                if constants in found:
                    yield items, found[constants]


def _by_places(
    patterns: Iterable[tuple[ConstantPattern, T]],
) -> Mapping[tuple[int, ...], _Keyed[T]]:
    found: dict[tuple[int, ...], _Keyed[T]] = {}
    for key, item in patterns:
        places = tuple(place for place, constant in enumerate(key) if constant is not None)
        found.setdefault(places, []).append((key, item))
    return found


def _by_constants(patterns: _Keyed[T], places: list[int]) -> Mapping[ConstantPattern, list[T]]:
    found: dict[ConstantPattern, list[T]] = {}
    for key, item in patterns:
        found.setdefault(tuple(key[place] for place in places), []).append(item)
    return found
