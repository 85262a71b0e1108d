"""The net change of a model: what holds now that did not, and what held that does not."""

from __future__ import annotations

from dataclasses import dataclass

from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_algebra import subtract_models
from temporal.periods.periodic_model import PeriodicModel


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A model before and after an update, without what is the same in both.

    Some of it may still be the same. The difference is made when it is asked for: where both sides
    repeat, it is written out for a common period.

    Attributes:
        before: what held, explicit and derived.
        after: what holds.
    """

    before: PeriodicModel[PredicateKey]
    after: PeriodicModel[PredicateKey]

    @property
    def gained(self) -> PeriodicModel[PredicateKey]:
        """What holds now and did not before; a periodic model itself."""
        return subtract_models(self.after, self.before)

    @property
    def lost(self) -> PeriodicModel[PredicateKey]:
        """What held before and does not now."""
        return subtract_models(self.before, self.after)
