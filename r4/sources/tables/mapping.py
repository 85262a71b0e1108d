"""A row of a table, and what its columns mean: observations, sensors and features of SOSA [SOSA].

A mapping is a value. A template is an IRI in which ``{column}`` stands for the value of a column,
percent-encoded, and ``{+column}`` for the value as it stands, such as a whole IRI [RFC6570, 3.2.3].
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal as DecimalNumber
from fractions import Fraction
from functools import cache
from itertools import chain
from string import Formatter
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from r4.errors import Flaw
from r4.time.unix_time import UNIX_FORMATS, unix_date_time, unix_format_of
from rif.syntax.iri import is_absolute
from rif.syntax.terms import XSD, escape

SOSA: Final = "http://www.w3.org/ns/sosa/"
QUDT_UNIT: Final = "http://qudt.org/schema/qudt/hasUnit"

_DECIMAL: Final = XSD + "decimal"
_LEXICAL: Final = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    _DECIMAL: re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"),
    XSD + "double": re.compile(
        r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN"
    ),
}
_EXPONENT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?0*[0-9]{1,3}")
_FRACTIONAL: Final = frozenset({_DECIMAL, XSD + "double"})
"""Datatypes whose values may have a decimal separator."""
_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
_LONGEST: Final = 60
"""Characters of a number that is converted, and of a value that is shown or searched."""
NO_VALUES: Final = frozenset(
    {"na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", ".", "missing", "undefined"}
)
"""Fields that mostly stand for no value where others are numbers or times; in small letters."""
FORBIDDEN: Final = re.compile(r'[\x00-\x20<>"{}|^`\\]')
"""Characters that no IRI has."""
SAFE_PART: Final = "[A-Za-z0-9_.~-]*"
"""What stays as it is where it is percent-encoded, and no IRI forbids: a pattern."""
_DATE_TIME = re.compile(
    r"(-?[0-9]{4,}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:(Z)|([+-][0-9]{2})(?::?([0-9]{2}))?)?"
)
_ZONE: Final = re.compile(r":[0-9]{2}[:.,0-9]*( ?)(?:Z|[+-][0-9]{2}:?[0-9]{2})$")
"""A zone behind a time, as ``%z`` reads it."""
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_PATTERN: Final = "%Y-%m-%d %H:%M"
"""A pattern of times, as an example."""


Decimal: TypeAlias = Literal[".", ","]
"""What separates the decimals of a number."""


class BadValue(ValueError):
    """A field that is not what its column says."""


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        line: Where it ends in the file, from 1.
        number: Which row it is, from 1; neither the header nor empty lines are rows.
        fields: Values by column.
        flaw: What is wrong with it.
        why: The same as a message.
    """

    line: int
    number: int
    fields: Mapping[str, str]
    flaw: Flaw = Flaw.NONE
    why: str = ""

    def check(self) -> None:
        """Raise `BadValue` if the row cannot be used."""
        if self.flaw:
            raise BadValue(self.why)


