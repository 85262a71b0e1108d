"""Rules, static data and a source run together, as `r4 run` does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from r4.answers.output_order import Changes
from r4.engine.core import Core
from r4.errors import Counters
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.program.option_names import rule_names
from r4.program.program import Program
from r4.rdf.documents import RdfDocument, read_static
from r4.run.run import Run
from r4.run.settings import RunSettings
from r4.sinks.json_lines import JsonLines
from r4.sinks.output import NO_IDS, SinkContext
from r4.stream.intake import Intake
from r4.stream.source import Source, StreamOptions
from r4.time.ticks import StampFormat, Tick, TimeScale
from rete.arrays.delta import Column
from rete.drawing.diagram import diagram
from rete.drawing.picture.network_picture import as_svg
from rete.terms.dictionary import Dictionary
from rif.checks.document import ParsedDocument
from rif.text.parser import parse

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports


@dataclass(slots=True)
class DemoRun:
    """One run of a rule document; read `lines` once.

    Attributes:
        rules: The document.
        program: The document, compiled.
        counters: What was read.
    """

    rules: Path
    static: Path
    source: Source
    counters: Counters = field(default_factory=Counters)
    parsed: ParsedDocument = field(init=False)
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        """Parse and compile; raises `RuleErrors` if the rules are not right."""
        self.parsed = parse(self.rules.read_text("utf-8"), name=str(self.rules), language=LANGUAGE)
        self.program = compile_document(self.parsed.document, TimeScale())

    def lines(self) -> Iterator[str]:
        """The answers as JSON lines, to the end of the last window."""
        terms, scale = Dictionary(), TimeScale()
        clock = StampFormat(scale)
        report = _JsonLines(
            JsonLines(SinkContext(terms, self.program.labels, clock, instances=False))
        )
        run = Run(self.program, terms, RunSettings(), report)
        for rows in read_static(RdfDocument.of(str(self.static), 1), terms, self.counters):
            run.assert_static(rows)
        intake = Intake([self.source], terms, StreamOptions(scale=scale), counters=self.counters)
        with closing(intake):
            for batch in intake:
                clock.kind = intake.kind
                run.take(batch)
                yield from report.lines()
        run.finish(intake.last, None)
        yield from report.lines()

    def picture(self, title: str) -> str:
        """The network of the rules, as SVG."""
        network = Core(self.program, Dictionary()).network
        return as_svg(diagram(network, rule_names([self.parsed.document], TimeScale(), title)))


class _JsonLines:
    """A report of answers as JSON lines, which are taken out."""

    def __init__(self, sink: JsonLines) -> None:
        self._sink = sink
        self._written: list[bytes] = []

    def changes(self, changes: Changes, _: Tick | None = None) -> None:
        self._written.append(self._sink.render(changes))

    def possible(self, _: StatusReports) -> None:
        """Nothing is followed."""

    def advance(self, frontier: Tick, before: Tick | None = None) -> None:
        """Lines say when."""

    @property
    def needed_ids(self) -> Column:
        """None: lines are texts."""
        return NO_IDS

    def lines(self) -> list[str]:
        found = b"".join(self._written).decode().split("\n")[:-1]
        self._written.clear()
        return found
