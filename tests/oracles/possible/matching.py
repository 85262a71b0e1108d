"""Matching: with which bindings the units of a derivation hold, and pass its tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tests.oracles.possible.derivations import Derivation, Unit
from tests.oracles.possible.worlds import (
    ALWAYS,
    MOST,
    Binding,
    Greater,
    Literal,
    Sum,
    Triple,
    WorldTooBig,
    dilated,
    is_variable,
    number,
    unify,
    walk,
    written,
)


def matches(
    units: Sequence[Unit],
    holds: Mapping[Triple, frozenset[int]],
    given: Binding,
    when: frozenset[int],
) -> Iterator[tuple[Binding, frozenset[int]]]:
    """Bindings with which all ``units`` hold, and when they do."""
    if not units:
        yield given, when
        return
    unit, *rest = units
    for binding, cells in _together(unit.triples, holds, given, ALWAYS):
        both = when & dilated(cells, unit.path)
        if both:
            yield from matches(rest, holds, binding, both)


def _together(
    triples: Sequence[Triple],
    holds: Mapping[Triple, frozenset[int]],
    given: Binding,
    when: frozenset[int],
) -> Iterator[tuple[Binding, frozenset[int]]]:
    if not triples:
        yield given, when
        return
    first, *rest = triples
    for fact, cells in holds.items():
        if when & cells:
            found = unify(first, fact, given)
            if found is not None:
                yield from _together(rest, holds, found, when & cells)


def tested(derivation: Derivation, binding: Binding, domain: Sequence[str]) -> Iterator[Binding]:
    """Complete bindings that pass all tests, with terms of ``domain`` for what is not bound."""
    names = unbound(derivation, binding)
    if len(domain) ** len(names) > MOST:
        raise WorldTooBig
    for values in product(domain, repeat=len(names)):
        full = {**binding, **dict(zip(names, values, strict=True))}
        if all(passes(test, full) for test in derivation.tests):
            yield full


def unbound(derivation: Derivation, binding: Binding) -> list[str]:
    terms = (
        term
        for unit in (*derivation.units, *derivation.held)
        for triple in unit.triples
        for term in triple
    )
    return [t for t in dict.fromkeys(terms) if is_variable(t) and t not in binding]


def passes(test: Literal, full: Binding) -> bool:
    """Whether a test is true; a sum gives its value, if that is not bound."""
    if isinstance(test, Greater):
        left, right = number(walk(test.left, full)), number(walk(test.right, full))
        return left is not None and right is not None and left > right
    assert isinstance(test, Sum)
    term, value = number(walk(test.term, full)), walk(test.value, full)
    if term is None:
        return False
    if is_variable(value):
        full[value] = written(term + test.more)
        return True
    return number(value) == term + test.more
