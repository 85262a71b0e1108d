"""What lies where in a loaded folder.

| place | what it is |
|---|---|
| `terms/part-B.parquet` | id, kind, lexical form, datatype, language, number |
| `triples/p=ID/part-N.parquet` | s, o, g: ids of the triples whose predicate has this id |
| `rejected/part-N.parquet` | file, line, code, reason of what was left out |
| `mapped/` | the same for memory mapping: columns of the terms, an Arrow file for each part |
| `_SUCCESS` | is there once all else is; the checksum of the index |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

SUCCESS: Final = "_SUCCESS"
WORK: Final = "_work"
"""Where a load puts things until all of them are there."""
PLACES: Final = ("terms", "triples", "rejected", "mapped")
"""The folders that a load makes."""


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """A loaded folder, or one that is being made."""

    path: Path

    @property
    def success(self) -> Path:
        """Is there once all else is."""
        return self.path / SUCCESS

    @property
    def index(self) -> Path:
        """What `r4.store.index` reads."""
        return self.path / "mapped" / "index.json"

    def column(self, name: str) -> Path:
        """A mapped column of the terms."""
        return self.path / "mapped" / "terms" / name

    def terms(self, bucket: int) -> Path:
        """The terms of a bucket, as Parquet."""
        return self.path / "terms" / f"part-{bucket:05}.parquet"

    def triples(self, predicate: int, part: str) -> Path:
        """A part of the triples with a predicate, as Parquet."""
        return self.path / "triples" / f"p={predicate}" / f"part-{part}.parquet"

    def rows(self, predicate: int, part: str) -> Path:
        """The same part, as Arrow."""
        return self.path / "mapped" / "triples" / f"{predicate}-{part}.arrow"

    def rejected(self, number: int) -> Path:
        """What was left out of a split, as Parquet."""
        return self.path / "rejected" / f"part-{number:05}.parquet"
