"""A summary of a state: where the run is, and what is kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from r4.errors import InputError
from r4.rdf.documents import Format
from r4.rdf.files import Payload
from r4.rdf.turtle_splitter import StatementSplitter
from r4.sources.input_formats import find_document
from r4.state.folder import StateFolder
from r4.state.journal.records import EngineCall, NewPipe, Read
from r4.state.manifest import Manifest
from r4.stream.input_events import ReadSource
from rete.arrays.state_codec import StateReader


class _Place:
    """Where a source is: bytes and lines of whole statements, and what has come of another."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.byte = 0
        self.line = 1
        self._rest = b""
        try:
            self._is_turtle = find_document(path, 1).format is Format.TRIG
        except InputError:
            self._is_turtle = False

    def restore(self, given: StateReader) -> None:
        """Be where a checkpoint says."""
        reader = given.part("reader")
        self._rest = reader.array("text", np.uint8, None).tobytes() if "text" in reader else b""
        self.byte = given.integer("handed", 0) - len(self._rest)
        self.line = reader.integer("line", 0) if "line" in reader else 0

    def take(self, read: Read) -> None:
        """Go on by a read of a pipe or a transport, or of so many bytes of a file."""
        if isinstance(read, Payload):
            read = read.data
        if isinstance(read, int):
            self.byte += len(self._rest) + read
            self._rest, self.line = b"", 0
            return
        text = self._rest + read
        if self._is_turtle:
            whole = max(StatementSplitter().feed(text)[1], default=0)
        else:
            whole = text.rfind(b"\n") + 1
        self.byte += whole
        self.line += text.count(b"\n", 0, whole)
        self._rest = text[whole:]

    def forget(self) -> None:
        """Leave out what has come of a statement: it comes again."""
        self._rest = b""

    def shown(self) -> dict[str, object]:
        """The place, for a person or a sender."""
        return {"name": self.path, "byte": self.byte, "line": self.line or None}


def summarise(folder: StateFolder) -> Mapping[str, object]:
    """What is in a folder, as it is shown; reads the last checkpoint and the journal behind it."""
    manifest = folder.manifest()
    if manifest is None:
        return {"command": None}
    number = max(folder.checkpoints, default=0)
    given = folder.read_checkpoint(number)
    if not manifest.command.arguments:
        return _of_engine(folder, manifest, number, given)
    ended = None if given is None else given.maybe("ended")
    arguments = manifest.command.arguments
    events: Counter[str] = Counter()
    places = [_Place(path) for path in manifest.command.streams]
    if ended is None:
        if given is not None and places:
            for place, part in zip(places, given.parts("sources"), strict=False):
                place.restore(part)
        for entry in folder.entries_behind(number, manifest).entries():
            events[type(entry.event).__name__] += 1
            if isinstance(entry.event, NewPipe) and entry.event.number < len(places):
                places[entry.event.number].forget()
            elif isinstance(entry.event, ReadSource) and entry.event.number < len(places):
                for read in entry.reads:
                    places[entry.event.number].take(read)
    return {
        "command": ["r4", "run", *arguments],
        "ended": None if ended is None else ended.integer("code", 0, 255),
        "committed": None if given is None else given.integer("told", 0),
        "sources": [] if ended is not None else [place.shown() for place in places],
        **_sizes(folder),
        "events": dict(events),
    }


def _of_engine(
    folder: StateFolder, manifest: Manifest, number: int, given: StateReader | None
) -> Mapping[str, object]:
    """The same of an engine of the library; changes are those up to the checkpoint."""
    made = [entry.event for entry in folder.entries_behind(number, manifest).entries()]
    calls = sum(isinstance(each, EngineCall) and each.counts for each in made)
    waiting = [] if given is None else given.part("engine").parts("changes")
    return {
        "command": None,
        "calls": calls + (0 if given is None else given.integer("calls", 0)),
        "changes": 0 if given is None else given.integer("told", 0),
        "waiting": len(waiting),
        **_sizes(folder),
        "events": dict(Counter(type(each).__name__ for each in made)),
    }


def _sizes(folder: StateFolder) -> dict[str, dict[str, int]]:
    """The bytes of each checkpoint and of each segment of the journal."""
    paths = {
        "checkpoints": map(folder.checkpoint_path, folder.checkpoints),
        "journal": map(folder.journal_path, folder.journals),
    }
    return {kind: {each.name: each.stat().st_size for each in of} for kind, of in paths.items()}
