"""Possible answers by their definition: points of time, ground elements, nothing incremental.

Slow and obvious. A stream is read element by element; at each stamp everything is decided anew:
which derivations have some of their units among what holds, and whether elements that are not late
could bring the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby

from tests.oracles.possible.certainty import derived
from tests.oracles.possible.derivations import Derivation, Unit, derivations
from tests.oracles.possible.matching import matches, passes, tested, unbound
from tests.oracles.possible.sufficiency import completes
from tests.oracles.possible.worlds import (
    ALWAYS,
    CELLS,
    HIGH,
    Binding,
    Hypotheses,
    Hypothesis,
    Path,
    Sum,
    Triple,
    World,
    WorldElement,
    ground,
    is_variable,
    last_stamp,
    sources,
    walk,
)


@dataclass(frozen=True)
class Awaited:
    """A ground unit, and the last stamp with which it would be of use; None: any would do."""

    triples: frozenset[Triple]
    stamp: int | None


Piece = tuple[Triple, int, int]
"""A triple that is there, with the first and last cell of what asserts it for longest."""


@dataclass(frozen=True)
class Completion:
    """A ground completion.

    Attributes:
        evidence: what is there, when it is used.
        deadline: until when what is missing can come.
        awaited: what is missing, for each tick at which it could be of use.
        chosen: the variables that are not bound by that.
        exact: whether these stand for different terms that occur nowhere else.
    """

    evidence: frozenset[Piece]
    deadline: float
    awaited: frozenset[frozenset[Awaited]]
    chosen: tuple[str, ...]
    exact: bool = False


@dataclass
class State:
    """What holds at a stamp, and what is possible.

    Attributes:
        world: the world.
        at: the largest stamp.
        frontier: the lowest line.
        holds: per triple its cells.
        asserted: likewise, by each element that asserts it.
        certain: the ground facts that are derived at the frontier or later, with the ticks, in
            cells, at which they are.
        possible: per ground fact and set of hypotheses, how it may come true.
        derivations: all ways to a fact.
        ticks: of each, for heads at which ticks, in cells, its units may come.
    """

    world: World
    at: int
    frontier: float
    holds: dict[Triple, frozenset[int]]
    asserted: list[tuple[Triple, frozenset[int]]]
    certain: dict[Triple, frozenset[int]]
    possible: dict[tuple[Triple, Hypotheses], list[Completion]]
    derivations: Sequence[Derivation] = ()
    ticks: dict[Derivation, frozenset[int]] = field(default_factory=dict)

    def minimal(self) -> set[tuple[Triple, Hypotheses]]:
        return least(self.needed(self.possible))

    def needed(
        self, found: Iterable[tuple[Triple, Hypotheses]]
    ) -> Iterator[tuple[Triple, Hypotheses]]:
        """Those of which no part completes the fact without evidence."""
        for fact, missing in found:
            if not any(self.completes(each, fact, missing) for each in self.derivations):
                yield fact, missing

    def completes(self, derivation: Derivation, fact: Triple, missing: Hypotheses) -> bool:
        """Does a part of ``missing`` complete ``fact`` by ``derivation``, without evidence?"""
        if derivation not in self.ticks:
            every = frozenset(
                c for c in CELLS if c % 2 == 0 and self._may_come(derivation.units, c)
            )
            self.ticks[derivation] = every
        return completes(derivation, fact, missing, self.holds, self.ticks[derivation])

    def _may_come(self, units: Sequence[Unit], tick: int) -> bool:
        """May all ``units`` come for a head at ``tick``?"""
        stamps = _stamps(units, tick)
        return stamps is not None and _deadline(self.world, units, stamps) >= self.at


def least(found: Iterable[tuple[Triple, Hypotheses]]) -> set[tuple[Triple, Hypotheses]]:
    """Those of which no other of the same fact is a part."""
    of: dict[Triple, list[Hypotheses]] = {}
    for fact, missing in found:
        of.setdefault(fact, []).append(missing)
    return {
        (fact, missing)
        for fact, some in of.items()
        for missing in some
        if not any(_is_less(other, missing) for other in some)
    }


def _is_less(one: Hypotheses, other: Hypotheses) -> bool:
    return is_part(one, other) and (not is_part(other, one) or len(one) < len(other))


def is_part(one: Hypotheses, other: Hypotheses) -> bool:
    """Whether ``other`` has all of ``one``; for any time each of its own time does."""
    for triple in {triple for triple, _, _ in one}:
        mine, theirs = (
            [(kind, number) for each, kind, number in some if each == triple]
            for some in (one, other)
        )
        in_range = [kind for kind, _ in theirs].count("range")
        if not {each for each in mine if each[0] == "at"} <= set(theirs):
            return False
        kinds = [kind for kind, _ in mine]
        if kinds.count("range") > in_range or kinds.count("any") > len(theirs):
            return False
    return True


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


def _in_time(world: World, element: WorldElement, last: int) -> bool:
    level = max((world.delays.get(p, 0) for _, p, _ in element.triples), default=0)
    return element.stamp >= last - max(level, world.delay)


def _read(
    world: World,
    element: WorldElement,
    asserted: dict[str, list[tuple[Triple, frozenset[int]]]],
    frontier: int,
) -> None:
    # Operators do not see it either in the past, where it is told what holds from the frontier on.
    before = frozenset(c for c in CELLS if c < 2 * frontier and not world.metric)
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
    state = State(world, last, frontier, holds, each, {}, {}, made)
    for fact, when in derived(world, holds).items():
        ticks = frozenset(c for c in when if c % 2 == 0 and c >= 2 * frontier)
        if ticks:
            state.certain[fact] = ticks
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
) -> Iterator[tuple[Triple, Hypotheses, Binding, Completion]]:
    """The ground completions of the units that are ``chosen``, where these hold."""
    there = [derivation.units[place] for place in chosen]
    missing = [unit for place, unit in enumerate(derivation.units) if place not in chosen]
    for binding, when in matches((*there, *derivation.held), state.holds, {}, ALWAYS):
        for cells in _runs(when):
            yield from _completed_in(
                world, derivation, (there, missing), binding, cells, state, domain
            )


def _runs(when: frozenset[int]) -> Iterator[list[int]]:
    """The stretches of cells without a gap that have a tick."""
    for _, some in groupby(enumerate(sorted(when)), key=lambda each: each[1] - each[0]):
        cells = [cell for _, cell in some]
        if any(cell % 2 == 0 for cell in cells):
            yield cells


def _completed_in(
    world: World,
    derivation: Derivation,
    units: tuple[Sequence[Unit], Sequence[Unit]],
    binding: Binding,
    when: Sequence[int],
    state: State,
    domain: Sequence[str],
) -> Iterator[tuple[Triple, Hypotheses, Binding, Completion]]:
    """Those by heads at the cells ``when``."""
    there, missing = units
    ticks = [c for c in when if c % 2 == 0]
    stamps = [_stamps(missing, c) for c in ticks]
    useful = {each: _deadline(world, missing, each) for each in stamps if each is not None}
    deadline = max(useful.values(), default=float("-inf"))
    if deadline < state.at:
        return
    names = tuple(unbound(derivation, binding))
    pieces = (
        _piece(ground(t, binding), _used(ticks[-1], unit.path), state)
        for unit in there
        for t in unit.triples
    )
    seen = frozenset(pieces)
    last = next(each for each in reversed(stamps) if each is not None)
    known = dict(binding)
    for test in derivation.tests:
        if isinstance(test, Sum) and is_variable(walk(test.value, known)):
            passes(test, known)
    open_ = [each for each, until in useful.items() if until >= state.at]
    for full in tested(derivation, binding, domain):
        grounded = [frozenset(ground(t, full) for t in unit.triples) for unit in missing]
        lacks = _timed(missing, last, (known, full), point=len(ticks) == 1)
        awaited = frozenset(frozenset(map(Awaited, grounded, each)) for each in open_)
        way = Completion(seen, deadline, awaited, names)
        yield ground(derivation.head, full), lacks, full, way


def _timed(
    missing: Sequence[Unit], stamps: Stamps, bindings: tuple[Binding, Binding], *, point: bool
) -> Hypotheses:
    """The triples of ``missing`` with their times; bound by evidence, then by all."""
    by_evidence, full = bindings
    found: set[Hypothesis] = set()
    times: dict[tuple[str, Triple], set[int | None]] = {}
    for unit, stamp in zip(missing, stamps, strict=True):
        for triple in unit.triples:
            bound = ground(triple, by_evidence)
            if any(map(is_variable, bound)):
                times.setdefault(("any", bound), set()).add(stamp)
            elif point and all(rho.punctual for _, rho in unit.path):
                assert stamp is not None
                found.add((bound, "at", stamp))
            else:
                times.setdefault(("range", bound), set()).add(stamp)
    for (kind, bound), some in times.items():
        known = {stamp for stamp in some if kind == "range" and (bound, "at", stamp) in found}
        count = len(some - known)
        found.update((ground(bound, full), kind, number) for number in range(count))
    return frozenset(found)


def _used(tick: int, path: Path) -> frozenset[int]:
    """The cells at which what stands under operators makes a head true at ``tick``."""
    cells = {tick}
    for operator in path:
        looks = sources(operator)
        cells = {cell + apart for cell in cells for apart in looks[cell % 2]}
    return frozenset(cells)


def _piece(triple: Triple, used: frozenset[int], state: State) -> Piece:
    if state.holds[triple] == ALWAYS:
        return triple, min(ALWAYS), max(ALWAYS)
    spans = (cells for each, cells in state.asserted if each == triple and cells & used)
    end, start = max((max(cells), -min(cells)) for cells in spans)
    return triple, -start, end


Stamps = tuple[int | None, ...]
"""Of each unit the last stamp with which it would be of use; None: any would do."""


def _stamps(missing: Sequence[Unit], tick: int) -> Stamps | None:
    """Those with which ``missing`` could come for a head at ``tick``; None: they could not."""
    found: list[int | None] = []
    for unit in missing:
        best = last_stamp(unit.path, tick)
        if best is None:
            return None
        found.append(best if best < HIGH - 30 else None)
    return tuple(found)


def _deadline(world: World, missing: Sequence[Unit], stamps: Stamps) -> float:
    """The largest last stamp with which all of ``missing`` could come."""
    pairs = zip(missing, stamps, strict=True)
    return min(
        (stamp + latest(world, unit.triples) for unit, stamp in pairs if stamp is not None),
        default=float("inf"),
    )


def latest(world: World, triples: Iterable[Triple]) -> int:
    """By how many ticks an element with such triples may be late."""
    return max(world.delay, *(world.delays.get(p, 0) for _, p, _ in triples))
