"""Files with the status of a run: JSON, and the text format of Prometheus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from r4.atomic_path import atomic_path
from r4.cli.terminal.console import say
from r4.run.status import RunStatus, check_metrics, json_text, metrics_text


class StatusFiles:
    """Writes each status to the files that were named, whole or not at all.

    A file that cannot be written is reported once, until it can be written again; the run goes on.
    """

    def __init__(self, status: Sequence[str], metrics: str | None) -> None:
        """Begin: JSON goes to the files ``status``, the text of Prometheus to ``metrics``.

        Raises:
            MissingExtra: the package that writes it is not installed.
        """
        self._failed: set[Path] = set()
        self._writers = [(Path(path), json_text) for path in status]
        if metrics is not None:
            check_metrics()
            self._writers.append((Path(metrics), metrics_text))

    def write(self, status: RunStatus) -> None:
        """Write one status."""
        for path, text_of in self._writers:
            try:
                _write(path, text_of(status))
            except OSError as error:
                if path not in self._failed:
                    say(f"{path}: {error.strerror or error}; until it can, no status is written")
                self._failed.add(path)
            else:
                self._failed.discard(path)


def _write(path: Path, text: bytes) -> None:
    """Write a text to a file, whole or not at all; to a device or a pipe as it is."""
    if path.exists() and not path.is_file():
        with open(path, "wb", opener=_unwaiting) as file:
            file.write(text)
        return
    with atomic_path(path) as temporary:
        temporary.write_bytes(text)


def _unwaiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
