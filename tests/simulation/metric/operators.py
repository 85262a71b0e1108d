"""Each metric operator with each kind of range, through whole models: beside its definition.

An application is one operator over the intervals of one constant, which have any ends, overlap and
touch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from rete.arrays.delta import NEG_INF, POS_INF
from rif.syntax.ast import Implies
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    MetricProgram,
    Since,
    Until,
    atom,
    variable,
)
from tests.generators.draw import from_seed
from tests.generators.metric.operator_applications import REACH, STRETCH, runs
from tests.oracles.metric.operators import CellRange
from tests.simulation.metric.models import materialised, runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rif.syntax.ast import Formula
    from tests.generators.draw import Draw
    from tests.oracles.metric.operators import Truth

CONSTANTS: Final = 250
"""So many are in one model."""

ENDS: Final = ("[a,b]", "[a,b)", "(a,b]", "(a,b)", "[a,a]", "[a,inf)", "(a,inf)")
"""The kinds of ranges."""

Definition: TypeAlias = "Callable[[CellRange, Truth, Truth], Truth]"
"""What it says of a range, phi and psi."""


def _unary(holds: Callable[[CellRange, int, Truth], Truth], side: int) -> Definition:
    return lambda rho, phi, _psi: holds(rho, side, phi)


def _chain(side: int) -> Definition:
    return lambda rho, phi, psi: STRETCH.chain(rho, side, phi, psi)


UNARY: Final = {
    "Diamondminus": (DiamondMinus, _unary(STRETCH.diamond, -1)),
    "Diamondplus": (DiamondPlus, _unary(STRETCH.diamond, 1)),
    "Boxminus": (BoxMinus, _unary(STRETCH.box, -1)),
    "Boxplus": (BoxPlus, _unary(STRETCH.box, 1)),
}
CHAINS: Final = {"Since": (Since, _chain(-1)), "Until": (Until, _chain(1))}
HEADS: Final = {
    "head Boxminus": (BoxMinus, _unary(STRETCH.spread, -1)),
    "head Boxplus": (BoxPlus, _unary(STRETCH.spread, 1)),
}
OPERATORS: Final[Mapping[str, Definition]] = {
    **{name: definition for name, (_, definition) in UNARY.items()},
    **{name: definition for name, (_, definition) in CHAINS.items()},
    **{name: definition for name, (_, definition) in HEADS.items()},
}


def rho(draw: Draw, ends: str) -> Interval:
    """A range of a kind."""
    point, infinite = ends == "[a,a]", ends.endswith("inf)")
    wide = 0 if point or infinite else draw.integer(1, 4)
    left = draw.choice((0, 0, draw.integer(1, REACH - wide)))
    right = None if infinite else Fraction(left + wide)
    return Interval(Fraction(left), right, ends[0] == "[", ends[-1] == "]")


def program(range_: Interval) -> MetricProgram:
    """A rule for each operator, whose name its head has."""
    x = variable("X")
    phi, psi = atom("phi", x), atom("psi", x)
    bodies: dict[str, Formula] = {name: node(range_, phi) for name, (node, _) in UNARY.items()}
    bodies |= {name: node(range_, phi, psi) for name, (node, _) in CHAINS.items()}
    rules = [Implies((atom(_word(name), x),), body) for name, body in bodies.items()]
    for name, (node, _) in HEADS.items():
        rules.append(Implies((node(range_, atom(_word(name), x)),), phi))
    return MetricProgram(tuple(rules))


def _word(name: str) -> str:
    return name.replace(" ", "")


def facts(name: str, given: Sequence[Sequence[tuple[int, int]]], scale: int) -> list[MetricFact]:
    """The runs of each constant, of which the number is the name."""
    return [
        MetricFact(name, (str(number),), Interval.of_cells(lo, hi, scale))
        for number, found in enumerate(given)
        for lo, hi in found
    ]


def _truth(found: Sequence[tuple[int, int]]) -> Truth:
    truth = 0
    for lo, hi in found:
        truth |= STRETCH.between(None if lo == NEG_INF else lo, None if hi == POS_INF else hi)
    return truth


def compare(seed: int, ends: str) -> Counter[str]:
    """How often each operator was applied, and with a result; each with `CONSTANTS` inputs.

    Raises:
        AssertionError: a result is wrong.
    """
    draw = from_seed(len(ENDS) * seed + ENDS.index(ends))
    scale = draw.choice((1, 1, 2, 3))
    range_ = rho(draw, ends)
    ticks = CellRange.of(range_, 1)
    shown = replace(range_, left=_over(range_.left, scale), right=_over(range_.right, scale))
    phis, psis = ([runs(draw) for _ in range(CONSTANTS)] for _ in range(2))
    tick = MetricFact("tick", (), Interval.point(Fraction(1, scale)))
    given = [*facts("phi", phis, scale), *facts("psi", psis, scale), tick]
    model = materialised(program(shown), given)
    assert model.scale == scale
    found = runs_of(model, NEG_INF, POS_INF)
    counted: Counter[str] = Counter()
    for number, (one, other) in enumerate(zip(phis, psis, strict=True)):
        phi, psi = _truth(one), _truth(other)
        for name, operator in OPERATORS.items():
            expected = operator(ticks, phi, psi)
            found_runs = found.get((_word(name), (str(number),)), [])
            assert _truth(found_runs) == expected, (
                f"{name} {shown} of {one} and {other}: {found_runs}"
            )
            assert _is_maximal(found_runs), f"{name} {shown} of {one} and {other}: {found_runs}"
            counted[name] += 1
            counted[f"{name} with a result"] += bool(expected)
    return counted


def _over(number: Fraction | None, scale: int) -> Fraction | None:
    return None if number is None else number / scale


def _is_maximal(found: Sequence[tuple[int, int]]) -> bool:
    return all(one < other for one, other in pairwise(end for run in found for end in run))
