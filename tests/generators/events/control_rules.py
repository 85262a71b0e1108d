"""Rules that control something, over random streams, with their answers by plain Python.

Throttles, cooldowns, deadbands, state machines and latches: most of them read their own earlier
answers. A `ControlCase` has rules, a stream with integer stamps, and when each answer holds. The
latter comes from a loop over the stream, which knows nothing of rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final, TypeAlias

Answers: TypeAlias = dict[tuple[str, str], list[tuple[int, int | None]]]
"""When an answer holds, by subject and object: from a stamp up to another; None: the end."""
Events: TypeAlias = list[tuple[int, dict[str, int | str]]]
"""Stamps that ascend, each with what each subject says then."""
PRED: Final = "http://www.w3.org/2007/rif-builtin-predicate#"
FUNC: Final = "http://www.w3.org/2007/rif-builtin-function#"


@dataclass(frozen=True, slots=True)
class ControlCase:
    """Rules, a stream, and when their answers hold.

    Attributes:
        kind: a word for what the rules do.
        rules: the text of a document.
        elements: Turtle and a stamp each.
        predicate: that of the answers that are compared.
        answers: when these hold.
    """

    kind: str
    rules: str
    elements: list[tuple[str, int]]
    predicate: str
    answers: Answers


def control_case(family: str, seed: int, length: int = 60) -> ControlCase:
    """A case of a family, with so many stamps; ``FAMILIES`` has their names."""
    rng = Random(f"{family} {seed}")  # noqa: S311 - it makes cases
    return rng.choice(FAMILIES[family])(rng, length)


def _document(body: str, window: int | None = None) -> str:
    prefixes = f"Prefix(ex <urn:ex:>) Prefix(pred <{PRED}>) Prefix(func <{FUNC}>)"
    lasts = "" if window is None else f"Window({window})"
    return f"Document( {prefixes} {lasts} Group( {body} ) )"


def _events(
    rng: Random, length: int, values: Callable[[], int | str], names: str = "abc"
) -> Events:
    at, events = 0, []
    for _ in range(length):
        at += rng.choice((1, 1, 2, 3, 5, 12))
        chosen = rng.sample(names, rng.choice((1, 1, 1, 2)))
        events.append((at, {name: values() for name in chosen}))
    return events


def _case(
    kind: str, rules: str, events: Events, predicate: str, answers: Answers, read: str = "reads"
) -> ControlCase:
    elements = [
        (" ".join(f"ex:{name} ex:{read} {_turtle(value)} ." for name, value in said.items()), at)
        for at, said in events
    ]
    return ControlCase(kind, rules, elements, predicate, answers)


def _turtle(value: int | str) -> str:
    return str(value) if isinstance(value, int) else f'"{value}"'


def _instants(told: Iterable[tuple[int, str, int | str]], last: int) -> Answers:
    """Answers that hold at their stamps alone; stamps that follow one another are one interval."""
    stamps: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, name, value in told:
        stamps[name, str(value)].append(at)
    return {key: _runs(sorted(set(ats)), last) for key, ats in stamps.items()}


def _runs(ats: list[int], last: int) -> list[tuple[int, int | None]]:
    begins = [at for before, at in pairwise([-2, *ats]) if at - before > 1]
    ends = [at + 1 for at, after in pairwise([*ats, ats[-1] + 2]) if after - at > 1]
    return [(a, None if b > last else b) for a, b in zip(begins, ends, strict=True)]


def _levels(changes: Mapping[str, list[tuple[int, str | None]]]) -> Answers:
    """Answers that hold from one change of their subject to the next; None: nothing holds."""
    answers: Answers = defaultdict(list)
    for name, steps in changes.items():
        level: str | None = None
        since = 0
        for at, new in steps:
            if new == level:
                continue
            if level is not None:
                answers[name, level].append((since, at))
            level, since = new, at
        if level is not None:
            answers[name, level].append((since, None))
    return dict(answers)


def _throttle(rng: Random, length: int) -> ControlCase:
    """At most one in a time: of a sensor, of all, of a value."""
    span, top = rng.randint(2, 30), rng.randint(2, 7)
    closed = rng.random() < 0.5
    of = rng.choice(("sensor", "all", "value"))
    earlier = {
        "sensor": "Exists ?w ( ?s[ex:told -> ?w] )",
        "all": "Exists ?r ?w ( ?r[ex:told -> ?w] )",
        "value": "?s[ex:told -> ?v]",
    }[of]
    rules = _document(
        f"""Forall ?s ?v ( ?s[ex:told -> ?v] :- And( ?s[ex:reads -> ?v]
          External(pred:numeric-greater-than(?v {top}))
          Naf( DiamondMinus (0, {span}{"])"[not closed]} ( {earlier} ) ) ) )"""
    )
    events = _events(rng, length, lambda: rng.randint(0, 9))
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
    return _case(f"throttle of {of}", rules, events, "told", _instants(told, events[-1][0]))


def _rate(rng: Random, length: int) -> ControlCase:
    """At most some in a time, counted by an aggregate."""
    span, most = rng.randint(5, 40), rng.randint(1, 4)
    rules = _document(
        f"""Forall ?s ?v ?n ( ?s[ex:told -> ?v] :- And( ?s[ex:reads -> ?v]
          ?n = count{{ ?t [?s] |
            Exists ?w ( DiamondMinus (0, {span}] ( At ?t ( ?s[ex:told -> ?w] ) ) ) }}
          External(pred:numeric-less-than(?n {most})) ) )"""
    )
    events = [(2 * at, said) for at, said in _events(rng, length, lambda: rng.randint(0, 9))]
    told: list[tuple[int, str, int | str]] = []
    for at, said in events:
        told += [
            (at, name, value)
            for name, value in said.items()
            if len({t for t, n, _ in told if n == name and 0 < at - t <= span}) < most
        ]
    return _case("rate", rules, events, "told", _instants(told, events[-1][0]))


def _severities(rng: Random, length: int) -> ControlCase:
    """A cooldown as long as the last alarm was severe."""
    short, long = rng.randint(2, 15), rng.randint(10, 40)
    earlier = f"""Or( DiamondMinus (0, {short}) ( ?s[ex:told -> "low"] )
                      DiamondMinus (0, {long}) ( ?s[ex:told -> "high"] ) )"""
    rules = _document(
        f"""Forall ?s ?v ( ?s[ex:told -> "high"] :- And( ?s[ex:reads -> ?v]
              External(pred:numeric-greater-than(?v 7)) Naf( {earlier} ) ) )
            Forall ?s ?v ( ?s[ex:told -> "low"] :- And( ?s[ex:reads -> ?v]
              External(pred:numeric-greater-than(?v 4))
              External(pred:numeric-less-than(?v 8)) Naf( {earlier} ) ) )"""
    )
    events = _events(rng, length, lambda: rng.randint(0, 9))
    told: list[tuple[int, str, int | str]] = []
    quiet_until: dict[str, int] = {}
    for at, said in events:
        for name, value in said.items():
            if int(value) > 4 and at >= quiet_until.get(name, 0):
                severe = int(value) > 7
                told.append((at, name, "high" if severe else "low"))
                quiet_until[name] = at + (long if severe else short)
    return _case("severities", rules, events, "told", _instants(told, events[-1][0]))


def _reset(rng: Random, length: int) -> ControlCase:
    """A cooldown that a reset ends: an alarm within the time, and no reset since."""
    span = rng.choice((10, 30, None))
    reach = f"(0, {span}]" if span else "(0, inf)"
    rules = _document(
        f"""Forall ?s ( ?s[ex:told -> "alarm"] :- And( ?s[ex:reads -> "bad"] Naf( Since {reach} (
              Naf( ?s[ex:reads -> "reset"] ) ?s[ex:told -> "alarm"] ) ) ) )"""
    )
    events = _events(rng, length, lambda: rng.choice(("bad", "bad", "good", "reset")))
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
    return _case("reset", rules, events, "told", _instants(told, events[-1][0]))


def _windowed(rng: Random, length: int) -> ControlCase:
    """A cooldown of what holds for a while: the range begins a tick ago."""
    lasts, span = rng.randint(2, 20), rng.randint(2, 15)
    rules = _document(
        f"""Forall ?s ( ?s[ex:told -> "alarm"] :- And( ?s[ex:reads -> "bad"]
              Naf( DiamondMinus [1, {span}) ( ?s[ex:told -> "alarm"] ) ) ) )""",
        window=lasts,
    )
    events = _events(rng, length, lambda: rng.choice(("bad", "good")))
    last = events[-1][0]
    told: list[tuple[int, str, int | str]] = []
    for name in "abc":
        bad = [at for at, said in events if said.get(name) == "bad"]
        free = 0
        for tick in range(last + 1):
            if tick >= free and any(at <= tick < at + lasts for at in bad):
                told.append((tick, name, "alarm"))
                free = tick + span + 1
    return _case("windowed", rules, events, "told", _instants(told, last))


def _deadband(rng: Random, length: int) -> ControlCase:
    """A value is sent if it is far enough from the last one that was, or that is too long ago."""
    span = rng.choice((15, 60, 1_000))
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
    rules = _document(
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

    events = _events(rng, length, value)
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
    return _case(f"deadband, {form}", rules, events, "sent", _instants(sent, events[-1][0]))


def _machine(rng: Random, length: int) -> ControlCase:
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
    rules = _document(
        f"""{facts}
        Forall ?m ?e ?q ?n ( ?m[ex:state -> ?n] :- And( ?m[ex:reads -> ?e] ex:next(?q ?e ?n)
          ?q = last{{ ?p ?t [?m] | DiamondMinus {reach} ( At ?t ( ?m[ex:state -> ?p] ) ) }} ) )
        Forall ?m ?e ?n ( ?m[ex:state -> ?n] :- And( ?m[ex:reads -> ?e] ex:next("p" ?e ?n)
          Naf( DiamondMinus {reach} ( Exists ?p ( ?m[ex:state -> ?p] ) ) ) ) )"""
    )
    events = _events(rng, length, lambda: rng.choice(letters))
    told: list[tuple[int, str, int | str]] = []
    now: dict[str, tuple[int, str]] = {}
    for at, said in events:
        for name, letter in said.items():
            when, state = now.get(name, (-(10**9), "p"))
            new = table.get(("p" if at - when > limit else state, str(letter)))
            if new is not None:
                told.append((at, name, new))
                now[name] = at, new
    return _case("machine", rules, events, "state", _instants(told, events[-1][0]))


def _counter(rng: Random, length: int) -> ControlCase:
    """A counter that begins again at a number, or at a reset."""
    modulus = rng.randint(2, 5)
    last = "DiamondMinus (0, inf) ( At ?t ( ?m[ex:count -> ?p] ) )"
    rules = _document(
        f"""Forall ?m ?n ?q ( ?m[ex:count -> ?n] :- And( ?m[ex:reads -> "tick"]
              ?q = last{{ ?p ?t [?m] | {last} }}
              ?n = External(func:numeric-mod(External(func:numeric-add(?q 1)) {modulus})) ) )
            Forall ?m ( ?m[ex:count -> 0] :- ?m[ex:reads -> "reset"] )
            Forall ?m ( ?m[ex:count -> 1] :- And( ?m[ex:reads -> "tick"]
              Naf( Exists ?p ( DiamondMinus (0, inf) ( ?m[ex:count -> ?p] ) ) ) ) )"""
    )
    events = _events(rng, length, lambda: rng.choice(("tick", "tick", "tick", "reset")))
    told: list[tuple[int, str, int | str]] = []
    count: dict[str, int] = {}
    for at, said in events:
        for name, value in said.items():
            first = name not in count
            count[name] = 0 if value == "reset" else count.get(name, 0) + 1
            if not first:
                count[name] %= modulus
            told.append((at, name, count[name]))
    return _case("counter", rules, events, "count", _instants(told, events[-1][0]))


def _set_reset(rng: Random, length: int) -> ControlCase:
    """On from a set to the next reset; what is said between does not matter."""
    rules = _document(
        """Forall ?m ( ?m[ex:is -> "on"] :- "set" = last{ ?x ?t [?m] | DiamondMinus [0, inf) ( And(
             At ?t ( ?m[ex:reads -> ?x] ) Or( ?x = "set" ?x = "reset" ) ) ) } )"""
    )
    events = _events(rng, length, lambda: rng.choice(("set", "reset", "other")))
    changes: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    for at, said in events:
        for name, value in said.items():
            if value != "other":
                changes[name].append((at, "on" if value == "set" else None))
    return _case("set and reset", rules, events, "is", _levels(changes))


def _toggle(rng: Random, length: int) -> ControlCase:
    """Each press changes the light, which then stays as it is."""
    last = "last{ ?x ?t [?m] | DiamondMinus (0, inf) ( At ?t ( ?m[ex:turned -> ?x] ) ) }"
    rules = _document(
        f"""Forall ?m ( ?m[ex:turned -> "off"] :- And( ?m[ex:reads -> "press"] "on" = {last} ) )
            Forall ?m ( ?m[ex:turned -> "on"] :- And(
              ?m[ex:reads -> "press"] Naf( "on" = {last} ) ) )
            Forall ?m ?y ( ?m[ex:is -> ?y] :- ?y = {last.replace("(0", "[0")} )"""
    )
    events = _events(rng, length, lambda: rng.choice(("press", "press", "other")))
    changes: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    on: dict[str, bool] = {}
    for at, said in events:
        for name, value in said.items():
            if value == "press":
                on[name] = not on.get(name, False)
                changes[name].append((at, "on" if on[name] else "off"))
    return _case("toggle", rules, events, "is", _levels(changes))


def _pulse(rng: Random, length: int) -> ControlCase:
    """A trigger turns on for a time; triggers in that time do not prolong it."""
    span = rng.randint(2, 25)
    rules = _document(
        f"""Forall ?m ( ?m[ex:fired -> "yes"] :- And( ?m[ex:reads -> "go"]
              Naf( DiamondMinus (0, {span}) ( ?m[ex:fired -> "yes"] ) ) ) )
            Forall ?m ( ?m[ex:is -> "on"] :- DiamondMinus [0, {span}) ( ?m[ex:fired -> "yes"] ) )"""
    )
    events = _events(rng, length, lambda: rng.choice(("go", "other")))
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
    return _case("pulse", rules, events, "is", _instants(told, last))


Make: TypeAlias = Callable[[Random, int], ControlCase]
FAMILIES: Final[dict[str, tuple[Make, ...]]] = {
    "throttles": (_throttle, _throttle, _rate),
    "cooldowns": (_severities, _reset, _windowed),
    "deadbands": (_deadband,),
    "state machines": (_machine, _machine, _counter),
    "latches": (_set_reset, _toggle, _pulse),
}
