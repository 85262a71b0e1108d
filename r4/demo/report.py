"""The answers of the demo read back, for a person: what is rare one by one, the rest counted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import pyoxigraph as ox
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
REGIONAL: Final = "RegionalStorm"
BROADER: Final = "broader"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A report of wind that rules have put into classes.

    Attributes:
        at: When it was made.
        airport: ``EWR``, ``JFK`` or ``LGA``.
        kind: ``Speed``, which is a mean, or ``Gust``.
        knots: How fast.
        classes: Of its wind.
        inherited: Classes above those, which it has through the hierarchy alone.
    """

    at: datetime
    airport: str
    kind: str
    knots: int
    classes: tuple[str, ...]
    inherited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GaleSpell:
    """From when until when two airports had a gale within the hour."""

    start: datetime
    end: datetime

    @property
    def hours(self) -> int:
        """How long, in hours."""
        return round((self.end - self.start).total_seconds() / 3600)


@dataclass(frozen=True, slots=True)
class Alarms:
    """All that followed, in order of time."""

    alarms: tuple[Alarm, ...]
    spells: tuple[GaleSpell, ...]
    lines: int

    def of(self, name: str) -> list[Alarm]:
        """The alarms of a class."""
        return [alarm for alarm in self.alarms if name in alarm.classes + alarm.inherited]


def read_alarms(lines: Iterable[str]) -> Alarms:
    """The answers in JSON lines; each alarm is what begins to hold of one subject."""
    about: dict[str, dict[str, str]] = {}
    rules: dict[str, dict[str, str]] = {}
    began: dict[str, datetime] = {}
    spells: list[GaleSpell] = []
    count = 0
    for line in lines:
        count += 1
        change = json.loads(line)
        subject, value = change["s"], _name(change["o"])
        if value == REGIONAL:
            if change["op"] == "-":
                spells.append(GaleSpell(_time(change["from"]), _time(change["until"])))
        elif change["op"] == "+":
            began.setdefault(subject, _time(change["at"]))
            if change["p"] == TYPE:
                rules.setdefault(subject, {})[value] = _name(change["rule"])
            else:
                about.setdefault(subject, {})[_name(change["p"])] = value
    alarms = [
        Alarm(
            began[subject],
            facts["airport"],
            facts["kind"],
            int(facts["knots"]),
            tuple(name for name, rule in rules[subject].items() if rule != BROADER),
            tuple(name for name, rule in rules[subject].items() if rule == BROADER),
        )
        for subject, facts in about.items()
    ]
    in_order = sorted(alarms, key=lambda alarm: (alarm.at, alarm.airport, alarm.kind))
    return Alarms(tuple(in_order), tuple(spells), count)


def _name(term: str) -> str:
    """The end of an IRI, or the text of a literal."""
    if term.startswith('"'):
        return term[1 : term.rindex('"')]
    return term.strip("<>").rpartition(":")[2]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


STORM: Final = "StormOrMore"
IMPLAUSIBLE: Final = "Implausible"
AIRPORTS: Final = ("EWR", "JFK", "LGA")
KINDS: Final[Mapping[str, str]] = {"Gust": "gust", "Speed": "mean wind"}
LONGEST: Final = 6
"""How many spells of regional storm are shown."""


@dataclass(frozen=True, slots=True)
class WindClasses:
    """The classes of wind in the static data, worst first.

    Attributes:
        knots: Class → from how many knots on, and below how many; None: no such bound.
        above: Classes that have others below them and no knots of their own.
        record: The most that is plausible.
    """

    knots: Mapping[str, tuple[int, int | None]]
    above: tuple[str, ...]
    record: int

    @classmethod
    def of(cls, path: Path) -> WindClasses:
        """Those of a Turtle file."""
        objects: dict[str, dict[str, str]] = {}
        for fact in ox.parse(path=str(path), format=ox.RdfFormat.TURTLE):
            objects.setdefault(_end(fact.predicate), {})[_end(fact.subject)] = _end(fact.object)
        below, supers = objects["below"], objects["subClassOf"]
        knots = {
            name: (int(least), None if below[name] == "INF" else int(below[name]))
            for name, least in objects["from"].items()
        }
        worst_first = dict(sorted(knots.items(), key=lambda item: item[1][0], reverse=True))
        above = _lowest_first(set(supers.values()), supers)
        return cls(worst_first, above, int(objects["record"]["Gust"]))

    def text(self, name: str) -> str:
        """The knots of a class, whole ones."""
        least, below = self.knots[name]
        return f"{least} to {below - 1}" if below else f"{least} and more"


