"""Pieces as a streaming source of Spark: a row is a piece, an offset names those of its batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from r4.spark.streaming.file_pieces import FilePiece, StreamInput, files_of, next_pieces

FORMAT = "r4"
SCHEMA = "source bigint, path string, number bigint, begin bigint, end bigint, last boolean"


class R4Source(DataSource):
    """Inputs of R4. Options: ``inputs``, as JSON, and ``most``, bytes in a batch."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT

    def schema(self) -> str:
        """A piece."""
        return SCHEMA

    def streamReader(self, schema: StructType) -> PieceStreamReader:  # noqa: N802 - Spark's name
        """The reader of its stream."""
        del schema
        inputs = [StreamInput(*each) for each in json.loads(self.options["inputs"])]
        return PieceStreamReader(inputs, int(self.options["most"]))


class PieceStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Finds the pieces that are there.

    An offset has what was seen by then, and the pieces of its batch, both as JSON.
    """

    def __init__(self, inputs: Sequence[StreamInput], most: int) -> None:
        self._inputs = inputs
        self._most = most
        self._upto: list[str] | None = None

    def initialOffset(self) -> dict[str, str]:  # noqa: N802
        """Nothing was seen."""
        return {"seen": "{}", "pieces": "[]"}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """So many bytes a batch."""
        return ReadMaxBytes(self._most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Read only the files that are there now; later ones are left for another run."""
        self._upto = [
            max(files_of(each.path), default="") if each.folder else "" for each in self._inputs
        ]

    def latestOffset(self, start: dict[str, str], limit: ReadLimit) -> dict[str, str]:  # noqa: N802
        """Up to where the next batch goes: ``start`` where there is nothing new."""
        del limit
        pieces, seen = next_pieces(self._inputs, json.loads(start["seen"]), self._most, self._upto)
        if not pieces:
            return start
        return {"seen": json.dumps(seen), "pieces": json.dumps(pieces)}

    def partitions(self, start: dict[str, str], end: dict[str, str]) -> Sequence[InputPartition]:
        """All pieces of a batch, in order."""
        return [] if start == end else [InputPartition(end["pieces"])]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """A row a piece."""
        return (tuple(FilePiece(*each)) for each in json.loads(partition.value))
