"""Random programs with data, of several kinds, each from choices (`tests.generators.draw`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from temporal.mtl import traversal
from temporal.mtl.ast import MetricProgram
from temporal.mtl.validation import predicate_name
from temporal.text.writer import write_program
from tests.generators.draw import from_seed
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.propagation import (
    edges,
    loop,
    moment,
    reaching,
    short,
    stepping,
    ticking,
    walking,
)
from tests.generators.metric.syntax import Shape, facts, program, relay, safe_apart, safe_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from temporal.mtl.ast import MetricFact
    from tests.generators.draw import Draw


@dataclass(frozen=True, slots=True)
class MetricCase:
    program: MetricProgram
    facts: tuple[MetricFact, ...]

    def __str__(self) -> str:
        return f"{write_program(self.program)}---\n{write_facts(self.facts)}"


SHAPES: Final[Mapping[str, Shape]] = {
    "flat": Shape(endless=60, brief=80, nesting=1, rules=2),
    "integers": Shape(endless=60, brief=70),
    "deep": Shape(endless=30, brief=30, nesting=3, reach=3, facts=8),
    "halves": Shape(endless=60, brief=70, denominators=(1, 2), reach=2, span=3),
    "many": Shape(endless=40, brief=50, rules=5, facts=8, nesting=1, reach=3),
    "finite": Shape(nesting=3, rules=4, facts=10),
    "thirds": Shape(endless=50, brief=70, denominators=(1, 2, 3), reach=1, span=2, rules=2),
    "ever": Shape(endless=40, infinite=15, reach=3, span=4, rules=2),
}


def shaped(draw: Draw, shape: Shape) -> MetricCase:
    """Any formulas, over facts that they look at."""
    drawn = program(draw, shape)
    atoms = (found for rule in drawn.rules for found in traversal.atoms(rule.body))
    read = sorted({(predicate_name(found), len(found.args)) for found in atoms})
    seen = replace(shape, predicates=tuple(read) or shape.predicates)
    return MetricCase(drawn, facts(draw, seen, fewest=3))


def marching(draw: Draw) -> MetricCase:
    """Rules that tick, each with its own step, the first from a fact to the same."""
    rules = (loop(draw), *(ticking(draw) for _ in range(draw.integer(0, 3))))
    facts = (moment(draw), *(short(draw) for _ in range(draw.integer(0, 4))))
    return MetricCase(MetricProgram(rules), facts)


def walks(draw: Draw) -> MetricCase:
    """Rules that lead from one constant to another."""
    rules = (stepping(draw), *(walking(draw) for _ in range(draw.integer(0, 3))))
    return MetricCase(MetricProgram(rules), edges(draw))


def far(draw: Draw) -> MetricCase:
    """Rules that tick, and rules with ranges to infinity that see them and are seen by them."""
    rules = [loop(draw), *(ticking(draw) for _ in range(draw.integer(0, 2)))]
    rules += [reaching(draw) for _ in range(draw.integer(1, 2))]
    facts = (moment(draw), *(short(draw) for _ in range(draw.integer(0, 3))))
    return MetricCase(MetricProgram(tuple(rules)), facts)


def apart(draw: Draw) -> MetricCase:
    """A rule with a variable on a left side alone, over facts that constants have in turn."""
    shape = draw.choice(
        (
            Shape(constants=("a", "b"), reach=2, span=3, facts=8, brief=40),
            Shape(constants=("a", "b"), reach=2, span=2, facts=8, denominators=(1, 2)),
            Shape(constants=("a", "b"), reach=2, span=3, facts=8, infinite=15),
        )
    )
    rules = [safe_apart(draw, shape), *(safe_rule(draw, shape) for _ in range(draw.chance(30)))]
    atoms = (found for rule in rules for found in traversal.atoms(rule.body))
    read = sorted({(predicate_name(found), len(found.args)) for found in atoms})
    given = list(facts(draw, replace(shape, predicates=tuple(read)), fewest=4))
    for name, count in read:
        if draw.chance(50):
            given += relay(draw, shape, name, count)
    return MetricCase(MetricProgram(tuple(rules)), tuple(given))


def _of(shape: Shape) -> Callable[[Draw], MetricCase]:
    return lambda draw: shaped(draw, shape)


KINDS: Final[Mapping[str, Callable[[Draw], MetricCase]]] = {
    **{name: _of(shape) for name, shape in SHAPES.items()},
    "marching": marching,
    "walks": walks,
    "far": far,
    **dict.fromkeys(("more marching", "and more", "and still more"), marching),
    "more walks": walks,
}
"""What is drawn in turn."""


def case_of(seed: int) -> MetricCase:
    kinds = list(KINDS.values())
    return kinds[seed % len(kinds)](from_seed(seed))
