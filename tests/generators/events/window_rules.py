"""Rules that look back over readings: aggregates of windows, and of the last few readings.

Each state is found by its definition, from all readings up to its tick.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple, TypeAlias

from tests.generators.events.loop_cases import (
    Events,
    LoopCase,
    Make,
    document,
    loop_case,
    random_events,
    states,
)

ROOMS: Final[Mapping[str, str]] = {"a": "hall", "b": "hall", "c": "attic"}
"""Sensors, and the room that each is in; the cellar has none."""
PLACES: Final = " ".join(
    (
        *(f"ex:{sensor}[ex:in -> ex:{room}]" for sensor, room in ROOMS.items()),
        *(f'ex:{name}[ex:kind -> "room"]' for name in ("hall", "attic", "cellar")),
        *(f'ex:{name}[ex:kind -> "sensor"]' for name in ROOMS),
    )
)


class Reading(NamedTuple):
    """A value of a sensor at a stamp."""

    at: int
    sensor: str
    value: int


State: TypeAlias = Callable[[int], Iterable[tuple[str, int | str]]]
"""Subjects and objects that hold at a tick."""


class Range(NamedTuple):
    """How far back readings count, as text, and as distances."""

    operator: str
    """Around a condition on readings; empty with a window."""
    window: int | None
    least: int
    """The distances are from this to ``most``, both included."""
    most: int

    def around(self, condition: str) -> str:
        """The condition within the range."""
        return f"{self.operator} ( {condition} )" if self.operator else condition

    def within(self, readings: Sequence[Reading], tick: int) -> list[Reading]:
        """The readings that count at a tick, in the order of their stamps."""
        return [x for x in readings if self.least <= tick - x.at <= self.most]


def _readings(events: Events) -> list[Reading]:
    return [Reading(at, name, int(value)) for at, said in events for name, value in said.items()]


def _range(rng: Random) -> Range:
    span = rng.randint(3, 30)
    form = rng.choice(("window", "window", "from now", "before now", "ago", "ever"))
    if form == "window":
        return Range("", span, 0, span - 1)
    if form == "from now":
        return Range(f"DiamondMinus [0, {span}]", None, 0, span)
    if form == "before now":
        return Range(f"DiamondMinus (0, {span})", None, 1, span - 1)
    if form == "ago":
        return Range(f"DiamondMinus [2, {span}]", None, 2, span)
    return Range("DiamondMinus [0, inf)", None, 0, 10**9)


def _past(rng: Random) -> Range:
    """A range that excludes now, or goes back to the beginning."""
    span = rng.choice((10, 25, None))
    most = 10**9 if span is None else span
    return Range(f"DiamondMinus (0, {'inf)' if span is None else f'{span}]'}", None, 1, most)


def _quotient(total: int, count: int) -> str:
    """As ``func:numeric-divide`` divides integers: a decimal, with 18 digits behind the point."""
    with localcontext(prec=60):
        found = (Decimal(total) / count).quantize(Decimal("1e-18"), ROUND_HALF_EVEN)
    text = f"{found:f}".rstrip("0").rstrip(".")
    return f"{'0' if text == '-0' else text} decimal"


def _median(values: Sequence[int]) -> str:
    ordered, half = sorted(values), len(values) // 2
    odd = len(values) % 2
    return str(ordered[half]) if odd else _quotient(ordered[half - 1] + ordered[half], 2)


VALUES: Final[Mapping[str, Callable[[Sequence[int]], int | str]]] = {
    "avg": lambda values: _quotient(sum(values), len(values)),
    "min": min,
    "max": max,
    "count": len,
    "sum": sum,
    "median": _median,
}
EMPTY: Final = ("count", "sum")
"""What is 0 of no members."""


def _grouped(rng: Random, length: int) -> LoopCase:
    """An aggregate of what a window holds, by sensor, by room, or of all."""
    aggregate, of = rng.choice(list(VALUES)), rng.choice(("sensor", "room", "house"))
    span, each = _range(rng), rng.random() < 0.6
    listed = of != "house" and rng.random() < 0.5
    reads = "At ?t ( ?s[ex:reads -> ?v] )" if each else "?s[ex:reads -> ?v]"
    condition = span.around(reads)
    if of == "room":
        condition = f"And( ?s[ex:in -> ?g] {condition} )"
    group = {"sensor": "[?s]", "room": "[?g]", "house": ""}[of]
    subject = {"sensor": "?s", "room": "?g", "house": "ex:house"}[of]
    value = f"?x = {aggregate}{{ ?v {group} | {condition} }}"
    body = f'And( {subject}[ex:kind -> "{of}"] {value} )' if listed else value
    names = "?x" if of == "house" else f"{subject} ?x"
    rules = document(
        f"{PLACES} Forall {names} ( {subject}[ex:now -> ?x] :- {body} )", window=span.window
    )
    events = random_events(rng, length, lambda: rng.randint(-3, 9))
    readings = _readings(events)
    all_groups = {"sensor": [*ROOMS], "room": ["hall", "attic", "cellar"], "house": ["house"]}[of]

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        groups: dict[str, list[Reading]] = defaultdict(list)
        for x in span.within(readings, tick):
            groups[{"sensor": x.sensor, "room": ROOMS[x.sensor], "house": "house"}[of]].append(x)
        if listed or of == "house":
            for name in all_groups:
                groups.setdefault(name, [])
        for name, members in groups.items():
            values = (
                [x.value for x in members]
                if each
                else [value for _, value in {(x.sensor, x.value) for x in members}]
            )
            if values or aggregate in EMPTY:
                yield name, VALUES[aggregate](values)

    return _case(f"{aggregate} of {of}", rules, events, "now", state)


def _doors(rng: Random, length: int) -> LoopCase:
    """How many doors of a floor are open by their last message, zero included."""
    span = rng.choice((15, 60, None))
    reach = "inf)" if span is None else f"{span}]"
    rules = document(
        f"""{PLACES}
        Forall ?s ( ?s[ex:is -> "open"] :- "open" = last{{ ?v ?t [?s] |
          DiamondMinus [0, {reach} ( At ?t ( ?s[ex:reads -> ?v] ) ) }} )
        Forall ?g ?n ( ?g[ex:open -> ?n] :- And( ?g[ex:kind -> "room"]
          ?n = count{{ ?s [?g] | And( ?s[ex:in -> ?g] ?s[ex:is -> "open"] ) }} ) )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("open", "shut")))

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        last = {
            name: (at, value) for at, said in events if at <= tick for name, value in said.items()
        }
        for room in ("hall", "attic", "cellar"):
            yield (
                room,
                sum(
                    value == "open" and (span is None or tick - at <= span)
                    for name, (at, value) in last.items()
                    if ROOMS[name] == room
                ),
            )

    return _case("doors", rules, events, "open", state)


