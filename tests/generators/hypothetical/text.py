"""Temporal Datalog as text, for people and for the command; and read back from simple text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    TimeTerm,
)
from tests.oracles.hypothetical.confidence import Channel, Numbers
from tests.oracles.hypothetical.definitions import Delta, Fact
from tests.oracles.hypothetical.output_lines import quoted

_ATOM = re.compile(r"(\w+)\(([^()]*)\)")


def program(text: str) -> TemporalProgram:
    """Rules, one a line, ``Head :- Body`` or ``Body -> Head``; no quotes."""
    return TemporalProgram(tuple(map(_rule, filter(None, map(str.strip, text.splitlines())))))


def _rule(line: str) -> TemporalRule:
    head, body = line.split(":-") if ":-" in line else reversed(line.split("->"))
    return TemporalRule(atom(head), tuple(map(_atom, _ATOM.finditer(body))))


def atom(text: str) -> TemporalAtom:
    """One atom."""
    found = _ATOM.search(text)
    assert found
    return _atom(found)


def _atom(found: re.Match[str]) -> TemporalAtom:
    *args, time = (arg.strip() for arg in found[2].split(","))
    return TemporalAtom(found[1], tuple(map(_term, args)), _time(time))


def _term(text: str) -> ObjectTerm:
    return Variable(text) if text[0].isupper() else Literal(text)


def _time(text: str) -> TimeTerm:
    if text.isdigit():
        return TimeTerm(None, int(text))
    name, sign, number = re.split("([+-]|$)", text, maxsplit=1)
    return TimeTerm(name, int(sign + number) if number else 0)


def fact(text: str) -> Fact:
    """A fact, without its arrival."""
    predicate, inner = text.rstrip(")").split("(")
    *args, time = inner.split(",")
    return predicate, tuple(args), int(time)


def shown_program(given: TemporalProgram) -> str:
    """A program as the command reads it."""
    return "".join(f"{_shown(r.head)} :- {', '.join(map(_shown, r.body))}\n" for r in given.rules)


def shown_query(query: TemporalAtom) -> str:
    """A query as the command reads it."""
    return _shown(query)


def _shown(one: TemporalAtom) -> str:
    args = (arg.name if isinstance(arg, Variable) else quoted(arg.lexical) for arg in one.args)
    return f"{one.predicate}({','.join((*args, str(one.time)))})"


def shown_delays(delta: Delta) -> list[str]:
    """What ``--delay`` is given."""
    found = [str(delta.default)] if delta.default else []
    found += [f"{name}={delay}" for name, delay in delta.predicates]
    return found + [
        f"{_instances(name, pattern)}={delay}" for name, pattern, delay in delta.instances
    ]


def shown_channel(channel: Channel | None) -> list[str]:
    """What ``--chance`` is given."""
    if channel is None:
        return []
    found = [_numbers(channel.default)] if channel.default else []
    found += [f"{name}={_numbers(numbers)}" for name, numbers in channel.predicates]
    return found + [
        f"{_instances(name, pattern)}={_numbers(numbers)}"
        for name, pattern, numbers in channel.instances
    ]


def _instances(name: str, pattern: Iterable[str | None]) -> str:
    return f"{name}({','.join('_' if arg is None else quoted(arg) for arg in pattern)})"


def _numbers(numbers: Numbers) -> str:
    return ",".join(map(str, numbers))


def shown_facts(slices: Iterable[tuple[int, Iterable[Fact]]]) -> str:
    """Facts with their arrivals, one a line."""
    lines = []
    for tau, facts in slices:
        lines += [f"@{tau}\n"]
        for name, args, time in facts:
            lines.append(f"@{tau} {name}({','.join((*map(quoted, args), str(time)))})\n")
    return "".join(lines)
