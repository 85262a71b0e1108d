"""Static documents and rules that are read again while a run goes on.

A signal asks for it, or their files change; what differs is an event of the input.
"""

from __future__ import annotations

from pathlib import Path

from r4.engine.core import Core
from r4.rdf.documents import Format, RdfDocument
from r4.run.inputs import RunInput
from r4.run.ports import Say
from r4.run.reference_data import IMPORTED, ReferenceData, RuleReading
from r4.run.reference_reader import FileWatch, ReferenceReader, can_be_read_again
from r4.run.settings import RunSettings
from r4.stream.input_events import ChangeReferences
from rete.arrays.delta import Rows


class ReferenceUpdates:
    """Finds what changes in static documents and rules, as far as they can be read again.

    Attributes:
        data: what they said when they were read last.
    """

    def __init__(  # noqa: PLR0913 - what it depends on
        self,
        core: Core,
        given: RunInput,
        settings: RunSettings,
        labels: list[str | int],
        say: Say,
        *,
        relabels: bool,
        resumes: bool,
    ) -> None:
        """Begin; nothing is read again.

        Args:
            core: the program that runs.
            given: the documents of the run.
            settings: those of the run.
            labels: the names of the rules; those of rules that join are appended.
            say: takes lines for a person.
            relabels: whether the names of rules that join are reported, so that rules may join.
            resumes: whether the run goes on from a saved state, so that no document is read first.
        """
        static, closure = given.static, given.closure
        forms = settings.instances, settings.by_value
        reading = RuleReading(closure, given.reading.scale, settings.lenient, *forms)
        self.data = ReferenceData(core, reading, labels, say)
        documents = [each for each in static if can_be_read_again(each)]
        # Of a loaded folder only the triples were read that the rules ask for.
        is_whole = all(each.format is not Format.LOADED for each in static)
        is_file = Path(closure.name).is_file()
        rules = reading if relabels and is_whole and is_file else None
        self._reader = ReferenceReader(documents, self.data, rules, core.terms, say)
        self._watch: FileWatch | None = None
        if settings.watch:
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
