"""Live models of DatalogMTL as files, in the format of snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from r4.checkpoint import archive
from r4.checkpoint.errors import OtherRules, naming_state
from temporal.errors import OutOfBounds
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.model_state import ModelState, is_of
from temporal.model.limits import Clock, Limits, ProgressCallback
from temporal.mtl.ast import MetricProgram

_MODEL: Final = "a live model"


def save_model(path: Path, live: LiveModel) -> None:
    """Write a live model to ``path``, whole or not at all; else raise OSError."""
    archive.write(path, live.saved())


def open_model(path: Path, program: MetricProgram) -> ModelState:
    """Read the file of a live model of ``program``; its terms are there then.

    Raises:
        SnapshotError: it is none, damaged, or of another program.
        OSError: it cannot be read.
    """
    given = archive.read(path)
    with naming_state(path, _MODEL):
        if not is_of(given, program):
            message = f"{path} is of another program, or of an R4 that compiles this otherwise"
            raise OtherRules(message)
        return ModelState(given, program)


def load_model(  # noqa: PLR0913 - the task, its limits, its progress
    path: Path,
    program: MetricProgram,
    given: ModelState | None = None,
    *,
    limits: Limits | None = None,
    clock: Clock | None = None,
    watch: ProgressCallback | None = None,
) -> LiveModel:
    """The live model of a program in a file, with a dictionary of its own; raises as `open_model`.

    ``given`` is what `open_model` gave, if more terms were added since; the rest as of `LiveModel`.
    """
    given = given or open_model(path, program)
    with naming_state(path, _MODEL, (ValueError, OutOfBounds)):
        return LiveModel(
            program,
            given.data(),
            given.terms,
            limits=limits,
            clock=clock,
            watch=watch,
            resumes=given,
        )
