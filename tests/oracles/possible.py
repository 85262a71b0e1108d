"""Possible answers by their definition: points of time, ground elements, nothing incremental.

Slow and obvious. Times are *cells*: 2t is the instant t, 2t + 1 the open gap after it. A stream is
read element by element; at a stamp T all that is asked is decided anew: which derivations have some
of their units among what holds, and whether elements that are not late could bring the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import combinations, count, product

Triple = tuple[str, str, str]
Binding = dict[str, str]
LOW, HIGH = -40, 100
CELLS = range(2 * LOW, 2 * HIGH)
ALWAYS = frozenset(CELLS)


MOST = 5_000
"""So many ways to fill free variables are tried."""


class TooBig(Exception):
    """There are too many ways to fill free variables."""


@dataclass(frozen=True)
class Range:
    """Distances in time, in ticks."""

    low: int
    high: int
    low_open: bool = False
    high_open: bool = False

    @property
    def punctual(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Diamond:
    """At some distance in the past, or in the future."""

    future: bool
    range: Range
    body: tuple[Literal, ...]


@dataclass(frozen=True)
class Greater:
    """A number is greater than another."""

    left: str
    right: str


@dataclass(frozen=True)
class Sum:
    """``value`` is ``term`` plus ``more``."""

    value: str
    term: str
    more: int


Literal = Triple | Diamond | Greater | Sum


@dataclass(frozen=True)
class Rule:
    head: Triple
    body: tuple[Literal, ...]


@dataclass(frozen=True)
class Element:
    """What arrives together; ``retracts`` are names of elements that it takes back."""

    name: str
    stamp: int
    triples: tuple[Triple, ...]
    end: int | None = None
    retracts: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """Rules, a stream, and how it is read."""

    rules: tuple[Rule, ...]
    static: tuple[Triple, ...]
    elements: tuple[Element, ...]
    window: int | None
    delay: int = 0
    delays: Mapping[str, int] = field(default_factory=dict)
    by_subject: bool = True
    expect: tuple[str, ...] | None = None

    @property
    def metric(self) -> bool:
        return any(isinstance(each, Diamond) for rule in self.rules for each in rule.body)


def is_variable(term: str) -> bool:
    return term.startswith("?")


def number(term: str) -> int | None:
    text = term.partition('"^^<http://www.w3.org/2001/XMLSchema#integer>')
    return int(text[0][1:]) if text[1] else None


def written(value: int) -> str:
    return f'"{value}"^^<http://www.w3.org/2001/XMLSchema#integer>'


# Time.


@cache
def _apart(cell: int, other: int, operator: tuple[bool, Range]) -> bool:
    """Is some point of ``other`` at a distance in the range from the points of ``cell``?"""
    future, rho = operator
    at = cell / 2 if cell % 2 == 0 else (cell - 1) / 2 + 0.5
    if other % 2 == 0:
        low = high = at - other / 2
        inside = False
    else:
        low, high = at - (other + 1) / 2, at - (other - 1) / 2
        inside = True
    if future:
        low, high = -high, -low
    if inside:  # an open interval of distances
        return max(low, rho.low) < min(high, rho.high) or (rho.punctual and low < rho.low < high)
    above = low > rho.low or (low == rho.low and not rho.low_open)
    below = low < rho.high or (low == rho.high and not rho.high_open)
    return above and below


@cache
def _sources(operator: tuple[bool, Range]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Per parity of a cell the differences to those that it looks at."""
    middle = (LOW + HIGH) // 2 * 2
    return tuple(  # type: ignore[return-value]
        tuple(o - c for o in range(c - 40, c + 41) if _apart(c, o, operator))
        for c in (middle, middle + 1)
    )


@lru_cache(maxsize=2_000)
def dilated(cells: frozenset[int], path: tuple[tuple[bool, Range], ...]) -> frozenset[int]:
    """When a fact of ``cells`` is seen through operators, the outermost first."""
    if cells == ALWAYS:
        return cells
    for operator in reversed(path):
        looks = _sources(operator)
        cells = frozenset(c for c in CELLS if any(c + d in cells for d in looks[c % 2]))
    return cells


