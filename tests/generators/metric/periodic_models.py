"""Endless models made directly: what repeats is chosen, so the answer is known by construction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rete.arrays.delta import Rows
from temporal.periods.windows import Ruler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.generators.draw import Draw

FACTS = 5
"""Facts of the relation, its only term from 0 on."""


@dataclass(frozen=True, slots=True)
class Side:
    """What lies on one side of the data, mirrored if it is the left one.

    Attributes:
        onset: Ticks behind the last end of the data from which on it repeats.
        turn: Ticks; 0: nothing changes.
        held: Per fact, which cells of a turn hold, from the instant ``onset`` on.
        lead: Per fact, which cells between the data and the onset hold.
    """

    onset: int
    turn: int
    held: np.ndarray
    lead: np.ndarray

    def at(self, cells: np.ndarray) -> np.ndarray:
        """What holds in ``cells``, each a column; they count from the last end of the data."""
        early = self.lead[:, np.clip(cells, 0, 2 * self.onset - 1)]
        late = self.held[:, (cells - 2 * self.onset) % (2 * self.turn or 2)]
        return np.where(cells < 2 * self.onset, early, late)


@dataclass(frozen=True, slots=True)
class RandomPeriodicModel:
    """A model.

    Attributes:
        frame: Of the data, whose ends are those of the ruler.
        left, right: What lies beside them.
        inside: Per fact, which cells between the data's ends hold.
    """

    frame: Ruler
    left: Side
    right: Side
    inside: np.ndarray

    @property
    def first(self) -> int:
        return 2 * int(self.frame.ends[0])

    @property
    def last(self) -> int:
        return 2 * int(self.frame.ends[-1])

    def at(self, cells: np.ndarray) -> np.ndarray:
        """What holds in ``cells``, each a column."""
        middle = self.inside[:, np.clip(cells - self.first, 0, self.last - self.first)]
        found = np.where(cells > self.last, self.right.at(cells - self.last), middle)
        return np.where(cells < self.first, self.left.at(self.first - cells), found)

    def holds(self, fact: int, cell: int) -> bool:
        return bool(self.at(np.array([cell]))[fact, 0])

    def rows(self, lo: int, hi: int) -> Rows:
        """Maximal rows in the cells ``lo`` to ``hi``."""
        held = np.pad(self.at(np.arange(lo, hi)), ((0, 0), (1, 1)))
        fact, begin = np.nonzero(held[:, 1:] & ~held[:, :-1])
        _, end = np.nonzero(~held[:, 1:] & held[:, :-1])
        return np.column_stack([fact, lo + begin, lo + end]).astype(np.int64)

    def expected(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where the left windows begin, and the right ones, in ticks: all pairs are tried."""
        right = self._windows(self.right, self.frame.ends, self.frame.ends[-1], 1)
        mirrored = self._windows(self.left, -self.frame.ends[::-1], -self.frame.ends[0], -1)
        width = 2 * self.frame.depth
        return (-mirrored[1] - width, -mirrored[0] - width), right

    def _windows(self, side: Side, ends: np.ndarray, last: int, sign: int) -> tuple[int, int]:
        """Of the points of the ruler behind the data, by the definition."""
        step, width = self.frame.step, 2 * self.frame.depth
        residues = {int(end) % step for end in ends}
        reach = side.onset + 2 * (side.turn or step) + 2 * step + 2
        points = [at for at in range(int(last) + 1, int(last) + reach) if at % step in residues]

        cells = np.arange(2 * points[0], 2 * (points[-1] + width) + 1)
        held = self.at(sign * cells)
        begins = [2 * (at - points[0]) for at in points]
        contents = [held[:, at : at + 2 * width + 1].tobytes() for at in begins]
        pairs = [
            (points[j] - points[i], points[i])
            for i in range(len(points))
            for j in range(i + 1, len(points))
            if contents[i] == contents[j]
        ]
        shift, begin = min(pairs)
        return begin, begin + shift


def random_model(draw: Draw) -> RandomPeriodicModel:
    """Ends with several residues, tails of any kind, what holds in gaps or instants alone."""
    step = draw.choice((1, 1, 2, 3, 4))
    ends = np.unique([draw.integer(-6, 6) for _ in range(draw.integer(1, 4))])
    first, last = int(ends[0]), int(ends[-1])
    left, right = _side(draw, step, -ends), _side(draw, step, ends)
    # So long are windows that equal ones say that all behind them repeats, as in a least model.
    most = max(side.onset + side.turn for side in (left, right))
    frame = Ruler(ends.astype(np.int64), step * -(-most // step), step)
    inside = _cells(draw, 2 * (last - first) + 1)
    return RandomPeriodicModel(frame, left, right, inside)


def _side(draw: Draw, step: int, ends: np.ndarray) -> Side:
    """The turn leads from a point of the ruler to one, as it does in a model of rules."""
    kind = draw.weighted((3, "turn"), (1, "constant"), (1, "nothing"))
    onset = draw.integer(0, 3) + 1
    lead = _cells(draw, 2 * onset)
    if kind == "turn":
        one, other = (int(draw.choice(ends.tolist())) for _ in range(2))
        turn = (one - other) % step + step * draw.integer(0, 4) or step
        held = _cells(draw, 2 * turn)
        if draw.chance(30):
            held = np.tile(held[:, : held.shape[1] // 2 or 1], 2)[:, : 2 * turn]
        return Side(onset, turn, held, lead)
    held = np.zeros((FACTS, 2), bool)
    if kind == "constant":
        held[:] = _cells(draw, 1)
    return Side(onset, 0, held, lead)


def _cells(draw: Draw, count: int) -> np.ndarray:
    density = draw.choice((10, 30, 50))
    return np.array(
        [[draw.chance(density) for _ in range(count)] for _ in range(FACTS)], bool
    ).reshape(FACTS, count)


def model_rows(model: RandomPeriodicModel, lo: int, hi: int) -> Mapping[str, Rows]:
    """The rows in cells, of two relations."""
    rows = model.rows(lo, hi)
    return {"A": rows[rows[:, 0] < 2], "B": rows[rows[:, 0] >= 2]}
