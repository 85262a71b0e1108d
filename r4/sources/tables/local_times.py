"""Times of a named zone: each row gets the offset that clocks there had.

In autumn clocks show an hour twice, in spring they skip one. Rows tell which of two instants a time
is, as they come in order: it is the second one if the row before lies between both, or if the row
before of the same thing was at that time or later. Rows may be a little out of order: how far times
that are shown once went back is no step of clocks. A time that is skipped is read with the offset
before the gap. ``fold`` in the mapping decides both in place of that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from r4.errors import Flaw
from r4.rdf.chunks import StatementFault
from r4.sources.tables.mapping import (
    BadValue,
    Descriptions,
    TableRow,
    TimeColumn,
    has_name,
)
from r4.sources.tables.mapping_file import TableMapping
from temporal.intervals.calendar import zone_of

_SECOND: Final = len("2026-10-25T02:15:00")
"""Characters of a time up to its seconds."""
_DATE: Final = len("2026-10-25")
_DISORDER: Final = timedelta(minutes=30)
"""Farther back no row is a little out of order: a part of the table begins, or a clock is wrong."""


class _Instants(NamedTuple):
    """What a local time may be: two instants, the same if clocks show it once.

    Attributes:
        text: The time as XSD writes it, without an offset.
        first, second: In UTC; ``second`` is the earlier one if the zone skips the time.
    """

    text: str
    local: datetime
    first: datetime
    second: datetime

    def as_text(self, instant: datetime) -> str:
        """One of them with its offset; in UTC, if that has seconds, which XSD does not know."""
        minutes, below = divmod(int((self.local - instant).total_seconds()), 60)
        if below:
            return f"{instant.isoformat()[:_SECOND]}{self.text[_SECOND:]}Z"
        sign, minutes = ("-", -minutes) if minutes < 0 else ("+", minutes)
        return f"{self.text}{sign}{minutes // 60:02d}:{minutes % 60:02d}"


class LocalTimes:
    """Gives the times of the rows of one table their offsets, row by row.

    Attributes:
        mapping: The mapping of the rows that it gives: one without names of zones.
        notes: Warnings that were not told yet.
    """

    __slots__ = (
        "_back",
        "_date",
        "_end",
        "_last",
        "_seen",
        "_start",
        "_told",
        "_who",
        "mapping",
        "notes",
    )

    def __init__(self, mapping: TableMapping) -> None:
        self._start = _named(mapping.time)
        self._end = _named(mapping.until) if isinstance(mapping, Descriptions) else None
        self._who = sorted(mapping.who)
        self._last: datetime | None = None
        self._back = timedelta(0)
        self._date = ""
        self._seen: dict[str, datetime] = {}
        self._told: list[str] = []
        self.notes: list[StatementFault] = []
        self.mapping = _plain(mapping)

    @property
    def has_names(self) -> bool:
        """Whether there is a named zone; else rows stay as they are."""
        return self._start is not None or self._end is not None

    def resolved(self, rows: Iterable[TableRow]) -> list[TableRow]:
        """The rows, with offsets in their times; those whose times are none have a flaw."""
        if not self.has_names:
            return list(rows)
        return [row if row.flaw else self._resolved(row) for row in rows]

    def told(self) -> list[StatementFault]:
        """The warnings that were not told yet; now they are."""
        notes, self.notes = self.notes, []
        return notes

    def saved(self) -> str:
        """What rows so far say of those that come."""
        last = None if self._last is None else self._last.isoformat()
        seen = {who: instant.isoformat() for who, instant in self._seen.items()}
        return json.dumps([last, self._back.total_seconds(), self._date, seen, self._told])

    def restore(self, saved: str) -> None:
        """Go on from there."""
        last, back, self._date, seen, self._told = json.loads(saved)
        self._back = timedelta(seconds=back)
        self._last = None if last is None else datetime.fromisoformat(last)
        self._seen = {who: datetime.fromisoformat(instant) for who, instant in seen.items()}

    def _resolved(self, row: TableRow) -> TableRow:
        fields = dict(row.fields)
        try:
            begin = self._begin(row, fields)
            self._until(row, fields, begin)
        except BadValue as error:
            return row._replace(flaw=Flaw.SYNTAX, why=str(error))
        return row._replace(fields=fields)

    def _begin(self, row: TableRow, fields: dict[str, str]) -> datetime | None:
        """Write the start of a row; the instant, if the zone says it."""
        column = self._start
        if column is None or (found := self._instants(column, fields)) is None:
            return None
        date = found.text[:_DATE]
        if date != self._date:
            self._date = date
            self._seen.clear()
        instant = found.first
        if found.first != found.second:
            instant = self._chosen(row, column, found)
        elif self._last is not None and self._back < self._last - instant <= _DISORDER:
            self._back = self._last - instant
        if found.second > found.first:
            self._seen[self._who_of(fields)] = instant
        self._last = instant
        fields[column.column] = found.as_text(instant)
        return instant

    def _until(self, row: TableRow, fields: dict[str, str], begin: datetime | None) -> None:
        """Write the end of a row: of two instants the first one behind its start."""
        column = self._end
        if column is None or (found := self._instants(column, fields)) is None:
            return
        is_second = column.fold == "second"
        if not column.fold and found.second > found.first:
            is_second = begin is not None and begin >= found.first
        self._tell(row, column, found)
        fields[column.column] = found.as_text(found.second if is_second else found.first)

    def _chosen(self, row: TableRow, column: TimeColumn, found: _Instants) -> datetime:
        """Which of two instants a time is."""
        self._tell(row, column, found)
        if column.fold or found.second < found.first:
            return found.second if column.fold == "second" else found.first
        last, own = self._last, self._seen.get(self._who_of(row.fields))
        is_behind = last is not None and found.first < last - self._back <= found.second
        is_again = own is not None and own >= found.first
        return found.second if is_behind or is_again else found.first

    def _tell(self, row: TableRow, column: TimeColumn, found: _Instants) -> None:
        """Warn of the first time that is skipped, and of the first that may be two."""
        if found.first == found.second or (column.fold and found.first < found.second):
            return
        what = "twice" if found.first < found.second else "never"
        if what in self._told:
            return
        self._told.append(what)
        read = "the order of rows says which one it is"
        if what == "never":
            instant = found.second if column.fold == "second" else found.first
            read = f"it is read as {found.as_text(instant)}"
        decided = "" if column.fold else '; fold = "first" or "second" in the mapping decides it'
        message = (
            f"warning: column {column.column}: {found.text} comes {what} in {column.zone}: "
            f"{read}{decided}"
        )
        self.notes.append(StatementFault(Flaw.LOCAL_TIME, 0, row.line, message))

    def _who_of(self, fields: Mapping[str, str]) -> str:
        """What a row is about, as one text."""
        return json.dumps([fields.get(name, "") for name in self._who])

    def _instants(self, column: TimeColumn, fields: dict[str, str]) -> _Instants | None:
        """What a time may be; None: there is none, or it has an offset already.

        Raises:
            BadValue: It is no time of the format, or of a year without a calendar.
        """
        value = fields.get(column.column, "")
        if value in self.mapping.missing:
            return None
        text, zone = column.local(value)
        fields[column.column] = f"{text}{zone}"
        if zone:
            return None
        return _instants_of(text, column)


def _instants_of(text: str, column: TimeColumn) -> _Instants:
    day, hour, rest = text[:10], text[11:13], text[13:_SECOND]
    try:
        hour, more = ("00", timedelta(days=1)) if hour == "24" else (hour, timedelta(0))
        local = datetime.fromisoformat(f"{day}T{hour}{rest}") + more
        zone = zone_of(column.zone)
        offsets = [local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1)]
        first, second = (local - offset for offset in offsets if offset is not None)
    except (ValueError, OverflowError):
        message = f"column {column.column}: {text!r:.60} is no local time of the years 1 to 9999"
        raise BadValue(message) from None
    return _Instants(text, local, first, second)


def _named(column: TimeColumn | None) -> TimeColumn | None:
    """The column, if its times are those of a named zone."""
    return column if column is not None and has_name(column.zone) else None


def _plain(mapping: TableMapping) -> TableMapping:
    """The mapping, in which times of named zones are those of ISO 8601."""
    if _named(mapping.time) is not None:
        assert mapping.time is not None
        mapping = replace(mapping, time=TimeColumn(mapping.time.column))
    if isinstance(mapping, Descriptions) and _named(mapping.until) is not None:
        assert mapping.until is not None
        mapping = replace(mapping, until=TimeColumn(mapping.until.column))
    return mapping
