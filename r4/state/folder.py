"""The folder of a state: what is in it, what is needed to go on, and what is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from r4.checkpoint import archive
from r4.checkpoint.errors import OtherVersion, SnapshotError
from r4.path_lock import FolderLock, is_locked
from r4.state.errors import DamagedState, NoState, OtherStateVersion, StateInUse
from r4.state.files import TEMPORARY, SystemFiles, as_lost
from r4.state.journal.journal import Journal, JournalReader
from r4.state.manifest import Manifest
from rete.arrays.state_codec import StateReader

_MANIFEST: Final = "manifest.json"
_STATUS: Final = "status.json"
_MOVED: Final = "moved.json"
_NUMBERED: Final = re.compile(
    r"(checkpoint|journal)-([0-9]{8})(?:-in-([0-9]{8})-at-([0-9]+))?\.r4[cj]"
)
_KEPT: Final = 2
"""So many checkpoints are kept, with the journal behind the older one."""


class JournalPlace(NamedTuple):
    """Where the journal behind a checkpoint begins: in which segment, with which record."""

    segment: int
    record: int


class StateFolder:
    """A folder, and its file system, that one process at a time may change."""

    def __init__(self, path: Path, files: SystemFiles | None = None) -> None:
        self.path = path
        self.files = SystemFiles() if files is None else files
        self._lock: FolderLock | None = None

    def open(self, *, create: bool) -> None:
        """Lock the folder; with ``create`` it is made if it is not there.

        Raises:
            StateError: it holds something else, is not there, in use, or cannot be opened.
        """
        if not self.path.is_dir() and not create:
            message = f"{self.path} is no folder"
            raise NoState(message, "name the folder that was given to --state")
        with as_lost(self.path):
            if create:
                self.path.mkdir(parents=True, exist_ok=True)
                self.files.sync_folder(self.path.parent)
            try:
                self._lock = FolderLock(self.path)
            except BlockingIOError:
                message = f"another process or engine uses {self.path}"
                hint = "wait for it to end, or end it; `close` ends an engine"
                raise StateInUse(message, hint) from None
            foreign = [each.name for each in self.path.iterdir() if not _is_own(each.name)]
        if foreign and not self.manifest_path.exists():
            self.close()
            message = f"{self.path} holds {min(foreign)}, which is no part of a state"
            raise NoState(message, "name an empty folder, or one that does not exist")
        if create:
            self._make_private()

    def _make_private(self) -> None:
        """Let nobody else read what an older R4, or somebody else, has left readable."""
        for path in self.path.iterdir():
            if _is_own(path.name) and path.name != _STATUS and not path.is_symlink():
                with suppress(OSError):  # it is another user's
                    path.chmod(0o600)

    def close(self) -> None:
        """Let other processes have it."""
        if self._lock is not None:
            self._lock.release()
        self._lock = None

    @property
    def is_in_use(self) -> bool | None:
        """Whether a process has it; None: the file system cannot tell."""
        with as_lost(self.path):
            return is_locked(self.path)

    @property
    def manifest_path(self) -> Path:
        """Where the manifest is."""
        return self.path / _MANIFEST

    @property
    def status_path(self) -> Path:
        """Where the status of the run is."""
        return self.path / _STATUS

    @property
    def moved_path(self) -> Path:
        """Where it is how much of the outputs stands in files that were moved away."""
        return self.path / _MOVED

    def manifest(self) -> Manifest | None:
        """The manifest; None: no run has begun.

        Raises:
            StateError: it is none, damaged, or of another version.
        """
        if self.manifest_path.exists():
            return Manifest.read(self.manifest_path)
        if self.checkpoints or self.journals:
            message = f"{self.path} has lost its manifest"
            raise DamagedState(message)
        return None

    @property
    def checkpoints(self) -> list[int]:
        """The numbers of the checkpoints, ascending."""
        return sorted(self._files_of("checkpoint"))

    @property
    def journals(self) -> list[int]:
        """The numbers of the checkpoints behind which segments begin; 0: the begin."""
        return sorted(self._files_of("journal"))

    @property
    def next_number(self) -> int:
        """The number of the checkpoint that is written next."""
        return max([*self.checkpoints, *self.journals, 0]) + 1

    def checkpoint_path(self, number: int, place: JournalPlace | None = None) -> Path:
        """The file of a checkpoint.

        A new one has a ``place`` if the journal behind it begins there; None: with the segment of
        its number.
        """
        if place is not None:
            where = f"in-{place.segment:08}-at-{place.record}"
            return self.path / f"checkpoint-{number:08}-{where}.r4c"
        plain = f"checkpoint-{number:08}.r4c"
        return self.path / self._files_of("checkpoint").get(number, plain)

    def journal_path(self, number: int) -> Path:
        """The segment behind a checkpoint."""
        return self.path / f"journal-{number:08}.r4j"

    def read_checkpoint(self, number: int, *, portable: bool = True) -> StateReader | None:
        """The state in a checkpoint; None for number 0, the begin.

        With ``portable`` it may be of another version, see `r4.state.run_checkpoint`.

        Raises:
            StateError: it is not as it was written, or of another format.
        """
        if not number:
            return None
        path = self.checkpoint_path(number)
        try:
            with as_lost(path):
                return archive.read(path, portable=portable)
        except OtherVersion as error:
            hint = "go on with the R4 that wrote it, or begin anew"
            raise OtherStateVersion(error.message, hint) from None
        except SnapshotError as error:
            if not any(each < number for each in self.checkpoints):
                raise DamagedState(error.message) from None
            hint = f"remove {path.name} to go on from the checkpoint before it"
            raise DamagedState(error.message, hint) from None

    def entries_behind(self, number: int, manifest: Manifest) -> JournalReader:
        """The journal behind a checkpoint; raises `DamagedState` if a segment is missing."""
        place = self._place_behind(number)
        behind = [each for each in self.journals if each >= place.segment]
        if self.journals and (not behind or behind[0] != place.segment):
            message = f"{self.journal_path(place.segment)} is missing"
            raise DamagedState(message)
        paths = [self.journal_path(each) for each in behind]
        return JournalReader(paths, manifest.state, place.record)

    def open_journal(
        self, reader: JournalReader, write: Callable[[Path], object]
    ) -> tuple[Journal, int]:
        """The journal that goes on behind what was read, and the number of its checkpoint.

        Where nothing is, ``write`` writes the first checkpoint to a file: what was read before the
        first event is not read again.
        """
        journal = Journal(self.files, reader.state, max(reader.number, 0))
        number = self.next_number - 1
        if reader.size:
            journal.go_on(reader.paths[-1], reader.size)
            return journal, number
        if not number:
            number = 1
            write(self.checkpoint_path(number))
        journal.begin(self.journal_path(number), number)
        return journal, number

    def prune(self, *, keep_journal: bool = False, least: int = _KEPT) -> list[Path]:
        """Remove what is not needed to go on; the files that were removed.

        With ``keep_journal`` all segments are kept, with the checkpoint that they begin behind;
        ``least`` checkpoints are kept.
        """
        checkpoints = self.checkpoints
        kept = checkpoints[-least:]
        if keep_journal:  # it begins behind the first checkpoint
            kept = [*checkpoints[:1], *kept]
        removed = [self.checkpoint_path(each) for each in checkpoints if each not in kept]
        if len(checkpoints) >= least and not keep_journal:
            first = self._place_behind(kept[0]).segment
            removed += [self.journal_path(each) for each in self.journals if each < first]
        with as_lost(self.path):
            temporary = (each for each in self.path.iterdir() if each.name.endswith(TEMPORARY))
            removed += [each for each in temporary if _is_own(each.name)]
            for each in removed:
                self.files.remove(each)
        return removed

    def verify(self) -> Iterator[str]:
        """Read all of it; a line for each file that is whole.

        Raises:
            StateError: something is damaged.
        """
        manifest = self.manifest()
        if manifest is None:
            return
        yield f"{_MANIFEST}: whole"
        for number in self.checkpoints:
            self.read_checkpoint(number)
            yield f"{self.checkpoint_path(number).name}: whole"
        if self.journals:
            reader = self.entries_behind(self.journals[0], manifest)
            count = sum(1 for _ in reader.entries())
            yield f"journal: {count} event(s) in {len(self.journals)} segment(s)"

    def place_of(self, reader: JournalReader) -> JournalPlace:
        """The place behind what was read of the journal."""
        found = _NUMBERED.fullmatch(reader.path.name)
        assert found is not None
        return JournalPlace(int(found[2]), reader.number)

    def _place_behind(self, number: int) -> JournalPlace:
        """Where the journal behind a checkpoint begins."""
        found = _NUMBERED.fullmatch(self.checkpoint_path(number).name)
        if found is None or found[3] is None:
            return JournalPlace(number, 0)
        return JournalPlace(int(found[3]), int(found[4]))

    def _files_of(self, kind: str) -> dict[int, str]:
        """The names of checkpoints, or of segments, by number."""
        with as_lost(self.path):
            found = [_NUMBERED.fullmatch(each.name) for each in self.path.iterdir()]
        return {int(each[2]): each[0] for each in found if each and each[1] == kind}


def _is_own(name: str) -> bool:
    whole = name.removesuffix(TEMPORARY)
    return whole in {_MANIFEST, _STATUS, _MOVED} or _NUMBERED.fullmatch(whole) is not None
