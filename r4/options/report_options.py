"""Options of periodic reports, and the settings that they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from r4.answers.output_order import Ops
from r4.answers.periodic_report import ReportForm, ReportSettings
from r4.options.option import Topic, ValueKind, option
from r4.options.values import Duration, duration_text
from r4.time.ticks import BadDuration, FinerThanTick, OutOfRange, TimeScale
from temporal.intervals.calendar import Calendar, NoCalendar, UnknownZone, calendar_of

_MONTHS: Final = re.compile(r"\s*([0-9]{1,6})\s*months?\s*\Z", re.ASCII)


class BadReport(ValueError):
    """Options of a report that cannot be met."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is written, and when: changes, or reports at marks of time."""

    every: Duration | None = option(
        "Report at marks this far apart, as 1h, or 1d and 1 month with --zone, instead of changes.",
        Topic.ANSWERS,
        kind=ValueKind.PERIOD,
        note="The marks are counted from 1970-01-01T00:00:00Z, from 0 if stamps are integers; "
        "those between the first and the last stamp are reported.",
    )
    offset: Duration | None = option(
        "How far behind those marks there is a report, as 8h.",
        Topic.ANSWERS,
        kind=ValueKind.DURATION,
    )
    zone: str | None = option(
        "The time zone whose days or months --every counts, as Europe/Berlin.",
        Topic.ANSWERS,
        metavar="NAME",
        note="A local time that it skips is the first instant after the gap, one that it repeats "
        "the first of its instants. Integer stamps are bad data then.",
    )
    report: ReportForm | None = option(
        "What a report has: what holds, also that nothing holds, or the difference to the last.",
        Topic.ANSWERS,
        otherwise="state",
    )
    ops: Ops = option("Lines of which kind are written.", Topic.ANSWERS, default="both")

    @property
    def report_form(self) -> ReportForm | None:
        """What a report has; None: there are no reports."""
        return None if self.every is None else self.report or "state"

    def report_settings(
        self, scale: TimeScale, name: Callable[[str], str] = str
    ) -> ReportSettings | None:
        """When there is a report, and of what; None: there are no reports.

        ``name`` gives the name of an option in messages.

        Raises:
            BadReport: an option needs another one, or has a value that it cannot have.
        """
        form = self.report_form
        if self.every is None or form is None:
            for each in ("offset", "zone", "report"):
                if getattr(self, each) is not None:
                    message = f"{name(each)} is of reports: it needs {name('every')}"
                    raise BadReport(message)
            return None
        if self.ops != "both" and form != "changes":
            message = (
                f"{name('ops')} leaves out what begins or what ends, of which a report of what "
                f"holds says nothing: it needs {name('report')} changes"
            )
            raise BadReport(message)
        return ReportSettings(self._calendar(self.every, scale, name), form)

    def _calendar(self, every: Duration, scale: TimeScale, name: Callable[[str], str]) -> Calendar:
        option = "offset"
        try:
            offset = 0 if self.offset is None else scale.duration(duration_text(self.offset))
            option = "every"
            months = _MONTHS.match(every) if isinstance(every, str) else None
            period = int(months[1]) if months else scale.duration(duration_text(every))
            return calendar_of(
                period, offset, self.zone, in_months=bool(months), per_second=scale.per_second
            )
        except (UnknownZone, NoCalendar, BadDuration, FinerThanTick, OutOfRange) as error:
            if isinstance(error, UnknownZone):
                option = "zone"
            value = f" {every}" if isinstance(error, NoCalendar) else ""
            finer = "; choose a finer tick" if isinstance(error, FinerThanTick) else ""
            message = f"{name(option)}{value}: {error}{finer}"
            raise BadReport(message) from None
