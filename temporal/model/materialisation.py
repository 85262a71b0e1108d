"""Materialisation: all that follows from a program and its data, for all times.

The rules run in one network, semi-naively, to quiescence. If rules may lead from a fact to the same
one at other times, derivation stays within a *horizon* around the data: what lies wholly outside
waits. Then either nothing waits, and the model is found; or what is known shows how it repeats
(`temporal.periods.period_search`); or the horizon is widened, to twice the distance, and derivation
goes on.

With negation, too, what is derived is true: within a horizon ``not P`` is asked for only where the
model of the strata below is known (`temporal.mtl.strata`). That model is found first, with its
periods; then it counts as data, written out as far as the horizon, and the gates of the next
stratum open there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Cells, Rows, concat
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.storage.row_algebra import coalesce, subtract
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from temporal.errors import NotCovered, OutOfBounds
from temporal.facts.bulk_loader import Dataset
from temporal.intervals.interval import MAX_CELL
from temporal.model.least_model import Model, unite_data
from temporal.model.limits import Clock, LimitReached, Limits, Meter, ProgressCallback, start_clock
from temporal.model.unbounded_evaluation import UnboundedEvaluation
from temporal.mtl import traversal
from temporal.mtl.analysis import Algorithm, Direction, ProgramAnalysis, analyse
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.lowering import lower, relation_named, relation_of
from temporal.mtl.strata import Gate, frozen, frozen_key, gated
from temporal.mtl.subsumption import without_subsumed
from temporal.mtl.unbounded_ranges import UnboundedSeparation, separate_unbounded
from temporal.mtl.validation import arities
from temporal.periods.period_search import EVERYWHERE, Periods, find_periods
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.windows import Repetition, Ruler

FIRST_REACH: Final = 2
"""The first horizon has the data and so many windows on each side."""
_MOST_REACH: Final = 1 << 62


def materialise(  # noqa: PLR0913 - the task, its limits, its progress
    program: MetricProgram,
    data: Dataset,
    terms: Dictionary,
    *,
    limits: Limits | None = None,
    clock: Clock | None = None,
    watch: ProgressCallback | None = None,
    negated: Model | None = None,
) -> Model:
    """The least model.

    Args:
        program: well-formed rules.
        data: explicit facts, of a scale that makes all numbers of the program whole.
        terms: the dictionary of their ids.
        limits: the most that is done; beyond it the model is a part.
        clock: gives the seconds that count; from now on, if none is given.
        watch: gets the progress, often.
        negated: a model of which it is asked what is negated, of the same rules and of data of
            which these are a part; None: the one that is found.

    Raises:
        RuleErrors: a rule is too long, or has a number too far from 0.
        OutOfBounds: something follows too far from 0.
    """
    made = Materialisation(program, data, terms, negated=negated)
    try:
        found = made.derive(limits or Limits(), clock or start_clock(), watch)
    except LimitReached as reached:
        whole = find_periods(made.facts(), made.ruler)
        assert whole.left is not None
        assert whole.right is not None
        return made.model(whole.left, whole.right, reached.limit)
    return made.model(*found)


class Materialisation:
    """A network with data, run within a horizon that may be widened.

    Attributes:
        ruler: that of the program and its data.
        inference: the network; with a base table, if facts may be lost.
    """

    def __init__(  # noqa: PLR0913 - the task, and what becomes of it
        self,
        program: MetricProgram,
        data: Dataset,
        terms: Dictionary,
        *,
        maintained: bool = False,
        begins: bool = True,
        negated: Model | None = None,
    ) -> None:
        """Build the network, for explicit facts, ``data``; see `materialise`.

        If it is ``maintained``, facts may be lost later. With ``begins`` what needs no fact is
        derived now; else it was, and is restored.
        """
        if negated is not None:
            program = frozen(program)
        self._frozen = negated
        self.analysis: ProgramAnalysis = analyse(program)
        self.scale = data.scale
        self.notation = data.notation
        self.terms = terms
        self.explicit = unite_data(data.rows)
        self._separated = _separation(program, self.analysis)
        rules = program if self._separated is None else self._separated.program
        plain = without_subsumed(rules)
        self._gates: tuple[Gate, ...] = ()
        if self.analysis.may_be_endless and traversal.negates(plain):
            with_gates = gated(plain)
            plain, self._gates = with_gates.program, with_gates.gates
        self._below: PeriodicModel[PredicateKey] | None = None
        self._stratum = 0
        self.inference = InferenceEngine(
            lower(plain, data.scale, is_guarded=bool(self._gates)),
            terms,
            # Without an owner: facts that are derived may be explicit, too.
            table=partial(FactTable, instances=False, answers=False) if maintained else None,
            retracts=maintained,
            begins=begins,
        )
        self.arities = arities(rules)
        self._further_facts: dict[PredicateKey, Rows] = {}
        self._complete_within: tuple[int, int] | None = None
        self._reach = 1
        self.ruler = Ruler.of(
            (self.explicit if negated is None else negated.explicit).values(),
            int(self.analysis.depth * data.scale),
            int(self.analysis.step * data.scale),
        )
        for rows in data.rows.values():
            self._check(rows)

    def derive(
        self, limits: Limits, clock: Clock, watch: ProgressCallback | None
    ) -> tuple[Repetition, Repetition]:
        """Derive all that follows; how the model goes on to both sides; or `LimitReached`."""
        inference, meter = self.inference, Meter(limits, clock, watch)
        inference.watch = lambda: meter.check(inference.derived, inference.rounds)
        if self.analysis.may_be_endless:
            inference.widen(self.horizon(1))
        for key, rows in self.explicit.items():
            inference.assert_facts(relation_named(*key), rows)
        if self._frozen is not None:
            facts = self._frozen.periodic.facts
            known = {frozen_key(key): rows for key, rows in facts.items()}
            if self._gates:
                self._below = replace(self._frozen.periodic, facts=known)
                self._open_gates()
                return self._run_stratum()
            self._add_facts(known)
        return self.run_to_end()

    def push(self, facts: Mapping[PredicateKey, Rows]) -> None:
        """Facts become known, which its base table has."""
        for key, rows in facts.items():
            self.inference.push(relation_named(*key), rows)

    def withdraw(self, facts: Mapping[PredicateKey, Rows]) -> None:
        """Facts are explicit no longer; its base table has lost them."""
        for key, rows in facts.items():
            relation = relation_named(*key)
            if self.inference.network.reads(relation):
                self.inference.withdraw(relation, rows)

    def saved(self) -> State:
        """The network at rest, without what is explicit; ranges to infinity are not saved."""
        assert self._separated is None
        return {**self.inference.saved(base_table=False), "reach": self._reach}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Have the network that was saved of the same program; it has not begun."""
        self.inference.restore(given, alive, base_table=False)
        self._reach = given.integer("reach", 1, _MOST_REACH)

    def facts(self) -> dict[PredicateKey, Rows]:
        """All facts that are known, maximal, by predicate; good until more is derived."""
        found = _merge_facts(self.inference, self.arities, self.explicit, self._further_facts)
        for rows in found.values():
            self._check(rows)
        return found

    def _add_facts(self, facts: Mapping[PredicateKey, Rows]) -> None:
        """Add facts that the network does not derive, or not yet."""
        for key, rows in facts.items():
            before = self._further_facts.get(key)
            self._further_facts[key] = rows if before is None else coalesce(concat([before, rows]))
            self.inference.assert_facts(relation_named(*key), rows)

    def run_to_end(self) -> tuple[Repetition, Repetition]:
        """Run until the whole model is known; how it goes on to both sides; or `LimitReached`."""
        for stratum in sorted({gate.stratum for gate in self._gates}):
            found = self._run_stratum()
            facts = {key: rows.copy() for key, rows in self.facts().items()}
            is_whole = self.known_within == EVERYWHERE
            make_model = PeriodicModel if is_whole else PeriodicModel.of
            self._below, self._stratum = make_model(facts, *found), stratum
            self._open_gates()
        return self._run_stratum()

    def _open_gates(self) -> None:
        """Let what is negated be asked for as far as the horizon, in strata that are known below.

        A rule looks no further than the depth, so all that it needs is written out.
        """
        if self._below is None:
            return
        open_gates = [gate for gate in self._gates if gate.stratum <= self._stratum]
        margin = self.ruler.width + 2
        farthest = max(gate.depth for gate in self._gates) + 1
        known = self.facts()
        around = {
            key: subtract(rows, known[key]) if key in known else rows
            for key, rows in self._below.around(*self._around(farthest * margin))
        }
        self._add_facts({key: rows for key, rows in around.items() if len(rows)})
        for gate in open_gates:
            reach = np.array([self._around(gate.depth * margin)], np.int64)
            self.inference.assert_facts(relation_of(gate.atom), reach)

    def _around(self, margin: int) -> Cells:
        """The horizon and so many cells more; infinite where the strata below are constant."""
        assert self._below is not None
        assert self.inference.horizon is not None
        lo, hi = self.inference.horizon
        return (
            NEG_INF if self._below.left.is_constant else lo - margin,
            POS_INF if self._below.right.is_constant else hi + margin,
        )

    def _run_stratum(self) -> tuple[Repetition, Repetition]:
        """Run until the model is known of the strata whose gates are open."""
        evaluation = None
        if self._separated is not None:
            evaluation = UnboundedEvaluation(
                self.ruler, self._separated.heads, self._apply_operators
            )
        while True:
            self.inference.run()
            self._complete_within = self.inference.horizon
            horizon = self.known_within
            facts = self.facts()
            if evaluation is None:
                found: Periods | dict[PredicateKey, Rows] | None = find_periods(
                    facts, self.ruler, horizon
                )
            else:
                found = evaluation.look(facts, horizon)
            if isinstance(found, Periods):
                if found.left is not None and found.right is not None:
                    return found.left, found.right
            elif found:
                self._add_facts(found)
                continue
            self._reach *= 2
            self.inference.widen(self.horizon(self._reach))
            self._open_gates()

    def _apply_operators(self, facts: Mapping[PredicateKey, Rows]) -> dict[PredicateKey, Rows]:
        """What operators with ranges to infinity derive from these facts."""
        assert self._separated is not None
        inference = InferenceEngine(lower(self._separated.unbounded, self.scale), self.terms)
        inference.watch = self.inference.watch
        for key, rows in facts.items():
            inference.assert_facts(relation_named(*key), rows)
        inference.run()
        return _merge_facts(inference, arities(self._separated.unbounded))

    @property
    def known_within(self) -> tuple[int, int]:
        """The cells of which all is known once the agenda rests."""
        horizon = self.inference.horizon
        if horizon is None or not (self.inference.waits or self._has_end):
            return EVERYWHERE
        return horizon

    @property
    def _has_end(self) -> bool:
        """Is what is negated known within the horizon alone?"""
        return self._below is not None and not self._below.is_finite

    def horizon(self, reach: int) -> tuple[int, int]:
        """The cells around the data in which facts are derived."""
        ruler = self.ruler
        width = reach * (FIRST_REACH * ruler.width + 4 * ruler.step)
        return 2 * int(ruler.ends[0]) - width, 2 * int(ruler.ends[-1]) + 1 + width

    def _check(self, rows: Rows) -> None:
        """Refuse rows from which a rule may derive what is beyond all cells.

        What rules make of the others is nowhere cut to infinity, so nothing was before.
        """
        limit_cell = MAX_CELL - 2 * self.ruler.depth
        ends = rows[:, -2:]
        if not len(rows) or (-limit_cell <= ends.min() and ends.max() <= limit_cell):
            return  # as almost always: no array as long as the rows is made
        finite = (ends > NEG_INF) & (ends < POS_INF)
        if (finite & (np.abs(ends) > limit_cell)).any():
            ticks = f"with ticks of 1/{self.scale}"
            message = f"a fact, or what rules reach from it, is too far from 0: {ticks} beyond 2^61"
            raise OutOfBounds(message)

    def model(self, left: Repetition, right: Repetition, limit: str | None = None) -> Model:
        """The model that goes on so to both sides."""
        added = set() if self._separated is None else {*self._separated.added}
        if self._frozen is not None:
            added.update(map(frozen_key, self._frozen.periodic.facts))
        facts = {key: rows for key, rows in self.facts().items() if key not in added}
        # A model that is known to its ends is its rows; a reader sorts them if need be.
        is_whole = limit is not None or self.known_within == EVERYWHERE
        make_model = PeriodicModel if is_whole else PeriodicModel.of
        return Model(
            self.terms,
            self.scale,
            self.explicit,
            make_model(facts, left, right),
            self.inference.derived,
            self.inference.rounds,
            limit,
            self._complete_cells() if limit is not None else None,
            self.notation,
        )

    def _complete_cells(self) -> tuple[int, int] | None:
        """The cells of which all is known, if a limit ends it.

        Where rules look back alone, nothing beyond a horizon leads to what lies before its end.
        """
        if self._complete_within is None or self._separated is not None or self._gates:
            return None
        begin, end = self._complete_within
        match self.analysis.direction:
            case Direction.NOW | Direction.PAST:
                return NEG_INF, end
            case Direction.FUTURE:
                return begin, POS_INF
        return None


def _separation(program: MetricProgram, known: ProgramAnalysis) -> UnboundedSeparation | None:
    """The program with operators to infinity in rules of their own, if models may be endless.

    Raises:
        RuleErrors: one of them cannot stand apart.
    """
    if known.algorithm is not Algorithm.TAILS:
        return None
    found = separate_unbounded(program)
    if found is None:
        message = (
            "a Since or Until that leaves a variable unbound stands in an operator to infinity"
        )
        raise RuleErrors([NotCovered(message)])
    return found


def _merge_facts(
    inference: InferenceEngine, names: Mapping[str, int], *sources: Mapping[PredicateKey, Rows]
) -> dict[PredicateKey, Rows]:
    """The facts of tables and other sources, maximal, by predicate; good until more is derived."""
    parts: dict[PredicateKey, list[Rows]] = {}
    for facts in sources:
        for key, rows in facts.items():
            parts.setdefault(key, []).append(rows)
    keys = {relation_named(*key): key for key in names.items()}
    for table in inference.network.tables:
        rows = table.facts.content()
        if len(rows):
            parts.setdefault(keys[table.relation], []).append(rows)
    return {
        key: found[0] if len(found) == 1 else coalesce(concat(found))
        for key, found in parts.items()
    }
