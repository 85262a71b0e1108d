"""Transports: what delivers the bytes of a stream, for sources of other packages.

A transport delivers payloads, R4's readers turn them into elements: `TransportSource`. The page
docs/connectors.md shows a whole package.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from threading import Condition
from typing import Final, Protocol, cast, runtime_checkable

import numpy as np

from r4.errors import SourceLost
from r4.rdf.chunks import as_array
from r4.rdf.documents import RdfDocument
from r4.rdf.files import CHUNK, ByteSource, Payload
from r4.sources.formats import RdfSource
from rete.arrays.state_codec import State, StateReader

_MOST: Final = 1024


@runtime_checkable
class Transport(Protocol):
    """The bytes of a stream, in a format that R4 reads: what a broker, a socket, a folder delivers.

    Any method may raise an `OSError`: the source is lost, the run ends with exit code 6.
    """

    @property
    def descriptor(self) -> int | None:
        """A file descriptor that can be read once `read` would not wait; None: there is none.

        R4 waits for it with `select`, so silence is seen: ``--idle``, ``--quiet-for`` and
        ``--clock wall`` work. It stays the same. Without one R4 waits within `read`.
        """

    def read(self) -> bytes:
        """The next bytes, some KB to some MB; waits for them. None, ``b""``, at the end only.

        They may end anywhere. Lines need their line breaks; an empty line completes an element of
        N-Quads.
        """

    def close(self) -> None:
        """Let go of what it reads from; called once, last, even if nothing was read."""


@runtime_checkable
class ResumableTransport(Transport, Protocol):
    """A transport that a later process can read on from where an earlier one stopped: ``--state``.

    R4 writes what it has read to its journal, each payload with the position behind it. So what
    was acknowledged is never read again, and may be removed. The order of the calls:

    1. `seek`, once, before anything is read.
    2. `read`, then `position`, again and again.
    3. `acknowledge`, now and then between them: before answers are written, before R4 waits for
       `descriptor`, or in `read` without one, and with each checkpoint. Without ``--state``
       before the next `read`.
    4. `close`.

    A replay, and a command that finds its run ended, only close it. After a crash all that R4 has
    on its disk is in the journal, acknowledged or not: `seek` gets the position behind that.
    """

    @property
    def position(self) -> bytes:
        """The place behind what `read` gave last, in any form: an offset, a name, JSON."""

    def seek(self, position: bytes) -> None:
        """Deliver what comes behind ``position``, a `position` of an earlier process.

        ``b""``: all there is. Whatever comes up to ``position`` counts as acknowledged.

        Raises:
            InputError: of `r4.errors`: what comes behind it is gone. Nothing is changed, exit 3.
        """

    def acknowledge(self, position: bytes) -> None:
        """All up to ``position`` is on R4's disk, and is not asked for again."""


