"""Lateness: how late facts may be, and how probable it is that they arrive, if channels lose some.

Delays are the δ of [CruzFilipe22, section 3], by predicate and by instance; the delay and the
window of a query follow from them. The *chance* of an input atom is p_0, p_1, …: p_k is the
probability that the fact is true, and has arrived with a delay of at most k, whatever else arrives.
The last holds up to the largest delay δ; of those of an atom with a smaller one as many count as it
has delays. An atom without a chance arrives for certain, as long as it may. An atom of time t is
due at t (`arrival_probability`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from rif.errors.base import Span
from rif.errors.report import shorten
from rif.syntax.terms import Literal, Variable
from temporal.facts.fact_patterns import ANY_CONSTANT
from temporal.hypothetical.arrival.instance_patterns import (
    InstancePatterns,
    PatternKey,
    PatternOption,
    intersect_patterns,
    parse_patterns,
    representative_instances,
)
from temporal.hypothetical.ranking.arrival_probability import (
    CERTAIN,
    RiskTable,
    StepFunction,
    combine_pointwise,
    conditional_arrival,
    parse_probability,
)
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    SchematicAnswer,
    TemporalAtom,
    TemporalProgram,
    TimeTerm,
)
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.errors import BadChance, BadDelay, HypOutOfBounds


@dataclass(frozen=True, slots=True)
class DelayBounds(InstancePatterns[int]):
    """The largest delay of each input atom; 0 where none is given."""

    default: int = 0

    def of(self, atom: TemporalAtom) -> int:
        """The largest delay that an instance of the atom has.

        Costs a look-up, for each pattern of the predicate if the atom has variables.
        """
        name = atom.predicate
        return max(
            self.of_instance(name, each)
            for each in representative_instances(atom, self.args_of(name))
        )


def parse_delays(texts: Sequence[str], program: TemporalProgram) -> DelayBounds:
    """The delays that texts give for the input of a program; faults are as of `parse_patterns`."""
    option = PatternOption("--delay", BadDelay, _delay, str)
    default, patterns = parse_patterns(texts, program, option)
    return DelayBounds(default or 0, patterns)


def _delay(text: str, _: PatternKey, span: Span) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{shorten(text) or 'nothing'} is no natural number"
        raise BadDelay(message, span)
    if len(text) > len(str(MAX_TIME)) or int(text) > MAX_TIME:
        message = f"{shorten(text)} is more than {MAX_TIME}"
        raise HypOutOfBounds(message, span)
    return int(text)


@dataclass(frozen=True, slots=True)
class AnswerWindow:
    """The delay d >= 0 and the window w >= 0 of a query that has both."""

    delay: int
    window: int


def answer_window(premises: Iterable[SchematicAnswer], delays: DelayBounds) -> AnswerWindow | None:
    """The least delay and window; None: a time does not depend on that of the answer."""
    found = AnswerWindow(0, 0)
    for each in premises:
        own = each.answer.time
        times = [atom.time for atom in each.hypotheses]
        if any(time.variable != own.variable for time in times):
            return None
        last = max(atom.time.offset + delays.of(atom) for atom in each.hypotheses)
        first = min(time.offset for time in times)
        found = AnswerWindow(max(found.delay, last - own.offset), max(found.window, last - first))
    return found


Chance: TypeAlias = tuple[Fraction, ...]
"""p_0, p_1, …, at least one: in [0, 1], none less than the one before."""


@dataclass(frozen=True, slots=True)
class Chances(InstancePatterns[Chance | None]):
    """The chance of each input atom; None where none is given."""

    default: Chance | None = None


def prospect_of(atom: TemporalAtom, chances: Chances, delays: DelayBounds) -> StepFunction:
    """The prospect of an atom; if it has variables, of its most probable instance at each time.

    Costs a look-up, for each two patterns of the predicate if the atom has variables.
    """
    name = atom.predicate
    if chances.default is None and not chances.args_of(name):
        return CERTAIN  # what can no longer arrive is no hypothesis
    delay_patterns, chance_patterns = delays.args_of(name), chances.args_of(name)
    intersections = (
        intersect_patterns(one, other) for one in delay_patterns for other in chance_patterns
    )
    instances = representative_instances(
        atom, (*delay_patterns, *chance_patterns, *filter(None, intersections))
    )
    values = ((chances.of_instance(name, e), delays.of_instance(name, e)) for e in instances)
    return combine_pointwise(max, (_prospect(*each) for each in values))


def _prospect(chance: Chance | None, delay: int) -> StepFunction:
    if chance is None:
        return StepFunction((delay,), (Fraction(1), Fraction(0)))
    return conditional_arrival(
        StepFunction(tuple(range(len(chance))), (Fraction(0), *chance)), delay
    )


def parse_chances(texts: Sequence[str], program: TemporalProgram, delays: DelayBounds) -> Chances:
    """The chances that texts give for the input of a program; faults are as of `parse_patterns`."""
    known = program.arities

    def value(text: str, key: PatternKey, span: Span) -> Chance:
        try:
            chance = tuple(parse_probability(each.strip()) for each in text.split(","))
        except ValueError as error:
            raise BadChance(str(error), span) from None
        for p, more in pairwise(chance):
            if more < p:
                message = f"{shorten(text)}: what has come stays, so no number is less than before"
                raise BadChance(message, span)
        names = sorted(known.keys() - program.intensional) if key is None else [key[0]]
        longest_delay = max(
            (delays.of(_atom(name, known[name], key)) for name in names if name in known),
            default=len(chance),
        )
        if len(chance) > longest_delay + 1:
            message = f"{len(chance)} numbers, but no such fact is more than {longest_delay} late"
            hint = "the numbers are of delays 0, 1, 2 …; --delay says how late facts may be"
            raise BadChance(message, span, hint)
        return chance

    option = PatternOption("--chance", BadChance, value, lambda p: ",".join(map(str, p)))
    return Chances(*parse_patterns(texts, program, option))


def _atom(name: str, arity: int, key: PatternKey) -> TemporalAtom:
    """An atom of all instances that a key means."""
    constants = (ANY_CONSTANT,) * arity if key is None else key[1]
    args: list[ObjectTerm] = [
        Variable(f"X{position}") if arg == ANY_CONSTANT else Literal(arg)
        for position, arg in enumerate(constants)
    ]
    return TemporalAtom(name, tuple(args), TimeTerm("T", 0))


class ArrivalProspects(RiskTable):
    """The prospects of all atoms of a query."""

    def __init__(self, chances: Chances | None, delays: DelayBounds) -> None:
        super().__init__(has_chances=chances is not None)
        self._chances, self.delays = chances or Chances(), delays

    def of(self, atom: TemporalAtom) -> int:
        """The number of the prospect of an atom."""
        return self.number(prospect_of(atom, self._chances, self.delays))

    def depends(self, predicate: str) -> bool:
        """May instances of a predicate have different prospects?"""
        likely = self._chances
        has_chance = likely.default is not None or bool(likely.args_of(predicate))
        return likely.depends(predicate) or (has_chance and self.delays.depends(predicate))
