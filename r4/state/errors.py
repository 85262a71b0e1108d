"""Errors of states, one class per code; a warning."""

from __future__ import annotations

from typing import ClassVar


class StateError(Exception):
    """A state that no run can go on from.

    Attributes:
        code: ``R44`` and two digits, one per class.
        message: what is wrong, in one line.
        hint: what can be done.
    """

    code: ClassVar[str]

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.code} {self.message}\n  hint: {self.hint}"


class StateInUse(StateError):
    """Another process or engine uses the folder."""

    code = "R4411"


class NoState(StateError):
    """The folder of a state holds something else."""

    code = "R4412"


class OtherStateVersion(StateError):
    """A state has a format that this version does not read."""

    code = "R4413"


class OtherCommand(StateError):
    """A state is of a run with other rules, options or sources."""

    code = "R4414"


class OtherAnswers(Exception):
    """By this version of R4 other answers follow from a state than were told."""

    code: ClassVar[str] = "R4421"

    def __init__(self, predicate: str, count: int) -> None:
        super().__init__(
            f"{self.code} {predicate}: {count} fact(s) begin or end where the state is taken over,"
            " as this R4 derives others than were told"
        )


class DamagedState(StateError):
    """A part of a state is missing, or is not what was written."""

    code = "R4415"

    def __init__(
        self, message: str, hint: str = "restore the folder, or begin with an empty one"
    ) -> None:
        super().__init__(message, hint)


class OtherInput(StateError):
    """An input is not what was read of it before."""

    code = "R4416"


class OtherOutput(StateError):
    """An output file is gone, or shorter than what was committed."""

    code = "R4417"


class StateLost(StateError):
    """The system does not take what is written to the folder: the disk is full, or read-only."""

    code = "R4418"


class CheckpointFailed(UserWarning):
    """A checkpoint that could not be written; what runs goes on with its journal."""

    @classmethod
    def of(cls, error: StateLost) -> CheckpointFailed:
        """The warning that it could not, and why."""
        return cls(f"no checkpoint could be written, and the journal grows: {error.message}")


class NotResumable(StateError):
    """The state of such a run cannot be kept."""

    code = "R4419"


class InputEnded(StateError):
    """Input comes after the end of a run that has reported its end."""

    code = "R4420"