def is_cut_short(rows: Sequence[TableRow]) -> bool:
    """Whether nothing can be read behind ``rows``."""
    return bool(rows) and rows[-1].flaw is Flaw.CUT_SHORT


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """The column of times.

    Attributes:
        column: Its name.
        format: ``"iso"``, where a blank may stand for the T, and the seconds, the minutes of an
            offset and its colon may be left out, as ISO 8601 allows it; ``"integer"``; one of
            `UNIX_FORMATS`; or a pattern of `datetime.strptime`.
        zone: The zone of times that name none, ``Z`` or ``+hh:mm``; or a name of one, such as
            ``Europe/Berlin``, for which `r4.sources.tables.local_times` gives each time its offset.
        fold: Of a named zone, which of two instants a time is that clocks there show twice:
            ``"first"`` or ``"second"``; "": the order of rows says it.
    """

    column: str
    format: str = "iso"
    zone: str = "Z"
    fold: Literal["", "first", "second"] = ""

    def stamp(self, value: str) -> str:
        """The stamp of a field, as a literal; raises `BadValue` if it is no time of the format."""
        if self.format == "integer":
            return literal(value, XSD + "integer", self.column)
        text, zone = self.local(value)
        return f'"{text}{zone or self.zone}"^^<{XSD}dateTime>'

    def local(self, value: str) -> tuple[str, str]:
        """A date and time as XSD writes it, and the offset behind it; "": it names none.

        Not of ``"integer"``. Raises `BadValue` as `stamp`.
        """
        if self.format == "iso":
            found = _DATE_TIME.fullmatch(value)
            if not found:
                raise BadValue(_no_time(value, self.column))
            day, minute, second, zone, hours, minutes = found.groups()
            if hours:
                zone = f"{hours}:{minutes or '00'}"
            return f"{day}T{minute}{second or ':00'}", zone or ""
        if self.format in UNIX_FORMATS:
            instant = unix_date_time(value, UNIX_FORMATS[self.format])
            if instant is None:
                message = f"{value[:_LONGEST]!r} is no Unix time"
                raise BadValue(in_column(message, self.column))
            return instant.removesuffix("Z"), "Z"
        try:
            time = datetime.strptime(value, self.format)  # noqa: DTZ007 - the zone is ours
        except ValueError:
            has_zone = "%z" not in self.format and _ZONE.search(value[-_LONGEST:])
            hint = "; %z in it reads the zone" if has_zone else ""
            message = f"{value[:_LONGEST]!r} is no time of the format {self.format!r}{hint}"
            raise BadValue(in_column(message, self.column)) from None
        text = time.replace(tzinfo=None).isoformat()
        return text, time.isoformat()[len(text) :]


def has_name(zone: str) -> bool:
    """Whether a zone is given by its name, not as an offset."""
    return zone != "Z" and not zone.startswith(("+", "-"))


def _no_time(value: str, column: str) -> str:
    message = f"{value[:_LONGEST]!r} is no date and time of ISO 8601; "
    if unix := unix_format_of(value):
        return in_column(f'{message}format = "{unix}" in the mapping reads Unix time', column)
    found = _ZONE.search(value[-_LONGEST:])
    zone = f"{found[1]}%z" if found else ""
    pattern = "%Y-%m-%d" if _DAY.fullmatch(value) else f"{_PATTERN}{zone}"
    message += f'a format such as format = "{pattern}" in the mapping reads others'
    return in_column(message, column)


