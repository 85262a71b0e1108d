"""Locks on files and folders: one process at a time writes them.

They leave no file, and end with the process. On a file system without locks, as NFS, and on Windows
nothing is locked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from weakref import finalize

if sys.platform != "win32":
    import fcntl


def lock(descriptor: int) -> None:
    """Lock an open file or folder until it is closed.

    Raises:
        BlockingIOError: another process has the lock.
    """
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # the file system has no such locks


def is_locked(folder: Path) -> bool | None:
    """Whether a process has the lock on a folder now; None: nothing is locked there.

    It is asked for a lock beside others, which keeps a process that begins at the same moment out.

    Raises:
        OSError: the folder cannot be opened.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None  # the file system has no such locks
    finally:
        os.close(descriptor)
    return False


class FolderLock:
    """The lock on a folder, from construction until `release`, or until the process ends.

    Raises:
        BlockingIOError: on construction, if another one locks the folder.
        OSError: the folder cannot be opened.
    """

    __slots__ = ("__weakref__", "release")

    def __init__(self, folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self.release = finalize(self, os.close, descriptor)
        try:
            lock(descriptor)
        except BlockingIOError:
            self.release()
            raise

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.release()
