"""The prospects of atoms, by which sets of hypotheses have confidences.

A confidence is the product of the prospects of what is awaited. It is exact if facts arrive
independently of one another. A hypothesis with variables that are not bound is one instance of it,
the most probable one.
"""

from __future__ import annotations

from temporal.hypothetical.arrival.chances import Chances, prospect_of
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.ranking.arrival_probability import RiskTable
from temporal.hypothetical.syntax.ast import TemporalAtom


class ArrivalProspects(RiskTable):
    """The prospects of all atoms of a query.

    Attributes:
        delays: how late atoms may be.
    """

    __slots__ = ("_chances", "delays")

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
