"""Published streams of facts with metric time: vehicles in a jam, by a simulator of traffic.

They are not shipped. In a folder, or in the folder ``datalogmtl`` of it, lies ``stream_sumo``: the
streams ``S1.txt`` and ``S2.txt``, and the program ``short_stop.txt``. By that a vehicle stops for a
moment if it is not at its position, or off the map, was there for one to four seconds before, and
not before that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.workloads.temporal.metric_programs import FOLDER

QUERY: Final = "ShortStop"
STREAMS: Final[Mapping[str, str]] = {"sumo S1": "S1.txt", "sumo S2": "S2.txt"}
"""By name, the file of each."""
QUOTED_RATE: Final = 830
"""Facts a second on S1 that are quoted for MeTeoR-Str, which follows streams in Python."""
_LONGEST: Final = 4
_FACT: Final = re.compile(r"(Pos|NotPos|NotOnMap)\((\w+)\)@\[(\d+),\d+\]")


def stream_files(name: str, folder: Path) -> tuple[Path, Path]:
    """The program and the stream of that name, which may be missing."""
    inner = folder / FOLDER
    place = (inner if inner.is_dir() else folder) / "stream_sumo"
    return place / "short_stop.txt", place / STREAMS[name]


def short_stops(stream: Path) -> list[str]:
    """The answers by definition, as lines: at each stamp, by the name of the vehicle."""
    there: set[tuple[str, int]] = set()
    away: set[tuple[str, int]] = set()
    stamps: set[int] = set()
    for line in stream.read_text(encoding="utf-8").splitlines():
        stamps.add(int(line.rpartition(",")[2].rstrip("]")))
        if found := _FACT.fullmatch(line):
            kind, vehicle, at = found[1], found[2], int(found[3])
            (there if kind == "Pos" else away).add((vehicle, at))
    stops = sorted(
        (at, vehicle)
        for vehicle, at in away
        if at in stamps
        for length in range(1, _LONGEST + 1)
        if (vehicle, at - length - 1) in away
        and all((vehicle, at - back) in there for back in range(1, length + 1))
    )
    return [f"{QUERY}({vehicle})@{at}" for at, vehicle in dict.fromkeys(stops)]