class QueuedTransport:
    r"""A transport that other threads put payloads into, as clients with callbacks do.

    For example ``client.on_message = lambda *_, message: transport.put(message.payload + b"\n")``.
    A subclass with `seek` and `acknowledge` is a `ResumableTransport`.
    """

    def __init__(self, most: int = _MOST) -> None:
        """Begin; while ``most`` payloads wait, `put` waits."""
        self._most = most
        self._changed = Condition()
        self._waiting: deque[Payload] = deque()
        self._error: OSError | None = None
        self._has_ended = self._is_closed = False
        self._position = b""
        self._heard, self._wake = os.pipe()

    def put(self, data: bytes, position: bytes = b"") -> None:
        """Deliver a payload, with the position behind it; an empty one is left out."""
        if data:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or len(self._waiting) < self._most)
                self._waiting.append(Payload(data, position))
                self._tell()

    def end(self, error: OSError | None = None) -> None:
        """No more comes: the stream has ended, or is lost by an ``error``."""
        with self._changed:
            self._has_ended, self._error = True, error
            self._tell()

    def _tell(self) -> None:
        """Wake who waits; while anything is to be read, one byte is in the pipe."""
        self._changed.notify_all()
        if not self._is_closed and len(self._waiting) + self._has_ended == 1:
            os.write(self._wake, b"!")

    @property
    def descriptor(self) -> int | None:
        """Can be read once a payload waits; None on Windows, which does not wait for pipes."""
        return None if sys.platform == "win32" else self._heard

    @property
    def position(self) -> bytes:
        """The position of the payload that was read last."""
        return self._position

    def read(self) -> bytes:
        """The payloads that wait, some at once; waits for one."""
        parts: list[bytes] = []
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._has_ended)
            size = 0
            while self._waiting and size < CHUNK:
                data, self._position = self._waiting.popleft()
                parts.append(data)
                size += len(data)
            if parts and not (self._waiting or self._has_ended):
                os.read(self._heard, 1)
            self._changed.notify_all()
        if not parts and self._error is not None:
            raise self._error
        return b"".join(parts)

    def close(self) -> None:
        """Close it; who waits in `put` goes on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            os.close(self._heard)
            os.close(self._wake)


class TransportBytes(ByteSource):
    """The bytes of a transport as an input.

    Attributes:
        place: the position of the transport behind what was read.
        resumable: the transport, if a later process can read on; else None.
    """

    __slots__ = ("_acknowledged", "_is_live", "_transport", "place", "resumable")

    def __init__(self, name: str, transport: Transport) -> None:
        self._transport = transport
        self.resumable = transport if isinstance(transport, ResumableTransport) else None
        self._is_live = False
        self.place = self._acknowledged = b""
        super().__init__(name)
        self.is_compressed = False

    def _open(self, path: str) -> BytesIO:  # noqa: ARG002 - the transport is open
        self.live = True
        return BytesIO()  # from which nothing is read

    @property
    def descriptor(self) -> int | None:
        """What the system can wait for."""
        if self.ended:
            return None
        if self.tap is None:
            self.go_live()
        return self._transport.descriptor

    def go_live(self) -> None:
        """Let it deliver what comes behind what was read; done once.

        Raises:
            SourceLost: it is lost.
            InputError: what comes behind that is gone.
        """
        if not (self._is_live or self.ended):
            self._is_live = True
            self._acknowledged = self.place
            if self.resumable is not None:
                with self._as_lost():
                    self.resumable.seek(self.place)

    def read(self) -> bytes:
        """The next bytes; none at the end only. Raises `SourceLost` if it is lost."""
        if self.ended:
            return b""
        planned = None if self.tap is None else self.tap.planned()
        if planned is not None:
            data, self.place = cast("Payload", planned)
        else:
            self.go_live()
            data = self._deliver()
            if self.tap is not None:
                self.tap.took(data, self.place)
        self.handed += len(data)
        self.ended = not data
        return data

    def _deliver(self) -> bytes:
        if self.tap is None:
            self.acknowledge()
        try:
            with self._as_lost():
                data = self._transport.read()
                if self.resumable is not None:
                    self.place = self.resumable.position
        except BaseException:
            self._is_live = False
            if self.tap is not None:
                self.tap.fail()
            raise
        return data

    @property
    def is_unacknowledged(self) -> bool:
        """Whether it delivered anything since `acknowledge` was called."""
        return self.resumable is not None and self._is_live and self.place != self._acknowledged

    def acknowledge(self) -> None:
        """All that was read is on the disk, or needed no more.

        Raises:
            SourceLost: it is lost.
        """
        if self.resumable is not None and self.is_unacknowledged:
            self._acknowledged = self.place
            with self._as_lost():
                self.resumable.acknowledge(self.place)

    @contextmanager
    def _as_lost(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f"{self.name}: {error.strerror or str(error) or type(error).__name__}"
            raise SourceLost(message) from error

    def close(self) -> None:
        """Close the transport; nothing is acknowledged any more."""
        self._is_live = False
        with suppress(OSError):
            self._transport.close()


class TransportSource(RdfSource):
    """What a transport delivers as a stream, read as files of its format are."""

    __slots__ = ("_bytes",)

    def __init__(
        self, document: RdfDocument, transport: Transport, *, time_predicate: str | None = None
    ) -> None:
        """Begin; nothing is read yet. ``document`` has the format, and is carried.

        Raises:
            InputError: the format cannot be read as it arrives, or its mapping not be read.
        """
        self._bytes = TransportBytes(document.name, transport)
        super().__init__(document, time_predicate=time_predicate, source=self._bytes)

    @property
    def can_resume(self) -> bool:
        """Whether a later run can read on where this one stopped."""
        return self._bytes.resumable is not None

    @property
    def is_sent_again(self) -> bool:
        """No: it is read on within a statement."""
        return False

    @property
    def is_unacknowledged(self) -> bool:
        """Whether `acknowledge` has anything to say to the transport."""
        return self._bytes.is_unacknowledged

    def go_live(self) -> None:
        """All that was recorded is read: from now on the transport delivers."""
        self._bytes.go_live()

    def acknowledge(self) -> None:
        """All that was read is on the disk, so the transport may forget it."""
        self._bytes.acknowledge()

    def saved(self) -> State:
        """How far it was read; after `chunks` was called."""
        return {**super().saved(), "place": as_array(self._bytes.place)}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, after `chunks` was called and before the first chunk."""
        super().restore(given)
        self._bytes.place = given.array("place", np.uint8, None).tobytes()
