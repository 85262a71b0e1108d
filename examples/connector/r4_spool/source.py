"""``spool://FOLDER``: each file that is put into a folder is a payload, in the order of the names.

The folder is the broker here: who sends puts files into it, and R4 removes what it has on its own
disk. A file named ``~end`` ends the stream.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Final

from r4.rdf.documents import Format
from r4.sources.connectors import READER_OPTIONS, SILENCE_OPTIONS, SourceRequest, SourceType
from r4.sources.transport import QueuedTransport
from r4.stream.source import Source

END: Final = "~end"
_LOOK: Final = 0.02
"""Seconds from one look at the folder to the next."""


class SpoolFolder(QueuedTransport):
    """A folder as a transport; the position behind a file is its name.

    A thread looks at the folder. A client that calls back when a message comes needs no thread of
    its own: it calls `put`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._is_over = Event()

    def seek(self, position: bytes) -> None:
        """Deliver what comes behind the file that is named; what comes up to it is removed."""
        self.acknowledge(position)
        Thread(target=self._deliver, args=(position.decode(),), daemon=True).start()

    def acknowledge(self, position: bytes) -> None:
        """Remove the files up to the one that is named."""
        for path in self._files():
            if path.name <= position.decode():
                path.unlink()

    def close(self) -> None:
        """Look no more."""
        self._is_over.set()
        super().close()

    def _deliver(self, last: str) -> None:
        """Put the files behind ``last`` into the queue, as they come."""
        try:
            while not self._is_over.wait(_LOOK):
                for path in self._files():
                    if path.name == END:
                        return self.end()
                    if path.name > last:
                        last = path.name
                        self.put(path.read_bytes().rstrip(b"\n") + b"\n", last.encode())
        except OSError as error:
            self.end(error)
        return None

    def _files(self) -> list[Path]:
        """The files, in order; who sends gives a file its name once it is complete."""
        return sorted(path for path in self._folder.iterdir() if not path.name.startswith("."))


def open_spool(request: SourceRequest) -> Source:
    """The stream of a folder: JSON objects, a line each, unless ``-i`` says otherwise."""
    folder = Path(request.place.removeprefix("spool://"))
    return request.read(SpoolFolder(folder), Format.NDJSON)


SPOOL: Final = SourceType(open_spool, heeds=READER_OPTIONS | SILENCE_OPTIONS)
