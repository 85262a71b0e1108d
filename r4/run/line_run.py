"""A run over lines: facts of a language without RDF come in, answers as text go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from r4.rdf.files import ByteSource
from r4.run.ports import Say
from r4.sinks.file import ByteWriter
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors


class LineReasoner(Protocol):
    """A reasoner over lines of facts, which come in pieces cut anywhere."""

    @property
    def facts(self) -> int:
        """How many facts were taken in."""

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        """How many answers become certain as blocks come, and their lines."""

    def finish(self) -> Iterator[tuple[int, str]]:
        """The same at the end of the facts."""

    def faults(self) -> Iterable[RuleError]:
        """The faults of the lines so far; each comes out once."""


class LineRun:
    """Reads facts to their end and writes answers as they become certain.

    Attributes:
        written: how many answers were written.
    """

    def __init__(
        self, reasoner: LineReasoner, say: Say, progress: Callable[[LineRun], object]
    ) -> None:
        """Begin; nothing is read.

        Args:
            reasoner: follows the facts.
            say: takes lines for a person.
            progress: is called when something was written.
        """
        self.reasoner = reasoner
        self.written = 0
        self._say = say
        self._progress = progress

    def execute(self, source: ByteSource, to: ByteWriter) -> None:
        """Read all of ``source``; the faults of a block are said before the next one is read.

        Raises:
            DamagedInput, SourceLost: the facts cannot be read on.
            SinkLost: the answers cannot be written.
        """
        self._write(self.reasoner.read(self._blocks(source)), to)
        self._write(self.reasoner.finish(), to)
        self._say_faults(source.name)

    def _write(self, answers: Iterable[tuple[int, str]], to: ByteWriter) -> None:
        for count, lines in answers:
            self.written += count
            if lines:
                to.write(lines.encode())
            self._progress(self)

    def _blocks(self, source: ByteSource) -> Iterator[bytes]:
        for block in iter(source.read, b""):
            yield block
            self._say_faults(source.name)
        self._say_faults(source.name)

    def _say_faults(self, name: str) -> None:
        for fault in self.reasoner.faults():
            self._say(RuleErrors([fault], name=name).report())
