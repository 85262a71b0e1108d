"""Reasons: why a fact that was possible is so no more."""

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
    """Finds them.

    Args:
        scribe: writes what they name.
    """

    def __init__(self, scribe: AnswerWriter) -> None:
        self._scribe = scribe

    def of(
        self, group: EntryGroup, lines: Column, taken: Collection[Values]
    ) -> tuple[WithdrawalReason, int]:
        """Why no entry of ``group`` is left, and the rule of the one that it is about.

        The first hypothesis, by the time until which it could come, that can come no more; else
        the first evidence, by text, that was taken back.

        Args:
            group: its entries have lost their rows.
            lines: in cells, below which elements are late.
            taken: triples that are asserted no longer.
        """
        last = [self._last(entry) for entry in group.minimal if entry.gone]
        missed = [each for gone in last for each in self._missed(gone, lines)]
        if missed:
            hypothesis, rule = min(missed, key=lambda each: (each[0].key, each[1]))
            return hypothesis.triple, rule
        lost = [each for gone in last for each in self._lost(gone, taken)]
        triple, rule = min(lost)
        return RetractedEvidence(triple), rule

    def _last(self, entry: LiveEntry) -> LostRow:
        """The evidence that would have lasted longest."""
        return LostRow(*self._scribe.best({gone.row: gone.last for gone in entry.gone}))

    def _missed(self, gone: LostRow, lines: Column) -> Iterator[tuple[MissingTriple, int]]:
        """The hypotheses that can come no more, with the rule."""
        reader, _ = gone.row
        for hypothesis, unit in self._scribe.hypotheses(gone.row, gone.last):
            if unit.until(gone.last) < lines[unit.line]:
                yield hypothesis, reader.shape.rule

    def _lost(self, gone: LostRow, taken: Collection[Values]) -> Iterator[tuple[Triple, int]]:
        """The evidence that was taken back, with the rule; all of it, if none of it was."""
        reader, ids = gone.row
        evidence = reader.evidence(ids)
        for each in [triple for triple in evidence if triple in taken] or evidence:
            yield self._scribe.triple(each), reader.shape.rule
