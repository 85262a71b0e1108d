"""The files of a checkpoint, which all machines see under the same names.

| | |
|---|---|
| ``about.json`` | the manifest: rules, options, shards, inputs |
| ``spark/`` | Spark's own: the offsets of batches, and which are done |
| ``states/N/`` | what goes on after batch N: a snapshot of each shard, that of the front last |
| ``rounds/N/A/`` | inputs and messages of attempt A at batch N; removed once it is done |
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

END: Final = "end"
"""In place of the number of a batch: the answers at the end of the input."""


@dataclass(frozen=True, slots=True)
class CheckpointLayout:
    """The files of a run.

    Attributes:
        checkpoint, output: folders.
    """

    checkpoint: Path
    output: Path

    @property
    def about(self) -> Path:
        """The manifest."""
        return self.checkpoint / "about.json"

    @property
    def spark(self) -> Path:
        """Spark's own."""
        return self.checkpoint / "spark"

    def state(self, batch: int) -> Path:
        """The folder of the state after a batch."""
        return self.checkpoint / "states" / str(batch)

    def front(self, batch: int) -> Path:
        """The snapshot of the front: where it is, all shards' are."""
        return self.state(batch) / "front.r4"

    def shard(self, batch: int, shard: int) -> Path:
        """The snapshot of a shard."""
        return self.state(batch) / f"shard-{shard:05}.r4"

    def rounds(self, batch: int | str, attempt: str) -> Path:
        """The folder of an attempt at a batch."""
        return self.checkpoint / "rounds" / str(batch) / attempt

    def part(self, batch: int | str, shard: int, suffix: str) -> Path:
        """The answers of a shard in a batch."""
        name = batch if isinstance(batch, str) else f"{batch:08}"
        return self.output / f"part-{name}-{shard:05}.{suffix}"

    def latest(self) -> int:
        """The last batch after which all states are there; -1: none."""
        states = self.checkpoint / "states"
        numbers = [int(path.name) for path in states.glob("*") if path.name.isdigit()]
        return max((number for number in numbers if self.front(number).exists()), default=-1)

    def forget(self, done: int) -> None:
        """Remove the states before batch ``done``."""
        for path in (self.checkpoint / "states").glob("*"):
            if path.name.isdigit() and int(path.name) < done:
                shutil.rmtree(path, ignore_errors=True)

    def clear(self, batch: int | str) -> None:
        """Remove the messages of a batch."""
        shutil.rmtree(self.checkpoint / "rounds" / str(batch), ignore_errors=True)

    def withdraw_end(self) -> None:
        """Remove the answers at the end of the input, as it goes on."""
        for path in self.output.glob(f"part-{END}-*"):
            with suppress(FileNotFoundError):
                path.unlink()
