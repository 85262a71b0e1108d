"""The oracle for metric time: its cells against points, its models against those of others."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from temporal.intervals.interval import Interval
from temporal.text.program_parser import parse_program
from tests.generators.draw import from_seed
from tests.generators.metric.programs import SHAPES, shaped
from tests.oracles.metric.models import Problem, cells, problem
from tests.oracles.metric.operators import CellRange, Stretch
from tests.oracles.metric.periodic_models import Endless, Undecided, solve
from tests.simulation.metric.models import shows_far_out
from tests.simulation.metric.single_texts import parse_facts

FOLDER = "datalogmtl"

STRETCH = Stretch(-15, 15)


def posed(rules: str, data: str) -> Problem:
    read = parse_facts(data)
    assert not read.faults
    return problem(parse_program(rules), read.facts)


def solved(rules: str, data: str) -> Endless:
    return solve(posed(rules, data))


def shown(found: Endless, scale: int, low: int, high: int) -> dict[str, list[str]]:
    """All facts clipped to ``[low,high]``, as the golden files have them."""
    result = {}
    for name, args in found.atoms():
        runs = found.runs((name, args), 2 * low * scale, 2 * high * scale)
        if runs:
            atom = f"{name}({','.join(args)})" if args else name
            result[atom] = [str(Interval.of_cells(lo, hi, scale)) for lo, hi in runs]
    return result


def points(truth: int) -> dict[int, bool]:
    """What holds at eighths of a tick, from cells."""
    return {at: STRETCH.holds(truth, 2 * (at // 8) + (at % 8 > 0)) for at in range(-64, 65)}


RANGES = [
    Interval(Fraction(low), None if high is None else Fraction(high), left, right)
    for low, high, left, right in product((0, 1), (1, 2, None), (True, False), (True, False))
]


@pytest.mark.parametrize("rho", [found for found in RANGES if not found.is_empty], ids=str)
def test_operators_over_cells_say_what_they_say_of_points(rho):
    """Quarters are enough for witnesses, eighths for what lies between: all ends are whole."""
    given = CellRange.of(rho, 1)
    distances = {n for n in range(0, 129, 2) if Fraction(n, 8) in rho}
    for low, high in product(range(-1, 2), range(1, 4)):
        phi = STRETCH.between(low, high)
        psi = STRETCH.between(low + 1, low + 2) | STRETCH.between(high - 1, high)
        at_phi, at_psi = points(phi), points(psi)
        for side in (-1, 1):
            some, every = STRETCH.diamond(given, side, phi), STRETCH.box(given, side, phi)
            chain = STRETCH.chain(given, side, phi, psi)
            for cell in range(-4, 9):
                t = 4 * cell
                near = [s for s in range(-64, 65, 2) if side * (s - t) in distances]
                assert STRETCH.holds(some, cell) == any(at_phi[s] for s in near)
                assert STRETCH.holds(every, cell) == all(at_phi[s] for s in near)
                assert STRETCH.holds(chain, cell) == any(
                    at_psi[s] and all(at_phi[r] for r in range(min(s, t) + 1, max(s, t)))
                    for s in near
                )


def test_what_a_box_concludes_is_seen_by_no_more_and_no_less_than_that_box():
    for seed in range(300):
        draw = from_seed(seed)
        low = draw.integer(0, 2)
        rho = CellRange.of(Interval(Fraction(low), Fraction(low + draw.integer(1, 2))), 1)
        truth = STRETCH.between(draw.integer(-4, 0), draw.integer(1, 4))
        for side in (-1, 1):
            spread = STRETCH.spread(rho, side, truth)
            assert STRETCH.box(rho, side, spread) & truth == truth
            assert spread == STRETCH.diamond(rho, -side, truth)


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_the_golden_models_come_out_before_and_after_the_deletion(test_data, step):
    text = test_data(f"{FOLDER}/golden/conformance_300.jsonl").read_text()
    for line in text.splitlines()[::step]:
        case = json.loads(line)
        given = posed("\n".join(case["rules"]), "\n".join(case["facts"]))
        window = case["window"]
        assert shown(solve(given), given.scale, *window) == case["expect"], case["id"]
        given = without(given, case["delete"])
        after = case["expect_after_delete"]
        assert shown(solve(given), given.scale, *window) == after, case["id"]


@pytest.mark.slow
def test_the_golden_model_of_a_university_comes_out(test_data):
    rules = test_data(f"{FOLDER}/lubm_t/program.txt").read_text()
    given = posed(rules, test_data(f"{FOLDER}/lubm_t/lubm_10^2.txt").read_text())
    golden = test_data(f"{FOLDER}/golden/lubm_10e2.txt").read_text().split()
    found = shown(solve(given), 1, -100, 200)
    assert sorted(f"{atom}@{one}" for atom, runs in found.items() for one in runs) == sorted(golden)


def without(given: Problem, deleted: str) -> Problem:
    """The data less a fact, as sets in time."""
    (fact,) = parse_facts(deleted).facts
    begin, end = cells(fact.interval, given.scale)
    assert begin is not None
    assert end is not None
    data = dict(given.data)
    rest = []
    for lo, hi in data.pop((fact.predicate, fact.args)):
        assert lo is not None
        assert hi is not None
        parts = [(lo, min(hi, begin)), (max(lo, end), hi)]
        rest += [part for part in parts if part[0] < part[1]]
    return replace(given, data={**data, (fact.predicate, fact.args): rest})


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15])
def test_the_periodic_cases_are_what_a_far_stretch_shows(test_data, number):
    folder = test_data(f"{FOLDER}/periodicity_cases")
    rules = (folder / f"case_{number}_program.txt").read_text()
    data = (folder / f"case_{number}_dataset.txt").read_text()
    given = posed(rules, data)
    shows_far_out(given, solve(given))


def test_the_period_is_that_of_the_rule_not_of_the_window():
    found = solved("Boxplus[5,5]P :- P", "P@0")
    assert found.left_period is None
    assert found.right_period == (2 * 15, 2 * 20)
    for far in (10**6, 10**6 + 5):
        assert found.holds(("P", ()), 2 * far)
        assert not found.holds(("P", ()), 2 * far + 2)


def test_ranges_to_infinity_over_what_is_constant_far_out_are_decided():
    found = solved("Boxplus[0,1]A :- A\nB :- Boxplus[0,inf)A", "A@0")
    assert found.holds(("B", ()), 0)
    assert found.holds(("B", ()), 10**9)
    assert not found.holds(("B", ()), -1)
    once = solved("B :- Diamondminus[2,inf)A", "A@0")
    assert not once.holds(("B", ()), 3)
    assert once.holds(("B", ()), 4)
    assert once.holds(("B", ()), 10**9)


def test_ranges_to_infinity_over_what_comes_again_and_again_are_not_decided():
    with pytest.raises(Undecided):
        solved("Boxplus[2,2]A :- A\nB :- Diamondplus[0,inf)A", "A@0")


def test_a_variable_on_the_left_of_since_need_have_no_value():
    found = solved("B(X) :- P(Y) Since[0,1] Q(X)", "Q(a)@0\nP(b)@[0,5]")
    assert found.runs(("B", ("a",)), -10, 20) == [(0, 3)]
    found = solved("B(X) :- P(Y) Since[0,1] Q(X)", "Q(a)@0")
    assert found.runs(("B", ("a",)), -10, 20) == [(0, 1)]


@pytest.mark.parametrize("seeds", [8, pytest.param(24, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["integers", "halves", "flat"])
def test_random_models_are_what_a_far_stretch_shows(shape, seeds):
    endless = 0
    for seed in range(seeds):
        case = shaped(from_seed(seed), SHAPES[shape])
        given = problem(case.program, case.facts)
        found = solve(given)
        shows_far_out(given, found)
        endless += bool(found.left_period or found.right_period)
    assert endless >= seeds // 3
