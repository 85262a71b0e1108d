"""Runs with recorded time: the events of a run, drawn one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tests.generators.draw import Draw, from_seed
from tests.generators.streams.metric_runs import metric_case
from tests.generators.streams.runs import RunCase, case
from tests.generators.streams.text import source_text
from tests.oracles.streams.run import Element, ScenarioItem
from tests.oracles.streams.timed_intake import (
    Clock,
    End,
    Idle,
    Quiet,
    Read,
    Stop,
    TimedEvent,
    TimedIntake,
)

KINDS = ("plain", "negation", "metric", "metric negation")


@dataclass(frozen=True, slots=True)
class TimedCase:
    """A run and its events.

    Attributes:
        run: rules, static data and options; its sources are empty texts.
        events: what happens.
        texts: for each read what arrives.
        wall: whether the clock moves time.
        ahead: ticks by which a stamp may be ahead; None: any number.
        is_metric: whether the rules have metric operators.
    """

    run: RunCase
    events: tuple[TimedEvent, ...]
    texts: tuple[str, ...]
    wall: bool
    ahead: int | None
    is_metric: bool

    def intake(self) -> TimedIntake:
        """The intake by the definitions, before the first event."""
        return TimedIntake(self.run.scenario, ahead=self.ahead, wall=self.wall)

    def options(self) -> list[str]:
        found = ["--clock", "wall"] if self.wall else []
        # Under the wall's clock there is a bound by default.
        ahead = 10**15 if self.wall and self.ahead is None else self.ahead
        return found if ahead is None else [*found, "--ahead", str(ahead)]

    def __str__(self) -> str:
        texts = iter(self.texts)
        lines = [f"options: {' '.join(self.options())} {' '.join(self.run.options())}"]
        lines += [self.run.rules, *(f"--static:\n{text}" for text in self.run.statics)]
        for event in self.events:
            lines.append(str(event) if not isinstance(event, Read) else f"Read {event.source}")
            if isinstance(event, Read):
                lines[-1] += f" at {event.wall}:\n{next(texts)}"
        return "\n".join(lines)


def timed_case(seed: int, *, idle: int = 5) -> TimedCase:
    """The case of a seed; of some 90 events, ``idle`` say that a source is idle, or no longer."""
    draw, kind = from_seed(seed), KINDS[seed % len(KINDS)]
    is_metric, negates = kind.startswith("metric"), kind.endswith("negation")
    make = metric_case if is_metric else case
    run = make(draw, negation=negates)
    wall = draw.chance(65)
    scenario = replace(run.scenario, clock="dateTime")
    run = replace(run, scenario=scenario, sources=tuple("" for _ in run.sources))
    ahead = scenario.delay + draw.integer(1, 12) if draw.chance(50) else None
    intake = TimedIntake(scenario, ahead=ahead, wall=wall)
    # The oracle of operators looks at each tick.
    far = 20 if is_metric else 10**9
    events, texts = _events(draw, intake, scenario.sources, far, idle)
    return TimedCase(run, events, texts, wall, ahead, is_metric)


def _events(
    draw: Draw,
    intake: TimedIntake,
    sources: tuple[tuple[ScenarioItem, ...], ...],
    far: int,
    idle: int,
) -> tuple[tuple[TimedEvent, ...], tuple[str, ...]]:
    """Events up to the end of all sources, or a stop."""
    maker = _EventMaker(draw, intake, sources, far, idle)
    events: list[TimedEvent] = []
    texts: list[str] = []
    while not intake.has_ended:
        if (event := maker.event()) is None:
            continue
        if isinstance(event, Read):
            texts.append(_text(draw, event))
        intake.happen(event)
        events.append(event)
    return tuple(events), tuple(texts)


class _EventMaker:
    """Draws events that can happen next; the clock shows what stamps show, roughly."""

    def __init__(
        self,
        draw: Draw,
        intake: TimedIntake,
        sources: tuple[tuple[ScenarioItem, ...], ...],
        far: int,
        idle: int,
    ) -> None:
        self._draw = draw
        self._idle = idle
        self._intake = intake
        self._rest = [list(items) for items in sources]
        self._begun = [False for _ in sources]
        self._far = far
        stamps = [one.start for items in sources for one in items if isinstance(one, Element)]
        self._wall = math.floor(min([one for one in stamps if one is not None], default=0)) - 2
        self._moved: int | None = None

    def event(self) -> TimedEvent | None:
        """An event; None: what was drawn cannot happen now."""
        draw, intake = self._draw, self._intake
        number = draw.integer(0, len(self._rest) - 1)
        can_read = intake.can_read(number)
        match draw.weighted(
            (50, "read"), (25, "clock"), (12, "quiet"), (self._idle, "idle"), (1, "stop")
        ):
            case "read" if can_read:
                return self._read(number)
            case "clock" if intake.wall:
                return self._clock()
            case "quiet" if can_read and intake.has_open(number):
                return Quiet(number, self._wall)
            case "idle" if can_read or intake.is_idle(number):
                return Idle(number, not intake.is_idle(number))
            case "stop" if intake.has_begun:
                return Stop()
        return None

    def _read(self, number: int) -> TimedEvent | None:
        draw, rest = self._draw, self._rest[number]
        items = tuple(rest[: draw.weighted((70, 1), (20, 2), (10, 0))])
        del rest[: len(items)]
        # The first stamp of a stream is wrong more often: it makes all others late, or does not.
        chance = 6 if self._begun[number] else 25
        items = tuple(_far_ahead(draw, item, self._far, chance) for item in items)
        self._begun[number] |= bool(items)
        if items:
            self._wall = max(self._wall, _latest(items, self._wall) - draw.integer(0, 3))
            return Read(number, items, _closes(draw, items, rest), self._wall)
        return End(number, self._wall) if not rest and draw.chance(60) else None

    def _clock(self) -> Clock | None:
        self._wall += self._draw.weighted((50, 1), (30, 2), (15, 4), (5, 9))
        if self._moved is not None and self._wall <= self._moved:
            return None
        self._moved = self._wall
        return Clock(self._wall)


def _far_ahead(draw: Draw, item: ScenarioItem, most: int, chance: int) -> ScenarioItem:
    """Now and then a source has a wrong clock, by ``most`` ticks or fewer."""
    if not isinstance(item, Element) or item.start is None or not draw.chance(chance):
        return item
    far = draw.weighted((50, 8), (30, 20), (20, most))
    return replace(item, start=item.start + far, end=None if item.end is None else item.end + far)


def _latest(items: tuple[ScenarioItem, ...], wall: int) -> int:
    starts = [one.start for one in items if isinstance(one, Element) and one.start is not None]
    near = [math.floor(one) for one in starts if one < wall + 30]
    return max(near, default=wall)


def _closes(draw: Draw, items: tuple[ScenarioItem, ...], rest: list[ScenarioItem]) -> bool:
    """Whether an empty line follows; an element with the same name would go on else."""
    last = next((one for one in reversed(items) if isinstance(one, Element)), None)
    following = next((one for one in rest if isinstance(one, Element)), None)
    same = last is not None and following is not None and last.name == following.name
    return same or draw.chance(60)


def _text(draw: Draw, event: Read) -> str:
    """What arrives: items that are complete one by one, but for the last element."""
    text = ""
    previous = ""
    for item in event.items:
        if isinstance(item, Element):
            text += "\n" if item.name == previous else ""
            previous = item.name
        text += source_text(draw, [item], "dateTime")
    return text + ("\n" if event.is_closed else "")
