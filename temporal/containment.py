"""Containment: substitutions that make each atom of one set an atom of another.

``p(X), q(X)`` is contained in ``p(a), q(a), r(b)`` by X = a [ChandraMerlin77]. A rule whose
conditions are contained in those of another subsumes that rule; a set of hypotheses that is
contained in another makes that set needless.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    MutableMapping,
    Sequence,
)
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Protocol, Self, TypeVar

A = TypeVar("A")
S = TypeVar("S")
T = TypeVar("T", bound=Hashable)
C = TypeVar("C", bound="Condition")


class TooManySteps(Exception):
    """The budget of comparisons of atoms is spent."""


@dataclass(slots=True)
class StepBudget:
    """The number of pairs of atoms that may still be compared."""

    steps: int = 1 << 62

    def spend(self) -> None:
        """One step; raises `TooManySteps` if none is left."""
        self.steps -= 1
        if self.steps < 0:
            raise TooManySteps


def containments(
    atoms: Sequence[A], start: S, images: Callable[[A, S], Iterable[S]]
) -> Iterator[S]:
    """The states in which all ``atoms`` are mapped, depth first.

    A state is what is known of the variables. ``images`` gives the states in which an atom is
    mapped, too; it is resumed after all that follows from a state was tried, so it may give one
    object that it changes.

    Costs a search with backtracking: exponential in atoms that share variables of which none is
    bound, at worst.
    """
    tried = [iter((start,))]
    while tried:
        for state in tried[-1]:
            if len(tried) > len(atoms):
                yield state
            else:
                tried.append(iter(images(atoms[len(tried) - 1], state)))
                break
        else:
            tried.pop()


def bind(
    terms: Iterable[T],
    targets: Iterable[T],
    values: MutableMapping[str, T],
    name_of: Callable[[T], str | None],
) -> bool:
    """Whether ``terms`` become ``targets``, one by one, by ``values`` and more, which are added.

    ``name_of`` gives the variable that a term is; None: it stands for itself. If they do not, some
    values may be added.
    """
    for term, target in zip(terms, targets, strict=True):
        name = name_of(term)
        if (term if name is None else values.setdefault(name, target)) != target:
            return False
    return True


def fewest_unbound_first(
    atoms: Iterable[A], bound: Iterable[T], names: Callable[[A], AbstractSet[T]]
) -> list[A]:
    """The atoms, so that each has as few variables as can be that none before it has.

    O(n log n) in the occurrences of variables.
    """
    left, known, found = list(atoms), {*bound}, list[A]()
    unbound = [set(names(atom) - known) for atom in left]
    places: dict[T, list[int]] = {}
    for place, some in enumerate(unbound):
        for name in some:
            places.setdefault(name, []).append(place)
    waiting = [(len(some), place) for place, some in enumerate(unbound)]
    heapify(waiting)
    done = set[int]()
    while waiting:
        _, place = heappop(waiting)  # an entry before the last of a place would have more
        if place in done:
            continue
        done.add(place)
        found.append(left[place])
        for name in [*unbound[place]]:
            for other in places[name]:
                unbound[other].discard(name)
                heappush(waiting, (len(unbound[other]), other))
    return found


class Condition(Protocol):
    """What must be true for a set to be contained in another."""

    def implies(self, other: Self) -> bool:
        """Whether it is true only if ``other`` is."""
        ...


def weakest(found: Iterable[C], always: Collection[C] = ()) -> list[C]:
    """The conditions that imply no other one; of equal ones the first.

    None is asked for after one of ``always``, which all imply.
    """
    kept: list[C] = []
    for each in found:
        if not any(each.implies(known) for known in kept):
            kept = [*(known for known in kept if not known.implies(each)), each]
            if each in always:
                break
    return kept
