"""Endless least models: a segment with a period on each side, found naively.

The stretch on which the least model is computed is doubled until windows repeat on both sides as
the definition asks: closed, as long as twice the depth, outside of all data, with their ends on the
ruler [DRedMTL26, Definition 1].

Why that is right for bounded ranges, although the stretch is finite: what was found is true. It is
closed under the rules between the outer windows, and its repetition is so too, as no instance of a
rule sees more than the depth to either side of where it applies. So the repetition is a model; the
least model lies between it and what was found, and is both between the outer windows. Beyond, it
is what the rules make of the content of a window, which is the same from both.

With ranges to infinity only models that are constant far out are found.

With negation the same holds layer by layer: what a layer negates is known everywhere by then, and
repeats from each window of the whole on, as that has what lies below in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

from tests.oracles.metric.models import (
    Cells,
    Ground,
    Model,
    Problem,
    Rules,
    atom_name,
    atoms,
    complete,
    layers,
    least,
)
from tests.oracles.metric.operators import Stretch

MOST_CELLS = 200_000
"""Wider stretches are not tried."""

STAGES = 10
"""So often what rules with ranges to infinity derive is given to the others."""

Pair: TypeAlias = tuple[int, int]
"""The cells at which two windows of the same content begin, the left one first."""


class Undecided(Exception):
    """No stretch that was tried shows what the model is."""


@dataclass(frozen=True, slots=True)
class Endless:
    """A whole least model.

    Attributes:
        model: What holds on a stretch.
        left, right: The windows that repeat; None: what holds at the ends of the stretch goes on.
        width: How long the windows are, in cells.
    """

    model: Model
    left: Pair | None = None
    right: Pair | None = None
    width: int = 0

    @property
    def left_period(self) -> Pair | None:
        """``[a, b)`` as the cells of a and b; None if nothing holds that far out."""
        return self.left if self.left and self._has(*self.left) else None

    @property
    def right_period(self) -> Pair | None:
        """``(a, b]`` as the cells of a and b; None if nothing holds that far out."""
        if self.right is None:
            return None
        a, b = self.right[0] + self.width, self.right[1] + self.width
        return (a, b) if self._has(a + 1, b + 1) else None

    def holds(self, ground: Ground, cell: int) -> bool:
        """Does an atom hold in a cell, however far out?"""
        if self.right and cell > self.right[1] + self.width:
            last, period = self.right[1] + self.width, self.right[1] - self.right[0]
            cell -= math.ceil((cell - last) / period) * period
        elif self.left and cell < self.left[0]:
            first, period = self.left[0], self.left[1] - self.left[0]
            cell += math.ceil((first - cell) / period) * period
        return self.model.stretch.holds(self.model.truths.get(ground, 0), cell)

    def throughout(self, ground: Ground, lo: float, hi: float) -> bool:
        """Does an atom hold in all cells from ``lo`` on, before ``hi``? They may be infinite.

        Of what lies beyond the windows one turn is looked at: all others are like it.
        """
        stretch = self.model.stretch
        first, last, back, ahead = stretch.first, stretch.last + 1, 1, 1
        if self.left:
            first, back = self.left[0], self.left[1] - self.left[0]
        if self.right:
            last, ahead = self.right[1] + self.width + 1, self.right[1] - self.right[0]
        begin, stop = max(lo, min(first, hi) - back), min(hi, max(last, lo) + ahead)
        return all(self.holds(ground, cell) for cell in range(int(begin), int(stop)))

    def runs(self, ground: Ground, first: int, last: int) -> list[tuple[int, int]]:
        """Its maximal runs of cells, half-open, clipped to ``first`` to ``last``, both included."""
        found: list[tuple[int, int]] = []
        for cell in range(first, last + 1):
            if self.holds(ground, cell):
                if found and found[-1][1] == cell:
                    found[-1] = (found[-1][0], cell + 1)
                else:
                    found.append((cell, cell + 1))
        return found

    def atoms(self) -> list[Ground]:
        """What holds at some time."""
        return sorted(ground for ground, truth in self.model.truths.items() if truth)

    def _has(self, first: int, stop: int) -> bool:
        return any(
            self.holds(ground, cell) for ground in self.atoms() for cell in range(first, stop)
        )


def solve(given: Problem) -> Endless:
    """The least model.

    Raises:
        Undecided: it was not found.
    """
    first, *above = layers(given.rules)
    if above:
        return _layered(given, first, above) if given.is_bounded else _constant_far_out(given)
    if not given.is_bounded:
        return _staged(given)
    ends = given.ends or [0]
    width, step = 2 * given.depth, _step(given)
    reach = 2 * width + 4 * step
    while ends[-1] - ends[0] + 2 * reach < MOST_CELLS:
        model = least(given, ends[0] - reach - 1, ends[-1] + reach + 1)
        right = _repeat(given, model, 1)
        left = _repeat(given, model, -1)
        if left and right:
            return Endless(model, left, right, width)
        reach *= 2
    message = f"not within {MOST_CELLS} cells"
    raise Undecided(message)


def entails_with(given: Problem, whole: Endless) -> Endless:
    """What follows from the data of a problem, what is negated being that of a ``whole`` model.

    The data reach as far as those of the whole.
    """
    if not given.is_bounded:
        message = "ranges to infinity"
        raise Undecided(message)
    return _above(given, given.rules, None, whole)


def _layered(given: Problem, first: Rules, above: list[Rules]) -> Endless:
    known, below = first, solve(replace(given, rules=first))
    for rules in above:
        known += rules
        below = _above(replace(given, rules=known), rules, below, None)
    return below


def _above(given: Problem, rules: Rules, below: Endless | None, whole: Endless | None) -> Endless:
    """The model that ``rules`` make of the data, or of the model ``below`` of all other rules.

    What is negated is asked of the model ``whole``, if there is one. Near the ends of a stretch
    what is found may lack something, but nothing that is found there is false.
    """
    ends = given.ends or [0]
    width, step = 2 * given.depth, _step(given)
    reach = 2 * width + 4 * step
    margin = 2 * (given.depth + 4)
    while ends[-1] - ends[0] + 2 * reach < MOST_CELLS:
        first, last = ends[0] - reach - 1, ends[-1] + reach + 1
        stretch = Stretch(first - margin, last + margin)
        model = Model(stretch, margin)
        if below is not None:
            model.truths = _on_stretch(below, stretch)
        for ground, runs in given.data.items():
            for run in runs:
                held = model.truths.get(ground, 0)
                model.truths[ground] = held | stretch.between(*run)
        negated = None
        if whole is not None:
            negated = Model(stretch, margin, _on_stretch(whole, stretch))
        complete(model, rules, given, stretch.between(first, last + 1).__and__, negated)
        shown = model
        if negated is not None:
            others = {(f"not {name}", args): t for (name, args), t in negated.truths.items()}
            shown = Model(stretch, margin, {**model.truths, **others})
        right, left = (_repeat(given, shown, side) for side in (1, -1))
        if left and right:
            return Endless(model, left, right, width)
        reach *= 2
    message = f"not within {MOST_CELLS} cells"
    raise Undecided(message)


def _on_stretch(found: Endless, stretch: Stretch) -> dict[Ground, int]:
    """What holds on a stretch."""
    return {
        ground: sum(
            1 << place for place, cell in enumerate(stretch.cells()) if found.holds(ground, cell)
        )
        for ground in found.atoms()
    }


def _constant_far_out(given: Problem) -> Endless:
    """The model on a stretch, if no rule derives anything beyond it that is not constant."""
    ends = given.ends or [0]
    for turn in range(1, 4):
        reach = 2 * turn * len(given.rules) * (given.depth + 4)
        model = least(given, ends[0] - reach - 1, ends[-1] + reach + 1)
        if model.is_closed:
            return Endless(model)
    message = "negation, ranges to infinity, and what is not constant far out"
    raise Undecided(message)


def _step(given: Problem) -> int:
    """The step of the ruler, in half units."""
    numbers = [
        number
        for found in given.ranges
        for rho in found
        for number in (rho.low, rho.high)
        if number
    ]
    return math.gcd(*numbers) if numbers else 2 * given.scale


def _repeat(given: Problem, model: Model, side: int) -> Pair | None:
    """The windows of one side: of the least shift the nearest ones, if the stretch shows them."""
    ends = given.ends or [0]
    width, step = 2 * given.depth, _step(given)
    first = model.stretch.first + model.margin
    last = model.stretch.last - model.margin
    if side > 0:
        places = {at for end in ends for at in range(end, last - width, step) if at > ends[-1]}
    else:
        lowest = ends[0] - width
        places = {at for end in ends for at in range(end, first, -step) if at < lowest}
    met: dict[tuple[object, ...], int] = {}
    best: Pair | None = None
    for at in sorted(places, reverse=side < 0):
        content = _content(model, at, width)
        before = met.get(content)
        if before is not None and (best is None or abs(at - before) < abs(best[1] - best[0])):
            best = min(before, at), max(before, at)
        met[content] = at
    if best is None:
        return None
    # A lesser shift would show within one turn of the windows and the ruler together.
    shift = best[1] - best[0]
    turn = math.lcm(shift, step) + shift + width
    shown = best[0] + turn <= last if side > 0 else best[1] - turn + width >= first
    return best if shown else None


def _content(model: Model, at: int, width: int) -> tuple[object, ...]:
    """What holds in a closed window."""
    mask = (1 << (width + 1)) - 1
    place = at - model.stretch.first
    found = ((ground, truth >> place & mask) for ground, truth in model.truths.items())
    return tuple(sorted((ground, bits) for ground, bits in found if bits))


def _staged(given: Problem) -> Endless:
    """By turns the rules with bounded ranges, to their end, and one stretch of the others.

    It ends when the others, which see only what is constant far out, have nothing new.
    """
    is_bounded = [all(rho.high is not None for rho in found) for found in given.ranges]
    near_rules = tuple(r for r, near in zip(given.rules, is_bounded, strict=True) if near)
    far_rules = tuple(r for r, near in zip(given.rules, is_bounded, strict=True) if not near)
    seen = {atom_name(atom) for rule in far_rules for atom in atoms(rule.body)}
    for _ in range(STAGES):
        near = solve(replace(given, rules=near_rules))
        constant = {
            ground: runs
            for ground in near.atoms()
            if ground[0] in seen and (runs := _constant(near, ground)) is not None
        }
        if any(ground[0] in seen and ground not in constant for ground in near.atoms()):
            break
        far = replace(given, rules=far_rules, data=constant)
        ends = far.ends or [0]
        reach = 2 * far.depth + 8
        model = least(far, ends[0] - reach - 1, ends[-1] + reach + 1)
        if not model.is_closed:
            break
        new = {
            ground: _tailed(model, truth)
            for ground, truth in model.truths.items()
            if not _has_all(near, ground, model, truth)
        }
        if not new:
            return near
        both = {*given.data, *new}
        data = {ground: [*given.data.get(ground, ()), *new.get(ground, ())] for ground in both}
        given = replace(given, data=data)
    message = "ranges to infinity over what is not constant far out, or for ever new"
    raise Undecided(message)


def _has_all(near: Endless, ground: Ground, model: Model, truth: int) -> bool:
    """Does ``truth`` of an atom, tails and all, hold already?"""
    held = near.model.truths.get(ground, 0)
    if not held:
        return not truth
    runs = _constant(near, ground)
    if runs is None:
        inside = all(
            near.holds(ground, cell)
            for cell in model.stretch.cells()
            if model.stretch.holds(truth, cell)
        )
        has_tails = truth & 1 or truth >> (model.stretch.size - 1) & 1
        return inside and not has_tails
    wide = Problem((), {ground: runs, ("", ()): _tailed(model, truth)}, 1)
    lows = [model.stretch.first, near.model.stretch.first]
    highs = [model.stretch.last, near.model.stretch.last]
    both = least(wide, min(lows), max(highs)).truths
    return both.get(("", ()), 0) & ~both[ground] == 0


def _constant(found: Endless, ground: Ground) -> list[Cells] | None:
    """The runs of an atom, if it is constant far out."""
    stretch, width = found.model.stretch, found.width
    truth = found.model.truths[ground]
    sides: list[tuple[range, int]] = []
    if found.left:
        sides.append((range(*found.left), stretch.between(None, found.left[0])))
    if found.right:
        begin, stop = (at + width + 1 for at in found.right)
        sides.append((range(begin, stop), stretch.between(stop, None)))
    for period, beyond in sides:
        held = {found.holds(ground, cell) for cell in period}
        if len(held) > 1:
            return None
        truth = truth | beyond if True in held else truth & ~beyond
    return _tailed(found.model, truth)


def _tailed(model: Model, truth: int) -> list[Cells]:
    """Runs of a truth, to infinity where they reach the end of the stretch."""
    stretch = model.stretch
    return [
        (None if lo == stretch.first else lo, None if hi == stretch.last + 1 else hi)
        for lo, hi in stretch.runs(truth)
    ]
