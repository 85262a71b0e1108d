"""Reading a stream of facts: chunk by chunk into columns, as the bulk loader does.

A line ``-P(a)@[1,2)`` is a *retraction*: the fact holds in this interval no longer.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from temporal.errors import RetractionUnread
from temporal.facts.bulk_chunks import FactChunk
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.fact_parser import FactReader
from temporal.intervals.notation import Notation
from temporal.mtl.ast import MetricFact
from temporal.text.scanner import LineScanner

MINUS = "-"


class StreamLoader(BulkLoader):
    """Reads one source, chunk by chunk.

    Attributes:
        retractions: the lines of what was read, and not taken yet, that are retractions.
    """

    __slots__ = ("_reader", "_reported", "_retracts", "retractions")

    def __init__(
        self,
        terms: Dictionary,
        arities: MutableMapping[str, int],
        notation: Notation | None,
        *,
        name: str = "<stream>",
        retracts: bool = False,
    ) -> None:
        """Begin; without ``retracts`` a retraction is a fault."""
        super().__init__(terms, arities, notation)
        self._reader: FactReader = self._begin(name).reader
        self._reported = 0
        self._retracts = retracts
        self.retractions: set[int] = set()

    def add(self, chunk: bytes, begin: int) -> None:
        """Read whole lines; ``begin`` lines came before them."""
        self._add_chunk(FactChunk(chunk), begin, self._line, lambda _line: None)

    def note(self, fault: RuleError) -> None:
        """Add to the faults that are reported one that is not of reading."""
        if self.reports_more:
            self._reader.faults.append(fault)

    def refuse_line(self, line: int, fault: RuleError) -> None:
        """Count a line that was read as bad, for this fault."""
        self._refuse(0, line, fault)

    @property
    def reports_more(self) -> bool:
        """Whether another fault would be reported: the first `rif.errors.base.MAX_FAULTS` are."""
        return not self._reader.is_full

    def unreported(self) -> list[RuleError]:
        """The faults since it was asked last."""
        found = self._reader.faults[self._reported :]
        self._reported += len(found)
        return found

    def _line(self, text: str, number: int) -> MetricFact | None:
        if not text.lstrip().startswith(MINUS):
            return self._reader.fact(text, number)
        if not self._retracts:
            line = LineScanner(text, number)
            at = text.index(MINUS)
            line.note(RetractionUnread, "a retraction, which was not announced", at, at + 1)
            self._reader.refuse(*line.faults)
            return None
        fact = self._reader.fact(text.replace(MINUS, " ", 1), number)
        if fact is not None:
            self.retractions.add(number)
        return fact
