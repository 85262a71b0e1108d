"""The documents of a run: rules, static data, streams, and how these are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r4.errors import Counters
from r4.imports import Closure
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.run.notes import RunNotes, advise_late
from r4.run.static_data import StaticData
from r4.sinks.file import ByteWriter
from r4.sinks.rdf import LateElements
from r4.sources.connectors import open_sources
from r4.sources.formats import is_unsorted_table
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True, slots=True)
class RunInput:
    """The documents of a run.

    Attributes:
        closure: the rules, with what they import.
        program: the same, compiled.
        static: what always holds.
        streams: the streams.
        reading: how streams are read.
    """

    closure: Closure
    program: Program
    static: Sequence[RdfDocument]
    streams: Sequence[RdfDocument]
    reading: StreamOptions

    def static_data(self, terms: Dictionary, counters: Counters, notes: RunNotes) -> StaticData:
        """The reader of static data; ``notes`` say what is wrong with them."""
        return StaticData(
            *(self.closure, self.static, terms, counters),
            strict=self.reading.strict,
            say=notes.say,
            time_predicate=self.reading.time_predicate,
            report=notes.samples,
        )

    def open(
        self,
        terms: Dictionary,
        counters: Counters,
        late: ByteWriter | None = None,
        bounds: ReadingBounds = UNBOUNDED,
    ) -> Intake:
        """Open the streams; late elements go to ``late``, if it is given.

        ``bounds`` may end the reading.

        Raises:
            InputError: one cannot be opened, or not be read as a stream.
        """
        reading = self.reading
        sources = open_sources(self.streams, reading, bounds)
        sink = None if late is None else LateElements(late, terms, reading)
        return Intake(sources, terms, reading, counters=counters, late=sink)

    def late_advice(self, intake: Intake) -> str:
        """Advice about late elements."""
        shifts = intake.late_shifts
        return advise_late(
            shift=max(shifts) if len(shifts) == 1 else 0,
            is_empty=bool(intake.stamp_places.apart) and not intake.has_triples,
            is_table=any(is_unsorted_table(self.streams[n]) for n in intake.late_sources),
            is_most=intake.counters.degraded and self.reading.ahead is None,
        )
