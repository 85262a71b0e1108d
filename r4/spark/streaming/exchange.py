"""The exchange between hosts: files in a folder, each written by one host for another.

A host never waits for what the other has not begun to write because it waits itself: all write
first, then all read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Final

from r4.spark.jobs.atomic_files import save_json
from r4.spark.shards.messages import FactMessage
from r4.spark.streaming.message_files import read_messages, write_messages
from rete.agenda import LimitReached

_SHORTEST: Final = 0.0005
_LONGEST: Final = 0.02
"""Seconds between two looks."""
_FAILED: Final = "failed.json"


class OtherHostFailed(Exception):
    """Another host failed, so this one cannot go on either."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The folder where the hosts of an attempt at a batch meet.

    Attributes:
        folder: where.
        host: who this is.
        hosts: how many there are.
    """

    folder: Path
    host: int
    hosts: int

    @property
    def others(self) -> Iterator[int]:
        """The other hosts."""
        return (host for host in range(self.hosts) if host != self.host)

    def announce(self, told: Sequence[int]) -> list[list[int]]:
        """Tell all hosts some numbers; what each tells."""
        save_json(self.folder / f"hello.{self.host}.json", list(told))
        found: list[list[int]] = [list(told)] * self.hosts
        for other in self.others:
            found[other] = read_json(self._wait(self.folder / f"hello.{other}.json"))
        return found

    def swap(
        self, step: int, turn: int, sent: dict[int, list[tuple[int, FactMessage]]]
    ) -> tuple[list[tuple[int, FactMessage]], bool]:
        """Send what is for shards of other hosts, by host; what came here, and is any under way.

        Both are ordered by the shards that sent them.
        """
        count = sum(map(len, sent.values()))
        total = count
        for other in self.others:
            write_messages(self._name(step, turn, self.host, other), sent.get(other, ()), count)
        come = list(sent.get(self.host, ()))
        for other in self.others:
            messages, theirs = read_messages(self._wait(self._name(step, turn, other, self.host)))
            come += messages
            total += theirs
        return sorted(come, key=lambda each: each[1].sender), total > 0

    @contextmanager
    def telling(self) -> Iterator[None]:
        """If this host fails, the others are to know."""
        try:
            yield
        except OtherHostFailed:
            raise
        except BaseException as error:
            limit = error.args[0] if isinstance(error, LimitReached) else None
            save_json(self.folder / _FAILED, {"error": str(error), "limit": limit})
            raise

    def _name(self, step: int, turn: int, sender: int, to: int) -> Path:
        return self.folder / f"{step}.{turn}.{sender}.{to}.arrow"

    def _wait(self, path: Path) -> Path:
        failed, pause = self.folder / _FAILED, _SHORTEST
        while not path.exists():
            if failed.exists() or not self.folder.exists():
                message = f"another host failed, which {failed} is about"
                raise OtherHostFailed(message)
            sleep(pause)
            pause = min(2 * pause, _LONGEST)
        return path


def read_json(path: Path) -> Any:  # noqa: ANN401 - what this module has written
    """What was written as JSON."""
    return json.loads(path.read_text("utf-8"))
