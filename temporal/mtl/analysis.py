"""Analysis of programs: which rules lead to which, how far they look, how models are found.

A *fragment* is a set of programs for which more is known. Forward-propagating programs never look
ahead, so they can follow a stream; in a program without a cycle through an operator nothing is
derived for ever; with bounded ranges an infinite model has periods [Walega19; DRedMTL26].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

import networkx as nx

from rif.syntax import ast
from rif.syntax.traversal import subformulas
from temporal.intervals.interval import End, Interval, common_scale
from temporal.mtl import traversal
from temporal.mtl.ast import Box, MetricFormula, MetricProgram
from temporal.mtl.validation import predicate_name

Reach: TypeAlias = tuple[End, End]
"""How far into the past, and how far into the future; None is for ever."""


class Direction(Enum):
    """Where the rules look from what they conclude."""

    NOW = "now"
    PAST = "past"
    FUTURE = "future"
    BOTH = "both"


class Algorithm(Enum):
    """How a model is found."""

    ROUNDS = "rounds"
    PERIODS = "periods"
    TAILS = "tails"

    @property
    def meaning(self) -> str:
        """A description of it, in words."""
        return _MEANING[self]


_MEANING = {
    Algorithm.ROUNDS: "rounds until nothing is new, which comes for any data",
    Algorithm.PERIODS: "rounds within a growing horizon, until it is known how the model repeats",
    Algorithm.TAILS: "rounds within a growing horizon, until it is known how the model repeats; a"
    " range without end over what does not become constant may not be decided",
}


@dataclass(frozen=True, slots=True)
class ProgramAnalysis:
    """The result of the analysis of a program.

    Attributes:
        rules: how many.
        constraints: how many of them have the head BOTTOM.
        depth: the greatest sum of right ends of the ranges of a rule; of a range without end the
            left one counts.
        step: the greatest common divisor of all numbers but 0; 1 if there are none.
        scale: the least number of ticks to the unit that makes all numbers whole.
        direction: where rules look: at the past only is *forward-propagating*.
        lookback: how far before what it concludes a rule may look; None: for ever.
        lookahead: how far after.
        is_recursive: is there a cycle of predicates?
        may_be_endless: does one lead through an operator?
        is_bounded: have all ranges an end?
        has_punctual: is a range one point?
        negates: is something negated?
    """

    rules: int
    constraints: int
    depth: Fraction
    step: Fraction
    scale: int
    direction: Direction
    lookback: End
    lookahead: End
    is_recursive: bool
    may_be_endless: bool
    is_bounded: bool
    has_punctual: bool
    negates: bool

    @property
    def algorithm(self) -> Algorithm:
        """How its models are found."""
        if not self.may_be_endless:
            return Algorithm.ROUNDS
        return Algorithm.PERIODS if self.is_bounded else Algorithm.TAILS

    @property
    def is_maintained(self) -> bool:
        """Can its model follow its data?

        Operators with ranges to infinity, and negations, are evaluated on whole models where rules
        may derive for ever, not in the network.
        """
        return self.algorithm is not Algorithm.TAILS and not (self.negates and self.may_be_endless)

    @property
    def is_forward_propagating(self) -> bool:
        """Does no rule look ahead [Walega19, Definition 4]?"""
        return self.direction in {Direction.NOW, Direction.PAST}

    @property
    def may_be_dense(self) -> bool:
        """May memory along a stream be independent of how dense its stamps are?"""
        return self.is_forward_propagating and not self.has_punctual and not self.negates

    @property
    def has_bounded_memory(self) -> bool:
        """May a stream be followed with facts of bounded age only?"""
        return self.is_forward_propagating and self.is_bounded


def analyse(program: MetricProgram) -> ProgramAnalysis:
    """The analysis of a well-formed program. Linear."""
    number, constraints = len(program.rules), sum(map(traversal.is_constraint, program.rules))
    program = MetricProgram(tuple(dict.fromkeys(program.rules)))  # one that recurs says no more
    ranges = [rho for formula in traversal.formulas(program) for rho in traversal.ranges(formula)]
    reaches = [_reach_of_rule(rule) for rule in program.rules]
    graph = _graph(program)
    cycles = [c for c in nx.strongly_connected_components(graph) if _is_cycle(graph, c)]
    return ProgramAnalysis(
        rules=number,
        constraints=constraints,
        depth=max(map(_depth, program.rules), default=Fraction(0)),
        step=_step(ranges),
        scale=common_scale(ranges),
        direction=_direction(program),
        lookback=_farthest([back for back, _ in reaches]),
        lookahead=_farthest([ahead for _, ahead in reaches]),
        is_recursive=bool(cycles),
        may_be_endless=any(_has_operator(graph, cycle) for cycle in cycles),
        is_bounded=all(rho.is_bounded for rho in ranges),
        has_punctual=any(rho.is_punctual for rho in ranges),
        negates=traversal.negates(program),
    )


def _depth(rule: ast.Implies) -> Fraction:
    return sum(
        (
            rho.left if rho.right is None else rho.right
            for part in (*rule.head, rule.body)
            for rho in traversal.ranges(part)
            if rho.left is not None
        ),
        Fraction(0),
    )


def _step(ranges: list[Interval]) -> Fraction:
    numbers = [end for rho in ranges for end in (rho.left, rho.right) if end]
    if not numbers:
        return Fraction(1)
    denominator = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * denominator) for number in numbers)), denominator)


def _direction(program: MetricProgram) -> Direction:
    past = future = False
    for rule in program.rules:
        for head in rule.head:
            for part in subformulas(head):
                if isinstance(part, Box):  # its body lies on the other side of what it concludes
                    past |= not part.is_past
                    future |= part.is_past
        for part in subformulas(rule.body):
            if isinstance(part, MetricFormula):
                past |= part.is_past
                future |= not part.is_past
    if past and future:
        return Direction.BOTH
    return Direction.PAST if past else Direction.FUTURE if future else Direction.NOW


def _reach_of_rule(rule: ast.Implies) -> Reach:
    """How far its body lies from what it concludes."""
    back, ahead = _reach(rule.body)
    for head in rule.head:
        for part in subformulas(head):
            if isinstance(part, Box):
                if part.is_past:
                    ahead = _sum(ahead, part.rho.right)
                else:
                    back = _sum(back, part.rho.right)
    return back, ahead


def _reach(formula: ast.Formula) -> Reach:
    inner = [_reach(part) for part in formula.parts]
    back = _farthest([each for each, _ in inner])
    ahead = _farthest([each for _, each in inner])
    if isinstance(formula, MetricFormula):
        if formula.is_past:
            return _sum(back, formula.rho.right), ahead
        return back, _sum(ahead, formula.rho.right)
    return back, ahead


def _sum(left: End, right: End) -> End:
    return None if left is None or right is None else left + right


def _farthest(ends: list[End]) -> End:
    farthest = Fraction(0)
    for end in ends:
        if end is None:
            return None
        farthest = max(farthest, end)
    return farthest


def _graph(program: MetricProgram) -> nx.DiGraph[tuple[str, int]]:
    """From the predicates of bodies to those of heads; ``operator`` where one lies between."""
    graph: nx.DiGraph[tuple[str, int]] = nx.DiGraph()
    for rule in program.rules:
        for head in rule.head:
            (atom,) = traversal.atoms(head)
            boxed = atom is not head
            for other, under in _reads(rule.body, under=boxed):
                source, target = _node(other), _node(atom)
                before = graph.get_edge_data(source, target, {"operator": False})["operator"]
                graph.add_edge(source, target, operator=before or under)
    return graph


def _reads(formula: ast.Formula, *, under: bool) -> Iterator[tuple[ast.Atom, bool]]:
    if isinstance(formula, ast.Atom):
        yield formula, under
    under |= isinstance(formula, MetricFormula)
    for part in formula.parts:
        yield from _reads(part, under=under)


def _node(atom: ast.Atom) -> tuple[str, int]:
    return predicate_name(atom), len(atom.args)


def _is_cycle(graph: nx.DiGraph[tuple[str, int]], members: set[tuple[str, int]]) -> bool:
    return len(members) > 1 or any(graph.has_edge(node, node) for node in members)


def _has_operator(graph: nx.DiGraph[tuple[str, int]], members: set[tuple[str, int]]) -> bool:
    return any(data["operator"] for _, _, data in graph.subgraph(members).edges(data=True))
