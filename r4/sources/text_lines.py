"""Text cut at line ends as it comes: what formats with a row or an object a line share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import (
    NO_ROWS,
    PARTIAL_CHUNK,
    Chunk,
    InputBytes,
    StatementFault,
    as_array,
)
from r4.rdf.files import ByteSource
from r4.rdf.gates.input_limits import LONGEST
from rete.arrays.state_codec import State, StateReader


class TextPlace:
    """Where a reader of text is: how many lines it has read, and what has come of the next.

    A line longer than `LONGEST` is a fault, and skipped without being held.
    """

    __slots__ = ("_line", "_rest", "_skipping")

    _line_ends: ClassVar[tuple[bytes, ...]] = (b"\n",)

    def __init__(self) -> None:
        self._line = 0
        self._rest = b""
        self._skipping = False

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
        self._skipping = False

    def saved(self) -> State:
        """Where it is."""
        return {"text": as_array(self._rest), "line": self._line, "skipping": self._skipping}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before anything was read."""
        self._rest = given.array("text", np.uint8, None).tobytes()
        self._line = given.integer("line", 0)
        self._skipping = given.flag("skipping")

    def skip_long_line(self) -> str:
        """Skip the next line if more than `LONGEST` bytes of it have come: what is wrong, or ""."""
        if len(self._rest) <= LONGEST:
            return ""
        self._rest = b""
        self._skipping = True
        return f"a line of more than {LONGEST} bytes"

    def _unskipped(self, data: bytes) -> bytes:
        """``data`` without what belongs to the line that is skipped."""
        if not self._skipping:
            return data
        ends = [at for each in self._line_ends if (at := data.find(each)) >= 0]
        if not ends:
            return b""
        self._skipping = False
        self._line += 1
        return data[min(ends) + 1 :]


class LineDocumentReader(TextPlace, ABC):
    """Reads the chunks of a document whose lines can be read one by one."""

    __slots__ = ()

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives."""
        incoming = InputBytes(source)
        while data := incoming.read():
            *lines, self._rest = (self._rest + self._unskipped(data)).split(b"\n")
            yield self._chunk(lines) if lines else PARTIAL_CHUNK
            if why := self.skip_long_line():
                fault = StatementFault(Flaw.SYNTAX, 0, self._line + 1, why)
                yield Chunk(NO_ROWS, [fault], is_partial=True)
        rest, self._rest = self._rest, b""
        yield self._chunk([rest])
        if incoming.damage:
            yield Chunk(NO_ROWS, incoming.fault(self._line + 1))

    @abstractmethod
    def _chunk(self, texts: Sequence[bytes]) -> Chunk:
        """The chunk of whole lines, which are counted in ``_line``."""
