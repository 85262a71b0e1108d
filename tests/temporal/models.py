"""Random programs and data: their materialised model beside the one by definition.

``python -m tests.temporal.models COUNT FIRST`` compares COUNT programs, from the seed FIRST on.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from rete.dictionary import Dictionary
from temporal.loading import Loader
from temporal.materialise import materialise
from temporal.program import profile
from temporal.text.bulk import lexical
from temporal.text.writer import write_facts, write_program
from temporal.wellformed import arities
from tests.draw import from_seed
from tests.oracles.mtl_models import Ground, problem
from tests.oracles.mtl_periods import Undecided, solve
from tests.temporal.generators import Shape, facts, program

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from temporal.ast import Fact, Program
    from temporal.model import Model
    from tests.draw import Draw
    from tests.oracles.mtl_periods import Endless

SHAPES: Final[Mapping[str, Shape]] = {
    "flat": Shape(endless=50, nesting=1, rules=2),
    "integers": Shape(endless=60),
    "deep": Shape(endless=30, nesting=3, reach=3),
    "halves": Shape(endless=60, denominators=(1, 2), reach=2, span=3),
    "many": Shape(endless=40, rules=5, facts=8, nesting=1, reach=3),
    "finite": Shape(nesting=3, rules=4, facts=8),
    "thirds": Shape(endless=50, denominators=(1, 2, 3), reach=1, span=2, rules=2),
    "ever": Shape(endless=40, infinite=15, reach=3, span=4, rules=2),
}
"""What is drawn in turn."""

BEYOND: Final = 3
"""So many turns of the periods behind the windows are compared, and one far out."""
FAR: Final = 1_000_003
"""How many turns away that one is."""


@dataclass(frozen=True, slots=True)
class Case:
    program: Program
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        return f"{write_program(self.program)}---\n{write_facts(self.facts)}"


def drawn(draw: Draw, shape: Shape) -> Case:
    return Case(program(draw, shape), facts(draw, shape))


def case_of(seed: int) -> Case:
    shapes = list(SHAPES.values())
    return drawn(from_seed(seed), shapes[seed % len(shapes)])


def materialised(program: Program, facts: Iterable[Fact]) -> Model:
    terms = Dictionary()
    loader = Loader(terms, arities(program))
    loader.text([write_facts(facts).encode()])
    assert not loader.faults
    return materialise(program, loader.data(profile(program).scale), terms)


def runs_of(
    model: Model, lo: int, hi: int, *, hidden: Collection[str] = ()
) -> dict[Ground, list[tuple[int, int]]]:
    """The runs of each ground atom in the cells ``lo`` to ``hi``, the latter excluded."""
    found: dict[Ground, list[tuple[int, int]]] = {}
    for (name, arity), rows in model.within(lo, hi):
        if name in hidden:
            continue
        ids = np.unique(rows[:, :arity])
        words = dict(zip(ids.tolist(), map(lexical, model.terms.decode_many(ids)), strict=True))
        for row in sorted(rows.tolist()):
            args = tuple(words[term] for term in row[:arity])
            found.setdefault((name, args), []).append((row[-2], row[-1]))
    return found


def differs(case: Case) -> str | None:
    """How the model of a case differs from the one by definition; None: it does not.

    Raises:
        Undecided: the definition does not say what the model is.
    """
    given = problem(case.program, case.facts)
    expected = solve(given)
    model = materialised(case.program, case.facts)
    if model.scale != given.scale:
        return f"scale {model.scale}, not {given.scale}"
    left, right = model.endless.left, model.endless.right
    periods = (
        None if left.is_empty else left.period,
        None if right.is_empty else (right.period[0] - 1, right.period[1] - 1),
    )
    if given.is_bounded and periods != (expected.left_period, expected.right_period):
        return f"periods {periods}, not {(expected.left_period, expected.right_period)}"
    for lo, hi in _stretches(expected):
        found = runs_of(model, lo, hi)
        for ground in sorted({*found, *expected.atoms()}):
            runs = expected.runs(ground, lo, hi - 1)
            if found.get(ground, []) != runs:
                return f"{ground} in {lo}..{hi}: {found.get(ground, [])}, not {runs}"
    return None


def _stretches(expected: Endless) -> list[tuple[int, int]]:
    """The cells that are compared."""
    stretch, width = expected.model.stretch, expected.width
    first, last = stretch.first, stretch.last
    found: list[tuple[int, int]] = []
    if expected.left:
        period = expected.left[1] - expected.left[0]
        first = expected.left[0] - BEYOND * period
        far = expected.left[0] - FAR * period
        found.append((far - 1, far + period))
    if expected.right:
        period = expected.right[1] - expected.right[0]
        last = expected.right[1] + width + BEYOND * period
        far = expected.right[1] + width + FAR * period
        found.append((far - 1, far + period))
    return [(first, last), *found]


def main(count: int, first: int) -> int:
    """Compare; how many differ."""
    wrong = undecided = 0
    for seed in range(first, first + count):
        case = case_of(seed)
        try:
            found = differs(case)
        except Undecided:
            undecided += 1
            continue
        except Exception as error:  # noqa: BLE001 - a crash is a difference, and the next is tried
            found = f"{type(error).__name__}: {error}"
        if found is not None:
            wrong += 1
            print(f"seed {seed}: {found}\n{case}")  # noqa: T201
    print(f"{count} programs, {undecided} undecided, {wrong} wrong")  # noqa: T201
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