# Derivations.


@dataclass(frozen=True)
class Unit:
    triples: tuple[Triple, ...]
    path: tuple[tuple[bool, Range], ...]


@dataclass(frozen=True)
class Derivation:
    head: Triple
    units: tuple[Unit, ...]
    held: tuple[Unit, ...]
    tests: tuple[Literal, ...]


@dataclass(frozen=True)
class _Leaf:
    triple: Triple
    path: tuple[tuple[bool, Range], ...]
    scopes: tuple[int, ...]


def _walk(term: str, given: Binding) -> str:
    while term in given:
        term = given[term]
    return term


def _put(literal: Literal, given: Binding) -> Literal:
    if isinstance(literal, tuple):
        s, p, o = (_walk(term, given) for term in literal)
        return s, p, o
    if isinstance(literal, Greater):
        return Greater(_walk(literal.left, given), _walk(literal.right, given))
    if isinstance(literal, Sum):
        return Sum(_walk(literal.value, given), _walk(literal.term, given), literal.more)
    return Diamond(literal.future, literal.range, tuple(_put(each, given) for each in literal.body))


def _fresh(rule: Rule, number: int) -> Rule:
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
    return Rule((s, p, o), tuple(map(of, rule.body)))


def _unify(one: Triple, other: Triple, given: Binding) -> Binding | None:
    found = dict(given)
    for left, right in zip(one, other, strict=True):
        a, b = _walk(left, found), _walk(right, found)
        if a == b:
            continue
        if is_variable(b):
            found[b] = a
        elif is_variable(a):
            found[a] = b
        else:
            return None
    return found


Path = tuple[tuple[bool, Range], ...]
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
            head = _put(apart.head, given)
            assert isinstance(head, tuple)
            units, held, follows = _units(world, leaves, given)
            if follows:
                put = tuple(_put(test, given) for test in tests)
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
            unified = _unify(literal, apart.head, given)
            if unified is not None:
                concluded = True
                more = [(each, path, inside) for each in apart.body]
                yield from _ways(world, [*more, *rest], (leaves, tests, unified), numbers)
        if not concluded:
            leaf = _Leaf(literal, path, inside)
            yield from _ways(world, rest, ([*leaves, leaf], tests, given), numbers)


def _units(
    world: World, leaves: Iterable[_Leaf], given: Binding
) -> tuple[tuple[Unit, ...], tuple[Unit, ...], bool]:
    """The units, what has to hold, and whether no range of times has several units."""
    static = {p for _, p, _ in world.static}
    units: dict[object, list[_Leaf]] = {}
    held: list[Unit] = []
    outer: dict[int, set[object]] = {}
    put = (replace(leaf, triple=_ground(leaf.triple, given)) for leaf in leaves)
    for place, leaf in enumerate(dict.fromkeys(put)):
        triple = leaf.triple
        is_held = triple[1] in static if world.expect is None else triple[1] not in world.expect
        if is_held:
            held.append(Unit((triple,), leaf.path))
            continue
        far = sum((1 if future else -1) * rho.low for future, rho in leaf.path if rho.punctual)
        key: object = (triple[0], leaf.scopes[-1:], far) if world.by_subject else place
        units.setdefault(key, []).append(leaf)
        for scope in leaf.scopes[:1]:
            outer.setdefault(scope, set()).add(key)
    made = tuple(
        Unit(tuple(dict.fromkeys(leaf.triple for leaf in some)), some[0].path)
        for some in units.values()
    )
    return made, tuple(held), all(len(keys) == 1 for keys in outer.values())


# States.


@dataclass(frozen=True)
class Way:
    """A ground completion.

    Attributes:
        evidence: what is there.
        deadline: until when what is missing can come.
        chosen: the variables that are not bound by that.
        exact: whether these stand for different terms that occur nowhere else.
    """

    evidence: frozenset[Triple]
    deadline: float
    chosen: tuple[str, ...]
    exact: bool = False


