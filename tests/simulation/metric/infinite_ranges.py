"""Ranges to infinity over endless models.

Rules that tick on for ever, and rules with a range to infinity, which read them and are read by
them. Where the oracle decides, the models are the same; where it does not, the model that was found
is closed under all rules, and has all that follows on a wide stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generators.draw import from_seed
from tests.generators.metric.programs import far
from tests.oracles.metric.models import Model as Wide
from tests.oracles.metric.models import consequences, least, problem
from tests.oracles.metric.operators import Stretch
from tests.oracles.metric.periodic_models import Undecided, solve
from tests.simulation.metric.models import materialised, runs_of

if TYPE_CHECKING:
    from temporal.model.least_model import Model
    from tests.generators.metric.programs import MetricCase
    from tests.oracles.metric.models import Problem


def compare(case: MetricCase) -> str:
    """How it was settled, once all agrees.

    Raises:
        AssertionError: it does not.
    """
    model = materialised(case.program, case.facts)
    given = problem(case.program, case.facts)
    ends = given.ends or [0]
    spread = 6 * given.depth + 40 * given.scale
    lo, hi = ends[0] - spread, ends[-1] + spread
    wide = least(given, ends[0] - 4 * spread - 1, ends[-1] + 4 * spread + 1)
    found = runs_of(model, lo, hi)
    if model.limit is not None:
        return "refused"
    for ground, truth in wide.truths.items():
        held = {cell for begin, end in found.get(ground, []) for cell in range(begin, end)}
        follows = {cell for cell in range(lo, hi) if wide.stretch.holds(truth, cell)}
        assert follows <= held, (ground, min(follows - held))
    _closed(model, given, spread)
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


def _closed(model: Model, given: Problem, spread: int) -> None:
    """No rule derives anything new, away from the ends of a wide stretch."""
    ends = given.ends or [0]
    stretch = Stretch(ends[0] - 3 * spread - 1, ends[-1] + 3 * spread + 1)
    found = runs_of(model, stretch.first, stretch.last + 1)
    truths = {
        ground: sum(stretch.between(begin, end) for begin, end in runs)
        for ground, runs in found.items()
    }
    wide = Wide(stretch, 0, truths)
    names = {name for _, args in truths for name in args}
    inner = stretch.between(ends[0] - spread, ends[-1] + spread)
    for rule in given.rules:
        for ground, derived in consequences(rule, wide, names, given.scale):
            assert derived & inner & ~truths.get(ground, 0) == 0, ground


def compare_seed(seed: int) -> list[str]:
    """The kind of a random case, as `compare` gives it."""
    return [compare(far(from_seed(seed)))]
