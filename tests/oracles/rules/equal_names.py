"""Rules over names, some of which are the same: by definition, on one instant.

Names that facts relate by ``same`` denote one thing, so a condition is true of names if it is true
of some names of the same things. What is derived is derived of each name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

Fact: TypeAlias = tuple[str, ...]
"""A predicate, then names."""
EQUAL, NOT = "=", "not "
"""A condition of two terms that are equal; what a condition begins with that is negated."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """A head and conditions; terms that begin with ``?`` are variables."""

    head: Fact
    body: tuple[Fact, ...]

    @property
    def variables(self) -> list[str]:
        terms = (term for fact in (self.head, *self.body) for term in fact[1:])
        return sorted({term for term in terms if term.startswith("?")})


def derived(rules: Iterable[NameRule], facts: Iterable[Fact], names: Iterable[str]) -> set[Fact]:
    """What ``rules`` derive from ``facts``, with all of ``names``; negation is of ``facts`` alone.

    The facts of the predicate ``same`` say which names are the same, whoever derives them.
    """
    given, every, rules = set(facts), list(names), list(rules)
    found: set[Fact] = set()
    while True:
        known = given | found
        same = _classes(known, every)
        things = {_of(fact, same) for fact in known}
        asserted = {_of(fact, same) for fact in given}
        new = {
            head
            for rule in rules
            for head in _instances(rule, every, same, things, asserted)
            if head not in found
        }
        if not new:
            return found
        found |= new


def _instances(
    rule: NameRule,
    names: list[str],
    same: Mapping[str, str],
    things: set[Fact],
    asserted: set[Fact],
) -> Iterator[Fact]:
    for values in product(names, repeat=len(rule.variables)):
        of = dict(zip(rule.variables, values, strict=True))

        def instance(fact: Fact, of: Mapping[str, str] = of) -> Fact:
            return (fact[0], *(of.get(term, term) for term in fact[1:]))

        if all(_holds(instance(each), same, things, asserted) for each in rule.body):
            yield instance(rule.head)


def _holds(fact: Fact, same: Mapping[str, str], things: set[Fact], asserted: set[Fact]) -> bool:
    name, *_ = thing = _of(fact, same)
    if name == EQUAL:
        return thing[1] == thing[2]
    if name.startswith(NOT):
        return (name.removeprefix(NOT), *thing[1:]) not in asserted
    return thing in things


def _classes(facts: set[Fact], names: list[str]) -> dict[str, str]:
    """Each name with one that stands for its thing."""
    same = {name: name for name in names}
    for _ in names:
        for name, *pair in sorted(facts):
            if name == "same":
                least = min(same[pair[0]], same[pair[1]])
                gone = {same[pair[0]], same[pair[1]]}
                same = {each: least if thing in gone else thing for each, thing in same.items()}
    return same


def _of(fact: Fact, same: Mapping[str, str]) -> Fact:
    return (fact[0], *(same.get(term, term) for term in fact[1:]))
