"""Which column of a table is the time, which names things, which says what a value is of.

The names of columns are hints: `time`, `sensor_id`, `parameter`. The fields decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from r4.sources.proposal.column_guess import ColumnGuess
from r4.sources.proposal.time_guess import TimeGuess, guess_ticks


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TIME: Final = _words(
    "time timestamp ts t date datetime dt when epoch unix at stamp tick ticks seq step hour day "
    "zeit zeitpunkt zeitstempel datum created observed recorded measured start begin from"
)
_CLOCKS: Final = _words("time timestamp ts tick ticks")
"""The words for integers that may go back."""
_END: Final = _words("end until to till stop ended finish bis ende")
_THING: Final = _words(
    "id sensor station device node site vehicle machine asset meter tag uuid imei code name "
    "airport place location room stop ort standort messstelle anlage"
)
_STRONG: Final = _words("id sensor station device node uuid")
_PARAMETER: Final = _words(
    "parameter variable property metric measure measurement quantity attribute field observable "
    "pollutant indicator signal channel messgröße messgroesse größe groesse kenngröße merkmal"
)
_WEAK: Final = _words("name type kind key item")
_VALUE: Final = _words("value val reading result wert messwert")
_UNIT: Final = _words("unit units uom einheit")
_WORD: Final = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöüß])|[^\W\d_]+")
_TEMPLATE_NAME: Final = re.compile(r"[^{}\[\]!:+][^{}\[\]!:]*")
_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Roles:
    """What the columns of a table are.

    Attributes:
        time: when a row begins to hold; None: nothing looks like it.
        until: when it ceases to; None: nothing looks like it.
        thing: the column that names the thing; None: there is none.
        parameter: of a long table the column that says of what the value is; None: it is no long
            table.
        value: its value.
        unit: the unit of that.
        values: further columns with values.
        clock: a column with times of day beside a date.
    """

    time: ColumnGuess | None = None
    until: ColumnGuess | None = None
    thing: ColumnGuess | None = None
    parameter: ColumnGuess | None = None
    value: ColumnGuess | None = None
    unit: ColumnGuess | None = None
    values: Sequence[ColumnGuess] = ()
    clock: ColumnGuess | None = None


def roles_of(columns: Sequence[ColumnGuess]) -> Roles:
    """The role of each column; what has no value, or no name, has none."""
    left = [each for each in columns if each.datatype and each.name]
    time = _time(left)
    until = _until(left, time)
    left = _without(left, time, until)
    parameter, value = _long_form(left)
    unit = next((each for each in left if parameter and words(each.name) & _UNIT), None)
    left = _without(left, parameter, value, unit)
    thing = _thing(left, is_stream=time is not None)
    left = _without(left, thing)
    clock = None
    if time is not None and time.times is not None and not time.times.is_timed:
        clock = next((each for each in left if all(map(_CLOCK.fullmatch, each.values))), None)
    return Roles(time, until, thing, parameter, value, unit, left, clock)


def words(name: str) -> frozenset[str]:
    """The words of a name, in small letters: of ``sensorId``, ``SENSOR_ID`` the same two."""
    return frozenset(word.lower() for word in _WORD.findall(name))


def fits_template(name: str) -> bool:
    """Whether a template can have a column of this name."""
    return _TEMPLATE_NAME.fullmatch(name) is not None


def _without(columns: Iterable[ColumnGuess], *used: ColumnGuess | None) -> list[ColumnGuess]:
    names = {each.name for each in used if each is not None}
    return [each for each in columns if each.name not in names]


def _time(columns: Sequence[ColumnGuess]) -> ColumnGuess | None:
    """The first of the columns that look most like times; counts need a name that says it."""
    found = [each for each in map(_as_time, columns) if each is not None]
    return max(found, key=_rank, default=None)


def _as_time(column: ColumnGuess) -> ColumnGuess | None:
    """A column as times, if it looks like them."""
    times = column.times
    has_hint = bool(words(column.name) & _TIME)
    if times is None and has_hint and column.datatype == "integer":
        ticks = guess_ticks(column.values)
        if ticks is not None and (ticks.moves or words(column.name) & _CLOCKS):
            return replace(column, times=ticks)
    if times is None or (column.is_number and not (has_hint or times.moves)):
        return None
    if times.format == "epoch" and not has_hint:
        return None
    return column


def _rank(column: ColumnGuess) -> tuple[bool, ...]:
    times = column.times
    assert times is not None
    named = words(column.name)
    is_date = times.format != "integer"
    return (
        column.is_full,
        not named & _END,
        is_date and times.is_timed,
        bool(named & _TIME),
        is_date,
        not times.descends,
    )


def _until(columns: Sequence[ColumnGuess], time: ColumnGuess | None) -> ColumnGuess | None:
    """The column of ends: so called, and each later than the time of its row."""
    if time is None or time.times is None or not time.is_full:
        return None
    return next((each for each in columns if _ends(each, time.times)), None)


def _ends(column: ColumnGuess, starts: TimeGuess) -> bool:
    found = _as_time(column) if column.times is None else column
    if found is None or found.times is None or not words(column.name) & _END:
        return False
    ends = found.times
    if not column.is_full or (ends.format == "integer") != (starts.format == "integer"):
        return False
    pairs = zip(starts.instants, ends.instants, strict=True)
    return all(start < end for start, end in pairs)  # type: ignore[operator]


def _long_form(
    columns: Sequence[ColumnGuess],
) -> tuple[ColumnGuess | None, ColumnGuess | None]:
    """The columns of a long table that say what a value is of, and the value."""
    value = next((each for each in columns if words(each.name) & _VALUE), None)
    if value is None:
        return None, None
    for hints in (_PARAMETER, _WEAK):
        for each in columns:
            if each is not value and words(each.name) & hints and _may_name(each):
                return each, value
    return None, None


def _may_name(column: ColumnGuess) -> bool:
    """Whether a template may be made of its fields: texts or integers that no row lacks."""
    is_name = column.datatype in {"string", "integer"}
    return is_name and column.is_full and fits_template(column.name)


def _thing(columns: Sequence[ColumnGuess], *, is_stream: bool) -> ColumnGuess | None:
    """The column that names things: in a stream its fields come again, else they do not."""
    found = [each for each in columns if _may_name(each)]
    hinted = [each for each in found if words(each.name) & _THING]
    if hinted:
        return max(hinted, key=lambda each: bool(words(each.name) & _STRONG))
    texts = [each for each in found if each.datatype == "string"]
    for each in texts:
        is_again = each.different < len(each.values)
        if is_again == is_stream:
            return each
    return None
