"""Where units leave what other units take up: files in the folder that is being made.

What a unit writes gets its name only when it is whole, so that a unit which is started again, or
twice, does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from r4.loaded.folder import WORK, Folder

Item = TypeVar("Item", bound=np.generic)
Json: TypeAlias = "str | int | Sequence[Json] | Mapping[str, Json] | None"


@dataclass(frozen=True, slots=True)
class Work:
    """What lies where while a load goes on.

    Attributes:
        path: its folder.
    """

    path: Path

    @classmethod
    def within(cls, into: Path) -> Work:
        """That of a load into a folder."""
        return cls(into / WORK)

    @property
    def made(self) -> Folder:
        """What is made, before it is put in place."""
        return Folder(self.path / "made")

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
        """What was left out of a split: line, code, reason."""
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


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to; what is there at the end gets the name ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{token_hex(6)}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save(path: Path, array: npt.NDArray[np.generic]) -> None:
    """Write an array."""
    with whole(path) as temporary:
        np.save(temporary, array, allow_pickle=False)


def load(path: Path, kind: type[Item]) -> npt.NDArray[Item]:
    """Map an array of this type."""
    found: npt.NDArray[Item] = np.load(path, mmap_mode="r", allow_pickle=False)
    assert found.dtype == kind
    return found


def save_batch(path: Path, batch: pa.RecordBatch) -> None:
    """Write a batch as an Arrow file."""
    with whole(path) as temporary, pa.ipc.new_file(str(temporary), batch.schema) as file:
        file.write_batch(batch)


def load_batch(path: Path) -> pa.RecordBatch:
    """Map the one batch of an Arrow file."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).get_batch(0)


def save_json(path: Path, told: Json) -> None:
    """Write a JSON text."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(told), "utf-8")
