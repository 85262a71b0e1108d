"""Rules that control something: throttles, cooldowns, deadbands, state machines, latches.

Most of them read their own earlier answers.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Final

from tests.generators.events.loop_cases import (
    FARTHEST,
    LoopCase,
    Make,
    document,
    instants,
    levels,
    loop_case,
    random_events,
)


def _throttle(rng: Random, length: int) -> LoopCase:
    """At most one in a time: of a sensor, of all, of a value."""
    span, top = rng.randint(2, 30), rng.randint(2, 7)
    closed = rng.random() < 0.5
    of = rng.choice(("sensor", "all", "value"))
    earlier = {
        "sensor": "Exists ?w ( ?s[ex:told -> ?w] )",
        "all": "Exists ?r ?w ( ?r[ex:told -> ?w] )",
        "value": "?s[ex:told -> ?v]",
    }[of]
    rules = document(
        f"""Forall ?s ?v ( ?s[ex:told -> ?v] :- And( ?s[ex:reads -> ?v]
          External(pred:numeric-greater-than(?v {top}))
          Naf( DiamondMinus (0, {span}{"])"[not closed]} ( {earlier} ) ) ) )"""
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    told: list[tuple[int, str, int | str]] = []
    for at, said in events:
        new = []
        for name, value in said.items():
            blocked = any(
                (of == "all" or n == name)
                and (of != "value" or v == value)
                and (at - t < span or (closed and at - t == span))
                for t, n, v in told
            )
            if int(value) > top and not blocked:
                new.append((at, name, value))
        told += new
    return loop_case(f"throttle of {of}", rules, events, "told", instants(told, events[-1][0]))


def _rate(rng: Random, length: int) -> LoopCase:
    """At most some in a time, counted by an aggregate."""
    span, most = rng.randint(5, 40), rng.randint(1, 4)
    rules = document(
        f"""Forall ?s ?v ?n ( ?s[ex:told -> ?v] :- And( ?s[ex:reads -> ?v]
          ?n = count{{ ?t [?s] |
            Exists ?w ( DiamondMinus (0, {span}] ( At ?t ( ?s[ex:told -> ?w] ) ) ) }}
          External(pred:numeric-less-than(?n {most})) ) )"""
    )
    events = [(2 * at, said) for at, said in random_events(rng, length, lambda: rng.randint(0, 9))]
    told: list[tuple[int, str, int | str]] = []
    for at, said in events:
        told += [
            (at, name, value)
            for name, value in said.items()
            if len({t for t, n, _ in told if n == name and 0 < at - t <= span}) < most
        ]
    return loop_case("rate", rules, events, "told", instants(told, events[-1][0]))


def _severities(rng: Random, length: int) -> LoopCase:
    """A cooldown as long as the last alarm was severe."""
    short, long = rng.randint(2, 15), rng.randint(10, 40)
    earlier = f"""Or( DiamondMinus (0, {short}) ( ?s[ex:told -> "low"] )
                      DiamondMinus (0, {long}) ( ?s[ex:told -> "high"] ) )"""
    rules = document(
        f"""Forall ?s ?v ( ?s[ex:told -> "high"] :- And( ?s[ex:reads -> ?v]
              External(pred:numeric-greater-than(?v 7)) Naf( {earlier} ) ) )
            Forall ?s ?v ( ?s[ex:told -> "low"] :- And( ?s[ex:reads -> ?v]
              External(pred:numeric-greater-than(?v 4))
              External(pred:numeric-less-than(?v 8)) Naf( {earlier} ) ) )"""
    )
    events = random_events(rng, length, lambda: rng.randint(0, 9))
    told: list[tuple[int, str, int | str]] = []
    quiet_until: dict[str, int] = {}
    for at, said in events:
        for name, value in said.items():
            if int(value) > 4 and at >= quiet_until.get(name, 0):
                severe = int(value) > 7
                told.append((at, name, "high" if severe else "low"))
                quiet_until[name] = at + (long if severe else short)
    return loop_case("severities", rules, events, "told", instants(told, events[-1][0]))


def _reset(rng: Random, length: int) -> LoopCase:
    """A cooldown that a reset ends: an alarm within the time, and no reset since."""
    span = rng.choice((10, 30, None))
    reach = f"(0, {span}]" if span else "(0, inf)"
    rules = document(
        f"""Forall ?s ( ?s[ex:told -> "alarm"] :- And( ?s[ex:reads -> "bad"] Naf( Since {reach} (
              Naf( ?s[ex:reads -> "reset"] ) ?s[ex:told -> "alarm"] ) ) ) )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("bad", "bad", "good", "reset")))
    told: list[tuple[int, str, int | str]] = []
    last: dict[str, int | None] = {}
    for at, said in events:
        for name, value in said.items():
            alarm = last.get(name)
            if value == "bad" and (alarm is None or (span is not None and at - alarm > span)):
                told.append((at, name, "alarm"))
                last[name] = at
            if value == "reset":
                last[name] = None
    return loop_case("reset", rules, events, "told", instants(told, events[-1][0]))


