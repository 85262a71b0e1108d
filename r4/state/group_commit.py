"""Group commit: answers of several events are told after one sync of the journal."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from r4.sinks.file import ByteWriter

_SHARE: Final = 20
"""From the end of a sync to the next it is so many times as long as the last one took."""
_LONGEST: Final = 0.1
"""Seconds for which answers wait, at most, while input keeps coming."""
_MOST: Final = 4 << 20
"""Bytes of answers that wait."""


class GroupCommit:
    """Answers on their way to an output, which wait while input keeps coming.

    A sync takes almost as long for one event as for ten. So answers wait, for about twenty times
    as long as the last sync took, and the next one is for all of them. Whoever waits for input
    calls `flush` first, so that no answer waits in silence.
    """

    def __init__(
        self,
        to: ByteWriter,
        commit: Callable[[], None],
        depends: Callable[[], bool],
        now: Callable[[], float] = monotonic,
    ) -> None:
        """Begin; the first answers do not wait.

        Args:
            to: where answers go.
            commit: returns once what they depend on is on the disk.
            depends: whether anything is to be synced for that; else no answer waits.
            now: seconds since some time.
        """
        self._to = to
        self._commit = commit
        self._depends = depends
        self._now = now
        self._held: list[bytes] = []
        self._size = 0
        self._until = 0.0
        self._is_lost = False

    def write(self, data: bytes) -> None:
        """Write ``data``, now or with what follows.

        Raises:
            StateLost: the system does not take the journal; from then on nothing is told.
            SinkLost: the system does not take the output.
        """
        self._held.append(data)
        self._size += len(data)
        if not self._can_wait():
            self.flush()

    def flush(self, *, due: bool = False) -> None:
        """Write what waits; if only what is ``due``, unless it can wait longer.

        Raises:
            StateLost: the system does not take the journal; from then on nothing is told.
            SinkLost: the system does not take the output.
        """
        if not self._held or self._is_lost or (due and self._can_wait()):
            return
        data = b"".join(self._held)
        self._held, self._size = [], 0
        begin = self._now()
        self._is_lost = True
        self._commit()
        self._is_lost = False
        end = self._now()
        self._until = end + min(_SHARE * (end - begin), _LONGEST)
        self._to.write(data)

    def _can_wait(self) -> bool:
        return self._size < _MOST and self._now() < self._until and self._depends()
