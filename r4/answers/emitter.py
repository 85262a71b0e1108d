"""The emitter: what tables gain and lose becomes changes in order, final or early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from r4.answers.early_results import EarlyResults
from r4.answers.ledger import DELETED, AnswerBlock, Ledger, RowAnswers, beginning
from r4.answers.output_order import NO_CHANGES, Changes, order_answers
from rete import kernels
from rete.arrays.delta import NEG_INF, Column
from rete.arrays.state_codec import Mask, State, StateReader
from rete.network.layers import Layers
from rete.storage.fact_set import FactSet, FactSetListener
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES

_NONE: Final = np.empty(0, np.int64)


class Emitter:
    """Emits answers once they are final, or as soon as time reaches them.

    Attributes:
        early: the early results; None: answers are emitted once they are final.
        gain, lose: to be called with what tables of answers gain and lose.
    """

    def __init__(
        self,
        layers: Layers,
        terms: Dictionary,
        *,
        instances: bool,
        arrival: bool,
        state: bool,
    ) -> None:
        """Begin with the answers of ``layers``.

        With ``arrival`` they are emitted as soon as time reaches them; with ``state`` triples are
        emitted as part of the state, and not as derived.
        """
        self._layers = layers
        self._terms = terms
        self._state = state
        self.early = EarlyResults(instances=instances) if arrival else None
        self._ledger = self.early or Ledger(instances=instances)
        self._settled: list[AnswerBlock] = []
        self.gain = self._but_state(self._ledger.gain)
        self.lose = self._but_state(self._ledger.lose)
        self.watch()

    def watch(self) -> None:
        """Listen to which rule gives an answer, where answers are emitted early.

        To be called again when networks were added.
        """
        if self.early is not None:
            self.early.unite()
            watch = self._but_state(self.early.shift)
            for network in self._layers.networks:
                for table in network.tables:
                    table.answer_facts.listener = watch if table.answers else None

    def _but_state(self, listener: FactSetListener) -> FactSetListener:
        """``listener``, but not called with triples that are emitted as part of the state."""
        if not self._state:
            return listener
        return lambda table, rows: (
            None if table.relation.undivided == TRIPLES else listener(table, rows)
        )

    def settle(self, limit: int) -> None:
        """All cells up to ``limit`` are final: what follows changes none of their answers."""
        self._settled += self._ledger.close(limit)

    def read_rows(self, rows: RowAnswers | None) -> None:
        """Answers may be pending one by one from now on; None: no more are."""
        if isinstance(self._ledger, Ledger):
            self._ledger.read_rows(rows)

    def pass_by(self, limit: int) -> bool:
        """All cells up to ``limit`` are final: whether `close` would give only what is in rows."""
        return isinstance(self._ledger, Ledger) and self._ledger.pass_by(limit)

    @property
    def has_settled(self) -> bool:
        """Whether answers are final and not emitted, see `settle`."""
        return bool(self._settled)

    def close(self, limit: int) -> Changes:
        """The answers that are final as all cells up to ``limit`` are; none if they are early."""
        settled, self._settled = self._settled, []
        return order_answers(settled + self._ledger.close(limit), self._terms)

    def static_answers(self) -> list[tuple[FactSet, AnswerBlock]]:
        """What follows from static data alone, with the tables that have it."""
        found: list[tuple[FactSet, AnswerBlock]] = []
        for table in self._tables():
            rows = table.facts.content()
            block = beginning(table, rows[rows[:, -2] == NEG_INF]) if table.answers else None
            if block is not None:
                found.append((table, block))
        return found

    def end_static(self, before: list[tuple[FactSet, AnswerBlock]]) -> Changes:
        """The end, which has no time, of what followed ``before`` and follows no more."""
        blocks: list[AnswerBlock] = []
        for table, (relation, facts, _, _, start, _, rule) in before:
            rows = np.column_stack((facts, start))
            gone = table.facts.find(rows, kernels.BEGINS_AT) < 0
            never = start[gone]
            blocks.append(
                AnswerBlock(relation, facts[gone], DELETED, never, never, never, rule[gone])
            )
        return order_answers(blocks, self._terms)

    def emit_early(self, last: int) -> Changes:
        """The early results, new and undone, with ``last`` the largest stamp; none else."""
        return NO_CHANGES if self.early is None else self.early.due(last, self._terms)

    @property
    def needed_ids(self) -> Column:
        """The ids of what was emitted and is not final, or the reverse: a sweep must keep them."""
        settled = [block.facts.ravel() for block in self._settled]
        return np.concatenate([_NONE if self.early is None else self.early.needed_ids, *settled])

    def saved(self) -> State:
        """What was emitted early and what is pending."""
        return self._ledger.saved(self._tables())

    def restore(
        self, given: StateReader, alive: Mask, tables: Sequence[FactSet] | None = None
    ) -> None:
        """Go on from what was saved of ``tables``; None: of those that there are."""
        self._ledger.restore(given, self._tables() if tables is None else tables, alive)

    def _tables(self) -> list[FactSet]:
        return [table.answer_facts for table in self._layers.all_tables]
