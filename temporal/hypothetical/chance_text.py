"""Chances as text: ``0.9`` of all facts, ``Temp=0.8,0.95`` of a predicate, or of instances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from rif.ast import Span
from rif.cursor import shorten
from rif.terms import Literal, Variable
from temporal.hypothetical.ast import Atom, Program, Term, Time
from temporal.hypothetical.chances import Chance, Chances
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.errors import BadChance
from temporal.hypothetical.pattern_text import Key, Option, by_predicate, parse_texts
from temporal.hypothetical.wellformed import arities
from temporal.prospects import probability
from temporal.selection import ANY


def parse_chances(texts: Sequence[str], program: Program, delays: Delays) -> Chances:
    """The chances that texts say, one a text, of what comes in where a program runs.

    Of predicates that the program does not have the result has no pattern, but their names.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    known = arities(program)

    def value(text: str, key: Key, span: Span) -> Chance:
        chance = tuple(_number(each.strip(), span) for each in text.split(","))
        for p, more in pairwise(chance):
            if more < p:
                message = f"{shorten(text)}: what has come stays, so no number is less than before"
                raise BadChance(message, span)
        names = sorted(known.keys() - program.intensional) if key is None else [key[0]]
        most = max(
            (delays.of(_atom(name, known[name], key)) for name in names if name in known),
            default=len(chance),
        )
        if len(chance) > most + 1:
            message = f"{len(chance)} numbers, but no such fact is more than {most} late"
            hint = "the numbers are of delays 0, 1, 2 …; --delay says how late facts may be"
            raise BadChance(message, span, hint)
        return chance

    option = Option("--chance", "chance", BadChance, value, _shown)
    said = parse_texts(texts, program, option)
    return Chances(said.get(None), by_predicate(said, program))


def _number(text: str, span: Span) -> Fraction:
    try:
        return probability(text)
    except ValueError as error:
        raise BadChance(str(error), span) from None


def _atom(name: str, arity: int, key: Key) -> Atom:
    """All instances that something is said of."""
    named = (ANY,) * arity if key is None else key[1]
    args: list[Term] = [
        Variable(f"X{place}") if arg == ANY else Literal(arg) for place, arg in enumerate(named)
    ]
    return Atom(name, tuple(args), Time("T", 0))


def _shown(chance: Chance) -> str:
    return ",".join(map(str, chance))
