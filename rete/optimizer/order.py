"""In which order a conjunction is joined.

Selective patterns first, tests and lets as soon as their variables are bound, no Cartesian product
while a shared variable is left: patterns connected by variables are joined among themselves,
and the parts that share none come together last, where a test over both may still filter. So
what depends on static data alone is one part, joined once. Ties are broken by the text of the
pattern, so that rules with common patterns get common prefixes, which are then the same node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from rete import plan as plans
from rete.lowering import Argument, Conjunction, Let, Pattern, Solve, Step, Test, inputs
from rete.plan import SAME_TERM, Apply, Emit, Filter, Head, Join, Operand, Plan, Scan, Unit
from rif.terms import Variable


@dataclass(frozen=True, slots=True)
class _Joined:
    left: _Step
    right: _Step


@dataclass(frozen=True, slots=True)
class _Then:
    """A test or a let after a step."""

    source: _Step
    what: Step


_Step: TypeAlias = Pattern | _Joined | _Then | None
"""A step of the order; None is the conjunction of nothing."""


@dataclass(slots=True)
class _Part:
    """Patterns joined so far, and the variables they bind."""

    step: _Step
    bound: set[Variable]


Seen: TypeAlias = Callable[[Plan | Emit, tuple[Argument, ...]], object]
"""Is told, of each operator of a plan, what the rule calls what it sees: the arguments of a scan,
else the columns of its sources, and last the column that it adds, if any."""


def plan(conjunction: Conjunction, seen: Seen | None = None) -> Emit:
    """The plan of a conjunction, projected to what is needed at each operator."""
    step = _order(conjunction)
    for let in conjunction.late:
        step = _Then(step, let)
    needed = {arg for head in conjunction.heads for arg in head.args if isinstance(arg, Variable)}
    source, variables = _build(step, frozenset(needed), seen)
    heads = tuple(
        Head(head.relation, tuple(_operand(arg, variables) for arg in head.args))
        for head in conjunction.heads
    )
    return _told(Emit(source, conjunction.rule, heads), variables, seen)


def _order(conjunction: Conjunction) -> _Step:
    patterns = list(conjunction.patterns)
    pending: list[Step] = [*conjunction.lets, *conjunction.tests]
    wanted = _occurrences(conjunction)
    leaves = _filtered(patterns, pending)
    parts: list[_Part] = []
    while patterns:
        first = min(patterns, key=lambda pattern: _cost(pattern, set(), wanted))
        patterns.remove(first)
        part = _Part(leaves[first], _variables(first.args))
        _apply_ready(part, pending)
        while near := [p for p in patterns if _variables(p.args) & part.bound]:
            best = min(near, key=lambda pattern: _cost(pattern, part.bound, wanted))
            patterns.remove(best)
            part.step = _Joined(part.step, leaves[best])
            part.bound |= _variables(best.args)
            _apply_ready(part, pending)
        parts.append(part)
        # A let may just have bound what connects two parts.
        parts = _connect(parts, pending)
    whole = _Part(None, set()) if not parts else parts[0]
    _apply_ready(whole, pending)
    for part in parts[1:]:
        whole = _join(whole, part, pending)
    assert not pending, pending
    return whole.step


def _filtered(patterns: list[Pattern], pending: list[Step]) -> dict[Pattern, _Step]:
    """The patterns, each with the tests that it decides alone, which are no longer pending."""
    leaves: dict[Pattern, _Step] = {}
    for pattern in patterns:
        leaf: _Step = pattern
        for what in list(pending):
            tested = _variables(what.args)
            if isinstance(what, Test) and tested and tested <= _variables(pattern.args):
                pending.remove(what)
                leaf = _Then(leaf, what)
        leaves[pattern] = leaf
    return leaves


def _connect(parts: list[_Part], pending: list[Step]) -> list[_Part]:
    last = parts[-1]
    apart: list[_Part] = []
    for part in parts[:-1]:
        if part.bound & last.bound:
            last = _join(part, last, pending)
        else:
            apart.append(part)
    return [*apart, last]


def _join(left: _Part, right: _Part, pending: list[Step]) -> _Part:
    whole = _Part(_Joined(left.step, right.step), left.bound | right.bound)
    _apply_ready(whole, pending)
    return whole


def _apply_ready(part: _Part, pending: list[Step]) -> None:
    progress = True
    while progress:
        progress = False
        for what in list(pending):
            if inputs(what) <= part.bound:
                pending.remove(what)
                part.step = _Then(part.step, what)
                if not isinstance(what, Test):
                    part.bound.add(what.variable)
                progress = True


def _occurrences(conjunction: Conjunction) -> dict[Variable, int]:
    count: dict[Variable, int] = {}
    everything: tuple[Pattern | Step, ...] = (
        *conjunction.patterns,
        *conjunction.tests,
        *conjunction.lets,
        *conjunction.heads,
        *conjunction.late,
    )
    for what in everything:
        for variable in _variables(what.args):
            count[variable] = count.get(variable, 0) + 1
    return count


def _cost(
    pattern: Pattern, bound: set[Variable], wanted: dict[Variable, int]
) -> tuple[int, int, str]:
    """New columns, then open positions: fewest first. A variable that occurs once is no column."""
    new = _variables(pattern.args) - bound
    return (sum(wanted[v] > 1 for v in new), len(new), repr(pattern))


def _variables(args: tuple[Argument, ...]) -> set[Variable]:
    return {arg for arg in args if isinstance(arg, Variable)}


_Operator = TypeVar("_Operator", bound=Plan | Emit)


def _told(plan: _Operator, sees: Iterable[Argument], seen: Seen | None) -> _Operator:
    if seen is not None:
        seen(plan, tuple(sees))
    return plan


def _build(
    step: _Step, needed: frozenset[Variable], seen: Seen | None
) -> tuple[Plan, list[Variable]]:
    """The plan of ``step`` with the ``needed`` variables it binds as columns, and their order."""
    match step:
        case None:
            return Unit(), []
        case Pattern():
            return _scan(step, needed, seen)
        case _Joined():
            return _joined(step, needed, seen)
        case _Then():
            return _then(step, needed, seen)


def _scan(
    pattern: Pattern, needed: frozenset[Variable], seen: Seen | None
) -> tuple[Plan, list[Variable]]:
    places: dict[Variable, int] = {}
    constants: list[tuple[int, str]] = []
    equal: list[tuple[int, int]] = []
    for position, arg in enumerate(pattern.args):
        if isinstance(arg, str):
            constants.append((position, arg))
        elif arg in places:
            equal.append((places[arg], position))
        else:
            places[arg] = position
    kept = [variable for variable in places if variable in needed]
    keep = tuple(places[variable] for variable in kept)
    scan = Scan(pattern.relation, tuple(constants), tuple(equal), keep)
    return _told(scan, pattern.args, seen), kept


def _joined(
    step: _Joined, needed: frozenset[Variable], seen: Seen | None
) -> tuple[Plan, list[Variable]]:
    shared = _bound_by(step.left) & _bound_by(step.right)
    left, left_variables = _build(step.left, needed | shared, seen)
    right, right_variables = _build(step.right, needed | shared, seen)
    on = tuple(
        (left_variables.index(v), right_variables.index(v)) for v in left_variables if v in shared
    )
    keep: list[int] = []
    kept: list[Variable] = []
    for column, variable in enumerate(left_variables):
        if variable in needed:
            keep.append(column)
            kept.append(variable)
    for column, variable in enumerate(right_variables):
        if variable in needed and variable not in shared:
            keep.append(~column)
            kept.append(variable)
    join = Join(left, right, on, tuple(keep))
    return _told(join, [*left_variables, *right_variables], seen), kept


def _then(
    step: _Then, needed: frozenset[Variable], seen: Seen | None
) -> tuple[Plan, list[Variable]]:
    what = step.what
    below = needed | inputs(what)
    # A function at a place of a pattern that binds it as well must give the very same term.
    rebinds = isinstance(what, Let) and what.variable in _bound_by(step.source)
    if isinstance(what, Let) and rebinds:
        below |= {what.variable}
    source, variables = _build(step.source, below, seen)
    kept = [v for v in variables if v in needed]
    keep = tuple(variables.index(v) for v in kept)
    if isinstance(what, Test):
        args = tuple(_operand(arg, variables) for arg in what.args)
        return _told(Filter(source, what.predicate, args, keep), variables, seen), kept
    sees = [*variables, what.variable]
    if isinstance(what, Solve):
        solved = tuple(
            None if arg == what.variable else _operand(arg, variables) for arg in what.args
        )
        answers = plans.Solve(source, what.predicate, solved, keep)
        return _told(answers, sees, seen), [*kept, what.variable]
    args = tuple(_operand(arg, variables) for arg in what.args)
    if rebinds:
        last = len(variables)
        valued = _told(Apply(source, what.function, args, tuple(range(last))), sees, seen)
        same = (variables.index(what.variable), last)
        return _told(Filter(valued, SAME_TERM, same, keep), sees, seen), kept
    applied = Apply(source, what.function, args, keep)
    return _told(applied, sees, seen), [*kept, what.variable]


def _bound_by(step: _Step) -> set[Variable]:
    match step:
        case None:
            return set()
        case Pattern():
            return _variables(step.args)
        case _Joined():
            return _bound_by(step.left) | _bound_by(step.right)
        case _Then():
            bound = _bound_by(step.source)
            return bound if isinstance(step.what, Test) else bound | {step.what.variable}


def _operand(arg: Argument, variables: list[Variable]) -> Operand:
    return variables.index(arg) if isinstance(arg, Variable) else arg
