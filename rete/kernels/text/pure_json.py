"""Lines of answers in plain Python: what `rete.kernels.text._json` computes."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import POS_INF, Column, Rows
from rete.arrays.term_columns import LENGTH_SHIFT, META, OFFSET

_FAR: Final = POS_INF // 2
_DAY: Final = 86400
_ERA: Final = 146097
"""Days in 400 years of the Gregorian calendar."""
_JANUARY: Final = 10
"""Its number where March is 0."""


def triple_lines(
    arena: npt.NDArray[np.uint8],
    entries: Rows,
    op: npt.NDArray[np.int8],
    times: Rows,
    rule: Column,
    triples: Rows,
    rules: list[bytes],
    per_second: int,
    digits: int,
    origin: int,
    open_ended: bool,  # noqa: FBT001 (a kernel takes its arguments by place)
) -> bytes:
    """JSON lines of answers that are triples, in UTF-8.

    Args:
        arena: the texts of a dictionary.
        entries: where they lie in it.
        triples: (n, 3) ids of it.
        op: (n,) 1 for an insertion, 0 for a deletion, 2 for an answer that holds at a mark.
        times: (n, 3) ticks: at, from, until; far ones print as null.
        rule: (n,) places in ``rules``.
        rules: labels of rules, as JSON.
        per_second: ticks in a second; 0: ticks print as integers.
        digits: decimals of a second that a tick has.
        origin: tick 0 as days since 1970.
        open_ended: the end of what holds, or began, is not known; it prints as null.
    """
    lines: list[str] = []
    shown: dict[int, str] = {}

    def time(tick: int) -> str:
        if tick not in shown:
            shown[tick] = _time(tick, per_second, digits, origin)
        return shown[tick]

    rows = zip(op.tolist(), times.tolist(), rule.tolist(), triples.tolist(), strict=True)
    for code, (at, start, end), number, ids in rows:
        s, p, o = (_term(arena, entries, term) for term in ids)
        until = "null" if open_ended and code else time(end)
        lines.append(
            f'{{"op":"{"-+="[code]}","at":{time(at)},"s":{s},"p":{p},"o":{o},'
            f'"from":{time(start)},"until":{until},"rule":{rules[number].decode()}}}\n'
        )
    return "".join(lines).encode()


def _term(arena: npt.NDArray[np.uint8], entries: Rows, term: int) -> str:
    start, meta = entries[term, OFFSET], entries[term, META]
    text = arena[start : start + (meta >> LENGTH_SHIFT)].tobytes().decode()
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _time(tick: int, per_second: int, digits: int, origin: int) -> str:
    if not -_FAR < tick < _FAR:
        return "null"
    if not per_second:
        return str(tick)
    seconds, below = divmod(tick, per_second)
    day, second = divmod(seconds, _DAY)
    # The civil calendar in eras of 400 years that begin on the first of March.
    era, of_era = divmod(day + origin + 719468, _ERA)
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    of_month = of_year - (153 * month + 2) // 5 + 1
    year += era * 400 + (month >= _JANUARY)
    month += 3 if month < _JANUARY else -9
    shown = f"{year:04d}" if year >= 0 else f"-{-year:04d}"
    fraction = f".{below:0{digits}d}".rstrip("0").rstrip(".") if below else ""
    return (
        f'"{shown}-{month:02d}-{of_month:02d}'
        f'T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}{fraction}Z"'
    )
