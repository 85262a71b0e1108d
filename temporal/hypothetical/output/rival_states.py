"""States of entries that have rivals, in columns."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import POS_INF, Column, Rows
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.output.answer_lines import ReportedRows
from temporal.hypothetical.output.entry_columns import NO_ATOM
from temporal.hypothetical.output.line_templates import AnswerStatus

Mask: TypeAlias = npt.NDArray[np.bool_]
BEFORE: Final = -1
"""The moment at which what is known from before a batch begins."""


class RivalStates(NamedTuple):
    """States of entries.

    Attributes:
        entries: (n, width) the entries.
        bits: (n,) all hypotheses but those that are awaited.
        at: (n,) when each begins; -1: it is known from before.
        until: (n,) when each ends, or becomes needless.
        answer: (n,) the number of its answer.
        places: (n, k) as of `ReportedRows`.
        awaited, arrived: (n, k) the ranks of the atoms, each once, in order; 0 behind the last.
        missed: (n, k) the ranks of the hypotheses by which it ends; else 0.
    """

    entries: Rows
    bits: Column
    at: Column
    until: Column
    answer: Column
    places: Rows
    awaited: Rows
    arrived: Rows
    missed: Rows

    @classmethod
    def of(
        cls, rows: EntryStates, ranks: Rows, until: Column, answer: Column, missed: Rows
    ) -> RivalStates:
        """Those of ``rows``, whose hypotheses have ``ranks``; equal atoms arrive together."""
        entries, bits, at = rows
        number = np.arange(ranks.shape[1])
        same = ranks[:, :, None] == ranks[:, None, :]
        come = (same & (bits[:, None] >> number & 1 > 0)[:, None, :]).any(axis=2)
        first = ~(same & (number[:, None] > number)).any(axis=2) & (ranks != NO_ATOM)
        order = np.argsort(np.where(first, ranks, POS_INF), axis=1)
        places = np.take_along_axis(np.where(first, 2 * number + 2 + come, 0), order, axis=1)
        left = np.where(first & ~come, 0, 1 << number).sum(axis=1)
        awaited, arrived = (_listed(ranks, first & some) for some in (~come, come))
        return cls(entries, left, at, until, answer, places, awaited, arrived, missed)

    def joined(self, other: RivalStates) -> RivalStates:
        """Those of both."""
        return RivalStates(*map(np.concatenate, zip(self, other, strict=True)))

    def only(self, some: Column) -> RivalStates:
        """Some of them."""
        return RivalStates(*(each[some] for each in self))

    def reported(self, status: AnswerStatus) -> ReportedRows:
        """These with a status."""
        lists = np.column_stack([self.awaited, self.arrived])
        rows, statuses = EntryStates(*self[:3]), np.full(len(self.at), status)
        return ReportedRows.open(rows, statuses, self.places, lists)


def _listed(ranks: Rows, some: Mask) -> Rows:
    """Some of the ranks of each row, in order, 0 behind the last."""
    found = np.sort(np.where(some, ranks, POS_INF), axis=1)
    found[found == POS_INF] = NO_ATOM
    return found
