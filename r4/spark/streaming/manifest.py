"""The manifest of a checkpoint: a run goes on from it only if all that is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from r4.checkpoint.errors import NotASnapshot, SnapshotError
from r4.path_lock import FolderLock
from r4.spark.jobs.atomic_files import save_json
from r4.spark.streaming.checkpoint_layout import CheckpointLayout
from r4.store.layout import FolderLayout


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
    hashed = sha256()
    file_path = FolderLayout(Path(path)).index if Path(path).is_dir() else Path(path)
    with file_path.open("rb") as file:
        while data := file.read(1 << 20):
            hashed.update(data)
    return hashed.hexdigest()
