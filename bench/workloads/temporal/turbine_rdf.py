"""The readings of turbines as RDF, for rules of RIF, and the answers that are right.

A reading is a graph of two triples, its stamp the moment at which it was read. A further element
without triples says when a moment begins, so that what arrives at one moment is told together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.workloads.temporal.turbine_readings import IN_A_ROW, Readings

RULES: Final = """\
Document( Prefix(ex <urn:ex:>) Prefix(sosa <http://www.w3.org/ns/sosa/>)
  Group( Forall ?turbine ?sensor ?a ?b ?c (
    ?turbine[ex:has -> ex:malfunction] :- And(
      ?turbine[sosa:hosts -> ?sensor]
      DiamondMinus [2, 2] ( ?a[sosa:madeBySensor -> ?sensor sosa:hasSimpleResult -> "high"] )
      DiamondMinus [1, 1] ( ?b[sosa:madeBySensor -> ?sensor sosa:hasSimpleResult -> "high"] )
      ?c[sosa:madeBySensor -> ?sensor sosa:hasSimpleResult -> "high"] ) ) ) )
"""
_SOSA: Final = "http://www.w3.org/ns/sosa/"
_TIME: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
_INTEGER: Final = "<http://www.w3.org/2001/XMLSchema#integer>"

Flags = npt.NDArray[np.bool_]


class StatusCounts(NamedTuple):
    """Counts of output lines: answers that begin; possible answers by status."""

    answers: int
    supported: int
    confirmed: int
    withdrawn: int


def static(readings: Readings) -> Iterator[str]:
    """Which sensor each turbine has, in N-Triples."""
    for device in range(readings.devices):
        yield f"<urn:ex:wt{device}> <{_SOSA}hosts> <urn:ex:s{device}> .\n"


def quads(readings: Readings) -> Iterator[str]:
    """The stream in N-Quads, an element a text, in the order of arrival."""
    arrive, high = (column.ravel() for column in readings.arrivals())
    now = -1
    for row in np.argsort(arrive, kind="stable").tolist():
        while now < arrive[row]:
            now += 1
            yield f'<urn:ex:now{now}> {_TIME} "{now}"^^{_INTEGER} .\n'
        time, device = divmod(row, readings.devices)
        said = "high" if high[row] else "normal"
        yield (
            f'<urn:ex:g{row}> {_TIME} "{time}"^^{_INTEGER} .\n'
            f"<urn:ex:o{row}> <{_SOSA}madeBySensor> <urn:ex:s{device}> <urn:ex:g{row}> .\n"
            f'<urn:ex:o{row}> <{_SOSA}hasSimpleResult> "{said}" <urn:ex:g{row}> .\n'
        )


def expected_counts(readings: Readings) -> StatusCounts:
    """By definition, moment by moment.

    Of a turbine at most one set of hypotheses is minimal: one reading is missing, or two are.
    """
    arrive, high = readings.arrivals()
    end, devices = int(arrive.max()), readings.devices
    arrive = np.where(high, arrive, end + 1)
    counts = np.zeros(IN_A_ROW, np.int64)
    missing = np.zeros(devices, np.int64)
    is_open = np.zeros(devices, np.bool_)
    for now in range(end + 1):
        certain, lacking = _state(arrive, now, readings.delay)
        new = (lacking > 0) & (lacking != missing)
        confirmed = is_open & certain
        withdrawn = is_open & ~certain & (lacking == 0)
        counts += np.sum([new, confirmed, withdrawn], axis=1)
        is_open = (is_open & ~confirmed & ~withdrawn) | new
        missing = lacking
    return StatusCounts(_runs(arrive <= end), *counts.tolist())


def _state(
    arrive: npt.NDArray[np.int64], now: int, delay: int
) -> tuple[Flags, npt.NDArray[np.int64]]:
    """Which turbines have a malfunction at the frontier or later, and how many are missing.

    At least how many, of those that have none, for one that is possible; 0 if none is.
    """
    devices = arrive.shape[1]
    certain = np.zeros(devices, np.bool_)
    least = np.full(devices, IN_A_ROW)
    for last in range(now - delay, now + IN_A_ROW):
        times = range(last - IN_A_ROW + 1, last + 1)
        came = np.stack([_came(arrive, time, now) for time in times])
        may_come = np.array([time >= now - delay for time in times])
        lacks = IN_A_ROW - came.sum(axis=0)
        certain |= lacks == 0
        possible = (came | may_come[:, None]).all(axis=0) & (lacks > 0)
        least = np.where(possible, np.minimum(least, lacks), least)
    return certain, np.where(certain | (least == IN_A_ROW), 0, least)


def _came(arrive: npt.NDArray[np.int64], time: int, now: int) -> Flags:
    """Of which devices the reading of a time is high, and in."""
    inside = 0 <= time < len(arrive)
    return arrive[time] <= now if inside else np.zeros(arrive.shape[1], np.bool_)


def _runs(high: Flags) -> int:
    """How many times a malfunction begins."""
    so_many = len(high) - IN_A_ROW + 1
    if so_many < 1:
        return 0
    whole = np.all([high[k : k + so_many] for k in range(IN_A_ROW)], axis=0)
    return int(whole[0].sum() + (whole[1:] & ~whole[:-1]).sum())
