"""Derivations of heads of rules: all ways to them, in units that arrive together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Final

from tests.oracles.possible.worlds import (
    Binding,
    Diamond,
    Greater,
    Literal,
    Path,
    Sum,
    Triple,
    World,
    WorldRule,
    WorldTooBig,
    ground,
    is_variable,
    unify,
    walk,
)

MOST_SUBSTITUTIONS: Final = 50_000


@dataclass(frozen=True)
class Unit:
    triples: tuple[Triple, ...]
    path: Path


@dataclass(frozen=True)
class Derivation:
    head: Triple
    units: tuple[Unit, ...]
    held: tuple[Unit, ...]
    tests: tuple[Literal, ...]


@dataclass(frozen=True)
class _Leaf:
    triple: Triple
    path: Path
    scopes: tuple[int, ...]


def put_in(literal: Literal, given: Binding) -> Literal:
    if isinstance(literal, tuple):
        s, p, o = (walk(term, given) for term in literal)
        return s, p, o
    if isinstance(literal, Greater):
        return Greater(walk(literal.left, given), walk(literal.right, given))
    if isinstance(literal, Sum):
        return Sum(walk(literal.value, given), walk(literal.term, given), literal.more)
    return Diamond(
        literal.future, literal.range, tuple(put_in(each, given) for each in literal.body)
    )


def _fresh(rule: WorldRule, number: int) -> WorldRule:
    def put(term: str) -> str:
        return f"{term}_{number}" if is_variable(term) else term

    def of(literal: Literal) -> Literal:
        if isinstance(literal, tuple):
            return put(literal[0]), put(literal[1]), put(literal[2])
        if isinstance(literal, Greater):
            return Greater(put(literal.left), put(literal.right))
        if isinstance(literal, Sum):
            return Sum(put(literal.value), put(literal.term), literal.more)
        return Diamond(literal.future, literal.range, tuple(map(of, literal.body)))

    s, p, o = map(put, rule.head)
    return WorldRule((s, p, o), tuple(map(of, rule.body)))


_Goal = tuple[Literal, Path, tuple[int, ...]]
_Found = tuple[list[_Leaf], list[Literal], Binding]


def derivations(world: World) -> list[Derivation]:
    """The derivations of all heads that can be followed."""
    numbers = count(1)
    found: list[Derivation] = []
    for rule in world.rules:
        apart = _fresh(rule, next(numbers))
        goals: list[_Goal] = [(each, (), ()) for each in apart.body]
        for leaves, tests, given in _ways(world, goals, ([], [], {}), numbers):
            head = put_in(apart.head, given)
            assert isinstance(head, tuple)
            put = tuple(put_in(test, given) for test in tests)
            grounded = [replace(leaf, triple=ground(leaf.triple, given)) for leaf in leaves]
            needed = _needed(world, list(dict.fromkeys(grounded)), _variables((head, *put)))
            units, held, follows = _units(world, needed)
            if follows:
                found.append(Derivation(head, units, held, put))
    return found


def _ways(
    world: World, goals: Sequence[_Goal], found: _Found, numbers: Iterator[int]
) -> Iterator[_Found]:
    """What is left of ``goals`` once all that rules conclude is replaced by their bodies."""
    leaves, tests, given = found
    if not goals:
        yield found
        return
    (literal, path, inside), *rest = goals
    if isinstance(literal, Diamond):
        own = inside if literal.range.punctual else (*inside, next(numbers))
        below = (*path, (literal.future, literal.range))
        more = [(each, below, own) for each in literal.body]
        yield from _ways(world, [*more, *rest], found, numbers)
    elif not isinstance(literal, tuple):
        yield from _ways(world, rest, (leaves, [*tests, literal], given), numbers)
    else:
        concluded = False
        for rule in world.rules:
            apart = _fresh(rule, next(numbers))
            unified = unify(literal, apart.head, given)
            if unified is not None:
                concluded = True
                more = [(each, path, inside) for each in apart.body]
                yield from _ways(world, [*more, *rest], (leaves, tests, unified), numbers)
        if not concluded:
            leaf = _Leaf(literal, path, inside)
            yield from _ways(world, rest, ([*leaves, leaf], tests, given), numbers)


def _variables(literals: Iterable[Literal]) -> set[str]:
    """The variables of triples and tests."""
    found: set[str] = set()
    for each in literals:
        if isinstance(each, Greater):
            found |= {each.left, each.right}
        elif isinstance(each, Sum):
            found |= {each.value, each.term}
        else:
            assert isinstance(each, tuple)
            found |= {*each}
    return {term for term in found if is_variable(term)}


def _needed(world: World, leaves: list[_Leaf], used: set[str]) -> list[_Leaf]:
    """The fewest of ``leaves`` that all may become, by other terms for variables not in ``used``.

    What must hold stays as it is, and so do its variables.
    """
    held = [leaf for leaf in leaves if _is_held(world, leaf)]
    free = [leaf for leaf in leaves if leaf not in held]
    own = sorted(_variables(leaf.triple for leaf in free) - used - _variables(_triples(held)))
    terms = sorted({term for leaf in free for term in leaf.triple})
    if len(terms) ** len(own) > MOST_SUBSTITUTIONS:
        raise WorldTooBig
    placed = {(leaf.triple, leaf.scopes, _far(leaf)) for leaf in free}
    least = placed
    for values in product(terms, repeat=len(own)):
        full = dict(zip(own, values, strict=True))
        image = {(_put(triple, full), scopes, far) for triple, scopes, far in placed}
        if image <= placed and len(image) < len(least):
            least = image
    kept = {(leaf.triple, leaf.scopes, _far(leaf)): leaf for leaf in free}
    return [leaf for leaf in leaves if leaf in held or leaf in [kept[each] for each in least]]


def _triples(leaves: Iterable[_Leaf]) -> Iterator[Triple]:
    return (leaf.triple for leaf in leaves)


def _put(triple: Triple, full: Binding) -> Triple:
    s, p, o = (full.get(term, term) for term in triple)
    return s, p, o


def _is_held(world: World, leaf: _Leaf) -> bool:
    """Must it hold already?"""
    predicate = leaf.triple[1]
    if world.expect is None:
        return predicate in {p for _, p, _ in world.static}
    return predicate not in world.expect


def _far(leaf: _Leaf) -> int:
    """How far it lies before the head, by operators of one point."""
    return sum((1 if future else -1) * rho.low for future, rho in leaf.path if rho.punctual)


def _units(
    world: World, leaves: Iterable[_Leaf]
) -> tuple[tuple[Unit, ...], tuple[Unit, ...], bool]:
    """The units, what has to hold, and whether no range of times has several units."""
    units: dict[object, list[_Leaf]] = {}
    held: list[Unit] = []
    outer: dict[int, set[object]] = {}
    for place, leaf in enumerate(leaves):
        if _is_held(world, leaf):
            held.append(Unit((leaf.triple,), leaf.path))
            continue
        by_subject = leaf.triple[0], leaf.scopes[-1:], _far(leaf)
        key: object = by_subject if world.by_subject else place
        units.setdefault(key, []).append(leaf)
        for scope in leaf.scopes[:1]:
            outer.setdefault(scope, set()).add(key)
    made = tuple(
        Unit(tuple(dict.fromkeys(leaf.triple for leaf in some)), some[0].path)
        for some in units.values()
    )
    return made, tuple(held), all(len(keys) == 1 for keys in outer.values())
