"""Answers on their way out: what tables gain and lose becomes changes, in order."""

from __future__ import annotations

from typing import Final

import numpy as np

from r4.answers.early_results import EarlyResults
from r4.answers.ledger import Ledger
from r4.answers.output_order import NO_CHANGES, Changes, order_answers
from rete.arrays.delta import Column
from rete.arrays.state_codec import Mask, State, StateReader
from rete.network.layers import Layers
from rete.planning.plan import TRIPLES
from rete.storage.fact_set import FactSet, FactSetListener
from rete.terms.dictionary import Dictionary

_NONE: Final = np.empty(0, np.int64)


class Emitter:
    """Tells answers once they are final, or as soon as time reaches them.

    Attributes:
        arrivals: what was told before it is final; None: nothing is.
        gain, lose: are to be told what tables of answers gain and lose.
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
        """Begin.

        Args:
            layers: whose answers they are.
            terms: the dictionary of all ids.
            instances: whether an answer is an instance.
            arrival: whether answers are told as soon as time reaches them.
            state: whether triples are told as part of the state, and not as derived.
        """
        self._layers = layers
        self._terms = terms
        self._state = state
        self.arrivals = EarlyResults(instances=instances) if arrival else None
        self._ledger = self.arrivals or Ledger(instances=instances)
        self.gain = self._of_state(self._ledger.tell)
        self.lose = self._of_state(self._ledger.lose)
        self.watch()

    def watch(self) -> None:
        """Hear which rule gives an answer, where answers are told before they are final.

        Once for every network.
        """
        if self.arrivals is not None:
            self.arrivals.unite()
            watch = self._of_state(self.arrivals.shift)
            for network in self._layers.networks:
                for table in network.tables:
                    table.answer_facts.listener = watch if table.answers else None

    def _of_state(self, tell: FactSetListener) -> FactSetListener:
        """``tell``, but not of triples that are told as part of the state."""
        if not self._state:
            return tell
        return lambda table, rows: None if table.relation.undivided == TRIPLES else tell(table, rows)

    def close(self, limit: int) -> Changes:
        """What is final as all cells up to ``limit`` are, if that is what is told."""
        return order_answers(self._ledger.close(limit), self._terms)

    def arrived(self, last: int) -> Changes:
        """What is to be told and undone with ``last`` the largest stamp, if that is told."""
        return NO_CHANGES if self.arrivals is None else self.arrivals.due(last, self._terms)

    @property
    def held(self) -> Column:
        """The ids of what was told and is not final."""
        return _NONE if self.arrivals is None else self.arrivals.held

    def saved(self) -> State:
        """What was told and what waits."""
        return self._ledger.saved(self._tables())

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved."""
        self._ledger.restore(given, self._tables(), alive)

    def _tables(self) -> list[FactSet]:
        """The tables that answers are read from, in their order."""
        return [table.answer_facts for table in self._layers.all_tables]
