"""Confidences: how probable it is that all comes that an entry waits for.

An entry may have several rows of evidence, which last for longer or less: the greatest of their
confidences is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from r4.possible.chances import Prospects
from r4.possible.entries import Row
from r4.time import Tick
from temporal.prospects import Lacking

Lackings: TypeAlias = tuple[Lacking, ...]
"""What each row of an entry waits for, each once."""


def lackings(rows: Mapping[Row, int]) -> Lackings:
    """That of rows, with the last ticks, in cells, at which they hold."""
    return tuple(dict.fromkeys(reader.lacking(ids, last) for (reader, ids), last in rows.items()))


def risk(prospects: Prospects, each: Iterable[Lacking], at: Tick) -> tuple[Fraction, Tick]:
    """The least of the risks of rows, and when one of them changes; see `Prospects.grade`."""
    found = [prospects.grade(lacking, at) for lacking in each]
    return min(one for one, _ in found), min(until for _, until in found)


def likeliest(
    prospects: Prospects, rows: Mapping[Row, int], at: Tick
) -> tuple[Mapping[Row, int], Fraction | None]:
    """The rows of the greatest confidence, and that; all, and None, if it is not told."""
    if not prospects.are_told:
        return rows, None
    risks = {
        row: prospects.grade(row[0].lacking(row[1], last), at)[0] for row, last in rows.items()
    }
    least = min(risks.values())
    return {row: rows[row] for row, each in risks.items() if each == least}, 1 - least
