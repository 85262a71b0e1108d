"""The materialised model of a case beside the one by definition: in the segment, and far from it.

Programs and data go the public way: text of facts, `temporal.model.materialisation`, rows and
answers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import lexical
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import constant
from temporal.mtl.validation import arities
from tests.generators.draw import from_seed
from tests.generators.metric.fact_text import write_facts
from tests.oracles.metric.models import Ground, least, problem
from tests.oracles.metric.periodic_models import solve

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from temporal.model.least_model import Model
    from temporal.mtl.ast import MetricFact, MetricProgram
    from tests.generators.draw import Draw
    from tests.generators.metric.programs import MetricCase
    from tests.oracles.metric.models import Problem
    from tests.oracles.metric.periodic_models import Endless

BEYOND: Final = 3
"""So many turns of the periods behind the windows are compared, and one far out."""
FAR: Final = 1_000_003
"""How many turns away that one is."""
QUESTIONS: Final = 12
"""So often it is asked whether a fact holds throughout some time."""


def materialised(program: MetricProgram, facts: Iterable[MetricFact]) -> Model:
    terms = Dictionary()
    loader = BulkLoader(terms, arities(program))
    loader.text([write_facts(facts).encode()])
    assert not loader.faults
    return materialise(program, loader.data(analyse(program).scale), terms)


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


def differs(case: MetricCase) -> str | None:
    """How the model of a case differs from the one by definition; None: it does not.

    Raises:
        Undecided: the definition does not say what the model is.
    """
    given = problem(case.program, case.facts)
    expected = solve(given)
    return difference(given, expected, materialised(case.program, case.facts))


def difference(given: Problem, expected: Endless, model: Model) -> str | None:
    """How a model differs from the expected one; None: it does not."""
    if model.scale != given.scale:
        return f"scale {model.scale}, not {given.scale}"
    left, right = model.periodic.left, model.periodic.right
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
    return _misanswered(expected, model, from_seed(len(expected.atoms())))


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


def _misanswered(expected: Endless, model: Model, draw: Draw) -> str | None:
    """A time for which it is wrong whether a fact holds throughout: near, far, over many turns."""
    atoms = expected.atoms()
    for _ in range(QUESTIONS if atoms else 0):
        name, args = ground = draw.choice(atoms)
        lo, hi = _asked(expected, ground, draw)
        terms = tuple(model.terms.lookup(str(constant(arg).value)) for arg in args)
        cells = NEG_INF if lo == -math.inf else int(lo), POS_INF if hi == math.inf else int(hi)
        answer = model.periodic.holds((name, len(args)), terms, *cells)
        if answer != expected.throughout(ground, lo, hi):
            return f"{ground} throughout {lo}..{hi}: {answer}"
    return None


def _asked(expected: Endless, ground: Ground, draw: Draw) -> tuple[float, float]:
    """A time, which often begins or ends where the atom does: half of the answers are yes."""
    stretch = expected.model.stretch
    turns = [pair[1] - pair[0] for pair in (expected.left, expected.right) if pair]
    turn = draw.choice(turns or [2])
    runs = stretch.runs(expected.model.truths[ground])
    lo, hi = draw.choice(runs)
    lo, hi = lo + draw.choice((0, 0, 0, 1, -1)), hi + draw.choice((0, 0, 0, 1, -1))
    away = turn * draw.choice((0, 0, 1, -1, FAR, -FAR, draw.integer(2, 50)))
    kind = draw.choice(("as long", "as long", "many turns", "onward", "back", "ever"))
    if kind == "many turns":
        hi = lo + turn * draw.integer(1, FAR) + draw.integer(-1, 1)
    begin = -math.inf if kind in {"back", "ever"} or lo < stretch.first else lo + away
    end = math.inf if kind in {"onward", "ever"} or hi > stretch.last else hi + away
    return begin, max(end, begin + 1)


def shows_far_out(given: Problem, found: Endless) -> None:
    """On a stretch much wider than the segment, away from its ends, what is derived is the same.

    Ranges to infinity see more than a stretch has: then what is derived on it must be in the model.
    """
    ends = given.ends or [0]
    far = 12 * given.depth + 40 * given.scale
    wide = least(given, ends[0] - 2 * far - 1, ends[-1] + 2 * far + 1)
    is_bounded = given.is_bounded
    for ground in {*found.atoms(), *wide.truths}:
        truth = wide.truths.get(ground, 0)
        for cell in range(ends[0] - far, ends[-1] + far):
            held = wide.stretch.holds(truth, cell)
            answer = found.holds(ground, cell)
            assert answer == held or (answer and not is_bounded), (ground, cell)
