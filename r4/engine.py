"""The engine: batches of facts in, changes of what follows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from r4.answers import Block, Ledger
from r4.changes import Changes, in_order
from r4.compile import Program
from r4.streams import NO_END, Batch
from rete.agenda import Agenda
from rete.delta import NEG_INF, POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rete.network import Network
from rete.plan import TRIPLES

_FAR: Final = 2**61 - 1
"""After every finite tick, and its cell still a finite one."""


class Core:
    """A program running: the network, its clock, and what is still to be told.

    All in ids and ticks; `r4.api.Engine` speaks RDF.

    Attributes:
        program: what runs.
        terms: the dictionary that all ids belong to.
        network: its nodes and their state.
        frontier: instants before it are closed; `NEG_INF` before the first.
        begun: whether all static data are in.
    """

    def __init__(
        self,
        program: Program,
        terms: Dictionary,
        *,
        instances: bool = False,
        limit: int | None = None,
    ) -> None:
        self.program = program
        self.terms = terms
        self.network = Network(program.emits, terms, instances=instances)
        self.frontier = NEG_INF
        self._ledger = Ledger(instances=instances)
        self._agenda = Agenda(self.network, self._ledger.tell, limit)
        self.begun = False
        for relation, texts in program.facts:
            ids = terms.encode_many(texts)
            terms.pin(ids)
            self._agenda.push(relation, np.array([[*ids.tolist(), NEG_INF, POS_INF]], np.int64))

    def assert_static(self, rows: Rows) -> None:
        """Triples (n, 3) that always hold; before `begin` only."""
        assert not self.begun
        self.terms.pin(rows.ravel())
        self._push(rows, np.full(len(rows), NEG_INF), np.full(len(rows), POS_INF))

    def begin(self) -> Changes:
        """All static data is in: what follows from it alone. Called once, by `step` if need be."""
        self.begun = True
        self._agenda.run()
        return self._changes(self._ledger.close(NEG_INF))

    def step(self, batch: Batch) -> list[Changes]:
        """Take in a batch; what became final by it, in order.

        What follows from static data comes first, in changes of its own, once. The ids of changes
        mean something until the next step, when terms may be forgotten.

        Raises:
            LimitReached: rules derive more than ``limit`` facts from it.
        """
        rows = batch.rows
        if len(rows) and batch.start[0] == NEG_INF:
            self.assert_static(rows)
            return []
        out = [] if self.begun else [self.begin()]
        lo, hi = self._valid(batch.start, batch.end)
        self.terms.touch(rows, hi)
        self._forget(batch.held)
        some = lo < hi
        if not some.all():  # a window of 0, or an interval that rounding empties
            rows, lo, hi = rows[some], lo[some], hi[some]
        self._push(rows, lo, hi)
        out.append(self.close(batch.frontier))
        return out

    def close(self, frontier: int) -> Changes:
        """Close all instants before ``frontier``; what is final by that, in order."""
        self._agenda.run()
        if frontier <= self.frontier:
            return self._changes([])
        self.frontier = frontier
        blocks = self._ledger.close(2 * frontier - 1)
        self._agenda.bound = 2 * frontier
        return self._changes(blocks)

    def finish(self, last: int, drain: int | None = 0) -> Changes:
        """The input has ended with ``last`` its largest stamp: what is still to be told.

        Args:
            last: ticks; `NEG_INF` if there was no stamp.
            drain: ticks after ``last`` up to which changes are told too, inclusive; None: to the
                end of all that ends.
        """
        if not self.begun:
            return self.begin()
        if last == NEG_INF:
            return self._changes([])
        until = _FAR if drain is None else last + drain
        return self.close(max(until + 1, self.frontier))

    def derived_at(self, tick: int) -> Iterator[tuple[str, str, str]]:
        """Texts of the derived triples that hold at ``tick``, in no order."""
        self._agenda.run()
        for table in self.network.tables:
            if table.relation == TRIPLES:
                rows = table.facts.content()
                holds = (rows[:, -2] <= 2 * tick) & (2 * tick < rows[:, -1])
                texts = self.terms.decode_many(np.ascontiguousarray(rows[holds, :3]).ravel())
                yield from zip(*[iter(texts)] * 3, strict=True)

    def _push(self, rows: Rows, lo: Column, hi: Column) -> None:
        if len(rows):
            facts = np.empty((len(rows), 5), np.int64)
            facts[:, :3] = rows
            facts[:, 3] = lo
            facts[:, 4] = hi
            self._agenda.push(TRIPLES, facts)

    def _valid(self, start: Column, end: Column) -> tuple[Column, Column]:
        window = self.program.window
        last = POS_INF // 2 if window is None else start + window
        ticks = np.where(end == NO_END, last, end)
        return 2 * start, np.where(ticks >= POS_INF // 2, POS_INF, 2 * ticks)

    def _forget(self, held: Iterable[Column]) -> None:
        """Now and then, forget the terms that no row can mention any more."""
        if self.terms.due:
            bound = self._agenda.bound
            self.network.forget(bound)
            self.terms.sweep(bound, held)

    def _changes(self, blocks: list[Block]) -> Changes:
        return in_order(blocks, self.terms)
