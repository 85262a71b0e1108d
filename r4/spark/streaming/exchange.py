"""The exchange between hosts: files in a folder, each written by one host for another.

All hosts write first, then read; so no host waits for one that waits for it.
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
from rete.inference.errors import LimitReached

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
        folder: of the attempt.
        host: the number of this one.
        hosts: how many there are.
    """

    folder: Path
    host: int
    hosts: int

    @property
    def others(self) -> Iterator[int]:
        """The other hosts."""
        return (host for host in range(self.hosts) if host != self.host)

    def announce(self, numbers: Sequence[int]) -> list[list[int]]:
        """Send some numbers to all hosts; the numbers of each."""
        save_json(self.folder / f"hello.{self.host}.json", list(numbers))
        found: list[list[int]] = [list(numbers)] * self.hosts
        for other in self.others:
            found[other] = read_json(self._wait(self.folder / f"hello.{other}.json"))
        return found

    def swap(
        self, step: int, round_number: int, sent: dict[int, list[tuple[int, FactMessage]]]
    ) -> tuple[list[tuple[int, FactMessage]], bool]:
        """Send messages to other hosts; those that came here, and whether any were sent at all.

        ``sent`` has them by host, the result in the order of the shards that sent them.
        """
        count = sum(map(len, sent.values()))
        total = count
        for other in self.others:
            write_messages(
                self._name(step, round_number, self.host, other), sent.get(other, ()), count
            )
        come = list(sent.get(self.host, ()))
        for other in self.others:
            messages, theirs = read_messages(
                self._wait(self._name(step, round_number, other, self.host))
            )
            come += messages
            total += theirs
        return sorted(come, key=lambda each: each[1].sender), total > 0

    @contextmanager
    def reporting_failure(self) -> Iterator[None]:
        """If this host fails, leave a file by which the others know."""
        try:
            yield
        except OtherHostFailed:
            raise
        except BaseException as error:
            limit = error.args[0] if isinstance(error, LimitReached) else None
            save_json(self.folder / _FAILED, {"error": str(error), "limit": limit})
            raise

    def _name(self, step: int, round_number: int, sender: int, to: int) -> Path:
        return self.folder / f"{step}.{round_number}.{sender}.{to}.arrow"

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
    """The value of a JSON file."""
    return json.loads(path.read_text("utf-8"))
