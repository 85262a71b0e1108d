"""Whole calls: an object whose call was cut short says so, in place of wrong answers from then on.

A ``KeyboardInterrupt``, an exception of a signal handler or a ``MemoryError`` may come at any
instruction, so that a part of a call is done and the rest is not. To undo that part would cost each
call a copy of what it changes; to refuse costs under a microsecond.
"""

from __future__ import annotations

from typing import ClassVar


class EngineBroken(RuntimeError):
    """An earlier call was cut short, so what is held is neither with nor without it."""

    code: ClassVar[str] = "R4604"

    def __init__(self, cause: str) -> None:
        super().__init__(
            f"{self.code} an earlier call was cut short by {cause}, so what is held now is neither"
            " with nor without it; go on from what was saved last, or from a state, or begin anew"
        )


class WholeCalls:
    """A context for all that a call changes; `EngineBroken` on entry if one was cut short.

    Contexts may be nested: a call may be made of several.
    """

    __slots__ = ("_cause", "_refusals")

    def __init__(self, *refusals: type[BaseException]) -> None:
        """Begin; ``refusals`` are the exceptions that leave things as they were, or as is said."""
        self._refusals = refusals
        self._cause = ""

    @property
    def is_broken(self) -> bool:
        """Whether a call was cut short."""
        return bool(self._cause)

    def check(self) -> None:
        """Raise `EngineBroken` if a call was cut short."""
        if self._cause:
            raise EngineBroken(self._cause)

    def __enter__(self) -> None:
        self.check()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, self._refusals):
            self._cause = self._cause or kind.__name__
