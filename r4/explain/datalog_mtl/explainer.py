"""Why a fact of a model holds in an interval, or where it does not and what rules lack there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from r4.explain.datalog_mtl.data_sets import MOST_DATA, DataFact, DataSets, ModelState
from r4.explain.datalog_mtl.model_explanation import (
    DataProof,
    DataUse,
    IntervalQuestion,
    ModelExplanation,
    build_proof,
    data_of,
)
from r4.explain.datalog_mtl.notation_writer import MetricConditionWriter, NotationWriter
from r4.explain.datalog_mtl.places import Place, places, window_around
from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.rule_instances import GroundFact
from r4.explain.justification.temporal_justifications import TemporalJustifications
from r4.explain.justification.temporal_proof import TemporalProof
from r4.explain.question.known_state import KnownState
from r4.explain.question.why_not import explain_why_not
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import clip
from rete.storage.interval_sets import CellInterval, IntervalSet, coalesce, subtract
from temporal.model.least_model import Model
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram
from temporal.mtl.lowering import relation_named
from temporal.periods.period_search import EVERYWHERE

_MARGINS: Final = (1, 4, 16)
"""So many times as wide are the windows in which a derivation is looked for, in turn."""


class ModelExplainer:
    """Explains the facts of a model that is known as a whole.

    Attributes:
        writer: writes facts and times as the program does.
    """

    def __init__(
        self,
        model: Model,
        program: MetricProgram,
        question: IntervalQuestion,
        title: str,
        before: Model | None = None,
    ) -> None:
        """Begin: the ``model`` has no limit; ``before`` is the one before an update, if any."""
        self._before = before
        self._program = program
        self._title = title
        self._model = model
        self._question = question
        self._state = ModelState(model, program, question.key[0])
        self._ends = _data_ends(model)
        self._is_endless = analyse(self._state.program).may_be_endless
        self._width = 4 * model.periodic.right.width + 8
        self._sets = DataSets(self._state, question)
        self.writer = NotationWriter(model, program, self._state.numbers, title)

    def explain(self, limit: int) -> ModelExplanation:
        """At most ``limit`` minimal sets of data with proofs; or why the fact does not hold."""
        question = self._question
        if not self._model.periodic.holds(question.key, question.terms, *question.when):
            return self._why_not(limit)
        where = iter([Place(question.when)])
        if self._is_endless:
            where = places(self._model.periodic, question.when)
        for place in where:
            for proofs, is_all in self._found_at(place, limit):
                if proofs:
                    shown = tuple(proofs[:limit])
                    complete = is_all and len(shown) == len(proofs)
                    return ModelExplanation(question, holds=True, proofs=shown, complete=complete)
        some = self._without_proof()
        return ModelExplanation(question, holds=True, proofs=some, complete=False)

    def _found_at(self, place: Place, limit: int) -> Iterator[tuple[list[DataProof], bool]]:
        """The proofs at a place in ever wider windows, and whether there are no others."""
        fact = GroundFact(relation_named(*self._question.key), self._question.terms)
        for margin in _MARGINS if place.is_exact and self._is_endless else _MARGINS[:1]:
            window = EVERYWHERE
            if self._is_endless:
                periodic, when = self._model.periodic, place.when
                window = window_around(periodic, self._ends, when, margin * self._width)
            state = self._state.within(window)
            search = TemporalJustifications(GroundProgram(state, fact, place.when, window))
            found = [
                self._proof(proof, place)
                for proof in search.proofs(limit)
                if self._is_right(proof, place)
            ]
            if self.writer.change is not None and found and not any(e.is_changed for e in found):
                proof = search.proof_with(self._is_changed)
                if proof is not None and self._is_right(proof, place):
                    found.append(self._proof(proof, place))
            found.sort(key=lambda each: (not each.is_changed, len(each.data)))
            yield found, search.complete and place.is_exact

    def _is_changed(self, leaf: ProofLeaf) -> bool:
        """Whether the other side of an update has not all of a fact of the data."""
        if not isinstance(leaf.node, GroundFact):
            return False
        return bool(self.writer.change_of(*leaf.node, (leaf.lo, leaf.hi)))

    def _is_right(self, proof: TemporalProof, place: Place) -> bool:
        """Do its leaves entail the fact in the interval of the question, and all are needed?"""
        data = self._data(proof)
        return data is not None and (place.is_exact or self._sets.is_minimal(data))

    def _data(self, proof: TemporalProof) -> list[DataFact] | None:
        """The leaves of a proof; None: some are no data, as too much leads to them."""
        found: list[DataFact] = []
        explicit = {relation_named(*key): key for key in self._model.explicit}
        for leaf in proof.leaves:
            key = explicit.get(leaf.node.relation) if isinstance(leaf.node, GroundFact) else None
            if key is None:
                return None
            assert isinstance(leaf.node, GroundFact)
            row = [*leaf.node.terms, leaf.lo, leaf.hi]
            if not (self._model.explicit[key] == row).all(axis=1).any():
                return None
            found.append((key, tuple(row)))
        return found

    def _proof(self, proof: TemporalProof, place: Place) -> DataProof:
        tree = build_proof(proof, self.writer)
        return DataProof(data_of(tree, self.writer), tree, place.when, place.shift)

    def _without_proof(self) -> tuple[DataProof, ...]:
        """A minimal set of data, of which no proof was found within the bound."""
        data = self._sets.relevant
        if len(data) > MOST_DATA:
            return ()
        uses = []
        for key, row in self._sets.least(data):
            when = row[-2], row[-1]
            text = self.writer.fact(key[0], row[:-2])
            uses.append(DataUse(text, when, (when,)))
        return (DataProof(tuple(uses), None, self._question.when),)

    def _why_not(self, limit: int) -> ModelExplanation:
        question = self._question
        shown = self._reach()
        held = self._held(shown)
        (first, *_) = subtract((shown,), held)
        cell = first[0] if first[0] > NEG_INF else min(first[1], shown[1], 1) - 1
        at, window = cell, EVERYWHERE
        if self._is_endless:
            at = next(places(self._model.periodic, (cell, cell + 1))).when[0]
            window = window_around(self._model.periodic, self._ends, (at, at + 1), self._width)
        state = self._state.within(window, at)
        wording = MetricConditionWriter(self.writer)
        relation = relation_named(*question.key)
        taken = self._taken(cell, limit)
        rules = {each.rule for each in taken}
        known = KnownState(
            state, wording, self._known(window, cell - at), shift=cell - at, first=rules
        )
        return ModelExplanation(
            question,
            holds=False,
            held=held,
            shown=shown,
            missing_at=cell,
            missing=explain_why_not(known, relation, question.terms),
            taken=taken,
        )

    def _known(self, window: CellInterval, shift: int) -> CellInterval:
        """In which cells all is as the model has it.

        Near the ends of a ``window`` operators do not see all that they look at. What is told
        ``shift`` cells from where it is found must lie where the model repeats.
        """
        lo, hi = window
        if window != EVERYWHERE:
            lo, hi = lo + self._width // 2, hi - self._width // 2
        periodic, width = self._model.periodic, self._width // 4
        if shift > 0:
            lo = max(lo, periodic.right.period[0] - width)
        elif shift < 0:
            hi = min(hi, periodic.left.period[1] + width)
        return lo, hi

    def _taken(self, cell: int, limit: int) -> tuple[DataProof, ...]:
        """The justifications in a cell before the update, which changed their data."""
        question = replace(self._question, when=(cell, cell + 1))
        before = self._before
        if before is None or not before.periodic.holds(
            question.key, question.terms, *question.when
        ):
            return ()
        explainer = ModelExplainer(before, self._program, question, self._title)
        explainer.writer.change = self._model, "deleted"
        found = explainer.explain(limit).proofs
        return tuple(each for each in found if each.is_changed and not each.shift)

    def _reach(self) -> CellInterval:
        """The part of the question in which it is looked at when the fact holds."""
        lo, hi = self._question.when
        periodic = self._model.periodic
        first, last = periodic.left.period[0], periodic.right.period[1]
        back, ahead = 2 * periodic.left.shift, 2 * periodic.right.shift
        begin = max(lo, min(first, hi - 1) - back)
        return begin, min(hi, max(last, begin) + ahead)

    def _held(self, shown: CellInterval) -> IntervalSet:
        """Where the fact holds, of the cells ``shown``."""
        key, terms = self._question.key, self._question.terms
        rows = self._model.periodic.facts.get(key)
        if rows is None:
            return ()
        mine: Rows = rows[(rows[:, :-2] == np.array(terms, np.int64)).all(axis=1)]
        if self._model.periodic.is_finite:
            found = clip(mine, *shown)
        else:
            only = replace(self._model.periodic, facts={key: mine})
            found = dict(only.unfold(*shown))[key]
        return coalesce((lo, hi) for lo, hi in found[:, -2:].tolist())


def _data_ends(model: Model) -> CellInterval:
    """The cells from the first finite end in the data to the last."""
    ends = np.concatenate(
        [np.zeros(1, np.int64), *(rows[:, -2:].ravel() for rows in model.explicit.values())]
    )
    finite = ends[np.abs(ends) < POS_INF]
    return int(finite.min()), int(finite.max())
