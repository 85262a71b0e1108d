"""The result of a materialisation: the least model, or the part of it that was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rete.arrays.delta import Rows
from rete.kernels import clip
from rete.storage.row_algebra import coalesce, subtract
from rete.terms.dictionary import Dictionary
from temporal.facts.fact_patterns import FactPattern
from temporal.intervals.interval import Interval
from temporal.intervals.notation import Notation
from temporal.mtl.ast import BOTTOM_KEY, PredicateKey
from temporal.periods.change_points import Relations
from temporal.periods.periodic_model import PeriodicModel


@dataclass(frozen=True, slots=True)
class Model:
    """The least model of a program and its data, or a part of it.

    Attributes:
        terms: the dictionary of the ids in rows.
        scale: ticks to the unit of time.
        explicit: the data, united, by predicate.
        periodic: the model.
        derived: how many intervals of facts were derived.
        rounds: in how many rounds.
        limit: what ended it too early, in words: then all in the model is true, but it
            may not be all; None: it is the whole model.
        known: the cells in which nothing is missing although a limit ended it; None: that is
            known of none.
        notation: how its times are written.
    """

    terms: Dictionary
    scale: int
    explicit: dict[PredicateKey, Rows]
    periodic: PeriodicModel[PredicateKey]
    derived: int
    rounds: int
    limit: str | None = None
    known: tuple[int, int] | None = None
    notation: Notation = Interval

    def interval(self, lo: int, hi: int) -> Interval:
        """Its time from a cell to another."""
        return self.notation.of_cells(lo, hi, self.scale)

    def period_lines(self) -> tuple[str, str]:
        """Its periods, as `PeriodicModel.period_lines`."""
        return self.periodic.period_lines(self.scale, self.notation)

    def within(
        self, lo: int | None = None, hi: int | None = None, *, derived_only: bool = False
    ) -> Iterator[tuple[PredicateKey, Rows]]:
        """The rows of each predicate, maximal, in any order, clipped to the cells ``lo`` to ``hi``.

        Without ends to the segment: the whole of a finite model, one repetition of each period of a
        periodic one. ``derived_only``: less the data, as sets in time. Inconsistency is no fact;
        see `temporal.model.violations`.
        """
        begin, end = self.periodic.segment
        window = begin if lo is None else lo, end if hi is None else hi
        known = (
            ((key, clip(rows, *window)) for key, rows in self.periodic.facts.items())
            if self.periodic.is_finite
            else self.periodic.unfold(*window)
        )
        for key, rows in known:
            if key == BOTTOM_KEY:
                continue
            is_less = derived_only and key in self.explicit
            yield key, subtract(rows, self.explicit[key]) if is_less else rows


def unite_data(data: dict[PredicateKey, Rows]) -> dict[PredicateKey, Rows]:
    """The data with the intervals of each fact united.

    In the order of time, in which coalescing soon finds the rows to unite.
    """
    return {
        key: coalesce(rows[np.argsort(rows[:, -2], kind="stable")])
        for key, rows in data.items()
        if len(rows)
    }


def select_facts(model: Model, patterns: Sequence[FactPattern]) -> Model:
    """The model with the facts that one of the patterns selects; with all if there are none."""
    if not patterns:
        return model

    def of(facts: Relations[PredicateKey]) -> dict[PredicateKey, Rows]:
        found = {}
        for key, rows in facts.items():
            masks = [each.mask(rows, model.terms) for each in patterns if each.matches(key)]
            if masks and np.logical_or.reduce(masks).any():
                found[key] = rows[np.logical_or.reduce(masks)]
        return found

    periodic = replace(model.periodic, facts=of(model.periodic.facts))
    return replace(model, explicit=of(model.explicit), periodic=periodic)
