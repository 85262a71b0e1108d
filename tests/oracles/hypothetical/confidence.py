"""How probable it is that all comes that is lacking, by going through the worlds that there may be.

In a world each fact arrives with some delay, or never; worlds weigh as much as chances say, where
facts do not depend on one another. Of those in which nothing that is lacking has come by now, the
question is in how much of them all of it comes later.

A hypothesis with variables is its most probable instance, each by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

from tests.oracles.hypothetical.definitions import Delta, DomainTooBig
from tests.oracles.hypothetical.resolution import Pattern, Var

Numbers: TypeAlias = tuple[Fraction, ...]
Weights: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""Of a fact: that it comes by now, that it comes later, that it never comes."""

MOST = 3_000
"""With more worlds than this a case is too big."""


@dataclass(frozen=True, slots=True)
class Channel:
    """How probable it is that facts have come with delay 0, at most 1 …: the last for all later.

    Attributes:
        default: of all that nothing else is said of; None: it comes, at the latest moment.
        predicates: by predicate.
        instances: predicate, arguments without time (None: any), numbers; the narrower the earlier.
    """

    default: Numbers | None = None
    predicates: tuple[tuple[str, Numbers], ...] = ()
    instances: tuple[tuple[str, tuple[str | None, ...], Numbers], ...] = ()

    def of(self, predicate: str, args: tuple[str, ...]) -> Numbers | None:
        """The numbers of the facts of an instance."""
        for name, pattern, numbers in self.instances:
            if name == predicate and all(
                one in {None, arg} for one, arg in zip(pattern, args, strict=True)
            ):
                return numbers
        return dict(self.predicates).get(predicate, self.default)

    def constants(self) -> set[str]:
        """All that patterns name."""
        return {one for _, pattern, _ in self.instances for one in pattern if one is not None}


def confidence(hypotheses: Iterable[Pattern], tau: int, delta: Delta, channel: Channel) -> Fraction:
    """How probable it is that all of some comes after ``tau``, if none has come until then.

    Raises:
        TooBig: there are too many worlds.
    """
    return all_later(tuple(sorted(_weights(one, tau, delta, channel) for one in hypotheses)))


@cache
def all_later(weights: tuple[Weights, ...]) -> Fraction:
    if 3 ** len(weights) > MOST:
        raise DomainTooBig(len(weights))
    open_ = wanted = Fraction(0)
    for world in product(range(3), repeat=len(weights)):
        weight = prod((each[how] for each, how in zip(weights, world, strict=True)), start=1)
        if 0 not in world:
            open_ += weight
        if set(world) <= {1}:
            wanted += weight
    return wanted / open_ if open_ else Fraction(0)


@cache
def _weights(one: Pattern, tau: int, delta: Delta, channel: Channel) -> Weights:
    """Those of the instance that is the most probable to come."""
    seen = None if one.base is not None else tau - one.offset
    instances = _instances(one, delta, channel)
    found = [_of_instance(one.predicate, args, seen, delta, channel) for args in instances]
    return max(found, key=lambda each: all_later((each,)))


def _of_instance(
    predicate: str, args: tuple[str, ...], seen: int | None, delta: Delta, channel: Channel
) -> Weights:
    last = delta.of(predicate, args)
    numbers = channel.of(predicate, args)
    if numbers is None:
        numbers = (*[Fraction(0)] * last, Fraction(1))
    by = [numbers[min(k, len(numbers) - 1)] for k in range(last + 1)]
    arrivals = [by[0], *(more - less for less, more in pairwise(by))]
    now = -1 if seen is None else seen
    before = sum((weight for k, weight in enumerate(arrivals) if k <= now), start=Fraction(0))
    ever = sum(arrivals, start=Fraction(0))
    return before, ever - before, 1 - ever


def _instances(one: Pattern, delta: Delta, channel: Channel) -> list[tuple[str, ...]]:
    """Constants that nothing names are all alike, so one for each variable is enough."""
    free = sorted({arg for arg in one.args if isinstance(arg, Var)})
    named = sorted(delta.constants() | channel.constants())
    constants = [*named, *(f"another {number}" for number in range(len(free)))]
    bindings = (
        dict(zip(free, chosen, strict=True)) for chosen in product(constants, repeat=len(free))
    )
    return [
        tuple(bound[arg] if isinstance(arg, Var) else arg for arg in one.args) for bound in bindings
    ]


def shown_number(number: Fraction) -> str:
    """A decimal number of at most six places."""
    with localcontext() as context:
        context.prec = 100
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        found = exact.quantize(Decimal("0.000001"), rounding=ROUND_HALF_EVEN)
        return format(found.normalize(), "f")
