"""Periods against their definition.

A random program and its data become rows by the oracle's rules, within a horizon that is widened
until the periods are found in them. They must be those of the oracle, which knows the model on a
far wider stretch, and compares all windows of it; and so must what holds far outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from temporal.mtl.ast import MetricProgram
from temporal.periods.period_search import find_periods
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.windows import Repetition, Ruler
from temporal.text.program_parser import parse_program
from tests.generators.draw import from_seed
from tests.generators.metric.propagation import short, ticking
from tests.generators.metric.syntax import Shape, facts, program
from tests.oracles.metric import periodic_models
from tests.oracles.metric.models import Ground, Model, Problem, least, problem
from tests.simulation.metric.single_texts import parse_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.generators.draw import Draw

WIDEST: Final = 20_000
"""Models of more cells are not looked at: the oracle takes too long."""

SHAPES: Final = {
    "integers": Shape(endless=60),
    "halves": Shape(endless=60, denominators=(1, 2), reach=2, span=3),
    "thirds": Shape(endless=70, denominators=(1, 3), reach=1, span=2, rules=2),
    "one fact": Shape(endless=80, nesting=1, rules=3, facts=1, reach=3),
    "flat": Shape(endless=50, nesting=1, rules=2),
    "long": Shape(endless=70, nesting=1, rules=4, reach=9),
}


@dataclass(frozen=True, slots=True)
class ModelPeriods:
    """What is known of a model.

    Attributes:
        rows: Of each predicate.
        names: The constants, at the positions that stand for them in rows.
        horizon: Cells in which all is known.
    """

    rows: Mapping[tuple[str, int], Rows]
    names: tuple[str, ...]
    horizon: tuple[int, int]

    def ground(self, name: tuple[str, int], row: Iterable[int]) -> Ground:
        return name[0], tuple(self.names[at] for at in row)


def random_problem(draw: Draw) -> Problem:
    """A program and data: of any shape, or of rules that tick."""
    if draw.chance(70):
        rules = tuple(ticking(draw) for _ in range(draw.integer(1, 4)))
        return problem(MetricProgram(rules), tuple(short(draw) for _ in range(draw.integer(1, 5))))
    shape = draw.choice(tuple(SHAPES.values()))
    return problem(program(draw, shape), facts(draw, shape))


def read(rules: str, data: str) -> Problem:
    """From text."""
    given = parse_facts(data)
    assert not given.faults
    return problem(parse_program(rules), given.facts)


def frame(given: Problem) -> Ruler:
    """What the program and the data say of time, from the oracle's half units."""
    ends = np.array(sorted({end // 2 for end in given.ends}) or [0], np.int64)
    return Ruler(ends, given.depth // 2, periodic_models._step(given) // 2)


def known(model: Model) -> ModelPeriods:
    """The rows of a model on a stretch."""
    stretch, margin = model.stretch, model.margin
    horizon = stretch.first + margin + 1, stretch.last - margin
    names = sorted({name for _, args in model.truths for name in args})
    number = {name: at for at, name in enumerate(names)}
    rows: dict[tuple[str, int], list[tuple[int, ...]]] = {}
    for (name, args), truth in model.truths.items():
        of = rows.setdefault((name, len(args)), [])
        for lo, hi in stretch.runs(truth):
            begin = NEG_INF if lo == stretch.first else lo
            end = POS_INF if hi > stretch.last else hi
            of.append((*(number[arg] for arg in args), begin, end))
    matrices = {
        key: np.array(of, np.int64).reshape(len(of), key[1] + 2) for key, of in rows.items()
    }
    return ModelPeriods(matrices, tuple(names), horizon)


def found(
    given: Problem, first_reach: int = 2
) -> tuple[PeriodicModel[tuple[str, int]], ModelPeriods] | None:
    """The model, from the first horizon of several that shows its periods."""
    ends = given.ends or [0]
    reach = first_reach
    while ends[-1] - ends[0] + 2 * reach < WIDEST:
        seen = known(least(given, ends[0] - reach - 1, ends[-1] + reach + 1))
        periods = find_periods(seen.rows, frame(given), seen.horizon)
        if periods.left and periods.right:
            return PeriodicModel.of(seen.rows, periods.left, periods.right), seen
        reach = 2 * reach + 2
    return None


def pair(repeat: Repetition) -> tuple[int, int]:
    """As the oracle has it: the cells in which the windows begin."""
    return 2 * min(repeat.near, repeat.far), 2 * max(repeat.near, repeat.far)


def runs(
    model: PeriodicModel[tuple[str, int]], seen: ModelPeriods, lo: int, hi: int
) -> dict[Ground, list[tuple[int, int]]]:
    """The maximal runs of all facts in the cells ``lo`` to ``hi``, the latter excluded."""
    result: dict[Ground, list[tuple[int, int]]] = {}
    for name, rows in model.unfold(lo, hi):
        for row in rows.tolist():
            result.setdefault(seen.ground(name, row[:-2]), []).append((row[-2], row[-1]))
    return result


def compare(given: Problem, draw: Draw) -> str:
    """Of what kind the model is, once all agrees.

    Raises:
        AssertionError: it does not.
    """
    try:
        right = periodic_models.solve(given)
    except periodic_models.Undecided:
        return "too long"
    mine = found(given, 2 * draw.integer(1, 20))
    assert mine is not None
    model, seen = mine
    assert right.left is not None
    assert right.right is not None
    assert (pair(model.left), pair(model.right)) == (right.left, right.right)
    ends = given.ends or [0]
    spread = 3 * (model.right.shift + model.left.shift + given.depth) + 8
    far = draw.choice((0, 0, 1, 50, 10**6)) * 2 * draw.choice((1, -1))
    lo, hi = ends[0] - spread + far, ends[-1] + spread + far
    shown = runs(model, seen, lo, hi)
    expected = {ground: right.runs(ground, lo, hi - 1) for ground in right.atoms()}
    assert shown == {ground: runs for ground, runs in expected.items() if runs}
    _ask(model, seen, right, draw, (lo, hi))
    return _kind(model)


def _ask(
    model: PeriodicModel[tuple[str, int]],
    seen: ModelPeriods,
    right: periodic_models.Endless,
    draw: Draw,
    between: tuple[int, int],
) -> None:
    """Whether facts hold in stretches, and on half lines."""
    grounds = right.atoms()
    for _ in range(6 if grounds else 0):
        ground = draw.choice(grounds)
        terms = tuple(seen.names.index(arg) for arg in ground[1])
        lo = draw.integer(*between)
        hi = lo + draw.choice((1, 2, 3, 5, 2 * model.right.shift, 2 * model.left.shift, 60))
        expected = all(right.holds(ground, cell) for cell in range(lo, hi))
        assert model.holds((ground[0], len(terms)), terms, lo, hi) == expected, (ground, lo, hi)
        if abs(lo) > 10**4:  # half lines from there are too long for the oracle
            continue
        turn = 2 * (model.right.shift + model.left.shift)
        segment = max(abs(at) for side in (model.left, model.right) for at in side.period)
        wide = range(lo, max(lo, segment) + turn + 2)
        expected = all(right.holds(ground, cell) for cell in wide)
        assert model.holds((ground[0], len(terms)), terms, lo, POS_INF) == expected, (ground, lo)
        wide = range(min(lo, -segment) - turn - 2, lo + 1)
        expected = all(right.holds(ground, cell) for cell in wide)
        assert model.holds((ground[0], len(terms)), terms, NEG_INF, lo + 1) == expected, (
            ground,
            lo,
        )


def _kind(model: PeriodicModel[tuple[str, int]]) -> str:
    def side(repeat: Repetition) -> str:
        if repeat.is_empty:
            return "none"
        return "constant" if repeat.is_constant else "periodic"

    return " ".join(sorted((side(model.left), side(model.right))))


def compare_seed(seed: int) -> list[str]:
    """The kinds of the sides of a random model, as `compare` gives them."""
    draw = from_seed(seed)
    with patch.object(periodic_models, "MOST_CELLS", WIDEST):
        return [compare(random_problem(draw), draw)]
