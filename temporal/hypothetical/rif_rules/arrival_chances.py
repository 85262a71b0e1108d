"""How late a unit may arrive, and how probable it is that it does.

How late depends on the delays of its predicates and of the sources; the chances are options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from rif.syntax.terms import RDF_TYPE
from temporal.hypothetical.ranking.arrival_probability import (
    CERTAIN,
    RiskTable,
    StepFunction,
    combine_pointwise,
    conditional_arrival,
)


@dataclass(frozen=True, slots=True)
class UnitLateness:
    """The late bounds of units, below which elements are late; see `r4.stream.watermark`.

    Attributes:
        levels: (k,) the delays of predicates, ascending, 0 among them: a late bound each.
        longest: (k,) the longest delay of each late bound, over all sources.
        of_predicates: by canonical text, those that have one.
    """

    levels: tuple[int, ...] = (0,)
    longest: tuple[int, ...] = (0,)
    of_predicates: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Sequence[int], predicates: Mapping[str, int]) -> UnitLateness:
        """By the delays of sources, at least one, and those of predicates, by IRI."""
        given = {f"<{iri}>": ticks for iri, ticks in predicates.items()}
        levels = sorted({0, *given.values()})
        return cls(tuple(levels), tuple(max(level, *sources) for level in levels), given)

    def bound(self, predicates: Sequence[str | None]) -> int:
        """The number of the late bound of a unit with these predicates; None: any predicate."""
        if None in predicates:
            return len(self.levels) - 1
        delays = (self.of_predicates.get(each, 0) for each in predicates if each is not None)
        return self.levels.index(max(delays, default=0))


TYPE: Final = f"<{RDF_TYPE}>"


class UnitCondition(NamedTuple):
    """The predicate and the object of the triples of a condition, canonical; None: a variable."""

    predicate: str | None
    value: str | None

    @property
    def is_any(self) -> bool:
        """Is its predicate, or its class, a variable?"""
        return self.predicate is None or self == (TYPE, None)

    @property
    def names(self) -> tuple[str, ...]:
        """The class, if it is about one, and the predicate, as far as they are known."""
        names = (self.value, self.predicate) if self.predicate == TYPE else (self.predicate,)
        return tuple(name for name in names if name is not None)


@dataclass(frozen=True, slots=True)
class ArrivalChances:
    """How probable it is that triples arrive, by delay.

    Attributes:
        default: of all that have no chance of their own; None: of these nothing is known.
        given: by canonical text of a predicate or a class.
    """

    default: StepFunction | None = None
    given: Mapping[str, StepFunction] = field(default_factory=dict)

    def of_unit(self, conditions: Iterable[UnitCondition]) -> StepFunction | None:
        """At each delay the least of its conditions' chances, for they arrive together.

        None: no condition has a chance.
        """
        found = [chance for each in conditions if (chance := self._of(each)) is not None]
        return combine_pointwise(min, found) if found else None

    def idle(self, conditions: Iterable[UnitCondition]) -> list[str]:
        """The names with a chance that concern none of ``conditions``."""
        queried = set(conditions)
        if any(each.is_any for each in queried):
            return []
        names = {name for each in queried for name in each.names}
        return [name for name in self.given if name not in names]

    def _of(self, condition: UnitCondition) -> StepFunction | None:
        """The chance of a condition: by its class before rdf:type; of a variable the greatest."""
        if condition.is_any:
            return self.default and combine_pointwise(max, (self.default, *self.given.values()))
        found = (self.given[name] for name in condition.names if name in self.given)
        return next(found, self.default)


class UnitProspects(RiskTable):
    """The prospects of all units, by number."""

    def __init__(self, chances: ArrivalChances | None, delays: UnitLateness) -> None:
        super().__init__(has_chances=chances is not None)
        self._chances, self._delays = chances or ArrivalChances(), delays

    def of_unit(self, conditions: Sequence[UnitCondition]) -> tuple[int, int]:
        """The numbers of the late bound and of the prospect of a unit."""
        bound = self._delays.bound([each.predicate for each in conditions])
        chance, latest = self._chances.of_unit(conditions), self._delays.longest[bound]
        found = CERTAIN if chance is None else conditional_arrival(chance, latest)
        return bound, self.number(found)
