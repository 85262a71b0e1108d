"""Static documents and rules that are read again while a run goes on.

A signal asks for it, or their files change; what differs is an event of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from r4.cli.sessions.session_options import SessionOptions
from r4.cli.terminal.console import say
from r4.engine.core import Core
from r4.imports import Closure
from r4.rdf.documents import Format, RdfDocument
from r4.run.reference_data import IMPORTED, ReferenceData, RuleReading
from r4.run.reference_reader import FileWatch, ReferenceReader, can_be_read_again
from r4.sinks.formats import find_format
from r4.stream.input_events import ChangeReferences
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows


class ReferenceUpdates:
    """Finds what changes in static documents and rules, as far as they can be read again.

    Attributes:
        data: what they said when they were read last.
    """

    def __init__(  # noqa: PLR0913 - what it depends on
        self,
        core: Core,
        static: Sequence[RdfDocument],
        closure: Closure,
        options: SessionOptions,
        *,
        scale: TimeScale,
        labels: list[str | int],
        resumes: bool,
    ) -> None:
        """Begin; nothing is read again.

        Args:
            core: the program that runs.
            static: the static documents.
            closure: the rules, with what they import.
            options: of the run.
            scale: the length of a tick.
            labels: the names of the rules; those of rules that join are appended.
            resumes: whether the run goes on from a saved state, so that no document is read first.
        """
        forms = options.instances, options.by_value
        reading = RuleReading(closure, scale, options.lenient, *forms)
        self.data = ReferenceData(core, reading, labels, say)
        documents = [each for each in static if can_be_read_again(each)]
        has_labels = not find_format(options.form).needs_file
        # Of a loaded folder only the triples were read that the rules ask for.
        is_whole = all(each.format is not Format.LOADED for each in static)
        is_file = Path(closure.name).is_file()
        rules = reading if has_labels and is_whole and is_file else None
        self._reader = ReferenceReader(documents, self.data, rules, core.terms, say)
        self._watch: FileWatch | None = None
        if options.watch:
            unread = [] if resumes else [each.path for each in documents]
            self._watch = FileWatch(self._reader.paths, unread=unread)

    @property
    def watches(self) -> bool:
        """Whether files are read again when they change."""
        return self._watch is not None

    def note(self, document: RdfDocument | None, rows: Rows) -> None:
        """Note what stays when another document, which has it too, is read again without it.

        None: the graphs that rules import.
        """
        self.data.note(IMPORTED if document is None else document.number, rows)

    def changed(self, *, is_asked: bool) -> ChangeReferences | None:
        """How static data and rules differ, if they are to be read again; None: they do not.

        They are when that ``is_asked``, else those whose files have changed.
        """
        if is_asked:
            return self._reader.read()
        if self._watch is None or not (paths := self._watch.changed()):
            return None
        return self._reader.read(paths)