@dataclass
class State:
    """What holds at a stamp, and what is possible.

    Attributes:
        at: the largest stamp.
        frontier: the lowest line.
        holds: per triple its cells.
        asserted: likewise, by each element that asserts it.
        certain: the ground facts that are derived at the frontier or later, with the ticks, in
            cells, at which they are.
        possible: per ground fact and set of hypotheses, how it may come true.
    """

    at: int
    frontier: float
    holds: dict[Triple, frozenset[int]]
    asserted: list[tuple[Triple, frozenset[int]]]
    certain: dict[Triple, frozenset[int]]
    possible: dict[tuple[Triple, frozenset[Triple]], list[Way]]

    def minimal(self) -> set[tuple[Triple, frozenset[Triple]]]:
        return least(self.possible)


def least(
    found: Iterable[tuple[Triple, frozenset[Triple]]],
) -> set[tuple[Triple, frozenset[Triple]]]:
    """Those of which no other of the same fact is a part."""
    of: dict[Triple, list[frozenset[Triple]]] = {}
    for fact, missing in found:
        of.setdefault(fact, []).append(missing)
    return {
        (fact, missing)
        for fact, some in of.items()
        for missing in some
        if not any(other < missing for other in some)
    }


def states(world: World, domain: Sequence[str], fresh: Iterable[str]) -> Iterator[State]:
    """The state at each stamp, in order.

    What is missing has terms of ``domain``, among them some that occur nowhere else.
    """
    new = frozenset(fresh)
    made = derivations(world)
    asserted: dict[str, list[tuple[Triple, frozenset[int]]]] = {}
    last: int | None = None
    longest = max((world.delay, *world.delays.values()))
    for element in world.elements:
        if last is not None and not _in_time(world, element, last):
            continue
        if last is not None and element.stamp > last:
            yield _state(world, made, asserted, last, domain, new)
        last = element.stamp if last is None else max(last, element.stamp)
        _read(world, element, asserted, last - longest)
    if last is not None:
        yield _state(world, made, asserted, last, domain, new)


def _in_time(world: World, element: Element, last: int) -> bool:
    level = max((world.delays.get(p, 0) for _, p, _ in element.triples), default=0)
    return element.stamp >= last - max(level, world.delay)


def _read(
    world: World,
    element: Element,
    asserted: dict[str, list[tuple[Triple, frozenset[int]]]],
    frontier: int,
) -> None:
    before = frozenset(c for c in CELLS if c < 2 * frontier)
    for name in element.retracts:
        for place, (triple, cells) in enumerate(asserted.get(name, ())):
            asserted[name][place] = triple, cells & before
    start = 2 * element.stamp
    if element.end is not None:
        stop = 2 * element.end
    elif world.window is not None:
        stop = start + 2 * world.window
    else:
        stop = start + 1 if world.metric else CELLS.stop
    some = asserted.setdefault(element.name, [])
    some += ((triple, frozenset(range(start, stop))) for triple in element.triples)


def _state(
    world: World,
    made: Sequence[Derivation],
    asserted: Mapping[str, Sequence[tuple[Triple, frozenset[int]]]],
    last: int,
    domain: Sequence[str],
    fresh: frozenset[str],
) -> State:
    holds = _holding(world, asserted)
    frontier = last - max((world.delay, *world.delays.values()))
    each = [known for some in asserted.values() for known in some]
    state = State(last, frontier, holds, each, {}, {})
    for derivation in made:
        for binding, when in _matches((*derivation.units, *derivation.held), holds, {}, ALWAYS):
            ticks = frozenset(c for c in when if c % 2 == 0 and c >= 2 * frontier)
            for full in _tested(derivation, binding) if ticks else ():
                fact = _ground(derivation.head, full)
                state.certain[fact] = state.certain.get(fact, frozenset()) | ticks
    for derivation in made:
        places = range(len(derivation.units))
        for size in places[1:]:
            for chosen in combinations(places, size):
                for completed in _completed(world, derivation, chosen, state, domain):
                    fact, missing, binding, way = completed
                    if fact not in state.certain:
                        new = [binding[name] for name in way.chosen]
                        exact = len(set(new)) == len(new) and fresh.issuperset(new)
                        ways = state.possible.setdefault((fact, missing), [])
                        ways.append(replace(way, exact=exact))
    return state


