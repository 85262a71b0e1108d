"""The files of a checkpoint, which all machines see under the same names.

| | |
|---|---|
| ``about.json`` | the manifest: rules, options, shards, inputs |
| ``spark/`` | Spark's own: the offsets of batches, and which are done |
| ``states/N/`` | what goes on after batch N: a snapshot of each shard, that of the front last |
| ``rounds/N/A/`` | inputs and messages of attempt A at batch N; removed once it is done |
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from r4.checkpoint.errors import NotASnapshot, SnapshotError
from r4.path_lock import FolderLock
from r4.spark.jobs.atomic_files import save_json
from r4.store.layout import FolderLayout

END: Final = "end"
"""In place of the number of a batch: the answers at the end of the input."""


@dataclass(frozen=True, slots=True)
class CheckpointLayout:
    """The files of a run, in two folders."""

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

    def part(self, batch: int | str, whose: str, suffix: str) -> Path:
        """The answers of a shard, or what is of all, in a batch."""
        name = batch if isinstance(batch, str) else f"{batch:08}"
        return self.output / f"part-{name}-{whose}.{suffix}"

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


class OtherRun(SnapshotError):
    """A checkpoint is of a run with other rules, shards, options or inputs."""

    code = "R4407"


class CheckpointInUse(SnapshotError):
    """Another run uses the checkpoint."""

    code = "R4408"


@contextmanager
def open_checkpoint(places: CheckpointLayout, about: Mapping[str, Any]) -> Iterator[str]:
    """Begin or go on at a checkpoint; the name of its run. Until the end it is locked.

    Raises:
        CheckpointInUse: another process has it.
        OtherRun: it is of another run, or the output is.
        OSError: a folder cannot be made or read.
    """
    places.output.mkdir(parents=True, exist_ok=True)
    places.checkpoint.mkdir(parents=True, exist_ok=True)
    try:
        lock = FolderLock(places.checkpoint)
    except BlockingIOError:
        message = f"another run from {places.checkpoint} is not done yet"
        raise CheckpointInUse(message) from None
    with lock:
        yield _run(places, json.loads(json.dumps(about)))


def _run(places: CheckpointLayout, manifest: dict[str, Any]) -> str:
    """The name of the run that begins or goes on."""
    try:
        found = json.loads(places.about.read_text("utf-8"))
    except FileNotFoundError:
        strange = next(places.output.glob("part-*"), None)
        if strange is not None:
            message = (
                f"{places.output} has the answers of another run, such as {strange.name}; "
                "name an empty folder with --output, or the checkpoint of that run"
            )
            raise OtherRun(message) from None
        run = token_hex(8)
        save_json(places.about, {"run": run, **manifest})
        return run
    except ValueError as error:
        message = f"{places.about}: {error}"
        raise NotASnapshot(message) from None
    for name, value in manifest.items():
        if not isinstance(found, dict) or found.get(name) != value:
            message = (
                f"{places.checkpoint} is of a run with other {name}; go on with the same, "
                "or name another folder with --checkpoint"
            )
            raise OtherRun(message)
    return str(found["run"])


def digest(path: str) -> str:
    """A digest of a file, or of the index of a loaded folder. Linear in its bytes."""
    file_path = FolderLayout(Path(path)).index if Path(path).is_dir() else Path(path)
    with file_path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
