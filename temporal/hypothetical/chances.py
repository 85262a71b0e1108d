"""How probable it is that facts come: channels that lose some [CruzFilipe22].

A *chance* says of an input atom p_0, p_1, …: p_k is the probability that the fact is true, and has
arrived with a delay of at most k, whatever else comes. The last holds up to the largest delay δ; of
those of an atom with a smaller one as many count as it has delays. What nothing is said of comes
for certain, as long as it may.

An atom of time t is due at t: `temporal.prospects` says how probable it is that it comes if it has
not until some moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from temporal.hypothetical.ast import Atom
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.patterns import Patterns, meet, telling
from temporal.prospects import CERTAIN, Steps, pointwise, prospect

Chance: TypeAlias = tuple[Fraction, ...]
"""p_0, p_1, …, at least one: in [0, 1], none less than the one before."""


@dataclass(frozen=True, slots=True)
class Chances(Patterns[Chance | None]):
    """The chance of each input atom; None where nothing is said."""

    default: Chance | None = None


def prospect_of(atom: Atom, chances: Chances, delays: Delays) -> Steps:
    """That of an atom; if it has variables, of its most probable instance at each time.

    Costs a look-up, for each two patterns of the predicate if the atom has variables.
    """
    name = atom.predicate
    if chances.default is None and not chances.args_of(name):
        return CERTAIN  # what can no longer come is no hypothesis
    late, likely = delays.args_of(name), chances.args_of(name)
    both = (meet(one, other) for one in late for other in likely)
    instances = telling(atom, (*late, *likely, *filter(None, both)))
    return pointwise(
        max,
        (
            _prospect(chances.of_instance(name, each), delays.of_instance(name, each))
            for each in instances
        ),
    )


def _prospect(chance: Chance | None, delay: int) -> Steps:
    if chance is None:
        return Steps((delay,), (Fraction(1), Fraction(0)))
    return prospect(Steps(tuple(range(len(chance))), (Fraction(0), *chance)), delay)
