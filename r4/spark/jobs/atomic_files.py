"""Files that tasks leave for others: each gets its name only when it is whole.

So a task that is started again, or twice, does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Item = TypeVar("Item", bound=np.generic)
Json: TypeAlias = "str | int | Sequence[Json] | Mapping[str, Json] | None"


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
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
    with atomic_path(path) as temporary:
        np.save(temporary, array, allow_pickle=False)


def load(path: Path, kind: type[Item]) -> npt.NDArray[Item]:
    """Map an array of this type."""
    found: npt.NDArray[Item] = np.load(path, mmap_mode="r", allow_pickle=False)
    assert found.dtype == kind
    return found


def save_batch(path: Path, batch: pa.RecordBatch) -> None:
    """Write a batch as an Arrow file."""
    with atomic_path(path) as temporary, pa.ipc.new_file(str(temporary), batch.schema) as file:
        file.write_batch(batch)


def load_batch(path: Path) -> pa.RecordBatch:
    """Map the one batch of an Arrow file."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).get_batch(0)


def save_json(path: Path, told: Json) -> None:
    """Write a JSON text."""
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(told), "utf-8")
