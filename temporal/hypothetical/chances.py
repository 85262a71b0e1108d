"""How probable it is that facts come: channels that lose some [CruzFilipe22].

A *chance* says of an input atom p_0, p_1, …: p_k is the probability that the fact is true, and has
arrived with a delay of at most k, whatever else comes. The last holds up to the largest delay δ; of
those of an atom with a smaller one as many count as it has delays. What nothing is said of comes
for certain, as long as it may.

An atom of time t that has not come until τ was to be seen with a delay of at most k = τ - t; so
it comes with the probability (p_δ - p_k) / (1 - p_k), where p_k is 0 before its time (k < 0), and
0/0 is 0. That is its *prospect*; it changes with k alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from rete.delta import POS_INF
from temporal.hypothetical.ast import Atom
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.patterns import Patterns, meet, telling

Chance: TypeAlias = tuple[Fraction, ...]
"""p_0, p_1, …, at least one: in [0, 1], none less than the one before."""

BEFORE: Final = -1
"""A delay at which nothing was to be seen yet."""


@dataclass(frozen=True, slots=True)
class Chances(Patterns[Chance | None]):
    """The chance of each input atom; None where nothing is said."""

    default: Chance | None = None


@dataclass(frozen=True, slots=True)
class Prospect:
    """A function of k in steps.

    Attributes:
        starts: where a step begins; ascending.
        values: what holds before the first, from there on, and so on; never more than before.
    """

    starts: tuple[int, ...]
    values: tuple[Fraction, ...]

    def at(self, seen: int) -> Fraction:
        """What holds if all delays to ``seen`` were to be seen."""
        return self.values[self.step(seen)]

    def step(self, seen: int) -> int:
        """The place of that among the values."""
        return bisect_right(self.starts, seen)

    def end(self, step: int) -> int:
        """Where a step ends; `POS_INF`: it does not."""
        return self.starts[step] if step < len(self.starts) else POS_INF


CERTAIN: Final = Prospect((), (Fraction(1),))


def prospect_of(atom: Atom, chances: Chances, delays: Delays) -> Prospect:
    """That of an atom; if it has variables, of its most probable instance at each time.

    Costs a look-up, for each two patterns of the predicate if the atom has variables.
    """
    name = atom.predicate
    if chances.default is None and not chances.args_of(name):
        return CERTAIN  # what can no longer come is no hypothesis
    late, likely = delays.args_of(name), chances.args_of(name)
    both = (meet(one, other) for one in late for other in likely)
    return _best(
        _prospect(chances.of_instance(name, each), delays.of_instance(name, each))
        for each in telling(atom, (*late, *likely, *filter(None, both)))
    )


def _prospect(chance: Chance | None, delay: int) -> Prospect:
    if chance is None:
        return Prospect((delay,), (Fraction(1), Fraction(0)))
    chance = chance[: delay + 1]
    last = chance[-1]
    later = ((last - p) / (1 - p) if p < 1 else Fraction(0) for p in chance)
    return Prospect(tuple(range(len(chance))), (last, *later))


def _best(prospects: Iterable[Prospect]) -> Prospect:
    first, *others = dict.fromkeys(prospects)
    if not others:
        return first
    starts = sorted({start for each in (first, *others) for start in each.starts})
    values = [max(each.at(seen) for each in (first, *others)) for seen in (BEFORE, *starts)]
    return Prospect(tuple(starts), tuple(values))
