"""A file system that stops at some operation, and then has lost what nobody synced."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, cast

from r4.state.files import SystemFiles
from tests.generators.draw import Draw
from tests.simulation.state.watched_file import WatchedFile


class Crash(BaseException):
    """The process ends here."""


class CrashingFiles(SystemFiles):
    """Files of the system, until the operation of a number.

    Attributes:
        draw: what is left to chance.
        operations: how many there were.
    """

    def __init__(self, draw: Draw, crash_at: int | None, *, power: bool) -> None:
        """Begin.

        Args:
            draw: what is left to chance.
            crash_at: the number of the operation in which it stops; None: none.
            power: whether what was not synced is lost, as when the power fails; else the process
                alone ends.
        """
        self.draw = draw
        self.operations = 0
        self._crash_at = crash_at
        self._power = power
        self._crashed = False
        self._synced: dict[Path, int] = {}
        self._undo: list[tuple[Path, Path, bytes | None]] = []

    def crash_in(self, count: int) -> None:
        """Stop in the operation behind so many from now on."""
        self._crash_at = self.operations + count

    def step(self, _: str) -> bool:
        """Whether the process ends in this operation."""
        if self._crashed:
            raise Crash
        self.operations += 1
        return self.operations - 1 == self._crash_at

    def crash(self) -> None:
        """End the process, and lose what is lost by that.

        Raises:
            Crash: always.
        """
        self._crashed = True
        if self._power:
            self._lose()
        raise Crash

    def append(self, path: Path, *, private: bool = False) -> BinaryIO:
        if self.step("append"):
            self.crash()
        if path.exists():
            self._synced.setdefault(path, path.stat().st_size)
        else:
            self._synced[path] = 0
            self._undo.append((path.parent, path, None))
        return self._wrapped(path, super().append(path, private=private))

    def create(self, path: Path) -> BinaryIO:
        if self.step("create"):
            self.crash()
        self._synced[path] = 0
        return self._wrapped(path, path.open("w+b", buffering=0))

    def sync(self, file: BinaryIO) -> None:
        if self.step("sync"):
            self.crash()
        path = cast("WatchedFile", file).path
        self._synced[path] = path.stat().st_size

    def sync_folder(self, path: Path) -> None:
        if self.step("sync folder"):
            self.crash()
        self._undo = [each for each in self._undo if each[0] != path]

    def rename(self, old: Path, new: Path) -> None:
        if self.step("rename"):
            self.crash()
        before = new.read_bytes() if new.exists() else None
        self._undo.append((new.parent, new, before))
        super().rename(old, new)
        self._synced[new] = self._synced.pop(old, 0)

    def cut(self, file: BinaryIO, size: int) -> None:
        if self.step("cut"):
            self.crash()
        path = cast("WatchedFile", file).path
        super().cut(file, size)
        self._synced[path] = min(size, self._synced.get(path, size))

    def remove(self, path: Path) -> None:
        if self.step("remove"):
            self.crash()
        if path.exists():
            self._undo.append((path.parent, path, path.read_bytes()))
        super().remove(path)

    def _wrapped(self, path: Path, file: BinaryIO) -> BinaryIO:
        return cast("BinaryIO", WatchedFile(path, file, self._write))

    def _write(self, file: BinaryIO, data: bytes) -> int:
        if self.step("write"):
            file.write(data[: self.draw.integer(0, len(data))])
            file.flush()
            self.crash()
        return file.write(data)

    def _lose(self) -> None:
        """What was not synced is there in part, or is something else."""
        for path, synced in self._synced.items():
            if not path.exists():
                continue
            data = path.read_bytes()
            kept = self.draw.integer(synced, max(synced, len(data)))
            junk = self.draw.choice((b"", b"", bytes(40), b"R4" + bytes(30)))
            path.write_bytes(data[:kept] + (junk if len(data) > synced else b""))
        # Names reach the disk in any order, so some of them are as before.
        for _, path, before in reversed(self._undo):
            if self.draw.chance(50):
                if before is None:
                    path.unlink(missing_ok=True)
                else:
                    path.write_bytes(before)