def in_column(message: str, column: str) -> str:
    """A message about a value, with the column that it is in."""
    return f"column {column}: {message}"


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of measured values: each is one observation.

    Attributes:
        column: Its name.
        observes: IRI of the observed property.
        unit: IRI of the unit of the results, stated once for the property; "" if there is none.
        datatype: IRI of their datatype.
        factor: What the values of the column are multiplied by to be in that unit; then they are
            rounded to ``digits`` decimals, half to even. None: they are taken as they stand.
        digits: See ``factor``.
        missing: Fields of it that stand for no value, beside those of the table.
    """

    column: str
    observes: str
    unit: str = ""
    datatype: str = XSD + "decimal"
    factor: Fraction | None = None
    digits: int = 2
    missing: frozenset[str] = frozenset()

    def key(self) -> str:
        """The column as a part of an IRI."""
        return quote(self.column, safe="")

    def result(self, value: str, decimal: Decimal = ".") -> str:
        """The result in a field, as a literal; raises `BadValue` if it is not of the datatype."""
        return number_literal(self, value, decimal)


@dataclass(frozen=True, slots=True)
class Observations:
    """A table whose rows are observations.

    Attributes:
        base: What the IRIs of observations and graphs begin with.
        time: The column of times.
        results: The columns of measured values.
        sensor: Template of the sensor's IRI.
        feature: Template of the IRI of the feature of interest; "" for none.
        missing: Fields that stand for no value; no observation is made of them.
        graph: Whether an element is a ``"row"`` or a single ``"observation"``.
        order: ``"file"``: rows come as they stand. ``"time"``: the table is read whole and sorted
            by its stamps, rows of one stamp as they stand.
        delimiter: What separates columns.
        decimal: What separates the decimals of numbers.
        encoding: That of CSV and TSV, with a byte a character; "": UTF-8.
        each: Of NDJSON the name of the array whose items are rows; "": lines are.
    """

    base: str
    time: TimeColumn
    results: tuple[ResultColumn, ...]
    sensor: str
    feature: str = ""
    missing: frozenset[str] = frozenset({"", "NA"})
    graph: Literal["row", "observation"] = "row"
    order: Literal["file", "time"] = "file"
    delimiter: str = ","
    decimal: Decimal = "."
    encoding: str = ""
    each: str = ""

    @property
    def times(self) -> tuple[TimeColumn, ...]:
        """The columns of times."""
        return (self.time,)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that are needed."""
        named = {self.time.column, *(result.column for result in self.results)}
        return frozenset(named | fields(self.sensor) | fields(self.feature))

    @property
    def who(self) -> frozenset[str]:
        """The columns that say what a row is about."""
        return fields(self.sensor) | fields(self.feature)

    @property
    def decimals(self) -> frozenset[str]:
        """The columns of decimal numbers, Unix times among them."""
        named = (
            each.column
            for each in self.results
            if each.factor is not None or each.datatype == _DECIMAL
        )
        return _unix_columns(self.times).union(named)


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column with a property of the thing that a row describes.

    Attributes:
        column: Its name; "" where ``template`` alone makes the value.
        predicate: IRI, or a template of one: in a long table a column says what a row is about.
        datatype: IRI of the datatype of the values.
        template: Template of an IRI that is the value instead; "" for a literal.
        factor, digits, missing: As of `ResultColumn`.
    """

    column: str
    predicate: str
    datatype: str = XSD + "string"
    template: str = ""
    factor: Fraction | None = None
    digits: int = 2
    missing: frozenset[str] = frozenset()

    def value(self, field: str, decimal: Decimal = ".") -> str:
        """The value in a field, as a literal; raises `BadValue` if it is not of the datatype."""
        return number_literal(self, field, decimal)


@dataclass(frozen=True, slots=True)
class Descriptions:
    """A table whose rows describe things: always, or each from a time on.

    Attributes:
        subject: Template of the IRI of the thing.
        types: IRIs of its classes.
        values: Its further properties.
        missing: Fields that say there is no value.
        delimiter: What separates columns.
        time: The column with the time from which a row holds; None: it always holds.
        until: The column with the time up to which it holds; None: for the window of the rules.
        order, decimal, encoding, each: As of `Observations`.
    """

    subject: str
    types: tuple[str, ...] = ()
    values: tuple[ValueColumn, ...] = ()
    missing: frozenset[str] = frozenset({"", "NA"})
    delimiter: str = ","
    time: TimeColumn | None = None
    until: TimeColumn | None = None
    order: Literal["file", "time"] = "file"
    decimal: Decimal = "."
    encoding: str = ""
    each: str = ""

    @property
    def times(self) -> tuple[TimeColumn, ...]:
        """The columns of times, if there are any."""
        return tuple(each for each in (self.time, self.until) if each is not None)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that are needed."""
        named = {value.column for value in self.values if value.column}
        times = {each.column for each in self.times}
        of_values = ((value.template, value.predicate) for value in self.values)
        templates = [self.subject, *chain.from_iterable(of_values)]
        return frozenset(named.union(times, *map(fields, templates)))

    @property
    def who(self) -> frozenset[str]:
        """The columns that say what a row is about."""
        return fields(self.subject).union(*(fields(each.predicate) for each in self.values))

    @property
    def decimals(self) -> frozenset[str]:
        """The columns of decimal numbers, Unix times among them."""
        named = (
            each.column
            for each in self.values
            if each.factor is not None or each.datatype == _DECIMAL
        )
        return _unix_columns(self.times).union(named)


def _unix_columns(times: Sequence[TimeColumn]) -> frozenset[str]:
    return frozenset(each.column for each in times if each.format in UNIX_FORMATS)


@cache
def iri_parts(template: str) -> tuple[tuple[str, str, bool], ...]:
    """A template as texts, each followed by a column or by nothing; whether that is encoded."""
    return tuple(
        (text, (name or "").removeprefix("+"), not (name or "").startswith("+"))
        for text, name, _, _ in Formatter().parse(template)
    )


def fields(template: str) -> frozenset[str]:
    """The columns that a template needs."""
    return frozenset(name for _, name, _ in iri_parts(template) if name)


