"""Readings of turbines that come late: a stream of facts, and the answers that are right.

The rules are those of [CruzFilipe22, Example 1]: three high readings in a row are a malfunction.
Each device is read once a moment, and half of the readings are high; each arrives so much later
as is drawn, up to the delay.
Everything random follows from one seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

PROGRAM: Final = """\
Temp(X,high,T) -> Flag(X,T)
Flag(X,T), Flag(X,T+1) -> Cool(X,T+1)
Cool(X,T), Flag(X,T+1) -> Shdn(X,T+1)
Shdn(X,T) -> Malf(X,T-2)
"""
QUERY: Final = "Malf(X,T)"
METRIC: Final = """\
Flag(X) :- Temp(X,high)
Cool(X) :- Flag(X), Diamondminus[1,1]Flag(X)
Shdn(X) :- Flag(X), Diamondminus[1,1]Cool(X)
Malf(X) :- Diamondplus[2,2]Shdn(X)
"""
"""The same in DatalogMTL, where ``T+k`` is an operator whose range is a point."""
IN_A_ROW: Final = 3
SEED: Final = 20220620
FOREVER: Final = 10**9
"""A delay beyond the end of all streams."""
_NEVER: Final = 2 * FOREVER


class FollowedCounts(NamedTuple):
    """Counts: answers, answers withdrawn, and entries that are open at the end."""

    answers: int
    withdrawn: int
    left: int


@dataclass(frozen=True, slots=True)
class Readings:
    """A stream."""

    count: int  # readings of the devices that are not idle, a multiple of ``devices``
    devices: int  # how many are read at each moment
    delay: int = 0  # how late a reading may be, and the latest are
    idle: int = 0  # devices more, which are read once, at 0
    waiting: bool = False  # whether idle ones are high then, and may be read again for ever

    @property
    def name(self) -> str:
        """Tells it from others, as the name of a file."""
        said = f"-{self.idle}-{'waiting' if self.waiting else 'done'}" if self.idle else ""
        return f"readings-{self.delay}-{self.devices}-{self.count}{said}"

    @property
    def total(self) -> int:
        """How many facts there are."""
        return self.count + self.idle

    @property
    def delays(self) -> list[str]:
        """The delays, as arguments of the command."""
        if not self.idle:
            return [str(self.delay)]
        own = [f"Temp(wt{device},_)={self.delay}" for device in range(self.devices)]
        return [f"Temp={FOREVER}", *own]

    def arrivals(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """When each reading arrives, and whether it is high, (moments, devices)."""
        draw = random.Random(SEED)  # noqa: S311 - a workload, not a secret
        shape = self.count // self.devices, self.devices
        late = np.array(draw.choices(range(self.delay + 1), k=self.count), np.int64)
        high = np.array(draw.choices((True, False), k=self.count))
        return late.reshape(shape) + np.arange(shape[0])[:, None], high.reshape(shape)

    def lines(self) -> Iterator[str]:
        """The facts, in the order of their arrival."""
        said = "high" if self.waiting else "normal"
        yield from (f"@0 Temp(idle{device},{said},0)\n" for device in range(self.idle))
        arrive, high = (column.ravel() for column in self.arrivals())
        for row in np.argsort(arrive, kind="stable").tolist():
            time, device = divmod(row, self.devices)
            said = "high" if high[row] else "normal"
            yield f"@{arrive[row]} Temp(wt{device},{said},{time})\n"

    def outcome(self) -> FollowedCounts:
        """By definition: an answer is open from its first reading until one can come no more."""
        arrive, high = self.arrivals()
        end = int(arrive.max())
        arrive = np.where(high, arrive, _NEVER)
        over = np.full((IN_A_ROW - 1, self.devices), _NEVER)
        arrive = np.concatenate([arrive, over])
        moments = len(arrive) - len(over)
        parts = [arrive[k : k + moments] for k in range(IN_A_ROW)]
        lasts = (np.arange(moments)[:, None] + k + self.delay for k in range(IN_A_ROW))
        *_, came = accumulate(parts, np.maximum)
        *_, first = accumulate(parts, np.minimum)
        missing = [
            np.where(part == _NEVER, last, _NEVER) for part, last in zip(parts, lasts, strict=True)
        ]
        *_, decided = accumulate(missing, np.minimum)
        opened = (came == _NEVER) & (first < decided)
        left = int((opened & (decided > end)).sum())
        return FollowedCounts(
            int((came < _NEVER).sum()),
            int(opened.sum()) - left,
            left + (self.idle if self.waiting else 0),
        )