def _holding(
    world: World, asserted: Mapping[str, Sequence[tuple[Triple, frozenset[int]]]]
) -> dict[Triple, frozenset[int]]:
    """Per triple when it holds, static or asserted."""
    holds: dict[Triple, frozenset[int]] = dict.fromkeys(world.static, ALWAYS)
    for some in asserted.values():
        for triple, cells in some:
            if cells:
                holds[triple] = holds.get(triple, frozenset()) | cells
    return holds


def _completed(
    world: World,
    derivation: Derivation,
    chosen: Sequence[int],
    state: State,
    domain: Sequence[str],
) -> Iterator[tuple[Triple, frozenset[Triple], Binding, Way]]:
    """The ground completions of the units that are ``chosen``, where these hold."""
    there = [derivation.units[place] for place in chosen]
    missing = [unit for place, unit in enumerate(derivation.units) if place not in chosen]
    for binding, when in _matches((*there, *derivation.held), state.holds, {}, ALWAYS):
        ticks = [c for c in when if c % 2 == 0]
        deadline = max((_deadline(world, missing, t) for t in ticks), default=float("-inf"))
        if deadline < state.at:
            continue
        names = tuple(_unbound(derivation, binding))
        seen = frozenset(_ground(t, binding) for unit in there for t in unit.triples)
        for full in _tested(derivation, binding, domain):
            lacks = frozenset(_ground(t, full) for unit in missing for t in unit.triples)
            yield _ground(derivation.head, full), lacks, full, Way(seen, deadline, names)


def _deadline(world: World, missing: Sequence[Unit], tick: int) -> float:
    """The largest last stamp with which all of ``missing`` could come for a head at ``tick``."""
    found = float("inf")
    for unit in missing:
        delay = max(world.delay, *(world.delays.get(p, 0) for _, p, _ in unit.triples))
        best = None
        for stamp in range(HIGH - 30, LOW + 30, -1):
            if tick in _from(stamp, unit.path):
                best = stamp
                break
        if best is None:
            return float("-inf")
        if best < HIGH - 30:
            found = min(found, best + delay)
    return found


@cache
def _from(stamp: int, path: tuple[tuple[bool, Range], ...]) -> frozenset[int]:
    """When an element is seen that begins at ``stamp``, and ends when it may."""
    return dilated(frozenset(c for c in CELLS if c >= 2 * stamp), path)


def _matches(
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
            yield from _matches(rest, holds, binding, both)


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
            found = _unify(first, fact, given)
            if found is not None:
                yield from _together(rest, holds, found, when & cells)


def _tested(
    derivation: Derivation, binding: Binding, domain: Sequence[str] = ()
) -> Iterator[Binding]:
    """Complete bindings that pass all tests, with terms of ``domain`` for what is not bound."""
    names = _unbound(derivation, binding)
    if len(domain) ** len(names) > MOST:
        raise TooBig
    for values in product(domain, repeat=len(names)):
        full = {**binding, **dict(zip(names, values, strict=True))}
        if all(_passes(test, full) for test in derivation.tests):
            yield full


def _unbound(derivation: Derivation, binding: Binding) -> list[str]:
    terms = (
        term
        for unit in (*derivation.units, *derivation.held)
        for triple in unit.triples
        for term in triple
    )
    return [t for t in dict.fromkeys(terms) if is_variable(t) and t not in binding]


def _passes(test: Literal, full: Binding) -> bool:
    """Whether a test is true; a sum gives its value, if that is not bound."""
    if isinstance(test, Greater):
        left, right = number(_walk(test.left, full)), number(_walk(test.right, full))
        return left is not None and right is not None and left > right
    assert isinstance(test, Sum)
    term, value = number(_walk(test.term, full)), _walk(test.value, full)
    if term is None:
        return False
    if is_variable(value):
        full[value] = written(term + test.more)
        return True
    return number(value) == term + test.more


def _ground(triple: Triple, full: Binding) -> Triple:
    s, p, o = (_walk(term, full) for term in triple)
    return s, p, o
