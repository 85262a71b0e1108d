"""The facts that a negation forbids and that are there: by which rule or element, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from r4.explain.justification.ground_program import GroundProgram
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import (
    GroundFact,
    NegatedMatch,
    OperandRow,
    OperatorRow,
    RuleInstance,
    hull,
    order_key,
)
from r4.explain.lacks import BlockingFact
from r4.explain.question.known_state import KnownState
from r4.explain.rendering.names import write_rule_name, write_term
from rete.graph.plan import Plan
from rete.nodes.anti_join import AntiJoin
from rete.planning.operands import is_disjunction
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    coalesce,
    intersect_sets,
    interval_at,
)

_SHOWN: Final = 3
"""So many facts, elements and reasons are told."""


def blocking_facts(
    known: KnownState, absent: NegatedMatch, pair: CellInterval
) -> tuple[BlockingFact, ...]:
    """Facts that are there in ``pair``, and make true what must be absent."""
    plan = absent.stream.plan
    assert isinstance(plan, AntiJoin)
    right = absent.stream.sources[1]
    queried = np.array([[*absent.key, *pair]], np.int64)
    theirs = tuple(theirs for _, theirs in plan.on)
    rows = known.state.rows(right, theirs, queried).tolist()
    given = plan.base if plan.correlated else None
    found = _Facts(known)
    facts = (
        fact
        for *values, lo, hi in sorted(rows)
        for fact in found.of_row(OperandRow(right, tuple(values)), (lo, hi), given, every=True)
    )
    return tuple(islice(dict.fromkeys(facts), _SHOWN))


@dataclass(frozen=True, slots=True)
class _OperandTimes:
    """See `rete.graph.plan.OperandTimes`."""

    true: IntervalSet

    def latest(self, there: CellInterval) -> CellInterval | None:
        found = intersect_sets(self.true, (there,))
        run = interval_at(self.true, found[-1][1] - 1) if found else None
        return None if run is None else (found[-1][1] - 1, run[1])


@dataclass(frozen=True, slots=True)
class _Facts:
    """Follows what is true to the facts that it is made of, but not into rules."""

    known: KnownState

    def of_row(
        self,
        row: OperandRow,
        pair: CellInterval,
        given: Plan | None = None,
        *,
        every: bool = False,
    ) -> Iterator[BlockingFact]:
        """Those of a reason why a row is true in some cell of ``pair``, or of every reason."""
        found = self.known.state.operand(row, pair, given)
        instances = sorted(found, key=lambda each: (each[1], order_key(each[0])))
        for instance, (cell, _) in instances if every else instances[:1]:
            yield from self._of_instance(instance, cell)

    def _of_instance(self, instance: RuleInstance, cell: int) -> Iterator[BlockingFact]:
        for fact in instance.body:
            yield from self._of_fact(fact, cell)
        for operator in instance.operators:
            yield from self._of_operator(operator, cell)

    def _of_operator(self, operator: OperatorRow, cell: int) -> Iterator[BlockingFact]:
        """The facts that make an operator true in a cell."""
        program = GroundProgram(self.known.state, operator, (cell, cell + 1))
        program.look(1)
        for rows, _ in program.combinations(operator):
            times = (_OperandTimes(coalesce(self.known.state.times(row))) for row in rows)
            description = program.description(operator)
            witness = next(description.witnesses(cell, cell + 1, *times), None)
            if witness is not None:
                for number, pair in witness.needs:
                    always = operator.plan.collective or operator.plan.throughout[number]
                    yield from self.of_row(rows[number], pair, every=always)
                return

    def _of_fact(self, fact: GroundFact, cell: int) -> Iterator[BlockingFact]:
        """A fact with what gives it in a cell."""
        known, wording = self.known, self.known.wording
        now = InstantState(known.state.layers, cell)
        if is_disjunction(fact.relation):
            for instance in now.rule_instances([fact])[fact][:1]:
                yield from self._of_instance(instance, cell)
            return
        text = wording.fact(*fact)
        asserted = now.asserted([fact]).get(fact, [])
        if asserted:
            names = [wording.element(each.name) for each in asserted if each.name > 0]
            elements = tuple(dict.fromkeys(name for name in names if name is not None))
            stated = min((-each.name for each in asserted if each.name < 0), default=0)
            by = self._by(elements)
            if stated:
                by = f"stated as {write_rule_name(wording.names, stated)}"
            yield BlockingFact(text, by, None, elements, known.told(hull(asserted)))
            return
        when, rules = known.maximal(coalesce(now.derivations(fact)), cell), now.rules(fact)
        if when is not None and rules:
            by = f"by {write_rule_name(wording.names, rules[0])}"
            yield BlockingFact(text, by, wording.rule_label(rules[0]), (), known.told(when))

    def _by(self, elements: tuple[str, ...]) -> str:
        names = [write_term(self.known.wording.names, each) for each in elements[:_SHOWN]]
        more = len(elements) - _SHOWN
        named = f" by {', '.join(names)}" if names else ""
        return f"asserted{named}{f' and {more} more' if more > 0 else ''}"
