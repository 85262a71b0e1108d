"""Files that are there whole or not at all: a new file gets its name only when it is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; at the end what is there gets the name ``path``.

    Until then, and if an exception ends it, ``path`` stays as it was. The suffix is the same.

    Raises:
        OSError: ``path`` is a device, a pipe or a folder, in whose place no file may be put.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EEXIST, "no regular file", str(path))
    temporary = path.with_name(f".{path.stem}.{os.urandom(6).hex()}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Return once the names in a folder are on the disk."""
    with suppress(OSError):  # not every system lets a folder be opened
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
