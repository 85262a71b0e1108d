"""Random networks of metric rules, each way of feeding one against the cell oracle."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from temporal.mtl.ast import MetricFact, MetricProgram
from tests.generators.draw import Draw, from_seed
from tests.generators.metric.syntax import Shape, facts, program
from tests.oracles.metric.models import Ground, Model, Problem, least, problem
from tests.simulation.metric.network_run import NetworkRun, truths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.oracles.metric.operators import Stretch, Truth

SHAPES: Final = (
    Shape(reach=3, span=4),
    Shape(reach=3, span=4, infinite=15),
    Shape(reach=2, span=3, denominators=(1, 2), nesting=1),
    Shape(reach=3, span=4, endless=50, rules=4),
    Shape(reach=2, span=4, endless=30, nesting=1, rules=4, facts=10),
    Shape(reach=3, span=4, infinite=10, endless=30, nesting=3),
)
WIDER: Final = 3
"""So often the horizon is widened at most to let in what waits of a closed model."""


class NetworkCase:
    """A random program with facts."""

    def __init__(self, seed: int, most: int | None = None) -> None:
        """Draw it; with at most so many facts, or as many as its shape has."""
        self.draw: Draw = from_seed(seed)
        shape = SHAPES[seed % len(SHAPES)]
        if most is not None:
            shape = replace(shape, facts=most, span=2 * shape.span)
        self.program: MetricProgram = program(self.draw, shape)
        self.facts: tuple[MetricFact, ...] = facts(self.draw, shape)
        self.problem: Problem = problem(self.program, self.facts)
        self.scale = self.problem.scale

    def posed(self, given: Sequence[MetricFact]) -> Problem:
        """The problem of other facts, in the same ticks."""
        found = problem(self.program, given)
        data = {
            ground: [
                (_scaled(lo, self.scale // found.scale), _scaled(hi, self.scale // found.scale))
                for lo, hi in runs
            ]
            for ground, runs in found.data.items()
        }
        return Problem(self.program.rules, data, self.scale)

    def inner(self, given: Problem, width: int) -> tuple[int, int]:
        """The first and last cell of a stretch around the data, both gaps."""
        ends = given.ends or [0]
        return ends[0] - width - 1, ends[-1] + width + 1

    def live(self, *, retracts: bool = False) -> NetworkRun:
        return NetworkRun(self.program, self.scale, retracts=retracts)

    def batches(
        self, given: Sequence[tuple[int, MetricFact]]
    ) -> list[list[tuple[int, MetricFact]]]:
        """The facts in any order, cut anywhere."""
        order = self.draw.some(given, len(given), len(given))
        cut: list[list[tuple[int, MetricFact]]] = [[]]
        for one in order:
            if self.draw.chance(50):
                cut.append([])
            cut[-1].append(one)
        return cut


def _scaled(cell: int | None, factor: int) -> int | None:
    """A cell in ticks that are so much finer: an instant stays one, a gap becomes longer."""
    return None if cell is None else cell // 2 * 2 * factor + (cell & 1)


def agrees(
    live: NetworkRun, case: NetworkCase, given: Problem, model: Model, label: str = ""
) -> bool:
    """What it told is the model: all of a closed one, else what is known of it.

    Of an endless model the oracle knows what is derived on its stretch alone; the network may know
    more, as a row that touches the horizon goes on whole. That is checked on a wider stretch.
    """
    stretch = model.stretch
    asserted = {
        ground: [(_low(lo), _high(hi)) for lo, hi in runs] for ground, runs in given.data.items()
    }

    def known(where: Stretch) -> dict[Ground, Truth]:
        found = live.emitted_truths(where)
        for ground, truth in truths(where, asserted).items():
            found[ground] |= truth
        return {ground: truth for ground, truth in found.items() if truth}

    found = known(stretch)
    expected = {ground: truth for ground, truth in model.truths.items() if truth}
    if model.is_closed:
        assert found == expected, _difference(case, found, expected, label)
        return True
    first, last = stretch.first + model.margin, stretch.last - model.margin
    core = stretch.between(first, last + 1)
    for ground, truth in expected.items():
        missing = truth & core & ~found.get(ground, 0)
        assert not missing, _difference(case, found, expected, label)
    wide = least(given, first - 3 * model.margin, last + 3 * model.margin)
    core = wide.stretch.between(first, last + 1)
    for ground, truth in known(wide.stretch).items():
        untrue = truth & core & ~wide.truths.get(ground, 0)
        assert not untrue, _difference(case, known(wide.stretch), wide.truths, label)
    return False


def widen_horizon(live: NetworkRun, model: Model) -> None:
    """Widen the horizon, some times, while something of a closed model waits beyond it.

    A fact that goes on for ever gains only what lies beyond the horizon, if others that came before
    have led up to there. So what follows from it waits, though it goes on from before the horizon.
    """
    for _ in range(WIDER if model.is_closed else 0):
        if not live.inference.waits:
            return
        assert live.inference.horizon is not None
        first, last = live.inference.horizon
        live.inference.widen((first - model.margin, last + model.margin))
        live.inference.run()


def _low(cell: int | None) -> int:
    return -(2**62) if cell is None else cell


def _high(cell: int | None) -> int:
    return 2**62 if cell is None else cell


def _difference(
    case: NetworkCase, found: dict[Ground, Truth], expected: dict[Ground, Truth], label: str
) -> str:
    from temporal.text.writer import write_program  # noqa: PLC0415 - only to say what failed

    lines = [label, write_program(case.program)]
    lines += [f"{fact.predicate}{fact.args}@{fact.interval}" for fact in case.facts]
    for ground in sorted({*found, *expected}):
        if found.get(ground, 0) != expected.get(ground, 0):
            lines.append(f"{ground}\n  found    {found.get(ground, 0):b}")
            lines.append(f"  expected {expected.get(ground, 0):b}")
    return "\n".join(lines)


def compare_batches(seed: int) -> str:
    """Facts come in any order, cut anywhere; the horizon is widened now and then."""
    case = NetworkCase(seed)
    width = 2 * case.problem.depth + 8
    first, last = case.inner(case.problem, width)
    live = case.live()
    live.inference.widen((first + width // 2, last + 1 - width // 2))
    for batch in case.batches(list(enumerate(case.facts, 1))):
        live.add(batch)
    live.inference.widen((first, last + 1))
    live.inference.run()
    model = least(case.problem, first, last)
    if agrees(live, case, case.problem, model):
        assert not live.inference.waits or case.problem.is_bounded is False
        return "closed"
    return "endless"


def compare_retractions(seed: int) -> str:
    """Facts come and are taken back; what is held is what follows from the others."""
    case = NetworkCase(seed)
    width = 2 * case.problem.depth + 8
    first, last = case.inner(case.problem, width)
    live = case.live(retracts=True)
    live.inference.widen((first, last + 1))
    given = dict(enumerate(case.facts, 1))
    there: dict[int, MetricFact] = {}
    kinds: Counter[bool] = Counter()
    for _ in range(4):
        absent = [(number, fact) for number, fact in given.items() if number not in there]
        coming = case.draw.some(absent, 0, len(absent))
        live.add(coming)
        there.update(coming)
        gone = case.draw.some(list(there), 0, len(there))
        if gone:
            live.take(gone)
        for number in gone:
            del there[number]
        posed = case.posed(list(there.values()))
        model = least(posed, first, last)
        widen_horizon(live, model)
        kinds[agrees(live, case, posed, model, f"taken {gone}, left {list(there)}")] += 1
    return "closed" if kinds[True] else "endless"


def compare_expiry(seed: int) -> str:
    """Facts come as they begin, and what ended is forgotten; some end before their time."""
    case = NetworkCase(seed, 15)
    retracts = case.draw.chance(50)
    width = 2 * case.problem.depth + 8
    first, last = case.inner(case.problem, width)
    live = case.live(retracts=retracts)
    live.inference.widen((first, last + 1))
    coming = sorted(enumerate(case.facts, 1), key=lambda pair: int(live.rows(pair[1])[0, -2]))
    data: dict[int, tuple[Ground, int, int]] = {}
    for place, (number, fact) in enumerate(coming):
        *_, lo, hi = live.rows(fact)[0].tolist()
        if place:
            live.advance(max(lo - case.draw.integer(0, 2), live.inference.bound))
        live.add([(number, fact)])
        data[number] = (fact.predicate, fact.args), lo, hi
        if retracts and case.draw.chance(30):
            gone = case.draw.choice(list(data))
            live.take([gone])
            ground, lo, hi = data[gone]
            data[gone] = ground, lo, min(hi, live.inference.bound)
    live.inference.run()
    runs: dict[Ground, list[tuple[int | None, int | None]]] = {}
    for ground, lo, hi in data.values():
        if lo < hi:
            ends = None if lo == -(2**62) else lo, None if hi == 2**62 else hi
            runs.setdefault(ground, []).append(ends)
    posed = Problem(case.program.rules, runs, case.scale)
    model = least(posed, first, last)
    widen_horizon(live, model)
    closed = agrees(live, case, posed, model, f"{data}")
    return f"{'closed' if closed else 'endless'}{' and taken back' if retracts else ''}"


KINDS: Final[dict[str, Callable[[int], str]]] = {
    "in batches": compare_batches,
    "taken back": compare_retractions,
    "as time goes": compare_expiry,
}
