"""Writes checkpoints beside the run: a child process has the engine as it was when it was made.

The system copies a page of memory only when the run changes it, so the run waits for the fork
alone. The child makes the file and syncs it; the run gives it its name, once the child has ended.
So nothing is committed by a child whose run is gone. Where the system cannot fork, the run waits.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

from r4.checkpoint import archive
from r4.state.files import TEMPORARY, SystemFiles, as_lost
from rete.arrays.state_codec import SavedValue

_State: TypeAlias = Callable[[], Mapping[str, SavedValue]]
_FAILED: Final = 255
"""The exit code of a child that failed otherwise than by the system, whose codes are smaller."""
_SHARE: Final = 10
"""From the end of a checkpoint to the next it is so many times as long as one took, at least."""


class CheckpointWriter:
    """Writes one checkpoint at a time.

    Attributes:
        every: seconds from one checkpoint to the next, at least.
        seconds: how long the last one took; 0.0: there is none.
    """

    def __init__(
        self,
        files: SystemFiles,
        every: float,
        *,
        forks: bool = sys.platform == "linux",
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.files = files
        self.every = every
        self.seconds = 0.0
        self._forks = forks
        self._now = now
        self._began = now()
        self._due = self._began + every
        self._child = 0
        self._path = Path()

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is to be written, and none is being written."""
        return not self._child and self._now() >= self._due

    @property
    def is_writing(self) -> bool:
        """Whether a child is at work."""
        return self._child != 0

    def begin(self, path: Path, state: _State, sync: Callable[[], None]) -> bool:
        """Begin to write ``state`` to ``path``, after ``sync``; whether it is written already.

        Raises:
            StateLost: it was written here, and the system does not take it, or gives no child.
        """
        if not self._forks:
            self.write(path, state, sync)
            return True
        self._began, self._path = self._now(), path
        with as_lost(path), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads; see `_work`
            try:
                self._child = os.fork()
            except OSError:
                self._done()
                raise
        if not self._child:
            self._work(state, sync)
        return False

    def write(self, path: Path, state: _State, sync: Callable[[], None]) -> None:
        """Write a checkpoint here; raises as `begin`."""
        self._began = self._now()
        try:
            with as_lost(path), self._whole(path):
                sync()
                self.files.replace(path, lambda file: archive.write_to(file, state()))
        finally:
            self._done()

    def poll(self, *, wait: bool = False) -> bool:
        """Whether the child has just ended, and its checkpoint has its name now.

        Raises:
            StateLost: it has ended without one, or the system does not let it have its name.
        """
        if not self._child:
            return False
        try:
            found, status = os.waitpid(self._child, 0 if wait else os.WNOHANG)
        except ChildProcessError:  # a signal cut a call short that had waited for it
            found, status = self._child, _FAILED << 8
        if not found:
            return False
        self._child = 0
        self._done()
        with as_lost(self._path), self._whole(self._path):
            if code := os.waitstatus_to_exitcode(status):
                raise _failure(code)
            self.files.rename(_temporary(self._path), self._path)
            self.files.sync_folder(self._path.parent)
        return True

    @contextmanager
    def _whole(self, path: Path) -> Iterator[None]:
        """Leave no part of a file that cannot be whole: the disk may be full of it."""
        try:
            yield
        except OSError:
            with suppress(OSError):
                self.files.remove(_temporary(path))
            raise

    def _done(self) -> None:
        now = self._now()
        self.seconds = now - self._began
        self._due = now + max(self.every, _SHARE * self.seconds)

    def _work(self, state: _State, sync: Callable[[], None]) -> None:
        """What the child does; it prints nothing, takes no lock of Python's, and never returns."""
        try:
            gc.disable()
            for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(each, signal.SIG_IGN)
            # The files of the run are to be locked and open no longer than the run lasts.
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            sync()
            with self.files.create(_temporary(self._path)) as file:
                archive.write_to(file, state())
                self.files.sync(file)
            os._exit(0)
        except OSError as error:
            os._exit(min(error.errno or _FAILED, _FAILED))
        except BaseException:  # noqa: BLE001 - whatever it is, the run goes on without it
            os._exit(_FAILED)


def _failure(code: int) -> OSError:
    """What a child told by its exit code."""
    if code < 0:
        return OSError(f"the process that wrote it was killed by signal {-code}")
    if code == _FAILED:
        return OSError("the process that wrote it failed")
    return OSError(code, os.strerror(code))


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + TEMPORARY)
