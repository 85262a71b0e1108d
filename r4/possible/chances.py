"""Chances: how probable it is that a unit comes, by the predicates and classes that it has.

A chance is a histogram of arrival (`temporal.prospects`): how probable it is that what is asked for
comes, and has come with a delay of at most k ticks. What nothing is said of comes for certain, as
long as it may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from r4.possible.lateness import Delays
from rif.terms import RDF_TYPE
from temporal.prospects import CERTAIN, Grades, Steps, pointwise, prospect

_TYPE = f"<{RDF_TYPE}>"


class Asked(NamedTuple):
    """A condition of a unit, by canonical texts; None: a variable.

    Attributes:
        predicate: that of its triples.
        value: their object.
    """

    predicate: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Chances:
    """What is said of what may come.

    Attributes:
        default: of all that nothing else is said of; None: nothing is.
        given: by canonical text of a predicate or a class.
    """

    default: Steps | None = None
    given: Mapping[str, Steps] = field(default_factory=dict)

    def of_unit(self, conditions: Iterable[Asked]) -> Steps | None:
        """At each delay the least of its conditions' chances, for they come together.

        None: nothing is said of any.
        """
        found = [chance for each in conditions if (chance := self._of(each)) is not None]
        return pointwise(min, found) if found else None

    def idle(self, conditions: Iterable[Asked]) -> list[str]:
        """The names that say nothing of ``conditions``."""
        asked = set(conditions)
        if any(map(_is_any, asked)):
            return []
        names = {name for each in asked for name in _names(each)}
        return [name for name in self.given if name not in names]

    def _of(self, condition: Asked) -> Steps | None:
        """That of a condition: of a class before that of rdf:type; of a variable the greatest."""
        if _is_any(condition):
            return self.default and pointwise(max, (self.default, *self.given.values()))
        found = (self.given[name] for name in _names(condition) if name in self.given)
        return next(found, self.default)


def _is_any(condition: Asked) -> bool:
    """Is its predicate, or its class, a variable?"""
    return condition.predicate is None or (condition.predicate, condition.value) == (_TYPE, None)


def _names(condition: Asked) -> tuple[str, ...]:
    """By which something may be said of it, the narrowest first."""
    predicate, value = condition
    names = (value, predicate) if predicate == _TYPE else (predicate,)
    return tuple(name for name in names if name is not None)


class Prospects(Grades):
    """Those of all units.

    Attributes:
        are_told: whether chances are given, so that confidences are told.
    """

    __slots__ = ("_chances", "_delays", "are_told")

    def __init__(self, chances: Chances | None, delays: Delays) -> None:
        super().__init__()
        self.are_told = chances is not None
        self._chances, self._delays = chances or Chances(), delays

    def of_unit(self, conditions: Iterable[Asked], line: int) -> int:
        """The number of that of a unit that is late below a line."""
        chance = self._chances.of_unit(conditions)
        latest = self._delays.longest[line]
        return self.number(CERTAIN if chance is None else prospect(chance, latest))
