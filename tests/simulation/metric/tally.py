"""Counts of random programs: how their models differ, and what the programs exercise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from temporal.mtl import traversal
from tests.generators.metric.features import features
from tests.oracles.metric.models import problem
from tests.oracles.metric.periodic_models import Undecided, solve
from tests.simulation.metric.models import difference, materialised, shows_far_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.generators.metric.programs import MetricCase

SHOWN_FAR: Final = 40
"""The definition itself is compared with a far wider stretch after so many cases."""


@dataclass(slots=True)
class Tally:
    """What was counted.

    Attributes:
        stop: behind the last seed.
        cases: how many programs were compared.
        exercised: by how many of them, by name.
        wrong: by seed, in words.
        not_counted: why a program is no case: it is refused, or the definition does not say what
            its model is.
    """

    stop: int
    cases: int = 0
    exercised: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, str] = field(default_factory=dict)
    not_counted: Counter[str] = field(default_factory=Counter)

    def add(self, seed: int, case: MetricCase) -> None:
        """Compare one."""
        given = problem(case.program, case.facts)
        try:
            expected = solve(given)
        except Undecided as why:
            self.not_counted[f"the definition does not tell: {why}"] += 1
            return
        try:
            model = materialised(case.program, case.facts)
            if model.limit is not None:
                self.not_counted[f"refused: {model.limit}"] += 1
                return
            fault = difference(given, expected, model)
        except Exception as error:  # noqa: BLE001 - a crash is a difference, and the next is tried
            fault = f"{type(error).__name__}: {error}"
        self.cases += 1
        if fault is not None:
            self.wrong[seed] = f"seed {seed}: {fault}\n{case}"
        self.exercised.update(features(case, given, expected))
        if self.cases % SHOWN_FAR == 0 and not traversal.negates(case.program):
            shows_far_out(given, expected)
            self.exercised["whose expected model is that of a far wider stretch"] += 1


def tally(count: int, first: int, drawn: Callable[[int], MetricCase]) -> Tally:
    """So many cases, drawn from the seed ``first`` on."""
    found = Tally(first)
    while found.cases < count:
        found.add(found.stop, drawn(found.stop))
        found.stop += 1
    return found
