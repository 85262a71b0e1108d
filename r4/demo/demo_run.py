"""Rules, static data and a source run together, as `r4 run` does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from r4.engine.core import Core
from r4.errors import Counters
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.rule_names import rule_names
from r4.rdf.documents import RdfDocument, read_static
from r4.run.driver import Driver
from r4.run.stream_run import StreamRun
from r4.sinks.json_lines import JsonLines
from r4.stream.intake import Intake
from r4.stream.source import Source, StreamOptions
from r4.time.ticks import StampFormat, TimeScale
from rete.drawing.diagram import diagram
from rete.drawing.picture.network_picture import as_svg
from rete.network.network import Network
from rete.terms.dictionary import Dictionary
from rif.checks.document import ParsedDocument
from rif.text.parser import parse


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
        """Parse and compile.

        Raises:
            RuleErrors: The rules are not right.
        """
        self.parsed = parse(self.rules.read_text("utf-8"), name=str(self.rules))
        self.program = compile_document(self.parsed.document, TimeScale())

    def lines(self) -> Iterator[str]:
        """The answers as JSON lines, to the end of the last window."""
        terms, scale = Dictionary(), TimeScale()
        clock, driver = StampFormat(scale), Driver(Core(self.program, terms))
        sink = JsonLines(terms, self.program.labels, clock, instances=False)
        for rows in read_static(RdfDocument.of(str(self.static), 1), terms, self.counters):
            driver.assert_static(rows)
        intake = Intake([self.source], terms, StreamOptions(scale=scale), counters=self.counters)
        run = StreamRun(driver, intake, clock)
        with closing(intake):
            for output in chain(run.outputs(), run.finish(None)):
                for changes in output.changes:
                    yield from _lines(sink.render(changes))

    def picture(self, title: str) -> str:
        """The network of the rules, as SVG."""
        network = Network(self.program.emits, Dictionary())
        return as_svg(diagram(network, rule_names([self.parsed.document], TimeScale(), title)))


def _lines(text: bytes) -> list[str]:
    return text.decode().split("\n")[:-1]
