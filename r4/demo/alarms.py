"""The lines of `r4 run` read back: what was reported, what class it is in, and by which rule."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

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
