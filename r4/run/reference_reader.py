"""Reads static documents and rules again: when a signal asks for it, or when their files change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

import numpy as np

from r4.engine.core import Core
from r4.errors import BadData, Counters, InputError, SourceLost
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import STDIN, UNBOUNDED, ByteSource, DamagedInput, ReadingBounds
from r4.run.inputs import RunInput
from r4.run.ports import Say
from r4.run.reference_data import IMPORTED, ReferenceData, RuleReading, StaleReference
from r4.run.settings import RunSettings
from r4.run.static_data import read_document
from r4.stream.input_events import ChangeReferences, DocumentChange
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from rif.syntax.lexical import MAX_TEXT

_PERIOD: Final = 1.0
"""Seconds between two looks at the files; a file that is being written is waited for so long."""

_Signature: TypeAlias = tuple[int, ...] | None
"""By what a change of a file is noticed; None: there is no file."""


def can_be_read_again(document: RdfDocument) -> bool:
    """Whether a static document is a plain file of RDF; loaded folders and pipes are not."""
    is_file = document.path != STDIN and Path(document.path).is_file()
    return is_file and document.format not in {Format.LOADED, Format.EXTENSION}


class FileWatch:
    """Notices that files have changed, by their modification times and sizes."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        unread: Collection[str],
        now: Callable[[], float] = monotonic,
    ) -> None:
        """Begin to look.

        Args:
            paths: the files.
            unread: those that are about to be read; what the others say now may be unknown, so
                they count as changed.
            now: the clock, in seconds.
        """
        self._paths = list(paths)
        self._now = now
        self._due = now() + _PERIOD
        self._read: list[_Signature | str] = [
            _signature(path) if path in unread else "unknown" for path in self._paths
        ]
        self._seen = [*self._read]

    def changed(self) -> set[str]:
        """The files that have changed since they were read, and not in the last second."""
        if self._now() < self._due:
            return set()
        self._due = self._now() + _PERIOD
        found: set[str] = set()
        for place, path in enumerate(self._paths):
            signature = _signature(path)
            if signature != self._read[place] and signature == self._seen[place]:
                self._read[place] = signature
                found.add(path)
            self._seen[place] = signature
        return found


class ReferenceReader:
    """Finds how static documents and rules differ from what was read of them before."""

    def __init__(
        self,
        documents: Sequence[RdfDocument],
        references: ReferenceData,
        reading: RuleReading | None,
        terms: Dictionary,
        say: Callable[[str], object],
    ) -> None:
        """Begin; nothing is read.

        Args:
            documents: static documents that can be read again.
            references: what was read before.
            reading: how the rules are read; None: they are not read again.
            terms: the dictionary of all ids.
            say: called with lines for a person.
        """
        self._documents = documents
        self._references = references
        self._reading = reading
        self._terms = terms
        self._say = say
        self.bounds = UNBOUNDED

    @property
    def paths(self) -> list[str]:
        """The files that are read again."""
        rules = [] if self._reading is None else [self._reading.closure.name]
        return [*rules, *(document.path for document in self._documents)]

    def read(self, paths: set[str] | None = None) -> ChangeReferences | None:
        """Read the files, or those at ``paths``; how they differ. None: they do not.

        What cannot be used is reported, and does not differ.
        """
        rules = self._rules(paths)
        documents = [
            change
            for document in self._documents
            if paths is None or document.path in paths
            if (change := self._document(document)) is not None
        ]
        if rules is None and not documents:
            return None
        return ChangeReferences(tuple(documents), rules)

    def _document(self, document: RdfDocument) -> DocumentChange | None:
        try:
            read = read_document(
                *(document, self._terms, Counters()), strict=True, bounds=self.bounds
            )
            parts = list(read)
        except (BadData, InputError, SourceLost) as error:
            self._say(str(StaleReference(str(error))))
            return None
        rows = np.concatenate([np.empty((0, 3), np.int64), *parts])
        change = self._references.difference(document.number, rows)
        if change is not None:
            added, removed = len(change.added) // 3, len(change.removed) // 3
            self._say(f"{document.name} was read again: {added} triple(s) join, {removed} leave")
        return change

    def _rules(self, paths: set[str] | None) -> bytes | None:
        if self._reading is None:
            return None
        name = self._reading.closure.name
        if paths is not None and name not in paths:
            return None
        try:
            data = _bytes_of(name)
            document = self._reading.parse(data).document
            return None if self._references.rules.difference(document).is_empty else data
        except (InputError, SourceLost) as error:
            self._say(str(StaleReference(str(error))))
        except DamagedInput as error:
            self._say(str(StaleReference(f"{name}: {error}")))
        except RuleErrors as errors:
            self._say(errors.report(name))
            self._say(str(StaleReference(f"{name}: it is refused")))
        return None


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
        bounds: ReadingBounds,
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
            bounds: may end the reading of a document.
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
        self._reader.bounds = bounds
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


def _bytes_of(path: str) -> bytes:
    """The bytes of a rule file, which may be compressed; more than rules may have are left.

    Raises:
        InputError, SourceLost, DamagedInput: it cannot be read.
    """
    source = ByteSource(path)
    try:
        data = bytearray()
        while len(data) <= MAX_TEXT and (piece := source.read()):
            data += piece
        return bytes(data)
    finally:
        source.close()


def _signature(path: str) -> _Signature:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
