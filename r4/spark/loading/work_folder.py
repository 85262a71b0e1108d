"""Where units leave what other units take up: files in the folder that is being made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from r4.store.layout import FolderLayout


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The files of a load while it goes on."""

    path: Path

    @property
    def made(self) -> FolderLayout:
        """The folder that is made, before it is put in place."""
        return FolderLayout(self.path / "made")

    def units(self, stage: str) -> Path:
        """The units of a stage, as JSON."""
        return self.path / f"{stage}.json"

    def rows(self, portion: str) -> Path:
        """(n, 4) int32: s, p, o, g as ids of the portion."""
        return self.path / f"{portion}.rows.npy"

    def words(self, portion: str) -> Path:
        """The terms of a portion by hash: hash, id, text."""
        return self.path / f"{portion}.words.arrow"

    def faults(self, split: int) -> Path:
        """The faults of a split, which are left out: line, code, reason."""
        return self.path / f"{split:05}.faults.arrow"

    def merged(self, bucket: int) -> Path:
        """The terms of a bucket: hash, text."""
        return self.path / f"bucket-{bucket:05}.arrow"

    def ranks(self, bucket: int) -> Path:
        """(n,) int32: which term of the bucket each one of the portions is, portion by portion."""
        return self.path / f"bucket-{bucket:05}.ranks.npy"

    def starts(self, bucket: int) -> Path:
        """(portions + 1,) int64: where those of a portion begin in the ranks."""
        return self.path / f"bucket-{bucket:05}.starts.npy"

    def rewritten(self, portion: str) -> Path:
        """(3, n) int64: s, o, g as global ids, in the order of predicates."""
        return self.path / f"{portion}.global.npy"

    def runs(self, portion: str) -> Path:
        """(2, m) int64: the predicates, ascending, and where the rows of each begin."""
        return self.path / f"{portion}.runs.npy"
