"""Which car parks of Aarhus fill up, reported while readings are still missing.

    python examples/parking.py FILE [PICTURE]

FILE is ``AarhusParkingData.stream`` of CityBench (github.com/CityBench/Benchmark), PICTURE where an
SVG of the answers goes. Cars are counted each half hour, and the readings arrive later. How many
minutes the rules wait for a reading is measured, per car park.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import NamedTuple

from temporal.hypothetical import History, Hypothesiser, Picture, histories

PROMPT = 30  # minutes; a reading that arrives after the next one is taken is no news
WAIT = 0.95  # of the readings that are prompt
MORE = 1.0  # percent of all spaces, above the reading before


class Reading(NamedTuple):
    """How full a car park was, and before, in percent; times in minutes since 1970."""

    fact: str
    percent: float
    before: float
    taken: int
    arrived: int


def readings(path: str) -> dict[str, list[Reading]]:
    """Car park -> its readings, in the order of the file, which is that of both clocks."""
    found: dict[str, list[Reading]] = defaultdict(list)
    with Path(path).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            of = found[park := row["garagecode"]]
            percent = 100 * int(row["vehiclecount"]) / int(row["totalspaces"])
            clocks = (datetime.fromisoformat(row[name]) for name in ("updatetime", "streamtime"))
            taken, arrived = (int(at.replace(tzinfo=UTC).timestamp()) // 60 for at in clocks)
            before = of[-1].percent if of else percent
            fact = f"Reading({park},{'more' if percent >= before + MORE else 'same'},{taken})"
            of.append(Reading(fact, percent, before, taken, arrived))
    return found


def clock(minute: int, form: str = "%a %H:%M") -> str:
    """A time as text."""
    return datetime.fromtimestamp(60 * minute, UTC).strftime(form)


def describe(each: History, needed: dict[str, Reading]) -> str:
    """The history of an answer as a line."""
    line = f"{each.answer['P']:13} {clock(int(each.answer['T']))}"
    for one in each.possible:
        line += f"  {len(one.evidence)} of 3 {clock(one.tau, '%H:%M')}"
    if each.end is None or each.is_open:
        return f"{line}  open at the end"
    if each.is_certain:
        return f"{line}  certain after {each.end.tau - each.begin} min"
    reading = needed.get(str(each.end.because))
    why = f"{reading.before:.1f} -> {reading.percent:.1f} %" if reading else "no reading"
    return f"{line}  withdrawn {clock(each.end.tau, '%H:%M')}: {why}"


def main(file: str, picture: str = "") -> None:
    """Print how late readings are, the history of each answer, and how many ended how."""
    parks, delays = readings(file), list[str]()
    for park, of in parks.items():
        minutes_late = sorted(each.arrived - each.taken for each in of)
        prompt = [minutes for minutes in minutes_late if minutes < PROMPT]
        delays.append(f"Reading({park},_)={prompt[ceil(WAIT * len(prompt)) - 1]}")
        summary = f"{len(prompt)} readings {prompt[0]} to {prompt[-1]} min late"
        others = f"{len(minutes_late) - len(prompt)} up to {minutes_late[-1] // 1440} days"
        print(f"{summary}, {others}: {delays[-1]}")
    every = sorted((each for of in parks.values() for each in of), key=lambda each: each.arrived)
    facts = (f"@{each.arrived} {each.fact}\n" for each in every)
    rules = Path(__file__).with_suffix(".txt").read_text("utf-8")
    query = Hypothesiser(rules, "Filling(P,T)", delays)
    found = histories(query.follow("".join(facts), drain=True))
    needed = {each.fact.replace("same", "more"): each for each in every}
    print("", *(describe(each, needed) for each in found), "", sep="\n")
    print(f"{query.refused.counts.total()} of {len(every)} readings came later than their delay")
    for least in (1, 2):
        ends = [(each.is_certain, each.is_open) for each in found if len(each.possible) >= least]
        sure, still = map(sum, zip(*ends, strict=True))
        print(f"{len(ends)} possible by {least} of 3: {sure} certain, {still} open at the end")
    if picture:
        title = "Car parks in Aarhus that fill up, by what had come in, 3 and 4 November 2014"
        drawn = Picture(found, "P", names=list(parks), title=title, clock=clock, every=120)
        Path(picture).write_text(drawn.svg(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
