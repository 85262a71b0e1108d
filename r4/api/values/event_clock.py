"""The event clock of a library run: largest stamp, frontier, and points in time as ticks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias, TypeVar

from r4.time.ticks import MOST, NEG_INF, POS_INF, Kind, Stamp, StampFormat, Tick, TimeScale
from rete.arrays.state_codec import State, StateReader

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_Data = TypeVar("_Data")

Instant: TypeAlias = datetime | int
"""A point in time: a datetime (without zone: UTC) or a number of ticks, one kind in a run."""


class LateElement(UserWarning):
    """The warning of `r4.api.Engine.run` that an element came too late to count."""

    @classmethod
    def of(cls, at: Instant) -> LateElement:
        """The warning about an element with this stamp."""
        return cls(
            f"the element at {at} is late and has no effect, as a larger stamp, or a clock, came "
            "before it; delay= says how late elements may be, counters.late how many were"
        )


class UnboundedMemory(UserWarning):
    """The warning of `r4.api.Engine` that what is added to it is never forgotten.

    It comes once for each engine, with the first element that has no end of its own.
    """

    @classmethod
    def of(cls, reason: str, *, has_window: bool) -> UnboundedMemory:
        """The warning for a reason; ``has_window``: a window would change nothing."""
        if has_window:
            return cls(reason)
        return cls(
            f"{reason}, and to add it again changes nothing; Window(…) in the rules or window= "
            "says how long all of it holds, until= when an element ends"
        )


def checked_element(
    element: tuple[_Data, Instant] | Mapping[str, object], *, has_mapping: bool = False
) -> tuple[_Data | Mapping[str, object], Instant | None]:
    """An element (data, at), or a dict, which has its time in it.

    Raises:
        TypeError: it is something else, such as (at, data).
    """
    if isinstance(element, Mapping):
        return element, None
    given: object = element
    if not isinstance(given, tuple | list) or len(given) != 2:  # noqa: PLR2004 - a pair
        message = f"an element is (data, at), not {element!r:.80}"
        if has_mapping:
            message = (
                f"with a mapping= an element is a dict, or (dict, at), not {element!r:.80}; "
                'frame.to_dict("records") makes dicts of a frame of pandas'
            )
        raise TypeError(message)
    data, at = element
    if isinstance(data, datetime | int):
        message = f"an element is (data, at), not (at, data): {data!r} stands first"
        raise TypeError(message)
    return data, at


def plain_instant(when: object) -> Instant:
    """A point in time as one of Python's own types: of a subclass, as others see it again.

    Raises:
        TypeError: it is none, as is the missing time of pandas.
        ValueError: it is a time of pandas that lies between two microseconds.
    """
    if type(when) is int or type(when) is datetime:
        return when
    if isinstance(when, datetime) and when == when:  # noqa: PLR0124 - NaT is a datetime
        if getattr(when, "nanosecond", 0):
            message = (
                f"{when}: a datetime has whole microseconds; floor('us') drops what is below, or "
                "let times be whole numbers of ticks"
            )
            raise ValueError(message)
        return datetime.fromisoformat(datetime.isoformat(when))
    if isinstance(when, int) and not isinstance(when, bool):
        return int(when)
    message = f"a time is a datetime or an integer, not {when!r}"
    raise TypeError(message)


class EventClock:
    """How far event time has come, by the stamps of elements and by calls of the user.

    Attributes:
        clock: whether stamps are datetimes or integers, and what a tick is.
        first: the least stamp of what moved time; `POS_INF` before that.
        last: the largest stamp; `NEG_INF` before the first.
        frontier: the watermark; instants before it are final.
        delay: ticks by which elements may be late.
    """

    def __init__(self, scale: TimeScale, delay: Tick, ahead: Tick | None = None) -> None:
        """Begin before all time.

        A stamp may be ``ahead`` ticks ahead of the largest before it less the delay; None: any.

        Raises:
            ValueError: ``ahead`` is shorter than the delay.
        """
        if ahead is not None and ahead < delay:
            message = "ahead is shorter than delay, so no stamp could move time"
            raise ValueError(message)
        self._ahead = ahead
        self.clock = StampFormat(scale)
        self.first: Tick = POS_INF
        self.last: Tick = NEG_INF
        self.frontier: Tick = NEG_INF
        self.delay = delay
        self._ended = self._counts = False

    def check_open(self) -> None:
        """Raise `ValueError` if the input has ended."""
        if self._ended:
            message = (
                "the input has ended, by finish or where the elements of run or arun do: what was "
                "told is final; an engine that shall go on is closed before"
            )
            raise ValueError(message)

    @property
    def is_open(self) -> bool:
        """Whether the input goes on."""
        return not self._ended

    def reach(self, stamp: Stamp) -> None:
        """Move to the stamp of an element; the frontier follows with the delay."""
        self.clock.kind = stamp.kind
        self._counts = stamp.kind is Kind.INTEGER and self.clock.scale.epoch is None
        self.reach_tick(stamp.tick)

    def plain_tick(self, when: Instant) -> Tick | None:
        """The tick of a time that is a tick itself, as all before it were; None: see `stamp`."""
        if type(when) is int and self._counts and -MOST < when < MOST:
            return when
        return None

    def reach_tick(self, tick: Tick) -> None:
        """`reach` a stamp of the kind that all before it were."""
        self.first = min(self.first, tick)
        if tick > self.last:
            self.last = tick
            frontier = tick - self.delay
            self.frontier = max(self.frontier, frontier)

    @property
    def farthest(self) -> Tick:
        """The latest stamp that counts now; `POS_INF`: any does, as the first one may be any."""
        if self._ahead is None or self.last == NEG_INF:
            return POS_INF
        return self.last - self.delay + self._ahead

    def is_ahead(self, tick: Tick) -> bool:
        """Whether a stamp is farther ahead than it may be; the first one may be any."""
        return tick > self.farthest

    def close(self, tick: Tick) -> None:
        """Move the frontier: changes up to ``tick``, inclusive, are final."""
        if tick >= self.frontier:
            self.first = min(self.first, tick)
        self.last = max(self.last, tick)
        self.frontier = max(self.frontier, tick + 1)

    def end(self) -> None:
        """End the input."""
        self._ended = True

    def stamp(self, when: Instant, kind: Kind | None = None) -> Stamp:
        """The stamp of a point in time.

        Raises:
            TypeError: it is no point in time.
            ValueError: it is of another kind than those before, or than ``kind``.
        """
        stamp = self.clock.scale.at(plain_instant(when))
        fitting = None, Kind.NONE, stamp.kind
        if self.clock.kind not in fitting or kind not in fitting:
            message = f"{when!r}: the times of a run are all datetimes or all integers"
            raise ValueError(message)
        return stamp

    def tick(self, when: Instant) -> Tick:
        """The tick of a point in time, which settles the kind of all stamps of the run."""
        stamp = self.stamp(when)
        self.clock.kind = stamp.kind
        return stamp.tick

    def instant(self, tick: Tick) -> Instant | str | None:
        """The point in time of a tick; None: infinite; a text where a datetime cannot say it."""
        if not NEG_INF // 2 < tick < POS_INF // 2:
            return None
        if self.clock.kind is not Kind.DATE_TIME:
            return tick
        scale = self.clock.scale
        micros, rest = divmod(tick * 10**6, scale.per_second)
        try:
            since = timedelta(days=scale.origin, microseconds=micros)
            return _EPOCH + since if not rest else scale.text(tick)
        except OverflowError:
            return scale.text(tick)

    def saved(self) -> State:
        """Its state."""
        return {
            "clock": 0 if self.clock.kind is None else int(self.clock.kind),
            "first": self.first,
            "last": self.last,
            "frontier": self.frontier,
            "ended": self._ended,
        }

    def restore(self, saved: StateReader) -> None:
        """Go on from a saved state."""
        self.clock.kind = Kind(saved.integer("clock", 0, max(Kind))) or None
        self.first = saved.integer("first", NEG_INF, POS_INF)
        self.last = saved.integer("last", NEG_INF, POS_INF)
        self.frontier = saved.integer("frontier", NEG_INF, POS_INF)
        self._ended = saved.flag("ended")


@dataclass(frozen=True, slots=True)
class Refused:
    """What `r4.api.Engine.add` returns of an element that has no effect; it counts as false.

    Attributes:
        reason: ``late``: a larger stamp, or a clock, had moved time past it; ``ahead``: its stamp
            is farther ahead than the option ``ahead`` allows.
        at: its stamp.
        bound: the earliest stamp that counts, which is the frontier; the latest, if it is ahead.
        what: what it is, in a word.
    """

    reason: Literal["late", "ahead"]
    at: Instant
    bound: Instant | str | None
    what: str = "element"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        if self.reason == "ahead":
            return (
                f"the {self.what} at {self.at} is too far ahead and has no effect, as the last "
                f"stamp that counts is {self.bound}; ahead= says how far ahead elements may be"
            )
        return (
            f"the {self.what} at {self.at} is late and has no effect, as the frontier is "
            f"{self.bound}; delay= says how late elements may be"
        )


Admission: TypeAlias = Literal[True] | Refused
"""Whether an element counts: True, or why it does not."""
