"""Operators with ranges to infinity, evaluated on periodic models.

The theorem on periods is about bounded ranges. What an operator to infinity derives is taken for
data of a program that has none of them (`temporal.mtl.unbounded_ranges`):

* *To stop.* What the operators derived so far is true, and has its ends between the certificates.
  So the periods are right for that program, and its model is below the one that is sought. Each
  operator is computed on the whole of this model, though it has no end; if all it derives was
  added, the model is closed under all rules, so it is the one.
* *To go on.* What is not yet derived is true, and is added: rows with infinite ends, as a rule.
* *To extrapolate.* What an operator derives may grow with the horizon: ``A Since[0,inf) B`` with an
  A that marches on. If a row has grown by a period or more between two horizons, in both of which
  lie the same windows, with nothing changed from the left ones to the right ones, it does so for
  ever: what made it grow is shifted with the windows. So its end is infinite.

A range to infinity over what is not constant far out is not covered: `UncoveredRange`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Cells, Column, Rows
from rete.kernels import clip
from rete.storage.row_algebra import subtract
from temporal.model.limits import LimitReached
from temporal.mtl.ast import PredicateKey
from temporal.periods.change_points import number_rows
from temporal.periods.period_search import EVERYWHERE, Periods, find_periods
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.unfolding import coalesce, reflect, reflect_end
from temporal.periods.windows import Repetition, Ruler

PATIENCE: Final = 5
"""So many horizons may show periods that the facts of the operators do not have."""

DerivedRows: TypeAlias = dict[PredicateKey, Rows]
ApplyOperators: TypeAlias = Callable[[Mapping[PredicateKey, Rows]], DerivedRows]
"""What the operators derive from facts, which are all that they see."""


class UncoveredRange(LimitReached):
    """A range to infinity over what is not constant far out."""

    def __init__(self) -> None:
        reason = "ranges to infinity over what is not constant far out are not covered"
        super().__init__(f"{PATIENCE + 1} horizons, as {reason}")


class UnboundedEvaluation:
    """Examines what is known within one horizon after the other."""

    __slots__ = ("_apply", "_before", "_heads", "_reach", "_ruler", "_unsuccessful")

    def __init__(self, ruler: Ruler, heads: frozenset[PredicateKey], apply: ApplyOperators) -> None:
        self._ruler = ruler
        self._heads = heads
        self._apply = apply
        self._reach = 4 * ruler.depth + 2
        self._before: tuple[DerivedRows, Cells] | None = None
        self._unsuccessful = 0

    def look(
        self, facts: Mapping[PredicateKey, Rows], horizon: Cells
    ) -> Periods | DerivedRows | None:
        """The periods; or what is to be added to the data; None: the horizon is to be widened.

        Raises:
            UncoveredRange: that would never end, as far as is known.
        """
        if horizon == EVERYWHERE:
            return find_periods(facts, self._ruler)
        self._unsuccessful += 1
        known = {key: coalesce(rows) for key, rows in facts.items()}
        derived = {key: known[key] for key in self._heads if key in known}
        ends = [end for rows in derived.values() for end in _finite_ends(rows[:, -2:].ravel())]
        found = find_periods(known, self._ruler, horizon, _span(ends))
        if found.left and found.right:
            self._before, self._unsuccessful = None, 0
            model = PeriodicModel.of(known, found.left, found.right)
            return self._not_yet_derived(model, derived) or found
        extrapolated = self._extrapolate(known, derived)
        self._before = None if extrapolated else (known, horizon)
        shown = find_periods(known, self._ruler, horizon)
        if extrapolated or not shown.left or not shown.right:
            self._unsuccessful = 0
        elif self._unsuccessful > PATIENCE:
            raise UncoveredRange
        return extrapolated or None

    def _not_yet_derived(
        self, model: PeriodicModel[PredicateKey], derived: DerivedRows
    ) -> DerivedRows:
        """What the operators derive from the whole of a model, and is not there yet."""
        begin, end = model.segment
        back, ahead = (
            0 if side.is_constant else _shift_cells(side) for side in (model.left, model.right)
        )
        lo, hi = begin - 2 * back - self._reach, end + 2 * ahead + self._reach
        whole = dict(model.around(lo, hi))
        found: DerivedRows = {}
        for key, rows in self._apply(whole).items():
            onward = _constant(rows, end, ahead)
            both = reflect(_constant(reflect(onward), reflect_end(begin), back))
            rest = subtract(both, derived[key]) if key in derived else both
            if len(rest):
                found[key] = rest
        return found

    def _extrapolate(self, known: DerivedRows, derived: DerivedRows) -> DerivedRows:
        """Rows that grow for ever, to their infinite ends; none if that is not known."""
        if self._before is None:
            return {}
        before, horizon = self._before
        there = {key: rows for key, rows in derived.items() if key in before}
        ahead = {key: _find_growth(before[key], rows) for key, rows in there.items()}
        back = {
            key: _find_growth(reflect(before[key]), reflect(rows)) for key, rows in there.items()
        }
        # What does not grow ends between the windows; these lie within what had not grown yet.
        ends = [
            end
            for key, rows in derived.items()
            for end in _fixed_ends(rows, ahead.get(key))
            + [1 - at for at in _fixed_ends(reflect(rows), back.get(key))]
        ]
        span = _span(ends)
        lo = max([horizon[0], *(1 - end for each in back.values() for end in each.was.tolist())])
        hi = min([horizon[1], *(end for each in ahead.values() for end in each.was.tolist())])
        one, other = (find_periods(facts, self._ruler, (lo, hi), span) for facts in (before, known))
        if one != other or one.left is None or one.right is None:
            return {}
        inner = self._certified(one.left, one.right, span)
        if not _agree(before, known, inner):
            return {}
        for grown, side in ((ahead, one.right), (back, one.left)):
            if any((each.by < _shift_cells(side)).any() for each in grown.values()):
                return {}
        found: DerivedRows = {}
        for key in there:
            parts = np.concatenate([_extend_rows(ahead[key]), reflect(_extend_rows(back[key]))])
            if len(parts):
                found[key] = coalesce(parts)
        return found

    def _certified(self, left: Repetition, right: Repetition, span: Cells | None) -> Cells:
        """The cells from the outer end of the left certificate to that of the right one."""
        lo, hi = span if span is not None else (POS_INF, NEG_INF)
        width = self._ruler.width + 1
        end = max(right.source[0], hi) + _period(right) + width
        begin = min(left.source[1], lo) - _period(left) - width
        return begin, end


def _shift_cells(side: Repetition) -> int:
    return 2 * side.shift


def _period(side: Repetition) -> int:
    """Of a certificate, in cells."""
    return 2 if side.is_constant else side.source[1] - side.source[0]


def _span(ends: list[int]) -> Cells | None:
    return (min(ends), max(ends)) if ends else None


def _constant(rows: Rows, end: int, length: int) -> Rows:
    """Rows exact for ``length`` cells from ``end`` on, with infinite ends if they hold in all.

    Raises:
        UncoveredRange: some hold in a part of these cells.
    """
    if not length:
        return rows
    lo, hi, stop = rows[:, -2], rows[:, -1], end + length
    is_cut = hi < POS_INF
    if (is_cut & (hi > end) & (lo < stop) & ((hi < stop) | (lo > end))).any():
        raise UncoveredRange
    found = rows[~(is_cut & (lo >= stop))]
    found[(found[:, -2] <= end) & (found[:, -1] >= stop), -1] = POS_INF
    return found


def _agree(one: DerivedRows, other: DerivedRows, cells: Cells) -> bool:
    """Do they say the same of the cells? Maximal rows, sorted."""
    for key in one.keys() | other.keys():
        parts = [clip(facts[key], *cells) for facts in (one, other) if key in facts]
        if not np.array_equal(parts[0], parts[-1] if len(parts) > 1 else parts[0][:0]):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Growth:
    """Rows of one relation that reach farther than they did: all, (n, k + 2), maximal and sorted.

    Those ``at`` these positions, (m,), grew ``by`` so many cells; before their ends were ``was``.
    """

    rows: Rows
    at: Column
    by: Column
    was: Column


def _find_growth(before: Rows, now: Rows) -> _Growth:
    """The last row of each fact, where its finite end lies behind that of the last one before."""
    old, new = coalesce(before), coalesce(now)
    ids, others = number_rows(new[:, :-2], old[:, :-2])
    _, mine, theirs = np.intersect1d(ids[::-1], others[::-1], return_indices=True)
    at, was = len(new) - 1 - mine, len(old) - 1 - theirs
    more = new[at, -1] - old[was, -1]
    grew = (more > 0) & (new[at, -1] < POS_INF) & (new[at, -2] <= old[was, -2])
    return _Growth(new, at[grew], more[grew], old[was[grew], -1])


def _extend_rows(growth: _Growth) -> Rows:
    """The rows that grew, without an end."""
    found = growth.rows[growth.at]
    found[:, -1] = POS_INF
    return found


def _fixed_ends(rows: Rows, growth: _Growth | None) -> list[int]:
    """The right ends that did not grow."""
    if growth is None:
        return _finite_ends(rows[:, -1])
    return _finite_ends(np.delete(growth.rows[:, -1], growth.at))


def _finite_ends(ends: Column) -> list[int]:
    """The finite ones of some ends."""
    found: list[int] = ends[(ends > NEG_INF) & (ends < POS_INF)].tolist()
    return found
