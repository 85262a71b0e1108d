"""Readings of a thousand sensors, one each a second, an element a second; and alarms on aggregates.

A reading is a decimal of two places: the level of its sensor and noise. An alarm holds while an
aggregate of a sensor's readings within the window is above a limit, as on few sensors at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.workloads.stream_terms import DATE_TIME, DECIMAL, GENERATED_AT, stamp
from rif.syntax.terms import PRED

SENSORS: Final = 1000
_SEED: Final = 20240103
_NOISE: Final = 500
_LIMIT: Final = 2900
"""Hundredths: the mean of a sensor that is among the highest third."""

Hundredths: TypeAlias = npt.NDArray[np.int64]
"""(seconds, sensors) readings."""


def readings(count: int) -> Hundredths:
    """The first ``count`` readings, whole seconds of them."""
    seconds = count // SENSORS
    draw = np.random.default_rng(_SEED)
    noise = draw.integers(0, _NOISE, (seconds, SENSORS))
    return np.arange(2000, 2000 + SENSORS) + noise


def stream(count: int) -> Iterator[str]:
    """The stream as N-Quads, an element a string."""
    for second, values in enumerate(readings(count).tolist()):
        name = f"<http://readings.example/stream/{second}>"
        lines = [f'{name} {GENERATED_AT} "{stamp(1000 * second)}"^^{DATE_TIME} .\n']
        lines += (
            f"<http://readings.example/sensor/{sensor}> <http://readings.example/reads> "
            f'"{value // 100}.{value % 100:02}"^^{DECIMAL} {name} .\n'
            for sensor, value in enumerate(values)
        )
        yield "".join(lines)


AGGREGATES: Final = ("count", "sum", "avg", "min", "max", "p95")
_WORDS: Final = {"p95": "quantile 0.95"}


def limit_of(aggregate: str, seconds: int) -> int:
    """What the aggregate is compared with under a window of so many seconds, in hundredths."""
    if aggregate == "count":
        return 100 * (seconds - 1)
    if aggregate == "sum":
        return _LIMIT * seconds
    return _LIMIT + {"avg": 0, "min": -240, "max": 240, "p95": 225}[aggregate]


def rules(aggregate: str, seconds: int | None) -> str:
    """The rules of the alarm; without ``seconds`` the aggregate is that of all time."""
    limit = _LIMIT if seconds is None else limit_of(aggregate, seconds)
    window = "" if seconds is None else f"Window({seconds} s)"
    members = "?v ?t" if aggregate == "last" else "?v"
    reads = "At ?t ( ?s[ex:reads -> ?v] )"
    condition = f"DiamondMinus [0 s, inf) ( {reads} )" if seconds is None else reads
    return f"""Document(
  Prefix(ex <http://readings.example/>)
  Prefix(pred <{PRED}>)
  {window}
  Group(
    Forall ?s ?m ?v ?t (
      ?s[ex:is -> "high"] :- And(
        ?m = {_WORDS.get(aggregate, aggregate)}{{ {members} [?s] | {condition} }}
        External(pred:numeric-greater-than(?m {limit // 100}.{limit % 100:02}))
      )
    )
  )
)
"""


RANKS: Final[Mapping[str, Callable[[Hundredths], Hundredths]]] = {
    "r4": lambda length: -(-95 * length // 100),
    "pandas": lambda length: 1 - (-95 * (length - 1) // 100),
    "polars": lambda length: 1 - (-95 * (length - 1) // 100),
    "duckdb": lambda length: -(-95 * length // 100),
}
"""Which of so many values is their 95th percentile, by who computes it; the first is 1."""


def is_above(
    aggregate: str, values: Hundredths, seconds: int, runner: str = "r4"
) -> npt.NDArray[np.bool_]:
    """Whether the alarm of each sensor holds at each second, by brute force: sums of a window.

    Of a quantile each ``runner`` has its own definition.
    """
    limit = limit_of(aggregate, seconds)
    length = np.minimum(np.arange(1, len(values) + 1), seconds)[:, None]
    if aggregate == "count":
        return np.broadcast_to(100 * length > limit, values.shape).astype(np.bool_)
    if aggregate in {"sum", "avg"}:
        total = _windowed(values, seconds)
        return np.greater(total, limit if aggregate == "sum" else limit * length)
    above = _windowed((values > limit).astype(np.int64), seconds)
    if aggregate == "min":
        return np.equal(above, length)
    # The value of rank r is above the limit if more than n - r members are.
    rank = RANKS[runner](length) if aggregate == "p95" else length
    found: npt.NDArray[np.bool_] = above > length - rank
    return found


def _windowed(values: Hundredths, seconds: int) -> Hundredths:
    total = np.cumsum(values, axis=0)
    total[seconds:] -= total[:-seconds].copy()
    return total


def changes(above: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """How many alarms begin, and how many end before the last second is over."""
    before = np.zeros_like(above)
    before[1:] = above[:-1]
    return int((above & ~before).sum()), int((before & ~above).sum())
