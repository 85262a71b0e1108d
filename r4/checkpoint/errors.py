"""Errors of snapshots: one class per code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar


class SnapshotError(Exception):
    """A snapshot that no engine can be resumed from.

    Attributes:
        code: ``R44`` and two digits, one per class.
        message: what is wrong, in one line.
    """

    code: ClassVar[str]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"{self.code} {self.message}"


class NotASnapshot(SnapshotError):
    """A file is no snapshot."""

    code = "R4401"


class OtherVersion(SnapshotError):
    """A snapshot has a format that this version does not read."""

    code = "R4402"


class DamagedSnapshot(SnapshotError):
    """A part of a snapshot is missing, or is not what was written."""

    code = "R4403"


class WrongSize(SnapshotError):
    """A snapshot claims to hold more than it is long, or other than what is there."""

    code = "R4404"


class OtherRules(SnapshotError):
    """A snapshot belongs to other rules, or other rules were added to it."""

    code = "R4405"


class OtherFunctions(SnapshotError):
    """Its rules call a function that is not given, or another version of it."""

    code = "R4409"


class NotAState(SnapshotError):
    """A snapshot is whole, but no engine or model can be in such a state."""

    code = "R4406"


@contextmanager
def naming_state(
    path: Path, of: str, faults: tuple[type[Exception], ...] = (ValueError,)
) -> Iterator[None]:
    """Turn ``faults`` about the state in a file into `NotAState`."""
    try:
        yield
    except faults as error:
        message = f"{path} is no state of {of}: {error}"
        raise NotAState(message) from None
