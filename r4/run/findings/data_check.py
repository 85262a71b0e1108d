"""Rules checked with data: what a run over the data shows about the rules, and nothing else.

It is a run whose answers are dropped and whose facts are kept, so that it can be told of all of
them which joins they met.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from r4.engine.core import Core
from r4.errors import Counters
from r4.program.box_conditions import box_conditions
from r4.program.program import Program
from r4.run.driver import Driver
from r4.run.findings.apart_joins import apart_joins
from r4.run.findings.dangling_tuples import dangling_tuples
from r4.run.findings.near_misses import near_misses
from r4.run.findings.pattern_coverage import PatternCoverage
from r4.run.findings.reading_gaps import ReadingGaps
from r4.run.findings.unmet_bodies import unmet_bodies
from r4.run.inputs import RunInput
from r4.run.notes import RunNotes
from r4.time.ticks import StampFormat
from rete.arrays.delta import POS_INF
from rete.drawing.names import Names
from rete.network.lookback import measure_lookback
from rete.terms.dictionary import Dictionary
from rif.errors.report import quantity


class DataCheck:
    """A run over data that tells which patterns and joins of its rules they do not meet.

    Memory grows with the data, and with what rules derive of them.
    """

    def __init__(
        self, given: RunInput, notes: RunNotes, *, by_value: bool, limit: int | None
    ) -> None:
        """Begin; nothing is read.

        Args:
            given: the documents.
            notes: say what is wrong with the data.
            by_value: literals of equal values are one term.
            limit: the most facts to derive at once; None: any number.
        """
        self._given, self._notes = given, notes
        self._core = Core(given.program, Dictionary(by_value=by_value), limit=limit)
        self._clock = StampFormat(given.reading.scale)
        self._core.terms.clock = self._clock
        self._counters = Counters()
        self._coverage = PatternCoverage(self._core, notes_values=True)
        program = given.program
        self._gaps = ReadingGaps(program.emits, program.window, self._core.terms)

    def read(self) -> None:
        """Read all data.

        Raises:
            InputError: a document cannot be read.
            ImportErrors: an imported graph cannot be used.
            SourceLost: the system stops delivering a source.
            LimitReached, MemoryExhausted: rules derive too much.
        """
        core, given = self._core, self._given
        try:
            statics = given.static_data(core.terms, self._counters, self._notes)
            for rows in statics.rows():
                core.assert_static(rows)
                self._coverage.note(rows)
            self._read_streams()
        finally:
            self._notes.samples(self._counters)

    def _read_streams(self) -> None:
        core, driver = self._core, Driver(self._core)
        intake = self._given.open(core.terms, self._counters)
        with closing(intake):
            for batch in intake:
                self._clock.kind = intake.kind
                self._keep_all()
                self._coverage.note(batch.rows)
                self._gaps.note(batch)
                driver.step(batch)
        self._keep_all()
        driver.finish(intake.last)

    def _keep_all(self) -> None:
        """Let no node forget a row; where static data end ranges, networks are built anew."""
        layers = self._core.layers
        if layers.history < POS_INF:
            layers.history = POS_INF
            measure_lookback(layers)

    @property
    def program(self) -> Program:
        """The program that ran, with the ends of ranges that static data say."""
        return self._core.program

    def lines(self, names: Names) -> Iterator[str]:
        """What was read, then what no datum meets, and why; ``names``: what rules call things."""
        core, given, counters = self._core, self._given, self._counters
        documents, scale = given.closure.documents, given.reading.scale
        late, bad = counters.late, sum(counters.bad.values())
        read = quantity(counters.elements, "element"), quantity(counters.quads, "statement")
        yield f"{', '.join(read)}; {late} late, {bad} bad"

        def called() -> Names:
            return names

        found = [
            *self._coverage.lines(documents[0]),
            *dangling_tuples(core, called),
            *near_misses(core, called),
            *apart_joins(core, called),
            *self._gaps.lines(names),
        ]
        explained = {line.partition(":")[0] for line in found}
        boxes = box_conditions(core.program, documents, scale)
        unmet = unmet_bodies(core, names, boxes)
        found += [line for line in unmet if line.partition(":")[0] not in explained]
        yield from found
        if not found:
            yield "each pattern of the rules, and each join, is met by some of the data"
