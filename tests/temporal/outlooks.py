"""Ranges to infinity over endless models: ``python -m tests.temporal.outlooks [COUNT [FIRST]]``.

Rules that tick on for ever, and rules with a range to infinity, which read them and are read by
them. Where the oracle decides, the models are the same; where it does not, the model that was found
is closed under all rules, and has all that follows on a wide stretch.
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from rif import ast
from temporal.ast import (
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Program,
    Since,
    Until,
    atom,
    variable,
)
from temporal.metric import Interval
from tests.draw import from_seed
from tests.oracles.mtl import Stretch
from tests.oracles.mtl_models import Model as Wide
from tests.oracles.mtl_models import consequences, least, problem
from tests.oracles.mtl_periods import Undecided, solve
from tests.temporal.models import Case, materialised, runs_of
from tests.temporal.periods import short, ticking

if TYPE_CHECKING:
    from temporal.model import Model
    from tests.draw import Draw
    from tests.oracles.mtl_models import Problem

X = variable("X")


def drawn(draw: Draw) -> Case:
    rules = [ticking(draw) for _ in range(draw.integer(1, 3))]
    rules += [_far(draw) for _ in range(draw.integer(1, 2))]
    return Case(Program(tuple(rules)), tuple(short(draw) for _ in range(draw.integer(1, 4))))


def _far(draw: Draw) -> ast.Implies:
    """A rule with a range to infinity, in its body or in its head."""
    a, b = (atom(draw.choice("PQR"), X) for _ in range(2))
    into = atom(draw.choice("PQSSSTTT"), X)
    near = Fraction(draw.integer(0, 3))
    rho = Interval(near, None, draw.chance(70))
    kind = draw.choice(("unary", "unary", "binary", "head", "nested"))
    if kind == "binary":
        return ast.Implies((into,), draw.choice((Since, Until))(rho, a, b))
    if kind == "head":
        return ast.Implies((draw.choice((BoxPlus, BoxMinus))(rho, into),), a)
    inner: ast.Formula = a
    if kind == "nested":
        inner = draw.choice((DiamondMinus, BoxPlus))(Interval(Fraction(0), Fraction(2)), a)
    node = draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))
    found: ast.Formula = node(rho, inner)
    return ast.Implies((into,), ast.And((found, b)) if draw.chance(30) else found)


def compare(case: Case) -> str:
    """How it was settled, once all agrees.

    Raises:
        AssertionError: it does not.
    """
    model = materialised(case.program, case.facts)
    given = problem(case.program, case.facts)
    ends = given.ends or [0]
    far = 6 * given.depth + 40 * given.scale
    lo, hi = ends[0] - far, ends[-1] + far
    wide = least(given, ends[0] - 4 * far - 1, ends[-1] + 4 * far + 1)
    found = runs_of(model, lo, hi)
    if model.limit is not None:
        return "refused"
    for ground, truth in wide.truths.items():
        held = {cell for begin, end in found.get(ground, []) for cell in range(begin, end)}
        follows = {cell for cell in range(lo, hi) if wide.stretch.holds(truth, cell)}
        assert follows <= held, (ground, min(follows - held))
    _closed(model, given, far)
    try:
        expected = solve(given)
    except Undecided:
        return "closed"
    for stretch in ((lo, hi), (lo - 10**6, hi - 10**6), (lo + 10**6, hi + 10**6)):
        found = runs_of(model, *stretch)
        for ground in sorted({*found, *expected.atoms()}):
            runs = expected.runs(ground, stretch[0], stretch[1] - 1)
            assert found.get(ground, []) == runs, (ground, stretch)
    return "equal"


def _closed(model: Model, given: Problem, far: int) -> None:
    """No rule derives anything new, away from the ends of a wide stretch."""
    ends = given.ends or [0]
    stretch = Stretch(ends[0] - 3 * far - 1, ends[-1] + 3 * far + 1)
    found = runs_of(model, stretch.first, stretch.last + 1)
    truths = {
        ground: sum(stretch.between(begin, end) for begin, end in runs)
        for ground, runs in found.items()
    }
    wide = Wide(stretch, 0, truths)
    names = {name for _, args in truths for name in args}
    inner = stretch.between(ends[0] - far, ends[-1] + far)
    for rule in given.rules:
        for ground, derived in consequences(rule, wide, names, given.scale):
            assert derived & inner & ~truths.get(ground, 0) == 0, ground


def main(count: int, first: int) -> int:
    kinds: Counter[str] = Counter()
    for seed in range(first, first + count):
        case = drawn(from_seed(seed))
        try:
            kinds[compare(case)] += 1
        except Exception as wrong:  # noqa: BLE001 - counted, and told with its seed
            kinds["wrong"] += 1
            print(f"seed {seed}: {type(wrong).__name__}: {str(wrong)[:300]}\n{case}")  # noqa: T201
    print(f"{count} models: {dict(kinds.most_common())}")  # noqa: T201
    return int(kinds["wrong"] > 0)


if __name__ == "__main__":
    numbers = [int(number) for number in sys.argv[1:]]
    raise SystemExit(main(numbers[0] if numbers else 200, numbers[1] if len(numbers) > 1 else 0))
