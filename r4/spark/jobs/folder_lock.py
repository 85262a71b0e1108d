"""A lock on a folder: one process at a time writes it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from weakref import finalize


class FolderLock:
    """The lock on a folder, from construction until `release`, or until the process ends.

    It leaves no file. On a file system that cannot lock folders, as NFS, it locks nothing.

    Raises:
        BlockingIOError: on construction, if another one locks the folder.
        OSError: the folder cannot be opened.
    """

    __slots__ = ("__weakref__", "release")

    def __init__(self, folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self.release = finalize(self, os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise
        except OSError:
            pass  # the file system has no such locks

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.release()
