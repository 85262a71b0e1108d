"""Files that tasks leave for others: each gets its name only when it is whole.

So a task that is started again, or twice, does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from r4.atomic_path import atomic_path

Item = TypeVar("Item", bound=np.generic)
Json: TypeAlias = "str | int | Sequence[Json] | Mapping[str, Json] | None"


def job_path(path: Path) -> AbstractContextManager[Path]:
    """`atomic_path` of ``path``, whose folder is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return atomic_path(path)


def save(path: Path, array: npt.NDArray[np.generic]) -> None:
    """Write an array."""
    with job_path(path) as temporary:
        np.save(temporary, array, allow_pickle=False)


def load(path: Path, kind: type[Item]) -> npt.NDArray[Item]:
    """Map an array of this type."""
    found: npt.NDArray[Item] = np.load(path, mmap_mode="r", allow_pickle=False)
    assert found.dtype == kind
    return found


def save_arrow(path: Path, rows: pa.RecordBatch | pa.Table) -> None:
    """Write a batch or a table as an Arrow file."""
    with job_path(path) as temporary, pa.ipc.new_file(str(temporary), rows.schema) as file:
        file.write(rows)


def load_batch(path: Path) -> pa.RecordBatch:
    """Map the one batch of an Arrow file."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).get_batch(0)


def save_json(path: Path, content: Json) -> None:
    """Write a JSON text."""
    with job_path(path) as temporary:
        temporary.write_text(json.dumps(content), "utf-8")