def missing_field(template: str, row: Mapping[str, str], missing: Collection[str]) -> str:
    """The first column of a template that has no value in a row; "": there is none."""
    return next((name for _, name, _ in iri_parts(template) if name and row[name] in missing), "")


def iri(template: str, row: Mapping[str, str]) -> str:
    """The IRI, in brackets, that a template makes of a row.

    Raises:
        BadValue: A value that is taken as it stands has characters that no IRI has, or what is
            made is no absolute IRI.
    """
    made: list[str] = []
    for text, name, encoded in iri_parts(template):
        value = row[name] if name else ""
        if not encoded and FORBIDDEN.search(value):
            message = f"{value[:_LONGEST]!r} is no part of an IRI"
            raise BadValue(message)
        made += text, quote(value, safe="") if encoded else value
    whole = "".join(made)
    if not is_absolute(whole):
        message = f"{whole[:_LONGEST]!r} is no absolute IRI"
        raise BadValue(message)
    return f"<{whole}>"


def number_literal(of: ResultColumn | ValueColumn, value: str, decimal: Decimal) -> str:
    """A field as a literal of its column, multiplied and rounded if that has a factor.

    Raises:
        BadValue: It is not of the datatype, or no decimal number that could be multiplied.
    """
    if of.factor is None:
        number_text = with_point(value, of.datatype, decimal, of.column)
        return literal(number_text, of.datatype, of.column)
    value = with_point(value, _DECIMAL, decimal, of.column)
    if len(value) > _LONGEST or not _LEXICAL[_DECIMAL].fullmatch(value):
        message = f"{value[:_LONGEST]!r} is no decimal number{_number_hint(value)}"
        raise BadValue(in_column(message, of.column))
    number = round(Fraction(value) * of.factor * 10**of.digits)
    whole, below = divmod(abs(number), 10**of.digits)
    shown = f"{whole}.{below:0{of.digits}d}".rstrip("0").rstrip(".")
    return literal(f"-{shown}" if number < 0 else shown, of.datatype)


def with_point(value: str, datatype: str, decimal: Decimal, column: str) -> str:
    """A number as XSD writes it, in which ``decimal`` separates the decimals; else the value.

    Raises:
        BadValue: It has a point where a comma separates: that of thousands, or a mistake.
    """
    if decimal == "." or datatype not in _FRACTIONAL:
        return value
    if "." in value:
        message = f"{value[:_LONGEST]!r} has a point, but decimal is ','"
        raise BadValue(in_column(message, column))
    return value.replace(",", ".")


def lexical_form(datatype: str) -> str | None:
    """The pattern of the lexical forms of a datatype; None: each text is taken as one."""
    found = _LEXICAL.get(datatype)
    return None if found is None else found.pattern


def plain_decimal(value: str) -> str:
    """A number with an exponent, as programs write small and large ones, without it; or the value.

    The exponent has at most three digits, so that the decimal is not long.
    """
    found = _EXPONENT.fullmatch(value) if len(value) <= _LONGEST else None
    return value if found is None else format(DecimalNumber(value), "f")


def _number_hint(value: str) -> str:
    """What in a mapping reads a field that is no number, if there is something."""
    if value.lower() in NO_VALUES:
        return f'; missing = ["{value}"] in the mapping leaves it out'
    return '; decimal = "," in the mapping reads it' if _COMMA.fullmatch(value) else ""


def literal(value: str, datatype: str, column: str = "") -> str:
    """A literal, canonical, of a ``column``, if there is one.

    Raises:
        BadValue: The value is not of the datatype.
    """
    lexical = _LEXICAL.get(datatype)
    if lexical is not None and not lexical.fullmatch(value):
        is_whole = datatype not in _FRACTIONAL and _COMMA.fullmatch(value)
        hint = "" if is_whole else _number_hint(value)
        message = f"{value!r} is no xsd:{datatype.removeprefix(XSD)}{hint}"
        raise BadValue(in_column(message, column) if column else message)
    suffix = "" if datatype == XSD + "string" else f"^^<{datatype}>"
    return f'"{escape(value)}"{suffix}'
