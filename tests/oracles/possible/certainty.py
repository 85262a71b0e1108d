"""What follows for certain: all rules, as often as they give something new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.oracles.possible.matching import passes
from tests.oracles.possible.worlds import (
    ALWAYS,
    Binding,
    Diamond,
    Greater,
    Literal,
    Sum,
    Triple,
    World,
    WorldRule,
    dilated,
    ground,
    unify,
)

Facts = dict[Triple, frozenset[int]]


def derived(world: World, holds: Mapping[Triple, frozenset[int]]) -> Facts:
    """Per fact that a rule gives its cells, where ``holds`` are the others."""
    found: Facts = {}
    while True:
        known = dict(holds)
        for fact, cells in found.items():
            known[fact] = known.get(fact, frozenset()) | cells
        new: Facts = {}
        for rule in world.rules:
            for fact, cells in _heads(rule, known):
                new[fact] = new.get(fact, frozenset()) | cells
        if new == found:
            return found
        found = new


def _heads(
    rule: WorldRule, known: Mapping[Triple, frozenset[int]]
) -> Iterator[tuple[Triple, frozenset[int]]]:
    patterns = [each for each in rule.body if isinstance(each, tuple | Diamond)]
    tests = [each for each in rule.body if isinstance(each, Greater | Sum)]
    for binding, when in _met(patterns, known, {}, ALWAYS):
        full = dict(binding)
        if all(passes(test, full) for test in tests):
            yield ground(rule.head, full), when


def _met(
    body: Sequence[Literal],
    known: Mapping[Triple, frozenset[int]],
    given: Binding,
    when: frozenset[int],
) -> Iterator[tuple[Binding, frozenset[int]]]:
    """Bindings with which all of a body is true, and when."""
    if not body:
        yield given, when
        return
    first, *rest = body
    for binding, cells in _true(first, known, given):
        both = when & cells
        if both:
            yield from _met(rest, known, binding, both)


def _true(
    literal: Literal, known: Mapping[Triple, frozenset[int]], given: Binding
) -> Iterator[tuple[Binding, frozenset[int]]]:
    if isinstance(literal, Diamond):
        for binding, cells in _met(literal.body, known, given, ALWAYS):
            yield binding, dilated(cells, ((literal.future, literal.range),))
        return
    assert isinstance(literal, tuple)
    for fact, cells in known.items():
        found = unify(literal, fact, given)
        if found is not None:
            yield found, cells
