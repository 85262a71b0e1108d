"""Constraints of random programs, compared with their definition.

The relation of inconsistency is that of a predicate of the same rules, over the whole model; which
instances of constraints are violated when is what the definition says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rete.arrays.delta import NEG_INF, POS_INF
from rete.kernels import clip
from rif.syntax import ast
from rif.syntax.terms import Literal
from temporal.model.violations import find_violations, inconsistent_times
from temporal.mtl import traversal
from temporal.mtl.ast import BOTTOM_KEY, BoxMinus, BoxPlus, MetricProgram, atom
from tests.generators.metric.constraints import constrained_case
from tests.oracles.metric.constraints import ConstrainedProblem, is_constraint
from tests.oracles.metric.models import problem
from tests.oracles.metric.periodic_models import Undecided, solve
from tests.simulation.metric.models import difference, materialised

if TYPE_CHECKING:
    from temporal.model.least_model import Model
    from temporal.model.violations import Violation
    from tests.generators.metric.programs import MetricCase
    from tests.oracles.metric.constraints import Instance

ORDINARY: Final = "Inconsistent"
"""A predicate in place of BOTTOM."""
AROUND: Final = 40
"""So many units of time around the data the violations are compared."""


def compare(seed: int) -> Counter[str]:
    """What the case of a seed has in it; nothing if the definition does not say what its model is.

    Raises:
        AssertionError: the engine gives something else than the definition.
    """
    case = constrained_case(seed)
    given = problem(case.program, case.facts)
    ordinary = _with_predicate(case.program)
    try:
        expected = solve(problem(ordinary, case.facts))
        constrained = ConstrainedProblem.of(given)
    except Undecided:
        return Counter(undecided=1)
    model = materialised(case.program, case.facts)
    if model.limit is not None:
        return Counter(limited=1)
    fault = difference(given, expected, _as_ordinary(model))
    assert fault is None, f"seed {seed}: {fault}\n{case}"
    assert all(key != BOTTOM_KEY for key, _ in model.within()), seed
    ends = given.ends or [0]
    first, last = ends[0] - 2 * AROUND * given.scale, ends[-1] + 2 * AROUND * given.scale
    lo, hi = model.periodic.segment
    first, last = max(first, lo), min(last, hi - 1)
    stretch = constrained.stretch(first, last)
    wanted = {
        instance: runs
        for instance, truth in constrained.violations(first, last).items()
        if (runs := _clipped(stretch.runs(truth), first, last + 1))
    }
    violations = find_violations(model, case.program)
    found = {
        _instance(case, each): runs
        for each in violations
        if (runs := clip(each.times, first, last + 1).tolist())
    }
    assert found == wanted, f"seed {seed}: {found}\nnot {wanted}\n{case}"
    assert len(violations) == len({_instance(case, each) for each in violations}), seed
    return _features(case, model, violations)


def _with_predicate(program: MetricProgram) -> MetricProgram:
    """The program with a predicate in place of BOTTOM."""

    def head(formula: ast.Formula) -> ast.Formula:
        if isinstance(formula, BoxMinus | BoxPlus):
            return replace(formula, body=head(formula.body))
        return atom(ORDINARY)

    return MetricProgram(
        tuple(
            replace(rule, head=(head(rule.head[0]),)) if is_constraint(rule) else rule
            for rule in program.rules
        )
    )


def _as_ordinary(model: Model) -> Model:
    facts = dict(model.periodic.facts)
    if BOTTOM_KEY in facts:
        facts[ORDINARY, 0] = facts.pop(BOTTOM_KEY)
    return replace(model, periodic=replace(model.periodic, facts=facts))


def _clipped(runs: list[tuple[int, int]], lo: int, hi: int) -> list[list[int]]:
    return [[max(a, lo), min(b, hi)] for a, b in runs if a < hi and lo < b]


def _instance(case: MetricCase, found: Violation) -> Instance:
    """Its rule with the values of variables, read from the instance beside the rule."""
    rule = case.program.rules[found.number - 1]
    assert found.rule.head == rule.head
    values: dict[str, str] = {}
    atoms = zip(traversal.atoms(rule.body), traversal.atoms(found.rule.body), strict=True)
    for general, ground in atoms:
        assert general.op == ground.op
        for arg, value in zip(general.args, ground.args, strict=True):
            if isinstance(arg, ast.Var) and isinstance(value, ast.Constant):
                assert isinstance(value.value, Literal)
                text = value.value.lexical
                assert values.setdefault(arg.value.name, text) == text
            else:
                assert arg == value
    return found.number, tuple(sorted(values.items()))


def _features(case: MetricCase, model: Model, violations: tuple[Violation, ...]) -> Counter[str]:
    times = inconsistent_times(model)
    sides = [side for side in (model.periodic.left, model.periodic.right) if not side.is_constant]
    rules = {each.number for each in violations}
    boxed = {n for n, rule in enumerate(case.program.rules, 1) if _is_boxed(rule)}
    several = len(violations) > len(rules)
    return Counter(
        {
            "compared": 1,
            "inconsistent": bool(len(times)),
            "by several rules": len(rules) > 1,
            "by several instances of a rule": several,
            "under a box": bool(rules & boxed),
            "for ever": bool(len(times) and (times.min() <= NEG_INF or times.max() >= POS_INF)),
            "again and again": any(len(clip(times, *side.period)) for side in sides),
        }
    )


def _is_boxed(rule: ast.Implies) -> bool:
    return isinstance(rule.head[0], BoxMinus | BoxPlus)
