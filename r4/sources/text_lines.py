"""Text cut at line ends as it comes: what formats with a row or an object a line share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import (
    LONGEST,
    NO_ROWS,
    PARTIAL_CHUNK,
    Chunk,
    InputBytes,
    StatementFault,
    as_array,
)
from r4.rdf.files import ByteSource
from rete.arrays.state_codec import State, StateReader


class TextPlace:
    """Where a reader of text is: how many lines it has read, and what has come of the next."""

    __slots__ = ("_line", "_rest")

    def __init__(self) -> None:
        self._line = 0
        self._rest = b""

    @property
    def line(self) -> int:
        """The line that comes next, from 1."""
        return self._line + 1

    @property
    def pending(self) -> int:
        """Bytes of what has not come whole."""
        return len(self._rest)

    def forget_pending(self) -> None:
        """Leave out what has not come whole."""
        self._rest = b""

    def saved(self) -> State:
        """Where it is."""
        return {"text": as_array(self._rest), "line": self._line}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before anything was read."""
        self._rest = given.array("text", np.uint8, None).tobytes()
        self._line = given.integer("line", 0)

    def _too_long(self) -> StatementFault:
        message = f"a line of more than {LONGEST} bytes; the rest is not read"
        return StatementFault(Flaw.CUT_SHORT, 0, self._line + 1, message)


class LineDocumentReader(TextPlace, ABC):
    """Reads the chunks of a document whose lines can be read one by one."""

    __slots__ = ()

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives."""
        incoming = InputBytes(source)
        while data := incoming.read():
            *lines, self._rest = (self._rest + data).split(b"\n")
            yield self._chunk(lines) if lines else PARTIAL_CHUNK
            if len(self._rest) > LONGEST:
                yield Chunk(NO_ROWS, [self._too_long()])
                return
        rest, self._rest = self._rest, b""
        yield self._chunk([rest])
        if incoming.damage:
            yield Chunk(NO_ROWS, incoming.fault(self._line + 1))

    @abstractmethod
    def _chunk(self, texts: Sequence[bytes]) -> Chunk:
        """The chunk of whole lines, which are counted in ``_line``."""
