"""Outputs of a run with a state: files that are continued, numbered lines, answers that wait."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from r4.path_lock import lock
from r4.sinks.file import ByteWriter, SinkLost, is_named
from r4.state.errors import DamagedState, NotResumable, OtherOutput, StateInUse
from r4.state.files import SystemFiles

_END: Final = b"}\n"


def check_committed(path: Path, size: int, moved: int) -> None:
    """Refuse a file that has less than what was committed, or is gone.

    ``moved`` of the ``size`` bytes stand in files that were moved away: if there are no others, it
    need not be there.

    Raises:
        OtherOutput: so it is.
        OSError: the system does not say.
    """
    if size <= moved:
        return
    size -= moved
    try:
        found = path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        message = f"{path} does not exist, but {size} bytes were committed"
    else:
        if found >= size:
            return
        message = f"{path} has {found} bytes, but {size} were committed"
    raise OtherOutput(message, "put the file back, or begin with an empty folder")


class MovedBytes:
    """How many bytes of each output of a run stand in files that were moved away.

    A file in the folder of the state has it: a new file begins behind these bytes.
    """

    def __init__(self, path: Path, files: SystemFiles) -> None:
        """Begin with what the file at ``path`` says, if there is one.

        Raises:
            DamagedState: it is not as it was written.
        """
        self._path = path
        self._files = files
        self._counts: dict[str, int] = {}
        if path.exists():
            try:
                found = json.loads(path.read_bytes())
                self._counts = {str(key): int(count) for key, count in found.items()}
            except (ValueError, TypeError, AttributeError):
                message = f"{path} is damaged"
                raise DamagedState(message) from None

    def of(self, key: str) -> int:
        """The bytes of the output ``key``."""
        return self._counts.get(key, 0)

    def note(self, key: str, count: int) -> None:
        """The files of an output that were moved away have so many; it is on the disk then."""
        self._counts[key] = count
        text = json.dumps(self._counts).encode()
        self._files.replace(self._path, lambda file: file.write(text))


class CommittedFile:
    """A file that is written behind what was committed.

    If it is moved away, as by logrotate, a new one goes on; both together have what one would have.

    Attributes:
        size: how many bytes were written, those of earlier processes and files too.
    """

    def __init__(self, path: Path, files: SystemFiles, *, creates: bool = True) -> None:
        """Open and lock it; it stays as it is. If not ``creates``, `begin` makes it if need be.

        Raises:
            StateInUse: another process writes it.
            NotResumable: it is no plain file.
            OSError: it cannot be opened.
        """
        self.path = path
        self.size = 0
        self._files = files
        self._before: Callable[[], None] = lambda: None
        self._note: Callable[[int], None] = lambda _: None
        self._base = self._skipped = 0
        self._file: BinaryIO | None = None
        if creates or path.exists():
            self._file = self._open()

    def _open(self) -> BinaryIO:
        file = self._files.append(self.path)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            message = f"{self.path} is no file that can be cut back"
            raise NotResumable(message, "write to a plain file, or to standard output")
        try:
            lock(file.fileno())
        except BlockingIOError:
            file.close()
            message = f"another process writes {self.path}"
            raise StateInUse(message, "wait for it to end, or end it") from None
        return file

    def begin(
        self,
        size: int,
        before: Callable[[], None],
        moved: int = 0,
        note: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Write behind the first ``size`` bytes, and cut off what stands there.

        Args:
            size: how much was committed, files that were moved away included.
            before: is called before each write.
            moved: how many bytes stand in these; what of it was not committed is not written again.
            note: is given that number when a file was moved away, before a new one is written.

        Raises:
            StateError: it was not there, and is something else by now.
            SinkLost: the system does not take it.
        """
        self.size, self._before, self._note = size, before, note
        self._base, self._skipped = moved, max(moved - size, 0)
        try:
            if self._file is None:
                self._file = self._open()
            self._files.cut(self._file, max(size - moved, 0))
            self._files.sync_folder(self.path.parent)
        except OSError as error:
            raise self._lost(error) from None

    def write(self, data: bytes) -> None:
        """Write all of ``data``; raises as `begin`."""
        self._before()
        self.follow()
        assert self._file is not None
        view = memoryview(data)[self._skipped :]
        self._skipped -= len(data) - len(view)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise self._lost(error) from None
        self.size += len(data)

    def follow(self) -> None:
        """Begin a new file if this one was moved away, or emptied by another process.

        Raises:
            SinkLost: the system does not take it, or another file with content has its name.
        """
        file = self._file
        if file is None or self._skipped:
            return
        try:
            is_named_so = is_named(file, self.path)
            if is_named_so and os.fstat(file.fileno()).st_size >= self.size - self._base:
                return
            self._files.sync(file)
            self._note(self.size)
            self._base = self.size
            if is_named_so:
                return
            file.close()
            self._file = self._open()
            self._files.sync_folder(self.path.parent)
            if os.fstat(self._file.fileno()).st_size:
                message = f"{self.path} was moved away, and a file that is not empty has its name"
                raise SinkLost(message)
        except OSError as error:
            raise self._lost(error) from None

    def sync(self) -> None:
        """Return once it is on the disk, whoever wrote it; else raise OSError.

        By its name, as a forked process has closed what it was opened as. What was moved away is on
        the disk since `follow`, so that is called first.
        """
        with self._files.append(self.path) as file:
            self._files.sync(file)

    def close(self) -> None:
        """Close it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _lost(self, error: OSError) -> SinkLost:
        return SinkLost(f"{self.path}: {error.strerror or error}")


class NumberedLines:
    """JSON lines with a last key ``seq``, counted from 1, on their way to standard output.

    Those of a run that happens again have it if they had it then; they go where the user wants.

    Attributes:
        count: the number of the last line, if they have numbers.
    """

    def __init__(self, to: ByteWriter, *, numbered: bool = True) -> None:
        self.count = 0
        self._to = to
        self._numbered = numbered
        self._before: Callable[[], None] = lambda: None

    def begin(self, count: int, before: Callable[[], None]) -> None:
        """Go on behind the line of number ``count``; ``before`` is called before each write."""
        self.count, self._before = count, before

    def write(self, data: bytes) -> None:
        """Write lines."""
        self._before()
        if not self._numbered:
            self._to.write(data)
            return
        # In strings a line break is an escape, so this is the end of a line.
        *lines, rest = data.split(_END)
        assert not rest
        first = self.count + 1
        self.count += len(lines)
        self._to.write(
            b"".join(b'%b,"seq":%d}\n' % (line, number) for number, line in enumerate(lines, first))
        )


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
        """Write ``data``, now or with what follows; raises as `flush`."""
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
