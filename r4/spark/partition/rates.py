"""Rates: how many facts of a predicate come, in any unit, as they were observed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from rete.nodes.scan import Scan

_PREDICATE: Final = 1
"""The place of the predicate of a triple."""


@dataclass(frozen=True)
class Rates:
    """The weights of predicates.

    Attributes:
        observed: per predicate, as an IRI in angle brackets, its facts in some stretch of time;
            0 for static data, which come once. What is not named weighs `usual`.
    """

    observed: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def usual(self) -> float:
        """The weight of what was not observed: the mean of what was, 1 if nothing was."""
        some = [rate for rate in self.observed.values() if rate > 0]
        return sum(some) / len(some) if some else 1.0

    def of_scan(self, scan: Scan) -> float:
        """The weight of the facts of a pattern."""
        predicate = scan.relation.op or scan.key[_PREDICATE]
        if predicate is None:
            return self._all
        return self.observed.get(predicate, self.usual)

    @cached_property
    def _all(self) -> float:
        return max(self.usual, sum(self.observed.values()))


UNKNOWN: Final = Rates()
"""Nothing was observed."""
