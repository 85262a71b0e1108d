"""Unification: which patterns can match the same fact, found without trying all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias, TypeVar

from rete.terms.number_constants import (
    NumberIndex,
    constant_number,
    is_marked,
    marked,
    matches_number,
    unmarked,
)
from rif.syntax.terms import parse_canonical

T = TypeVar("T")
U = TypeVar("U")

ConstantPattern: TypeAlias = tuple[str | None, ...]
"""The constants of a pattern at the places of its relation; None: any term.

A number that stands for its value is marked (`rete.terms.number_constants.marked`).
"""
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


def unifies(pattern: ConstantPattern, head: ConstantPattern) -> bool:
    """Whether a fact of ``head`` may match ``pattern``, in which numbers may be marked."""
    return all(
        a is None or b is None or a == b or (is_marked(a) and _matches(a, b))
        for a, b in zip(pattern, head, strict=True)
    )


def _matches(number: str, text: str) -> bool:
    return matches_number(parse_canonical(text), parse_canonical(unmarked(number)))


def fed_groups(
    heads: Iterable[tuple[ConstantPattern, T]], patterns: Sequence[tuple[ConstantPattern, U]]
) -> Iterator[tuple[list[T], list[U]]]:
    """Groups of heads and patterns of one relation as `unifiable_groups`: which may feed which.

    A head whose constants match marked numbers is found by these, too; then a pair may come twice.
    """
    places: dict[int, list[str]] = {}
    for key, _ in patterns:
        for place, text in enumerate(key):
            if text is not None and is_marked(text):
                places.setdefault(place, []).append(unmarked(text))
    if places:
        indexes = {place: NumberIndex(texts) for place, texts in places.items()}
        heads = [(other, item) for key, item in heads for other in _alternatives(key, indexes)]
    yield from unifiable_groups(heads, patterns)


def _alternatives(
    key: ConstantPattern, indexes: Mapping[int, NumberIndex]
) -> Iterator[ConstantPattern]:
    """The constants of a head, and each time with marked numbers that they match."""
    choices: list[list[str | None]] = [[text] for text in key]
    for place, index in indexes.items():
        text = key[place]
        if text is not None:
            choices[place] += map(marked, index.matching(constant_number(text)))
    return product(*choices)


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
