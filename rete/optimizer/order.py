"""In which order a conjunction is joined.

Selective patterns first, tests and lets as soon as their variables are bound, no Cartesian product
while a shared variable is left: patterns connected by variables are joined among themselves,
and the parts that share none come together last, where a test over both may still filter. So
what depends on static data alone is one part, joined once. Ties are broken by the text of the
pattern, so that rules with common patterns get common prefixes, which are then the same node.

What is negated comes last: it takes rows away from the positive part. A negated condition that
binds all its variables is planned by itself, and so shared with all rules that ask for it, too; any
other goes on from the rows of the positive part.
"""

from __future__ import annotations

from dataclasses import dataclass

from rete.lowering import Conjunction, Leaf, Step, Test, inputs, variables_of
from rete.optimizer.steps import (
    Given,
    Joined,
    Negated,
    Order,
    Then,
    Without,
    bound_by,
    leaves,
    variables,
)
from rif.terms import Variable


@dataclass(slots=True)
class _Part:
    """Patterns joined so far, and the variables they bind."""

    step: Order
    bound: set[Variable]


def order_of(conjunction: Conjunction, given: frozenset[Variable] | None = None) -> Order:
    """The order of a conjunction.

    ``given`` are the variables of rows that it goes on from, in a negation that is correlated.
    """
    positive = _positive(conjunction, given)
    if not conjunction.negated:
        return positive
    bound = frozenset(bound_by(positive))
    # What rules may have in common comes first, and what is alike in the same order.
    negated = sorted(conjunction.negated, key=lambda c: (_is_correlated(c, bound), repr(c)))
    return Without(positive, tuple(_negated(each, bound) for each in negated))


def places(conjunction: Conjunction) -> tuple[int, ...]:
    """Which place what is joined has in the text, as the plan has it from the left on.

    Subplans have theirs behind the patterns; what is negated is left out.
    """
    text: list[Leaf] = [*conjunction.patterns, *conjunction.subplans]
    return tuple(map(text.index, leaves(order_of(conjunction))))


def _is_correlated(condition: Conjunction, bound: frozenset[Variable]) -> bool:
    """Whether it shares variables with what stands beside it that its patterns do not bind."""
    leaves: tuple[Leaf, ...] = (*condition.patterns, *condition.subplans)
    own = {arg for pattern in leaves for arg in variables(pattern.args)}
    return not bound & variables_of(condition) <= own


def _negated(condition: Conjunction, bound: frozenset[Variable]) -> Negated:
    correlated = _is_correlated(condition, bound)
    order = order_of(condition, bound if correlated else None)
    return Negated(order, bound & variables_of(condition), correlated)


def _positive(conjunction: Conjunction, given: frozenset[Variable] | None) -> Order:
    patterns: list[Leaf] = [*conjunction.patterns, *conjunction.subplans]
    pending: list[Step] = [*conjunction.lets, *conjunction.tests]
    wanted = _occurrences(conjunction)
    leaves = _filtered(patterns, pending)
    parts: list[_Part] = []
    start = [] if given is None else [_Part(Given(given), set(given))]
    while patterns or start:
        if start:
            part = start.pop()
        else:
            first = min(patterns, key=lambda pattern: _cost(pattern, set(), wanted))
            patterns.remove(first)
            part = _Part(leaves[first], variables(first.args))
        _apply_ready(part, pending)
        while near := [p for p in patterns if variables(p.args) & part.bound]:
            best = min(near, key=lambda pattern: _cost(pattern, part.bound, wanted))
            patterns.remove(best)
            part.step = Joined(part.step, leaves[best])
            part.bound |= variables(best.args)
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


def _filtered(patterns: list[Leaf], pending: list[Step]) -> dict[Leaf, Order]:
    """The patterns, each with the tests that it decides alone, which are no longer pending."""
    leaves: dict[Leaf, Order] = {}
    for pattern in patterns:
        leaf: Order = pattern
        for what in list(pending):
            tested = variables(what.args)
            if isinstance(what, Test) and tested and tested <= variables(pattern.args):
                pending.remove(what)
                leaf = Then(leaf, what)
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
    whole = _Part(Joined(left.step, right.step), left.bound | right.bound)
    _apply_ready(whole, pending)
    return whole


def _apply_ready(part: _Part, pending: list[Step]) -> None:
    progress = True
    while progress:
        progress = False
        for what in list(pending):
            if inputs(what) <= part.bound:
                pending.remove(what)
                part.step = Then(part.step, what)
                if not isinstance(what, Test):
                    part.bound.add(what.variable)
                progress = True


def _occurrences(conjunction: Conjunction) -> dict[Variable, int]:
    count: dict[Variable, int] = {}
    everything: tuple[Leaf | Step, ...] = (
        *conjunction.patterns,
        *conjunction.subplans,
        *conjunction.tests,
        *conjunction.lets,
        *conjunction.heads,
        *conjunction.late,
    )
    for what in everything:
        for variable in variables(what.args):
            count[variable] = count.get(variable, 0) + 1
    for negated in conjunction.negated:
        for variable in variables_of(negated):
            count[variable] = count.get(variable, 0) + 1
    return count


def _cost(pattern: Leaf, bound: set[Variable], wanted: dict[Variable, int]) -> tuple[int, int, str]:
    """New columns, then open positions: fewest first. A variable that occurs once is no column."""
    new = variables(pattern.args) - bound
    return (sum(wanted[v] > 1 for v in new), len(new), repr(pattern))