def _windowed(rng: Random, length: int) -> LoopCase:
    """A cooldown of what holds for a while: the range begins a tick ago."""
    lasts, span = rng.randint(2, 20), rng.randint(2, 15)
    rules = document(
        f"""Forall ?s ( ?s[ex:told -> "alarm"] :- And( ?s[ex:reads -> "bad"]
              Naf( DiamondMinus [1, {span}) ( ?s[ex:told -> "alarm"] ) ) ) )""",
        window=lasts,
    )
    events = random_events(rng, length, lambda: rng.choice(("bad", "good")))
    last = events[-1][0]
    told: list[tuple[int, str, int | str]] = []
    for name in "abc":
        bad = [at for at, said in events if said.get(name) == "bad"]
        free = 0
        for tick in range(last + 1):
            if tick >= free and any(at <= tick < at + lasts for at in bad):
                told.append((tick, name, "alarm"))
                free = tick + span + 1
    return loop_case("windowed", rules, events, "told", instants(told, last))


def _deadband(rng: Random, length: int) -> LoopCase:
    """A value is sent if it is far enough from the last one that was, or that is too long ago."""
    span = rng.choice((15, 60, FARTHEST))
    form = rng.choice(("both", "up", "relative"))
    band = rng.randint(1, 5)
    add, times = "External(func:numeric-add({} {}))", "External(func:numeric-multiply({} {}))"
    above = "External(pred:numeric-greater-than({} {}))"
    up = above.format("?v", add.format("?w", band))
    down = above.format("?w", add.format("?v", band))
    more = above.format(times.format("?v", 10), times.format("?w", 10 + band))
    test = {"both": f"Or( {up} {down} )", "up": up, "relative": more}[form]
    old = f"Naf( DiamondMinus (0, {span}] ( Exists ?x ( ?s[ex:sent -> ?x] ) ) )"
    if rng.random() < 0.5:
        last = (
            f"?w = last{{ ?x ?t [?s] | DiamondMinus (0, {span}] ( At ?t ( ?s[ex:sent -> ?x] ) ) }}"
        )
    else:
        last = f"Since (0, {span}] ( Naf( Exists ?x ( ?s[ex:sent -> ?x] ) ) ?s[ex:sent -> ?w] )"
    if rng.random() < 0.5:
        bodies = [old, f"{last} {test}"]
    else:
        bodies = [f"Or( {old} Exists ?w ( And( {last} {test} ) ) )"]
    rules = document(
        " ".join(
            f"Forall ?s ?v ?w ( ?s[ex:sent -> ?v] :- And( ?s[ex:reads -> ?v] {body} ) )"
            for body in bodies
        )
    )
    level = 20

    def value() -> int:
        nonlocal level
        level += rng.randint(-4, 4)
        return level

    events = random_events(rng, length, value)
    sent: list[tuple[int, str, int | str]] = []
    before: dict[str, tuple[int, int]] = {}
    for at, said in events:
        for name, read in said.items():
            new = int(read)
            when, was = before.get(name, (-(10**9), 0))
            far = {
                "both": abs(new - was) > band,
                "up": new > was + band,
                "relative": 10 * new > (10 + band) * was,
            }[form]
            if at - when > span or far:
                sent.append((at, name, new))
                before[name] = at, new
    return loop_case(f"deadband, {form}", rules, events, "sent", instants(sent, events[-1][0]))


def _machine(rng: Random, length: int) -> LoopCase:
    """A state machine, whose table is facts; after a time without a change it starts again."""
    reach, limit = rng.choice((("(0, 20]", 20), ("(0, 100]", 100), ("(0, inf)", 10**9)))
    states, letters = "pqrs"[: rng.randint(2, 4)], "xyz"
    table = {
        (state, letter): rng.choice(states)
        for state in states
        for letter in letters
        if rng.random() < 0.8
    }
    facts = " ".join(f'ex:next("{q}" "{e}" "{n}")' for (q, e), n in table.items())
    rules = document(
        f"""{facts}
        Forall ?m ?e ?q ?n ( ?m[ex:state -> ?n] :- And( ?m[ex:reads -> ?e] ex:next(?q ?e ?n)
          ?q = last{{ ?p ?t [?m] | DiamondMinus {reach} ( At ?t ( ?m[ex:state -> ?p] ) ) }} ) )
        Forall ?m ?e ?n ( ?m[ex:state -> ?n] :- And( ?m[ex:reads -> ?e] ex:next("p" ?e ?n)
          Naf( DiamondMinus {reach} ( Exists ?p ( ?m[ex:state -> ?p] ) ) ) ) )"""
    )
    events = random_events(rng, length, lambda: rng.choice(letters))
    told: list[tuple[int, str, int | str]] = []
    now: dict[str, tuple[int, str]] = {}
    for at, said in events:
        for name, letter in said.items():
            when, state = now.get(name, (-(10**9), "p"))
            new = table.get(("p" if at - when > limit else state, str(letter)))
            if new is not None:
                told.append((at, name, new))
                now[name] = at, new
    return loop_case("machine", rules, events, "state", instants(told, events[-1][0]))


