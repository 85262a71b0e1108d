"""Why a fact that was possible is possible no more."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from r4.possible.tracking.answer_writer import AnswerWriter
from r4.possible.tracking.live_entries import EntryGroup, LiveEntry, LostRow
from r4.possible.tracking.possible_answers import (
    MissingTriple,
    RetractedEvidence,
    Triple,
    WithdrawalReason,
)
from r4.possible.tracking.subsumption import Values
from rete.arrays.delta import Column


class WithdrawalReasons:
    """Finds the reasons of withdrawals.

    Args:
        writer: writes the triples that they name.
    """

    def __init__(self, writer: AnswerWriter) -> None:
        self._writer = writer

    def of(
        self, group: EntryGroup, late_bounds: Column, retracted: Collection[Values]
    ) -> tuple[WithdrawalReason, int]:
        """Why no entry of ``group`` is left, and the rule of the one that it is about.

        The first hypothesis, by the time until which it could come, that can come no more; else
        the first evidence, by text, that was retracted.

        Args:
            group: its entries have lost their rows.
            late_bounds: in cells; elements are late below them.
            retracted: triples that are asserted no longer.
        """
        last = [self._last(entry) for entry in group.minimal if entry.lost]
        missed = [
            each for lost_row in last for each in self._expired_hypotheses(lost_row, late_bounds)
        ]
        if missed:
            hypothesis, rule = min(missed, key=lambda each: (each[0].key, each[1]))
            return hypothesis.triple, rule
        lost = [each for lost_row in last for each in self._lost_evidence(lost_row, retracted)]
        triple, rule = min(lost)
        return RetractedEvidence(triple), rule

    def _last(self, entry: LiveEntry) -> LostRow:
        """The evidence that would have lasted longest."""
        return LostRow(*self._writer.best({lost_row.row: lost_row.last for lost_row in entry.lost}))

    def _expired_hypotheses(
        self, lost_row: LostRow, late_bounds: Column
    ) -> Iterator[tuple[MissingTriple, int]]:
        """The hypotheses that can come no more, with the rule."""
        reader, _ = lost_row.row
        for hypothesis, unit in self._writer.hypotheses(lost_row.row, lost_row.last):
            if unit.until(lost_row.last) < late_bounds[unit.bound]:
                yield hypothesis, reader.shape.rule

    def _lost_evidence(
        self, lost_row: LostRow, retracted: Collection[Values]
    ) -> Iterator[tuple[Triple, int]]:
        """The evidence that was retracted, with the rule; all of it, if none of it was."""
        reader, ids = lost_row.row
        evidence = reader.evidence(ids)
        for each in [triple for triple in evidence if triple in retracted] or evidence:
            yield self._writer.triple(each), reader.shape.rule
