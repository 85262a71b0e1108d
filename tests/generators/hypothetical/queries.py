"""Random queries about what may come: a program, delays, and facts in the order of arrival."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    TimeTerm,
)
from tests.generators.draw import Draw, from_seed
from tests.generators.hypothetical.text import (
    shown_channel,
    shown_delays,
    shown_facts,
    shown_program,
    shown_query,
)
from tests.oracles.hypothetical.confidence import Channel, Numbers
from tests.oracles.hypothetical.definitions import Delta, Domain, Fact, variables

CONSTANTS: Final = ("a", "b c")
INPUT: Final = {"p": 1, "r": 1, "e": 2, "w": 0}
"""Predicates of input, with how many arguments they have before time."""
INNER: Final = ("C", "B", "A")
"""Derived predicates that the query is not about, the lowest first."""
LATEST: Final = 6
"""Facts have no later time."""


@dataclass(frozen=True, slots=True)
class QueryCase:
    """A run.

    Attributes:
        slices: what arrives, by arrival; none comes later than its delay allows.
        channel: how probable it is that facts come, if that is said.
        most: how many entries are held, if that is bounded.
    """

    program: TemporalProgram
    query: TemporalAtom
    delta: Delta
    slices: tuple[tuple[int, tuple[Fact, ...]], ...]
    channel: Channel | None = None
    most: int | None = None

    def domain(self) -> Domain:
        """A domain in which the case can be judged: its constants, and times as late as it goes."""
        atoms = [atom for rule in self.program.rules for atom in rule.atoms]
        args = [arg for atom in (*atoms, self.query) for arg in atom.args]
        named = {arg.lexical for arg in args if isinstance(arg, Literal)}
        shifts = [abs(atom.time.offset) for atom in (*atoms, self.query) if atom.time.variable]
        numbers = [atom.time.offset for atom in (*atoms, self.query) if not atom.time.variable]
        horizon = max(3, *(at for _, facts in self.slices for *_, at in facts), *numbers)
        constants = tuple(sorted({*CONSTANTS, *named}))
        return Domain(constants, horizon, horizon + sum(shifts))

    def __str__(self) -> str:
        delays = "".join(f" --delay '{one}'" for one in shown_delays(self.delta))
        delays += "".join(f" --chance '{one}'" for one in shown_channel(self.channel))
        delays += f" --most {self.most}" if self.most else ""
        options = f"--query '{shown_query(self.query)}'{delays} --drain"
        return f"{options}\n{shown_program(self.program)}{shown_facts(self.slices)}"


def random_case(
    seed: int, *, long: bool = False, connected: bool = False, nested: bool = False
) -> QueryCase:
    """The case of a seed."""
    return case(from_seed(seed), long=long, connected=connected, nested=nested)


def case(
    draw: Draw, *, long: bool = False, connected: bool = False, nested: bool = False
) -> QueryCase:
    """A case; at the smallest choices one rule of one condition, and a fact.

    A long one has so many facts, things and times that stores grow and shrink. A connected one has
    one rule whose atoms have the same variables. In a nested one a rule asks more than another, for
    some facts.
    """
    arity = {"Q": draw.weighted((6, 1), (2, 2), (1, 0))}
    rules: list[TemporalRule] = []
    if connected:
        arity["Q"] = 1
        rules, query = _connected(draw)
    elif draw.chance(4):
        arity["Q"] = 1
        rules, query = _recursive(draw)
    else:
        lower: list[str] = []
        for name in (*INNER[: draw.weighted((4, 0), (4, 1), (2, 2), (1, 3))], "Q"):
            arity.setdefault(name, draw.weighted((6, 1), (2, 2), (1, 0)))
            for _ in range(draw.weighted((3, 1), (2, 2))):
                rules.append(_rule(draw, name, arity | INPUT, lower))
            lower.append(name)
        query = _query(draw, arity["Q"])
    if nested:
        rules += _with_more(draw, rules)
    program = TemporalProgram(tuple(rules))
    delta = _delta(draw, _inputs(program))
    slices = _slices(draw, program, delta, long=long)
    channel = _channel(draw, _inputs(program), delta) if draw.chance(50) else Channel()
    most = draw.weighted((4, None), (1, 1), (2, 2), (1, 5))
    return QueryCase(
        program, query, delta, slices, channel if shown_channel(channel) else None, most
    )


def _connected(draw: Draw) -> tuple[list[TemporalRule], TemporalAtom]:
    """A rule, as most people write them."""
    x = Variable("X")
    places = draw.some([(name, at) for name in ("p", "r") for at in range(3)], 2, 4)
    body = tuple(TemporalAtom(name, (x,), TimeTerm("T", at)) for name, at in places)
    head = TemporalAtom("Q", (x,), TimeTerm("T", draw.integer(0, 1)))
    return [TemporalRule(head, body)], TemporalAtom("Q", (x,), TimeTerm("T", 0))


def _with_more(draw: Draw, rules: list[TemporalRule]) -> list[TemporalRule]:
    """A rule for the query that asks more than another, if a thing is the one in its head."""
    some = [rule for rule in rules if rule.head.predicate == "Q" and variables([rule.head])]
    found = []
    for rule in some and [draw.choice(some)]:
        named = {name for name, timed in variables([rule.head]).items() if not timed}
        args = tuple(
            _constant(draw) if isinstance(arg, Variable) else arg for arg in rule.head.args
        )
        things: list[ObjectTerm] = [Variable(name) for name in sorted(named)]
        things = things or [_constant(draw)]
        time = draw.choice(rule.body).time
        time = replace(time, offset=max(0, time.offset - 1))  # it may be evidence before the others
        more = TemporalAtom(draw.choice(["p", "r"]), (draw.choice(things),), time)
        body = tuple(dict.fromkeys((*rule.body, more)))
        found.append(TemporalRule(replace(rule.head, args=args), body))
    return found


def _recursive(draw: Draw) -> tuple[list[TemporalRule], TemporalAtom]:
    """Back in time from a number, so it ends."""
    x, base = Variable("X"), draw.choice(["p", "r"])
    step = TemporalAtom(draw.choice(["p", "r"]), (x,), TimeTerm("T", 0))
    back = TemporalAtom("Q", (x,), TimeTerm("T", -draw.integer(1, 2)))
    rules = [
        TemporalRule(
            TemporalAtom("Q", (x,), TimeTerm("T", 0)), (TemporalAtom(base, (x,), TimeTerm("T", 0)),)
        ),
        TemporalRule(TemporalAtom("Q", (x,), TimeTerm("T", 0)), (step, back)),
    ]
    return rules, TemporalAtom("Q", (x,), TimeTerm(None, draw.integer(1, 3)))


def _rule(draw: Draw, head: str, arity: dict[str, int], lower: list[str]) -> TemporalRule:
    body: list[TemporalAtom] = []
    for place in range(draw.weighted((3, 2), (2, 1), (2, 3))):
        if lower and draw.chance(80 if not place else 25):
            name = lower[-1] if not place else draw.choice(lower)
        else:
            name = draw.choice(sorted(INPUT))
        args = tuple(_term(draw, ("X", "Y")) for _ in range(arity[name]))
        body.append(TemporalAtom(name, args, _time(draw)))
    known = variables(body)
    objects = [name for name, timed in known.items() if not timed] or None
    times = [name for name, timed in known.items() if timed]
    args = tuple(
        _constant(draw) if objects is None or draw.chance(6) else Variable(draw.choice(objects))
        for _ in range(arity[head])
    )
    time = TimeTerm(None, draw.integer(0, 2))
    if times and not draw.chance(4):
        time = TimeTerm(draw.choice(times), _offset(draw))
    return TemporalRule(TemporalAtom(head, args, time), tuple(dict.fromkeys(body)))


def _term(draw: Draw, names: tuple[str, ...]) -> ObjectTerm:
    if draw.chance(10):
        return _constant(draw)
    return Variable(draw.weighted((4, names[0]), (1, names[-1])))


def _constant(draw: Draw) -> Literal:
    return Literal(draw.choice(CONSTANTS))


def _time(draw: Draw) -> TimeTerm:
    if draw.chance(5):
        return TimeTerm(None, draw.integer(0, 3))
    return TimeTerm(draw.weighted((9, "T"), (1, "U")), _offset(draw))


def _offset(draw: Draw) -> int:
    return draw.weighted((5, 0), (3, 1), (2, -1), (1, 2), (1, -2), (1, 3))


def _query(draw: Draw, arity: int) -> TemporalAtom:
    names = draw.weighted((5, ("X", "Y")), (1, ("Y", "X")), (1, ("V", "V2")), (1, ("X", "X")))
    args = tuple(_constant(draw) if draw.chance(12) else Variable(names[i]) for i in range(arity))
    time = draw.weighted(
        (8, TimeTerm("T", 0)),
        (1, TimeTerm("U", 1)),
        (1, TimeTerm("T", -1)),
        (1, TimeTerm(None, draw.integer(0, 3))),
    )
    return TemporalAtom("Q", args, time)


def _inputs(program: TemporalProgram) -> list[str]:
    """The predicates of input that a program reads."""
    return sorted({atom.predicate for rule in program.rules for atom in rule.body} & INPUT.keys())


def _delta(draw: Draw, names: list[str]) -> Delta:
    default = draw.weighted((6, 0), (1, 1), (1, 3))
    predicates = []
    instances: list[tuple[str, tuple[str | None, ...], int]] = []
    for name in names:
        arity = INPUT[name]
        if draw.chance(50):
            predicates.append((name, _late(draw)))
        if arity and draw.chance(20):
            first = draw.choice(CONSTANTS)
            if arity == 2 and draw.chance(40):
                instances.append((name, (first, draw.choice(CONSTANTS)), _late(draw)))
            instances.append((name, (first, *[None] * (arity - 1)), _late(draw)))
    return Delta(default, tuple(predicates), tuple(instances))


def _channel(draw: Draw, names: list[str], delta: Delta) -> Channel:
    """Chances of predicates, and of instances as `_delta` has them."""
    predicates = []
    instances: list[tuple[str, tuple[str | None, ...], Numbers]] = []
    constants = (*CONSTANTS, "")
    latest = {
        name: {args: delta.of(name, args) for args in product(constants, repeat=INPUT[name])}
        for name in names
    }
    for name in names:
        arity, late = INPUT[name], latest[name]
        if draw.chance(60):
            predicates.append((name, _numbers(draw, max(late.values()))))
        if arity and draw.chance(30):
            first = draw.choice(CONSTANTS)
            if arity == 2 and draw.chance(40):
                second = draw.choice(CONSTANTS)
                instances.append((name, (first, second), _numbers(draw, late[first, second])))
            most = max(delay for args, delay in late.items() if args[0] == first)
            instances.append((name, (first, *[None] * (arity - 1)), _numbers(draw, most)))
    default = None
    if names and draw.chance(40):
        default = _numbers(draw, max(max(each.values()) for each in latest.values()))
    return Channel(default, tuple(predicates), tuple(instances))


def _numbers(draw: Draw, latest: int) -> Numbers:
    """Chances of a fact that may be so late."""
    shares = [Fraction(part, 12) for part in (0, 3, 6, 8, 10, 11, 12)]
    return tuple(sorted(draw.choice(shares) for _ in range(draw.integer(1, latest + 1))))


def _late(draw: Draw) -> int:
    return draw.weighted((3, 1), (2, 0), (2, 2), (1, 4))


def _slices(
    draw: Draw, program: TemporalProgram, delta: Delta, *, long: bool
) -> tuple[tuple[int, tuple[Fact, ...]], ...]:
    names = _inputs(program)
    latest = draw.choice([2, 4, LATEST]) * (8 if long else 1)
    constants = (*CONSTANTS, *(f"c{number}" for number in range(6))) if long else CONSTANTS
    count = draw.integer(80, 200) if long else draw.weighted((1, 3), (3, 8)) + draw.integer(-2, 4)
    asked = [a for rule in program.rules for a in rule.body if a.predicate in names]
    arriving: dict[int, list[Fact]] = {}
    for _ in range(count):
        atom = draw.choice(asked)
        name = atom.predicate
        args = tuple(
            arg.lexical if isinstance(arg, Literal) and draw.chance(80) else draw.choice(constants)
            for arg in atom.args
        )
        time = draw.integer(0, latest)
        if atom.time.variable is None and draw.chance(60):
            time = atom.time.offset
        late = delta.of(name, args)
        for _ in range(draw.weighted((12, 1), (1, 2))):
            tau = time + draw.integer(0, late)
            arriving.setdefault(tau, []).append((name, args, time))
    for tau in draw.some(range(LATEST + 4), 0, 3):
        arriving.setdefault(tau, [])
    last = max(arriving)
    if draw.chance(60):
        arriving.setdefault(last + draw.integer(1, 6), [])
    return tuple((tau, tuple(facts)) for tau, facts in sorted(arriving.items()))
