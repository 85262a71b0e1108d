"""Ctrl-C while modules are imported: where it is raised then, its exception may become another."""

import os
import signal
from types import FrameType, TracebackType

INTERRUPTED = 130
"""The exit code of a command that was interrupted."""


class Loading:
    """Meanwhile Ctrl-C ends the process without a word, unless somebody else listens to it."""

    __slots__ = ("_listens",)

    def __enter__(self) -> None:
        """Begin; does nothing in another thread than the main one, where nobody may listen."""
        self._listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._listens:
            try:
                signal.signal(signal.SIGINT, _end)
            except ValueError:
                self._listens = False

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        """End."""
        if self._listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