def _reports(rng: Random, length: int) -> LoopCase:
    """An aggregate of each full span of a calendar, at its mark."""
    aggregate = rng.choice(list(VALUES))
    step = rng.randint(4, 20)
    offset = rng.randrange(step)
    rules = document(
        f"""Forall ?s ?h ?x ( ?s[ex:full -> ?x] :- And( Every {step} offset {offset} at ?h
          ?x = {aggregate}{{ ?v [?s] |
            DiamondMinus (0, {step}] ( At ?t ( ?s[ex:reads -> ?v] ) ) }} ) )"""
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        if tick % step != offset or tick < events[0][0]:
            return
        for name in ROOMS:
            values = [x.value for x in readings if x.sensor == name and 0 < tick - x.at <= step]
            if values:
                yield name, VALUES[aggregate](values)

    return _case(f"report of {aggregate}", rules, events, "full", state)


def _recent(rng: Random, length: int) -> LoopCase:
    """What the last few readings of a sensor are."""
    count, span = rng.randint(2, 4), rng.choice((20, None))
    reach = "inf)" if span is None else f"{span}]"
    members = f"DiamondMinus [0, {reach} ( At ?t ( ?s[ex:reads -> ?v] ) )"
    word = rng.choice(("last", "first"))
    rules = document(
        f"""Forall ?s ?l ?i ?x ( ?s[ex:recent -> ?x] :- And(
          ?l = {word} {count}{{ ?v ?t [?s] | {members} }}
          ex:place(?i) ?x = External(func:get(?l ?i)) ) )
        {" ".join(f"ex:place({place})" for place in range(count))}"""
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        for name in ROOMS:
            values = _values(readings, name, 0, 10**9 if span is None else span, tick)
            chosen = values[-count:] if word == "last" else values[:count]
            yield from ((name, value) for value in chosen)

    return _case(f"{word} {count}", rules, events, "recent", state)


def _of_the_last(rng: Random, length: int) -> LoopCase:
    """An aggregate of the last, or the first, few readings."""
    count, aggregate = rng.randint(2, 5), rng.choice(list(VALUES))
    word = rng.choice(("last", "last", "first"))
    span = _range(rng)
    rules = document(
        f"""Forall ?s ?x ( ?s[ex:now -> ?x] :- ?x = {aggregate} {word} {count}{{ ?v ?t [?s] |
          {span.around("At ?t ( ?s[ex:reads -> ?v] )")} }} )""",
        window=span.window,
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        for name in ROOMS:
            values = _values(readings, name, span.least, span.most, tick)
            chosen = values[-count:] if word == "last" else values[:count]
            if chosen:
                yield name, VALUES[aggregate](chosen)

    return _case(f"{aggregate} of the {word}", rules, events, "now", state)


def _previous(rng: Random, length: int) -> LoopCase:
    """The previous reading, the change since, or the time since."""
    what, span = rng.choice(("previous", "change", "time")), _past(rng)
    member = "?t" if what == "time" else "?w"
    value = {
        "previous": "?x = ?b",
        "change": "?x = External(func:numeric-subtract(?v ?b))",
        "time": "?x = External(func:numeric-subtract(?n ?b))",
    }[what]
    last = f"last{{ {member} ?t [?s] | {span.around('At ?t ( ?s[ex:reads -> ?w] )')} }}"
    rules = document(
        f"""Forall ?s ?v ?b ?n ?x ( ?s[ex:since -> ?x] :- And(
          At ?n ( ?s[ex:reads -> ?v] ) ?b = {last} {value} ) )"""
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        for now in _at(readings, tick):
            before = [x for x in span.within(readings, tick) if x.sensor == now.sensor]
            if before:
                old = before[-1]
                found = {
                    "previous": old.value,
                    "change": now.value - old.value,
                    "time": tick - old.at,
                }
                yield now.sensor, found[what]

    return _case(what, rules, events, "since", state)


def _in_a_row(rng: Random, length: int) -> LoopCase:
    """Some in a row above a limit, all equal, or each above the one before."""
    what, count, limit = rng.choice(("high", "stuck", "rising")), rng.randint(2, 3), 4
    span = rng.choice((12, 40))
    members = f"?w ?t [?s] | DiamondMinus [0, {span}] ( At ?t ( ?s[ex:reads -> ?w] ) )"
    full = f"{count} = count last {count}{{ {members} }}"
    get = "External(func:get(?l {}))"
    less = "External(pred:numeric-less-than({} {}))"
    test = {
        "high": f"?m = min last {count}{{ {members} }} {less.format(limit, '?m')}",
        "stuck": f"?m = min last {count}{{ {members} }} ?m = max last {count}{{ {members} }}",
        "rising": f"?l = last {count}{{ {members} }} "
        + " ".join(less.format(get.format(i), get.format(i + 1)) for i in range(count - 1)),
    }[what]
    rules = document(
        f"""Forall ?s ?v ?m ?l ( ?s[ex:alarm -> "{what}"] :- And(
          ?s[ex:reads -> ?v] {full} {test} ) )"""
    )
    most = 1 if what == "stuck" else 9
    events = random_events(rng, length, lambda: rng.randint(0, most), names="ab")
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        for now in _at(readings, tick):
            values = _values(readings, now.sensor, 0, span, tick)[-count:]
            if len(values) < count:
                continue
            steps = list(pairwise(values))
            if {
                "high": min(values) > limit,
                "stuck": all(a == b for a, b in steps),
                "rising": all(a < b for a, b in steps),
            }[what]:
                yield now.sensor, what

    return _case(what, rules, events, "alarm", state)


def _top(rng: Random, length: int) -> LoopCase:
    """The sensors with the greatest last values, or the least."""
    count, span = rng.randint(1, 3), rng.choice((15, 40))
    word = rng.choice(("first", "last"))
    rules = document(
        f"""{" ".join(f"ex:place({place})" for place in range(count))}
        Forall ?s ?x ( ?s[ex:last -> ?x] :- ?x = last{{ ?v ?t [?s] |
          DiamondMinus [0, {span}) ( At ?t ( ?s[ex:reads -> ?v] ) ) }} )
        Forall ?l ?i ?s ( ex:house[ex:top -> ?s] :- And(
          ?l = {word} {count}{{ ?s ?x | ?s[ex:last -> ?x] }}
          ex:place(?i) ?s = External(func:get(?l ?i)) ) )"""
    )
    numbers = iter(rng.sample(range(1000), 2 * length))  # no two are equal
    events = random_events(rng, length, lambda: next(numbers), names="abcde")
    readings = _readings(events)

    def state(tick: int) -> Iterable[tuple[str, int | str]]:
        last = {x.sensor: x for x in readings if x.at <= tick}
        alive = [x for x in last.values() if tick - x.at < span]
        ordered = sorted(alive, key=lambda x: x.value, reverse=word == "last")
        yield from (("house", x.sensor) for x in ordered[:count])

    return _case(f"{word} {count} sensors", rules, events, "top", state)


def _at(readings: Sequence[Reading], tick: int) -> list[Reading]:
    """The readings of a tick."""
    return [x for x in readings if x.at == tick]


def _values(readings: Sequence[Reading], name: str, least: int, most: int, tick: int) -> list[int]:
    """The values of a sensor at distances from ``least`` to ``most``, the oldest first."""
    return [x.value for x in readings if x.sensor == name and least <= tick - x.at <= most]


def _case(kind: str, rules: str, events: Events, predicate: str, state: State) -> LoopCase:
    return loop_case(kind, rules, events, predicate, states(state, events[-1][0]))


FAMILIES: Final[dict[str, tuple[Make, ...]]] = {
    "windows": (_grouped, _grouped, _grouped, _doors, _reports),
    "last readings": (_recent, _of_the_last, _previous, _in_a_row, _top),
}
