"""Live models: least models that follow their data [DRedMTL26, Algorithm 1].

A live model keeps the network that derived it. Deleted facts go through it as minus rows: what lost
its derivations is taken out, and what still follows is derived again (`rete.retraction`). Inserted
facts follow as plus rows. Within the horizon the network then has exactly the new model. What its
tables gained and lost are the changed facts; how the model goes on beyond is found from these alone
(`temporal.maintenance.tail_counts`). Only if that cannot be seen within the horizon, it is widened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import lcm
from time import perf_counter

from rete.arrays.delta import Cells, Rows
from rete.arrays.state_codec import State
from rete.kernels import clip
from rete.storage.base_table import BaseTable
from rete.storage.row_algebra import unite
from rete.terms.dictionary import Dictionary
from rete.whole_calls import WholeCalls
from rif.errors.base import RuleError
from temporal.facts.bulk_loader import Dataset
from temporal.maintenance.end_points import EndPoints
from temporal.maintenance.explicit_data import ExplicitChange, ExplicitData, rescale_facts
from temporal.maintenance.fact_changes import AtomRows, ChangedFacts, ChangedRows
from temporal.maintenance.model_state import ModelState, saved_state
from temporal.maintenance.net_change import ModelChange
from temporal.maintenance.tail_counts import ModelTails, Sides
from temporal.maintenance.update_method import (
    Method,
    TooMuchChanged,
    UpdateStatistics,
    check_account,
    foresee,
)
from temporal.model.least_model import Model
from temporal.model.limits import Clock, LimitReached, Limits, Meter, ProgressCallback, start_clock
from temporal.model.materialisation import Materialisation
from temporal.mtl.analysis import Algorithm, analyse
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.periods.periodic_model import PeriodicModel


@dataclass(frozen=True, slots=True)
class Update:
    """What was done in an update, and its net change."""

    _find_change: Callable[[], ModelChange]
    statistics: UpdateStatistics

    @property
    def change(self) -> ModelChange:
        """The net change of the model, to be asked for before the next update.

        Where the model was recomputed, both models are compared: O(n) in them.
        """
        return self._find_change()


class LiveModel:
    """A least model whose explicit facts may be deleted and inserted."""

    def __init__(  # noqa: PLR0913 - the task, its limits, its progress
        self,
        program: MetricProgram,
        data: Dataset,
        terms: Dictionary,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        watch: ProgressCallback | None = None,
        resumes: ModelState | None = None,
    ) -> None:
        """Materialise; see `temporal.model.materialisation.materialise`.

        With ``resumes``, which has these data and terms and was `saved` of the same program, go on
        from there instead.

        Raises:
            ValueError: no model was ever in the state ``resumes``.
            RuleErrors: a rule is too long, or has a number too far from 0.
            OutOfBounds: something follows too far from 0.
            LimitReached: a limit was exceeded; there is no model to update.
        """
        self._program = program
        self._terms = terms
        self._limits = limits or Limits()
        self._watch = watch
        self._notation = data.notation
        self._is_complete = False
        known = analyse(program)
        self._is_maintained = known.is_maintained
        self._why_recomputed = "ranges to infinity in recursion"
        if known.algorithm is not Algorithm.TAILS:
            self._why_recomputed = "negation, and recursion through time"
        self._explicit: ExplicitData | None = None
        self._whole = WholeCalls(LimitReached, RuleError)
        self._start(data, clock or start_clock(), resumes)
        self._is_complete = True

    def saved(self) -> State:
        """All of it, but for the program, for `temporal.maintenance.model_state`. O(n)."""
        self._whole.check()
        assert self._is_complete, "a limit ended the last update"
        made, network = self._made, None
        if self._is_maintained:
            network = {**made.saved(), "first": self._derived}
        data = Dataset(self.scale, self.explicit, self._notation)
        return saved_state(self._program, data, self._terms, network)

    @property
    def scale(self) -> int:
        """Ticks to the unit of time."""
        return self._made.scale

    @property
    def explicit(self) -> dict[PredicateKey, Rows]:
        """The explicit facts, maximal. O(n)."""
        self._whole.check()
        return self._made.explicit if self._explicit is None else self._explicit.rows()

    def model(self) -> Model:
        """The whole model as it is now, as `materialise` gives it. O(n) in its facts."""
        self._whole.check()
        assert self._is_complete, "a limit ended the last update"
        self._made.explicit = self.explicit
        found = self._made.model(*self._sides)
        return replace(found, periodic=_snapshot(found.periodic))

    def update(
        self,
        delete: Dataset | None = None,
        insert: Dataset | None = None,
        method: Method = Method.AUTO,
    ) -> Update:
        """Delete explicit facts, or parts of them, then insert others.

        Args:
            delete: facts of the dictionary of the model. What is not explicit is not deleted.
            insert: the same.
            method: how the model follows.

        Raises:
            OutOfBounds: something follows too far from 0.
            LimitReached: a limit was exceeded. The next update recomputes the model.
            EngineBroken: a call was cut short, as by a ``KeyboardInterrupt``; so are all others.

        If a tick is too long for the numbers of these facts, the model is derived anew with shorter
        ones first. Else an update costs what its changes cost, unless the model is recomputed.
        """
        with self._whole:
            return self._update(delete, insert, method)

    def _update(self, delete: Dataset | None, insert: Dataset | None, method: Method) -> Update:
        is_complete, self._is_complete = self._is_complete, False
        scale = lcm(self.scale, *(each.scale for each in (delete, insert) if each is not None))
        if scale != self.scale:
            is_complete = True
            rows, self._explicit = rescale_facts(self.explicit, scale // self.scale), None
            self._start(Dataset(scale, rows), start_clock())
        gone, come = (
            {} if each is None else rescale_facts(each.rows, scale // each.scale)
            for each in (delete, insert)
        )
        statistics = UpdateStatistics()
        explicit = self._indexed_data()
        change = explicit.change(gone, come)
        statistics.without_effect = change.without_effect
        statistics.deleted = sum(map(len, change.lost.values()))
        statistics.added = sum(map(len, change.gained.values()))
        if not self._is_maintained:
            statistics.reason = self._why_recomputed
        elif not is_complete:
            statistics.reason = "a limit ended the last update"
        elif method is Method.AUTO:
            number = statistics.deleted + statistics.added
            statistics.reason = foresee(number, explicit.count, self._derived)
        if method is Method.RECOMPUTE or statistics.reason:
            if self._changed is not None:
                self._changed.clear()
            found = self._recompute(explicit, change, statistics)
        else:
            try:
                found = self._maintain(
                    explicit, change, statistics, is_checked=method is Method.AUTO
                )
            except TooMuchChanged:
                statistics.reason = "more than half of the model changed"
                found = self._recompute(explicit, change, statistics)
        self._is_complete = True
        return found

    @property
    def _sides(self) -> Sides:
        return self._found if self._tails is None else self._tails.sides

    def _start(self, data: Dataset, clock: Clock, resumes: ModelState | None = None) -> None:
        """Derive the model of other data, in a network of its own.

        What only updates need is made with the first one.
        """
        network = None if resumes is None else resumes.network
        made = Materialisation(
            self._program,
            data,
            self._terms,
            maintained=self._is_maintained,
            begins=network is None,
        )
        made.notation = self._notation
        if network is None or resumes is None:
            self._found = Sides(*made.derive(self._limits, clock, self._watch))
            self._derived = made.inference.derived
        else:
            made.restore(network, resumes.alive)
            self._found = Sides(*made.run_to_end())
            self._derived = network.integer("first", 0)
        self._made = made
        self._changed: ChangedFacts | None = None
        self._tails: ModelTails | None = None

    def _indexed_data(self) -> ExplicitData:
        """The explicit data; they stay the same object when the model is recomputed."""
        made = self._made
        if self._explicit is None:
            base_table = made.inference.layers.base_table if self._is_maintained else None
            base_table = base_table or BaseTable(instances=False)
            ends = EndPoints(made.ruler.depth, made.ruler.step)
            self._explicit = ExplicitData(base_table, ends)
            self._explicit.fill(made.explicit)
        return self._explicit

    def _prepare(self, explicit: ExplicitData, before: ExplicitChange) -> ModelTails:
        """Arrange the network for losses, and count the tails; the explicit data have changed."""
        made = self._made
        if self._tails is None:
            made.inference.maintain()
            self._changed = ChangedFacts(made, explicit)
            made.explicit = before.undone(explicit.rows())
            self._tails = ModelTails(made.facts(), made.ruler, self._found)
        return self._tails

    def _recompute(
        self, explicit: ExplicitData, change: ExplicitChange, statistics: UpdateStatistics
    ) -> Update:
        statistics.method = Method.RECOMPUTE
        begun, made, sides, changed = perf_counter(), self._made, self._sides, self._changed
        self._start(Dataset(self.scale, explicit.rows()), start_clock())
        if self._is_maintained:
            self._made.inference.layers.base_table = explicit.table
        statistics.recomputation = perf_counter() - begun

        def find_change() -> ModelChange:
            made.explicit = explicit.rows()
            if changed is None:
                made.explicit = change.undone(made.explicit)
                before = made.model(*sides).periodic
            else:  # the network may have followed a part of the change
                facts = made.facts()
                rows = changed.of_model(change)
                undone = {**facts, **{each.key: each.undone(facts) for each in rows}}
                before = PeriodicModel.of(undone, *sides)
            return ModelChange(before, self.model().periodic)

        return Update(find_change, statistics)

    def _maintain(
        self,
        explicit: ExplicitData,
        change: ExplicitChange,
        statistics: UpdateStatistics,
        *,
        is_checked: bool,
    ) -> Update:
        """Overdelete, rederive, insert, and find how the model goes on.

        Raises:
            TooMuchChanged: the account ``is_checked``, and that is so.
        """
        made, inference = self._made, self._made.inference
        tails = self._prepare(explicit, change)
        changed = self._changed
        assert changed is not None
        meter = Meter(self._limits, start_clock(), self._watch)
        derived, rounds = inference.derived, inference.rounds
        overdeleted = inference.overdeleted

        def look() -> None:
            number = inference.derived - derived
            meter.check(number, inference.rounds - rounds)
            if is_checked:
                check_account(number + inference.overdeleted - overdeleted, self._derived)

        inference.watch = look if is_checked or not meter.is_idle else None
        made.ruler = explicit.ends.ruler()
        horizon = made.horizon(1)
        if inference.horizon is not None:
            inference.widen(horizon)
            inference.run()
        known = made.known_within
        changed.clear()

        begun, settling = perf_counter(), inference.settling
        made.withdraw(change.lost)
        inference.run()
        gained = changed.rows_gained
        statistics.overdeleted = inference.overdeleted - overdeleted
        statistics.rederived = statistics.overdeleted - changed.rows_lost + gained
        statistics.overdeletion = inference.settling - settling
        statistics.rederivation = perf_counter() - begun - statistics.overdeletion

        begun = perf_counter()
        made.push(change.gained)
        inference.run()
        statistics.inserted = changed.rows_gained - gained
        statistics.insertion = perf_counter() - begun

        begun = perf_counter()
        found = self._find_periods(changed, change, tails, known)
        statistics.periods = perf_counter() - begun
        return Update(found, statistics)

    def _find_periods(
        self, observed: ChangedFacts, explicit: ExplicitChange, tails: ModelTails, known: Cells
    ) -> Callable[[], ModelChange]:
        """Find how the model goes on, from what has changed; before, all within ``known`` was.

        That is what lies beyond the data: the rest is compared when the net change is asked for.

        Returns what gives the net change.
        """
        made, sides = self._made, tails.sides
        if made.known_within == known:
            beyond = tails.beyond(known)
            inner = beyond[0][1], beyond[1][0]
            changed = observed.of_model(explicit, inner)
            left, right = (observed.atoms(changed, cells) for cells in beyond)
            if tails.update(left, right, made.ruler, known):
                found, tail_rows = tails.sides, [left, right]
                return lambda: _change_of(
                    observed.of_model(explicit), tail_rows, inner, sides, found
                )
        changed = observed.of_model(explicit)
        made.explicit = self.explicit
        facts = made.facts()
        before = {**facts, **{each.key: each.undone(facts) for each in changed}}
        model_before = _snapshot(PeriodicModel.of(before, *sides))
        found = Sides(*made.run_to_end())
        facts = made.facts()
        self._tails = ModelTails(facts, made.ruler, found)
        change = ModelChange(model_before, _snapshot(PeriodicModel.of(facts, *found)))
        return lambda: change


def _change_of(
    changed: list[ChangedRows],
    atoms: list[dict[PredicateKey, AtomRows]],
    inner: Cells,
    sides: Sides,
    found: Sides,
) -> ModelChange:
    """The change of a model, of which one has the changed rows, and those of changed tails."""
    before, after = {}, {}
    for each in changed:
        key = each.key
        tails = [rows[key] for rows in atoms if key in rows]
        before[key] = unite([clip(each.lost, *inner), *(rows.before for rows in tails)])
        after[key] = unite([clip(each.gained, *inner), *(rows.after for rows in tails)])
    return ModelChange(PeriodicModel.of(before, *sides), PeriodicModel.of(after, *found))


def _snapshot(model: PeriodicModel[PredicateKey]) -> PeriodicModel[PredicateKey]:
    """The model with rows of its own, which the tables of the network do not change."""
    facts = {key: rows if rows.base is None else rows.copy() for key, rows in model.facts.items()}
    return replace(model, facts=facts)
