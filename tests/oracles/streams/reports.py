"""Reports at marks of time, from the lines of a run without reports; and the marks, one by one.

An instant of a zone is looked for minute by minute: what the clocks show there is all that is asked
of the zone.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from tests.oracles.streams.output_lines import EPOCH, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.oracles.rules.formulas import Time

LOCAL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - of local time
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Period:
    """Marks: O + k·D.

    Attributes:
        every: D, in ticks; with a zone days, or months.
        offset: O, in ticks, which are milliseconds with a zone.
        zone: a name; "": none.
        months: whether D is months.
    """

    every: int
    offset: int = 0
    zone: str = ""
    months: bool = False

    def marks(self, first: int, last: int) -> list[int]:
        """The marks from ``first`` to ``last``, both included."""
        if not self.zone:
            return [
                tick for tick in range(first, last + 1) if not (tick - self.offset) % self.every
            ]
        zone = ZoneInfo(self.zone)
        found = {
            mark
            for local in self._local_times(first, last)
            if first <= (mark := tick_of(first_instant(local, zone))) <= last
        }
        return sorted(found)

    def _local_times(self, first: int, last: int) -> Iterator[datetime]:
        """All that may be marks from ``first`` to ``last``."""
        offset = timedelta(milliseconds=self.offset)
        begin, end = (LOCAL_EPOCH + timedelta(milliseconds=tick) for tick in (first, last))
        early = begin - offset - timedelta(days=40)
        number = (early.year - 1970) * 12 if self.months else (early - LOCAL_EPOCH).days
        number -= number % self.every
        while True:
            if self.months:
                year, month = divmod(number, 12)
                local = datetime(1970 + year, month + 1, 1) + offset  # noqa: DTZ001 - local
            else:
                local = LOCAL_EPOCH + timedelta(days=number) + offset
            if local > end + timedelta(days=3):
                return
            if local > begin - timedelta(days=3):
                yield local
            number += self.every


def first_instant(local: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which a zone shows ``local``; if it never does, after the gap."""
    whole = local.replace(second=0, microsecond=0)
    begin = whole.replace(tzinfo=UTC) - timedelta(hours=27)
    minutes = [begin + n * MINUTE for n in range(54 * 60)]
    shown = [each.astimezone(zone).replace(tzinfo=None) for each in minutes]
    for instant, shows in zip(minutes, shown, strict=True):
        if shows == whole:
            return instant + (local - whole)
    for instant, before, shows in zip(minutes[1:], shown, shown[1:], strict=False):
        if before < whole < shows:
            return instant
    raise AssertionError(local)


def tick_of(instant: datetime) -> int:
    """Milliseconds since 1970."""
    return (instant - EPOCH) // timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Report:
    """What a run with ``--every`` prints.

    Attributes:
        period: its marks.
        form: of ``--report``.
        first, last: the first and the last stamp.
        drain: ticks after the last stamp; ``inf``: up to the mark that sees the last change.
        clock: ``integer``, or ``dateTime`` of milliseconds.
    """

    period: Period
    form: str
    first: Time
    last: Time
    drain: Time = 0
    clock: str = "dateTime"

    def lines(self, plain: Sequence[str]) -> list[str]:
        """The lines, from those of a run without reports that was drained."""
        changes = [json.loads(line) for line in plain]
        found: list[dict[str, Any]] = []
        before = _state(changes, -math.inf)
        seen = dict.fromkeys(before)
        if self.form == "changes":
            found += [each for each in changes if each["at"] is None]
        if math.isinf(self.first):
            return list(map(_text, found))
        for mark in self.period.marks(int(self.first), self._until(changes)):
            now = _state(changes, mark)
            at = stamp(mark, self.clock)
            if self.form != "changes":
                found += [{**now[fact], "op": "=", "at": at} for fact in sorted(now)]
                if self.form == "state+empty" and not now:
                    found.append({"op": "=", "at": at})
                continue
            for fact in sorted(before.keys() - now.keys()):
                ends = {"op": "-", "at": at, "from": seen.pop(fact), "until": at}
                found.append({**before[fact], **ends})
            for fact in sorted(now.keys() - before.keys()):
                seen[fact] = at
                found.append({**now[fact], "op": "+", "at": at, "from": at})
            before = {fact: before.get(fact, each) for fact, each in now.items()}
        return list(map(_text, found))

    def _until(self, changes: Sequence[dict[str, Any]]) -> int:
        """The tick of the last mark, or after it."""
        if math.isfinite(self.drain):
            return int(self.last + self.drain)
        ticks = [tick for each in changes if (tick := _tick(each["at"])) > self.last]
        if not ticks:
            return int(self.last)
        latest = int(max(ticks))
        far = 40 * 86_400_000 if self.period.zone else self.period.every
        return next(iter(self.period.marks(latest, latest + far)))


def _state(changes: Sequence[dict[str, Any]], at: Time) -> dict[tuple[bool, bool, str], Any]:
    """What holds at an instant, by its place in the order of lines."""
    found: dict[Any, Any] = {}
    for each in changes:
        if _tick(each["at"]) <= at:
            kind = "error" in each, "atom" in each
            fact = (*kind, *(each[name] for name in ("s", "p", "o", "atom") if name in each))
            if each["op"] == "+":
                found[fact] = each
            else:
                found.pop(fact, None)
    return found


def _tick(when: int | str | None) -> Time:
    if when is None:
        return -math.inf
    return when if isinstance(when, int) else tick_of(datetime.fromisoformat(when))


def _text(line: dict[str, Any]) -> str:
    names = ("op", "at", "s", "p", "o", "atom", "error", "from", "until", "rule")
    members = {name: line[name] for name in names if name in line}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))
