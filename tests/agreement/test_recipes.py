"""Rules of the cookbook that control something: what a loop over the stream finds.

`test_loops` draws the ranges and limits of such rules; here stand those that users copy.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

import pytest
from rdflib import Literal

from r4 import Change, Engine
from tests.documents.test_cookbook import COOKBOOK, rule_files
from tests.generators.events.loop_cases import Answers, levels
from tests.seeds import parts

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY, MIDNIGHT = 1440, 600
"""Minutes of a day, and those from noon to a midnight in Berlin."""
PART = 5


class Event(NamedTuple):
    """What a subject says at a minute, counted from noon."""

    at: int
    name: str
    value: str


Told: TypeAlias = Iterator[tuple[int, str, str]]
"""Minute, subject and object of answers that hold at an instant; several objects with blanks."""
Loop: TypeAlias = Callable[[list[Event]], Told]


def at_instants(told: Told) -> Answers:
    """Answers that begin and end at their minutes."""
    found: Answers = defaultdict(list)
    for at, name, value in told:
        found[name, value].append((at, at))
    return dict(found)


def of_each(events: list[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        found[event.name].append(event)
    return found


def hourly(events: list[Event]) -> Told:
    told: dict[str, int] = {}
    for at, name, value in events:
        if int(value) > 30 and at - told.get(name, -60) >= 60:
            told[name] = at
            yield at, name, value


def once(events: list[Event]) -> Told:
    seen = set()
    for at, name, value in events:
        if int(value) > 30 and name not in seen:
            seen.add(name)
            yield at, name, value


def cooldown(events: list[Event]) -> Told:
    quiet: dict[str, int] = {}
    for at, name, value in events:
        if value == "reset":
            quiet[name] = 0
        if value == "forced" and at >= quiet.get(name, 0):
            quiet[name] = at + 10
            yield at, name, value


def deadband(events: list[Event]) -> Told:
    sent: dict[str, Event] = {}
    for event in events:
        at, name, value = event
        last = sent.get(name)
        if last is None or at - last.at > DAY or abs(float(value) - float(last.value)) > 0.5:
            sent[name] = event
            yield at, name, value


def machine(events: list[Event]) -> Told:
    table = {("locked", "coin"): "free", ("free", "push"): "locked"}
    state: dict[str, str] = defaultdict(lambda: "locked")
    for at, name, value in events:
        if new := table.get((state[name], value)):
            state[name] = new
            yield at, name, new


def written(at: int) -> str:
    return f"{NOON + at * MINUTE:%Y-%m-%dT%H:%M:%SZ}"


def sessions(events: list[Event]) -> Told:
    """Sessions by their first and last minute; told half an hour after it."""
    for name, said in of_each(events).items():
        first = said[0].at
        for last, after in pairwise([*(event.at for event in said), events[-1].at + 1]):
            if after - last > 30:
                yield last + 30, name, " ".join(map(written, (first, last)))
                first = after


def downtime(events: list[Event]) -> Told:
    """Minute by minute, at each midnight of UTC that the stream passed."""
    end = events[-1].at + 1
    for name, said in of_each(events).items():
        down = {
            at
            for event, after in pairwise([*said, Event(end, name, "")])
            if event.value == "down"
            for at in range(event.at, after.at)
        }
        for mark in range(DAY // 2, end, DAY):
            if minutes := len(down & set(range(mark - DAY, mark))):
                yield mark, name, str(minutes)


def vshape(events: list[Event]) -> Told:
    for name, said in of_each(events).items():
        last, fell = 0, False
        for before, now in pairwise(said):
            if now.at - before.at > 60 or now.value == before.value:
                continue
            if now.value > before.value and fell and now.at - last <= 60:
                yield now.at, name, "V"
            last, fell = now.at, now.value < before.value


Changes: TypeAlias = dict[str, list[tuple[int, str | None]]]


def switched(events: list[Event], turns: Callable[[str], str | None]) -> Changes:
    """A light of each subject, by what a value turns it to; None: it changes nothing."""
    found: Changes = defaultdict(list)
    for at, name, value in events:
        if turned := turns(value):
            found[name].append((at, "on" if turned == "on" else None))
    return found


def latch(events: list[Event]) -> Changes:
    return switched(events, {"set": "on", "reset": "off"}.get)


def switch(events: list[Event]) -> Changes:
    return switched(events, lambda v: "on" if int(v) > 30 else "off" if int(v) < 28 else None)


def today(events: list[Event]) -> Changes:
    found: Changes = defaultdict(list)
    for name, said in of_each(events).items():
        totals: dict[object, int] = defaultdict(int)
        for midnight in range(MIDNIGHT, events[-1].at + 1, DAY):
            found[name].append((midnight, None))
        for at, _, value in said:
            day = (NOON + at * MINUTE).astimezone(ZoneInfo("Europe/Berlin")).date()
            totals[day] += int(value)
            found[name] = [each for each in found[name] if each != (at, None)]
            found[name].append((at, str(totals[day])))
        found[name].sort(key=lambda each: each[0])
    return found


NUMBERS = tuple(map(str, range(26, 34)))
INSTANTS: dict[str, tuple[Loop, str, tuple[str, ...]]] = {
    "hourly": (hourly, "reads", NUMBERS),
    "once": (once, "reads", NUMBERS),
    "cooldown": (cooldown, "now", ("forced", "forced", "reset", "other")),
    "deadband": (deadband, "reads", ("19.5", "20.0", "20.25", "20.5", "21.5")),
    "machine": (machine, "now", ("coin", "push", "kick")),
    "sessions": (sessions, "reads", ("1", "2")),
    "downtime": (downtime, "now", ("down", "up")),
    "vshape": (vshape, "reads", ("1", "2", "3")),
}
"""The loop of a recipe, the predicate of its stream, and values."""
LEVELS: dict[str, tuple[Callable[[list[Event]], Changes], str, tuple[str, ...]]] = {
    "latch": (latch, "now", ("set", "reset", "other")),
    "switch": (switch, "reads", NUMBERS),
    "today": (today, "reads", ("1", "2", "3")),
}
CONCLUSIONS = {"sessions": "session", "today": "today", "downtime": "downtime", "vshape": "shape"}
"""Predicates of answers; of the other recipes each answer counts."""


def random_events(name: str, seed: int, values: tuple[str, ...]) -> list[Event]:
    rng = Random(f"{name} {seed}")  # noqa: S311 - it makes cases
    at, events = 0, []
    for _ in range(60):
        at += rng.choice((1, 1, 4, 9, 10, 11, 29, 30, 31, 59, 60, 61))
        if name in {"downtime", "today", "deadband"}:
            at += rng.choice((0, 0, 0, 120, 600, 1439))
        chosen = rng.sample("ab", rng.choice((1, 1, 2)))
        events += [Event(at, each, rng.choice(values)) for each in chosen]
    return events


def told_by_engine(name: str, predicate: str, events: list[Event]) -> Answers:
    """What holds by the rules of the cookbook, up to half a minute behind the last event."""
    engine = Engine.from_text(rule_files(COOKBOOK.read_text("utf-8"))[f"{name}.rif"][1])
    for at, subject, value in events:
        text = value if predicate == "reads" else f'"{value}"'
        engine.add(f"ex:{subject} ex:{predicate} {text} .", at=NOON + at * MINUTE)
    engine.advance(NOON + events[-1].at * MINUTE + MINUTE / 2)
    found: Answers = {}
    for change in engine.changes():
        concluded, subject, text = terms_of(change)
        if concluded != CONCLUSIONS.get(name, concluded):
            continue
        intervals = found.setdefault((subject, text), [])
        if change.op == "-":
            intervals.pop()
        until = None if change.until is None else minutes_to(change.until)
        intervals.append((minutes_to(change.start), until))
    return found


def terms_of(change: Change) -> tuple[str, str, str]:
    """Predicate, subject and objects of an answer."""
    if change.triple is not None:
        subject, predicate, value = change.triple
        found = value.toPython() if isinstance(value, Literal) else value
        text = str(found // MINUTE if isinstance(found, timedelta) else value)
        return str(predicate).removeprefix("urn:ex:"), str(subject).removeprefix("urn:ex:"), text
    assert change.atom is not None
    predicate, subject = re.findall("<urn:ex:([^>]*)>", change.atom)
    return predicate, subject, " ".join(re.findall('"([^"]*)"', change.atom))


def minutes_to(at: object) -> int:
    """Whole minutes from noon; a tick is none."""
    assert isinstance(at, datetime)
    return (at - NOON) // MINUTE


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, test=4, soak=20))
@pytest.mark.parametrize("name", [*INSTANTS, *LEVELS])
def test_a_recipe_has_the_answers_of_a_loop(name: str, first: int) -> None:
    told = 0
    for seed in range(first, first + PART):
        if name in INSTANTS:
            loop, predicate, values = INSTANTS[name]
            events = random_events(name, seed, values)
            expected = at_instants(loop(events))
        else:
            light, predicate, values = LEVELS[name]
            events = random_events(name, seed, values)
            expected = levels(light(events))
        assert told_by_engine(name, predicate, events) == expected, (seed, events)
        told += bool(expected)
    assert told
