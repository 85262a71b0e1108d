"""States of entries that have rivals, in columns; until when they are kept under a cap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import POS_INF, Column, Rows, columns
from rete.storage.row_algebra import always, coalesce, join_rows
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.output.answer_lines import ReportedRows
from temporal.hypothetical.output.entry_columns import NO_ATOM, AtomRecord, EntryColumns
from temporal.hypothetical.output.line_templates import AnswerStatus
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, TopK

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
        """The states of ``rows``, whose hypotheses have ``ranks``; equal atoms arrive together."""
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
        """The states of both."""
        return RivalStates(*map(np.concatenate, zip(self, other, strict=True)))

    def only(self, some: Column) -> RivalStates:
        """The states at some places."""
        return RivalStates(*(each[some] for each in self))

    def reported(self, status: AnswerStatus) -> ReportedRows:
        """The states as reports of one status."""
        lists = np.column_stack([self.awaited, self.arrived])
        rows, statuses = EntryStates(*self[:3]), np.full(len(self.at), status)
        return ReportedRows.open(rows, statuses, self.places, lists)


def _listed(ranks: Rows, some: Mask) -> Rows:
    """Some of the ranks of each row, in order, 0 behind the last."""
    found = np.sort(np.where(some, ranks, POS_INF), axis=1)
    found[found == POS_INF] = NO_ATOM
    return found


SetKey: TypeAlias = tuple[tuple[int, ...], tuple[AtomRecord, ...], int]
"""An answer, the atoms that it awaits, and the number of the bounds on their free times."""


KeptRivals: TypeAlias = TopK[SetKey, AwaitedArrivals]


def kept_until(
    entry_columns: EntryColumns,
    kept: KeptRivals,
    states: RivalStates,
    answers: Rows,
    records: Sequence[AtomRecord],
) -> tuple[Column, Mask, dict[tuple[int, ...], int]]:
    """Until when each state is kept; which are cut as their set is dropped.

    And the other answers that are left without sets, as these are dropped, and when. A set that
    is known from before, and is not kept, was dropped.
    """
    least = entry_columns.least[states.entries[:, 0]]
    keys_of = np.column_stack([states.answer, states.awaited, least])
    firsts, group = entry_columns.terms.distinct(keys_of)
    spans = np.column_stack([group, states.at, states.until])
    of, one = group, states
    if len(firsts) < len(group):
        spans, own = coalesce(spans), always(group, np.arange(len(group)))
        own[:, -2], own[:, -1] = states.at, states.at + 1
        numbered = np.insert(spans, 1, np.arange(len(spans)), axis=1)
        pairs = join_rows(own, (0,), numbered, (0,), (1, ~1))
        of = pairs[pairs[:, 0].argsort(), 1]
        one = states.only(firsts[spans[:, 0]])
    keys = [*set_keys(entry_columns, one, answers[one.answer], records)]
    since, until = spans[:, 1].tolist(), spans[:, 2].tolist()
    limits = [
        BEFORE if tau == BEFORE and key not in kept else end
        for (key, _), tau, end in zip(keys, since, until, strict=True)
    ]
    new = [number for number, tau in enumerate(since) if tau > BEFORE]
    awaited = entry_columns.awaited(EntryStates(*one[:3]).only(columns(new)))
    found = kept.settle(
        [(since[each], *keys[each], some) for each, some in zip(new, awaited, strict=True)],
        [(tau, key) for (key, _), tau in zip(keys, until, strict=True) if tau < POS_INF],
    )
    for each in {*new}.difference([new[place] for place in found.begun]):
        limits[each] = since[each]
    others: dict[tuple[int, ...], int] = {}
    if found.dropped:
        places = defaultdict[SetKey, list[int]](list)
        for each, (key, _) in enumerate(keys):
            places[key].append(each)
        for tau, key in found.dropped:
            for each in places.get(key, ()):
                if since[each] < tau < until[each]:
                    limits[each] = tau
            if key not in places:
                others[key[0]] = tau
        known = {*map(tuple, answers.tolist()), *(key[0] for key in kept)}
        others = {answer: tau for answer, tau in others.items() if answer not in known}
    limit = columns(limits)[of]
    cut_at = np.maximum(states.at, np.minimum(states.until, limit))
    is_cut = (cut_at < states.until) & (states.at <= limit) & (limit > BEFORE)
    return cut_at, is_cut, others


def set_keys(
    entry_columns: EntryColumns, states: RivalStates, answers: Rows, records: Sequence[AtomRecord]
) -> Iterator[tuple[SetKey, OrderText]]:
    """The keys of sets of hypotheses, and what orders those of the same confidence."""
    least = entry_columns.least[states.entries[:, 0]].tolist()
    texts = entry_columns.answer_texts(answers)
    listed = zip(map(tuple, answers.tolist()), texts, least, states.awaited.tolist(), strict=True)
    for answer, text, bound, ranks in listed:
        atoms = tuple(records[rank] for rank in ranks if rank)
        yield (answer, atoms, bound), (text, atoms, bound)
