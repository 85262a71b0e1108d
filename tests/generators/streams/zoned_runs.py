"""Runs over days and months of a zone: few elements, near to where its clocks change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.generators.draw import from_seed
from tests.oracles.streams.output_lines import EPOCH
from tests.oracles.streams.reports import Period, tick_of

if TYPE_CHECKING:
    from tests.generators.draw import Draw

HOUR = 3_600_000
CHANGES = (
    ("Europe/Berlin", datetime(2024, 3, 31, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2024, 10, 27, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 30, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 11, 4, tzinfo=UTC)),
    ("Asia/Kolkata", datetime(2024, 1, 1, tzinfo=UTC)),
    ("UTC", datetime(2023, 12, 31, tzinfo=UTC)),
)
RULES = """Document( Prefix(ex <urn:ex:>) Window({window} h) Group(
  Forall ?s ?v (?s[ex:copy -> ?v] :- ?s[ex:p -> ?v])
  Forall ?s ?v (?s[ex:lone -> ?v] :- And( ?s[ex:p -> ?v] Naf( ?s[ex:p -> "1"] ) ))
) )
"""
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"


@dataclass(frozen=True, slots=True)
class ZonedRun:
    """Rules, a stream of dateTimes, when it begins and ends, and marks."""

    rules: str
    stream: str
    first: int
    last: int
    period: Period


def zoned_run(seed: int) -> ZonedRun:
    """The run of a seed."""
    draw = from_seed(seed)
    zone, around = draw.choice(CHANGES)
    months = draw.chance(30)
    span = (70 if months else 5) * 24 * 4
    ticks = sorted(
        draw.integer(-span // 2, span // 2) * HOUR // 4 for _ in range(draw.integer(1, 12))
    )
    stamps = [tick_of(around) + tick for tick in ticks]
    stream = "".join(_element(draw, number, stamp) for number, stamp in enumerate(stamps))
    period = Period(
        draw.integer(1, 3),
        draw.weighted((50, 0), (50, draw.integer(0, 30 * 4) * HOUR // 4)),
        zone,
        months,
    )
    window = draw.weighted((1, 1), (1, 5), (3, 24), (3, 700))  # few marks are within an hour
    return ZonedRun(RULES.format(window=window), stream, stamps[0], stamps[-1], period)


def _element(draw: Draw, number: int, stamp: int) -> str:
    at = (EPOCH + timedelta(milliseconds=stamp)).isoformat()
    lines = [f'<urn:g{number}> {STAMP} "{at}"^^<{DATE_TIME}> .']
    lines += [
        f'<urn:ex:{draw.choice("ab")}> <urn:ex:p> "{draw.integer(1, 3)}" <urn:g{number}> .'
        for _ in range(draw.integer(0, 2))
    ]
    return "".join(f"{line}\n" for line in lines)
