"""Substitutions that make each atom of one set an atom of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporal.containment import (
    StepBudget,
    TooManySteps,
    bind,
    containments,
    fewest_unbound_first,
    weakest,
)

Values = dict[str, str]


def name_of(term: str) -> str | None:
    return term if term.isupper() else None


def found(some: list[str], others: list[str], budget: StepBudget | None = None) -> list[Values]:
    """The substitutions that make each of ``some``, words of terms, one of ``others``."""

    def images(atom: str, values: Values) -> Iterator[Values]:
        for target in others:
            if budget is not None:
                budget.spend()
            more = dict(values)
            if len(atom) == len(target) and bind(atom, target, more, name_of):
                yield more

    return list(containments(some, Values(), images))


@pytest.mark.parametrize(
    ("some", "others", "expected"),
    [
        ([], ["pa"], [{}]),
        (["pX"], ["pa", "qb", "pc"], [{"X": "a"}, {"X": "c"}]),
        (["pX", "qX"], ["pa", "pb", "qb"], [{"X": "b"}]),
        (["pX", "qY"], ["pa", "qb"], [{"X": "a", "Y": "b"}]),
        (["rXX"], ["rab", "raa"], [{"X": "a"}]),
        (["pa"], ["pb"], []),
    ],
)
def test_all_are_found_in_order(some: list[str], others: list[str], expected: object) -> None:
    assert found(some, others) == expected


def test_a_state_that_changes_is_resumed_after_what_follows() -> None:
    state: list[str] = []

    def images(atom: str, chosen: list[str]) -> Iterator[list[str]]:
        for one in "ab":
            chosen.append(atom + one)
            yield chosen
            chosen.pop()

    every = [" ".join(each) for each in containments("xy", state, images)]
    assert every == ["xa ya", "xa yb", "xb ya", "xb yb"]
    assert state == []


def test_the_search_stops_when_the_budget_is_spent() -> None:
    others = ["pa", "pb", "pc"]
    assert found(["pX"], others, StepBudget(3))
    with pytest.raises(TooManySteps):
        found(["pX"], others, StepBudget(2))


def test_what_has_the_fewest_variables_that_are_not_bound_comes_first() -> None:
    atoms = ["ABC", "CD", "D", "a", "AB"]
    ordered = fewest_unbound_first(atoms, {"B"}, lambda atom: set(filter(str.isupper, atom)))
    assert ordered == ["a", "D", "CD", "ABC", "AB"]


def one_after_another(atoms: list[str], bound: set[str]) -> list[str]:
    """The same by looking at all that are left each time."""
    left, known, ordered = list(enumerate(atoms)), {*bound}, []
    while left:
        best = min(left, key=lambda each: len({*each[1]} - known))
        left.remove(best)
        ordered.append(best[1])
        known |= {*best[1]}
    return ordered


@given(st.lists(st.text("ABCDEF", max_size=4), max_size=9), st.sets(st.sampled_from("ABC")))
def test_the_order_is_that_of_a_search_among_all_that_are_left(
    atoms: list[str], bound: set[str]
) -> None:
    assert fewest_unbound_first(atoms, bound, set) == one_after_another(atoms, bound)


class Needs(NamedTuple):
    names: frozenset[str]

    def implies(self, other: Needs) -> bool:
        return self.names >= other.names


def needs(text: str) -> list[Needs]:
    return [Needs(frozenset(word.strip("-"))) for word in text.split()]


def test_the_weakest_conditions_stay() -> None:
    assert weakest(needs("ab bc a ab c")) == needs("a c")


def test_what_all_imply_ends_the_search() -> None:
    def conditions() -> Iterator[Needs]:
        yield from needs("a -")
        pytest.fail("more was requested")

    assert weakest(conditions(), needs("-")) == needs("-")
