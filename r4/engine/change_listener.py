"""The change listener: passes what tables gain and lose to the emitter; deriving all anew."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Protocol

import numpy as np

from r4.answers.emitter import Emitter
from r4.program.program import COUNTED, STATE
from r4.time.progress import TimeProgress
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.graph.streams import FactTable
from rete.inference.errors import LimitReached
from rete.inference.inference_engine import InferenceEngine
from rete.network.layers import Layers
from rete.terms.relations import Relation


class TimeLimitReached(LimitReached):
    """Rules derive ever later facts, up to where kernels cut cells to infinity."""


class DerivationObserver(Protocol):
    """Observes all that rules derive; facts of some relations are its own, and no answers."""

    def attach(self, layers: Layers) -> None:
        """Observe these networks; called once, first."""

    def reads(self, relation: Relation) -> bool:
        """Whether facts of the relation are its own."""

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table gained ``rows``."""

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table lost ``rows``."""

    def take_back(self, relation: Relation, rows: Rows) -> None:
        """Facts of a relation are asserted no longer."""

    @property
    def held(self) -> Column:
        """The ids that it needs."""


class ChangeListener:
    """Gets the changes of all tables: the observer sees all, the emitter the answers.

    With metric operators, rows of tables are rounded to ticks first, and are final later.
    """

    __slots__ = ("_emitter", "_inference", "_most", "_observer")

    def __init__(
        self, inference: InferenceEngine, emitter: Emitter, observer: DerivationObserver | None
    ) -> None:
        self._inference = inference
        self._emitter = emitter
        self._observer = observer
        self._most = POS_INF
        inference.on_gain, inference.on_loss = self.gained, self.lost

    def limit_time(self, step: int) -> None:
        """Let nothing be derived after rows that rules, by ``step`` ticks, move to infinity."""
        self._most = POS_INF - 2 * step

    def gained(self, table: FactTable, rows: Rows) -> None:
        """A table of answers gained ``rows``."""
        if self._most < POS_INF:
            ends = rows[:, -2:]
            far = (np.abs(ends) >= self._most) & (ends > NEG_INF) & (ends < POS_INF)
            if far.any():
                message = "rules derive facts for ever, beyond 2^60 ticks"
                self._inference.stop = TimeLimitReached(message)
        if self._observer is not None:
            self._observer.gain(table, rows)
            if self._observer.reads(table.relation):
                self._inference.derived -= len(rows)
                return
        if table.relation.undivided in {STATE, COUNTED}:
            self._inference.derived -= len(rows)  # if they are derived, they were counted before
        if table.ticks is not None:
            rows = table.ticks.gain(rows, self._inference.bound)
        if len(rows):
            self._emitter.gain(table.answer_facts, rows)

    def lost(self, table: FactTable, rows: Rows) -> None:
        """A table of answers lost ``rows``."""
        if self._observer is not None:
            self._observer.lose(table, rows)
            if self._observer.reads(table.relation):
                return
        if table.ticks is not None:
            rows = table.ticks.lose(rows, self._inference.bound)
        if len(rows):
            self._emitter.lose(table.answer_facts, rows)

    def begin_at(self, cell: int) -> None:
        """Answers begin at ``cell``, the first stamp; a lesser one may come, not a later one."""
        for table in self._inference.layers.all_tables:
            ticks = table.ticks
            if ticks is None or ticks.begin == cell:
                continue
            is_earlier, ticks.begin = ticks.begin > cell, cell
            if is_earlier:
                for rule, stem in table.by_rule.items():
                    ticks.give(rule, stem.content(), self._inference.bound)
                self.gained(table, table.facts.content())

    def read_at_ticks(self, progress: TimeProgress, least: int) -> None:
        """Round the rows of tables from now on; they are final ``least`` cells later, or more."""
        tables = [table for table in self._inference.layers.all_tables if table.answers]
        if self._observer is not None:
            tables = [table for table in tables if not self._observer.reads(table.relation)]
        progress.lag = max(max((table.lateness for table in tables), default=0), least)
        for table in tables:
            ticks = table.read_at_ticks()
            ticks.lag, ticks.final = progress.lag, progress.final


def recompute(
    inference: InferenceEngine, listener: ChangeListener, derive: Callable[[], None]
) -> None:
    """Derive all anew from the base table, by networks that have no rows; nothing is pending.

    Networks remember what later facts may meet, not what a rule may look back on that joins them.
    So when one does, all forget their rows and derive them anew, at all times, from the base table,
    which keeps what has ended. Rules that ran look back on what the new ones derive, and new ones
    on what those derived. Answers that are final stay; those to come are compared. Costs what it
    does to derive all that follows from the facts that are kept.

    Raises:
        LimitReached: it is more than the limit of ``inference``.
    """
    bound = inference.bound
    derive_anew(inference, derive)
    for table in inference.layers.all_tables:
        if table.ticks is not None:
            by_rule, lost = table.ticks.not_derived(table)
            for rule, rows in by_rule:
                table.ticks.drop(rule, rows, NEG_INF)
            listener.lost(table, lost)
    inference.bound = bound
    inference.expire()


def derive_anew(inference: InferenceEngine, derive: Callable[[], None]) -> None:
    """Derive all that follows from the base table, by networks that have no rows; none goes."""
    nodes = [node for network in inference.layers.networks for node in network.linear_nodes()]
    counted = [(node.outside, deepcopy(node.outside)) for node in nodes]
    inference.bound = NEG_INF  # no row goes before all others have met it
    inference.assert_again()
    derive()
    for outside, before in counted:  # each call counts once
        outside.count, outside.samples = before.count, before.samples
        outside.reason = before.reason