def _counter(rng: Random, length: int) -> LoopCase:
    """A counter that begins again at a number, or at a reset."""
    modulus = rng.randint(2, 5)
    last = "DiamondMinus (0, inf) ( At ?t ( ?m[ex:count -> ?p] ) )"
    rules = document(
        f"""Forall ?m ?n ?q ( ?m[ex:count -> ?n] :- And( ?m[ex:reads -> "tick"]
              ?q = last{{ ?p ?t [?m] | {last} }}
              ?n = External(func:numeric-mod(External(func:numeric-add(?q 1)) {modulus})) ) )
            Forall ?m ( ?m[ex:count -> 0] :- ?m[ex:reads -> "reset"] )
            Forall ?m ( ?m[ex:count -> 1] :- And( ?m[ex:reads -> "tick"]
              Naf( Exists ?p ( DiamondMinus (0, inf) ( ?m[ex:count -> ?p] ) ) ) ) )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("tick", "tick", "tick", "reset")))
    told: list[tuple[int, str, int | str]] = []
    count: dict[str, int] = {}
    for at, said in events:
        for name, value in said.items():
            first = name not in count
            count[name] = 0 if value == "reset" else count.get(name, 0) + 1
            if not first:
                count[name] %= modulus
            told.append((at, name, count[name]))
    return loop_case("counter", rules, events, "count", instants(told, events[-1][0]))


def _set_reset(rng: Random, length: int) -> LoopCase:
    """On from a set to the next reset; what is said between does not matter."""
    rules = document(
        """Forall ?m ( ?m[ex:is -> "on"] :- "set" = last{ ?x ?t [?m] | DiamondMinus [0, inf) ( And(
             At ?t ( ?m[ex:reads -> ?x] ) Or( ?x = "set" ?x = "reset" ) ) ) } )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("set", "reset", "other")))
    changes: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    for at, said in events:
        for name, value in said.items():
            if value != "other":
                changes[name].append((at, "on" if value == "set" else None))
    return loop_case("set and reset", rules, events, "is", levels(changes))


def _toggle(rng: Random, length: int) -> LoopCase:
    """Each press changes the light, which then stays as it is."""
    last = "last{ ?x ?t [?m] | DiamondMinus (0, inf) ( At ?t ( ?m[ex:turned -> ?x] ) ) }"
    rules = document(
        f"""Forall ?m ( ?m[ex:turned -> "off"] :- And( ?m[ex:reads -> "press"] "on" = {last} ) )
            Forall ?m ( ?m[ex:turned -> "on"] :- And(
              ?m[ex:reads -> "press"] Naf( "on" = {last} ) ) )
            Forall ?m ?y ( ?m[ex:is -> ?y] :- ?y = {last.replace("(0", "[0")} )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("press", "press", "other")))
    changes: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    on: dict[str, bool] = {}
    for at, said in events:
        for name, value in said.items():
            if value == "press":
                on[name] = not on.get(name, False)
                changes[name].append((at, "on" if on[name] else "off"))
    return loop_case("toggle", rules, events, "is", levels(changes))


def _pulse(rng: Random, length: int) -> LoopCase:
    """A trigger turns on for a time; triggers in that time do not prolong it."""
    span = rng.randint(2, 25)
    rules = document(
        f"""Forall ?m ( ?m[ex:fired -> "yes"] :- And( ?m[ex:reads -> "go"]
              Naf( DiamondMinus (0, {span}) ( ?m[ex:fired -> "yes"] ) ) ) )
            Forall ?m ( ?m[ex:is -> "on"] :- DiamondMinus [0, {span}) ( ?m[ex:fired -> "yes"] ) )"""
    )
    events = random_events(rng, length, lambda: rng.choice(("go", "other")))
    fired: dict[str, list[int]] = defaultdict(list)
    for at, said in events:
        for name, value in said.items():
            if value == "go" and (not fired[name] or at - fired[name][-1] >= span):
                fired[name].append(at)
    told = [
        (tick, name, "on")
        for name, ats in fired.items()
        for at in ats
        for tick in range(at, at + span)
    ]
    last = events[-1][0]
    return loop_case("pulse", rules, events, "is", instants(told, last))


FAMILIES: Final[dict[str, tuple[Make, ...]]] = {
    "throttles": (_throttle, _throttle, _rate),
    "cooldowns": (_severities, _reset, _windowed),
    "deadbands": (_deadband,),
    "state machines": (_machine, _machine, _counter),
    "latches": (_set_reset, _toggle, _pulse),
}
