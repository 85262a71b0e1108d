"""Predicates and functions of lists [RIF-DTB 4.11].

Positions count from 0, negative ones from the end, so that -1 is the last; a position is a whole
number of any exact datatype. Where there is no item at a position, the arguments are outside the
domain. Items are the same if they are equal in RIF: numbers, strings, … by value, everything else
as terms, since two IRIs are never known to differ nor to be equal [RIF-DTB 4.11.2].

A list that a function makes has at most a million items, those of lists within it counted, and at
most 100 levels of them; beyond that the arguments are outside the domain. Each function is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Final, TypeAlias

from rif.builtins.signatures import Builtin
from rif.syntax.terms import FUNC, PRED, GroundList, GroundTerm, Literal
from rif.values.datatypes import literal_of, numeric_value, value_of

_Items: TypeAlias = tuple[GroundTerm, ...]

MAX_DEPTH: Final = 100
"""Levels of a list that a function makes, as many as a rule may write: walks are recursive."""

MAX_ITEMS: Final = 1_000_000
"""Items of such a list, at all levels: doubling a list ends before memory does."""


def position(term: GroundTerm) -> int | None:
    """The whole number that a term stands for, if it is one of an exact datatype."""
    number = numeric_value(term) if isinstance(term, Literal) else None
    if number is None or isinstance(number[1], float) or number[1] != int(number[1]):
        return None
    return int(number[1])


def _index_of_position(items: _Items, term: GroundTerm) -> int | None:
    """The index in ``items`` of the position that ``term`` stands for; None if it has no item."""
    at = position(term)
    if at is None or not -len(items) <= at < len(items):
        return None
    return at % len(items)


def _integer(number: int) -> Literal:
    return literal_of("integer", number)


def _bounded_list(items: _Items) -> GroundList | None:
    """The list of ``items``, unless it is too large or too deep."""
    count, level = len(items), items
    for _ in range(MAX_DEPTH):
        inner = [item.items for item in level if isinstance(item, GroundList)]
        count += sum(map(len, inner))
        if count > MAX_ITEMS:
            return None
        if not inner:
            return GroundList(items)
        level = tuple(item for within in inner for item in within)
    return None


# predicates


def _is_list(term: GroundTerm) -> bool:
    """Is it a list? False of any other term."""
    return isinstance(term, GroundList)


def _contains(items: GroundTerm, item: GroundTerm) -> bool | None:
    """Is an item in a list itself, not in one within it?"""
    if not isinstance(items, GroundList):
        return None
    wanted = value_of(item)
    return any(value_of(member) == wanted for member in items.items)


def _members(items: GroundTerm | None, _: GroundTerm | None) -> Iterator[_Items] | None:
    """Each term that is in the list, once."""
    if not isinstance(items, GroundList):
        return None
    return ((items, member) for member in dict.fromkeys(items.items))


# functions


def _make(*items: GroundTerm) -> GroundList | None:
    """The list of the arguments."""
    return _bounded_list(items)


def _count(items: GroundTerm) -> Literal | None:
    """The length of a list."""
    return _integer(len(items.items)) if isinstance(items, GroundList) else None


def _get(items: GroundTerm, at: GroundTerm) -> GroundTerm | None:
    """The item at a position."""
    if not isinstance(items, GroundList):
        return None
    index = _index_of_position(items.items, at)
    return None if index is None else items.items[index]


def _sublist(
    items: GroundTerm, start: GroundTerm, stop: GroundTerm | None = None
) -> GroundList | None:
    """The items from a start up to a stop, without it; up to the end if there is none.

    Both may be the length of the list, the stop may lie behind it, and one before the start leaves
    nothing.
    """
    if not isinstance(items, GroundList):
        return None
    count = len(items.items)
    first = position(start)
    last = count if stop is None else position(stop)
    if first is None or last is None or not -count <= first <= count or last < -count:
        return None
    return GroundList(items.items[first:last])


def _append(items: GroundTerm, *more: GroundTerm) -> GroundList | None:
    """A list with further items behind it."""
    return _bounded_list((*items.items, *more)) if isinstance(items, GroundList) else None


def _insert(items: GroundTerm, at: GroundTerm, item: GroundTerm) -> GroundList | None:
    """A list with an item before the one at a position; the length of the list is none."""
    if not isinstance(items, GroundList):
        return None
    index = _index_of_position(items.items, at)
    if index is None:
        return None
    return _bounded_list((*items.items[:index], item, *items.items[index:]))


def _remove(items: GroundTerm, at: GroundTerm) -> GroundList | None:
    """A list without the item at a position."""
    if not isinstance(items, GroundList):
        return None
    index = _index_of_position(items.items, at)
    if index is None:
        return None
    return GroundList((*items.items[:index], *items.items[index + 1 :]))


def _reverse(items: GroundTerm) -> GroundList | None:
    """A list from the last item to the first."""
    return GroundList(items.items[::-1]) if isinstance(items, GroundList) else None


def _positions(items: GroundTerm, item: GroundTerm) -> GroundList | None:
    """The list of all positions of an item, from the first to the last."""
    if not isinstance(items, GroundList):
        return None
    wanted = value_of(item)
    places = (at for at, member in enumerate(items.items) if value_of(member) == wanted)
    return GroundList(tuple(map(_integer, places)))


def _of_lists(evaluate: Callable[..., _Items]) -> Callable[..., GroundList | None]:
    """A function of the items of lists; outside the domain if an argument is no list."""

    @wraps(evaluate)
    def of_terms(*lists: GroundTerm) -> GroundList | None:
        known = [items.items for items in lists if isinstance(items, GroundList)]
        return _bounded_list(evaluate(*known)) if len(known) == len(lists) else None

    return of_terms


def _concatenation(*lists: _Items) -> _Items:
    """The items of all lists, one after the other."""
    return tuple(item for items in lists for item in items)


def _distinct(*lists: _Items) -> _Items:
    """The items of all lists, of each value the first."""
    first: dict[GroundTerm, GroundTerm] = {}
    for items in lists:
        for item in items:
            first.setdefault(value_of(item), item)
    return tuple(first.values())


def _intersection(first: _Items, *others: _Items) -> _Items:
    """The items of the first list that are in all others, repetitions too."""
    sets = [set(map(value_of, items)) for items in others]
    return tuple(item for item in first if all(value_of(item) in known for known in sets))


def _difference(first: _Items, other: _Items) -> _Items:
    """The items of the first list that are not in the other, repetitions too."""
    known = set(map(value_of, other))
    return tuple(item for item in first if value_of(item) not in known)


BUILTINS: tuple[Builtin, ...] = (
    Builtin(PRED + "is-list", "predicate", 1, 1, _is_list),
    Builtin(PRED + "list-contains", "predicate", 2, 2, _contains, ("bu",), _members),
    Builtin(FUNC + "make-list", "function", 0, None, _make),
    Builtin(FUNC + "count", "function", 1, 1, _count),
    Builtin(FUNC + "get", "function", 2, 2, _get),
    Builtin(FUNC + "sublist", "function", 2, 3, _sublist),
    Builtin(FUNC + "append", "function", 2, None, _append),
    Builtin(FUNC + "concatenate", "function", 0, None, _of_lists(_concatenation)),
    Builtin(FUNC + "insert-before", "function", 3, 3, _insert),
    Builtin(FUNC + "remove", "function", 2, 2, _remove),
    Builtin(FUNC + "reverse", "function", 1, 1, _reverse),
    Builtin(FUNC + "index-of", "function", 2, 2, _positions),
    Builtin(FUNC + "union", "function", 1, None, _of_lists(_distinct)),
    Builtin(FUNC + "distinct-values", "function", 1, 1, _of_lists(_distinct)),
    Builtin(FUNC + "intersect", "function", 1, None, _of_lists(_intersection)),
    Builtin(FUNC + "except", "function", 2, 2, _of_lists(_difference)),
)