def render_report(found: Alarms, bands: WindClasses) -> RenderableType:
    """All of it, one part below the other, 80 columns wide."""
    storms, faults = found.of(STORM), found.of(IMPLAUSIBLE)
    names = {name for alarm in storms for name in alarm.inherited}
    inherited = ", ".join(f'"{words(name)}"' for name in bands.above if name in names)
    return Group(
        _title("STORMS"),
        _alarms(storms, [f"{bands.text(alarm.classes[0])} kn" for alarm in storms], "red"),
        Text(
            f"Each is also {inherited}:\n"
            "classes without bounds of their own, found through the hierarchy alone."
        ),
        _title("REGIONAL STORMS", "a gale or more at two airports within an hour"),
        *_spells(found.spells),
        _title("IMPLAUSIBLE", "faster than the fastest gust ever measured: a fault, no storm"),
        _alarms(faults, [f"above {bands.record} kn" for _ in faults], "magenta"),
        _title("ALL REPORTS OF 28 KNOTS AND MORE"),
        _summary(found, bands),
    )


def words(name: str) -> str:
    """A name as words.

    >>> words("StormOrMore")
    'storm or more'
    """
    return re.sub(r"(?<=.)(?=[A-Z])", " ", name).lower()


def _title(name: str, what: str = "") -> Text:
    return Text.assemble("\n", (name, "bold"), f"  {what}" if what else "")


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _alarms(alarms: Sequence[Alarm], because: Sequence[str], style: str) -> Table:
    table = _table("UTC", "airport", "wind", "class", "because")
    for alarm, reason in zip(alarms, because, strict=True):
        table.add_row(
            f"{alarm.at:%Y-%m-%d %H:%M}",
            alarm.airport,
            f"{KINDS[alarm.kind]} {alarm.knots} kn",
            Text(words(alarm.classes[0]), style=style),
            reason,
        )
    return table


def _spells(spells: Sequence[GaleSpell]) -> Iterator[RenderableType]:
    longest = sorted(spells, key=lambda spell: -spell.hours)[:LONGEST]
    table = _table("UTC", "until", "hours", right=["hours"])
    for spell in sorted(longest, key=lambda spell: spell.start):
        table.add_row(f"{spell.start:%Y-%m-%d %H:%M}", f"{spell.end:%m-%d %H:%M}", str(spell.hours))
    yield table
    hours = sum(spell.hours for spell in spells)
    yield Text(f"and {len(spells) - len(longest)} that were shorter; {hours} hours in all.")


def _summary(found: Alarms, bands: WindClasses) -> Table:
    right = ["knots", "gusts", "means", *AIRPORTS]
    table = _table("class", *right, "by rule", right=right)
    for name in bands.knots:
        table.add_row(*_counts(name, found, bands.text(name)), "wind:alarm")
    for name in bands.above:
        table.add_row(*_counts(name, found, ""), "wind:broader")
    table.add_row(*_counts(IMPLAUSIBLE, found, f"above {bands.record}"), "wind:implausible")
    return table


def _counts(name: str, found: Alarms, knots: str) -> list[str]:
    alarms = found.of(name)
    kinds = [sum(alarm.kind == kind for alarm in alarms) for kind in KINDS]
    places = [sum(alarm.airport == airport for alarm in alarms) for airport in AIRPORTS]
    return [words(name), knots, *(str(count) for count in kinds + places)]


def _lowest_first(classes: Iterable[str], supers: Mapping[str, str]) -> tuple[str, ...]:
    def height(name: str) -> int:
        return 1 + height(supers[name]) if name in supers else 0

    return tuple(sorted(classes, key=height, reverse=True))


def _end(term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> str:
    """The end of an IRI, or the text of a literal."""
    assert not isinstance(term, ox.Triple)
    return re.split("[:/#]", term.value)[-1]


class Terminal(Console):
    """A console that leaves a closed pipe to the command line, which ends quietly then."""

    def on_broken_pipe(self) -> None:
        """Raise what rich has caught; its own way is to end with exit code 1, which says no."""
        raise BrokenPipeError
