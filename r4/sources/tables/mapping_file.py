"""Mapping files: what the columns of a table mean, written in TOML.

A file has either a table ``rows`` (`Descriptions`) or a table ``observations`` (`Observations`),
whose keys are those of these classes, and may have ``prefixes``. Nothing of it names another file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Final, NoReturn, TypeAlias, TypeVar
from zoneinfo import available_timezones

from r4.errors import InputError
from r4.limited_toml import read_toml
from r4.prefixes import PREFIXES, expand
from r4.rdf.files import SINGLE_BYTE
from r4.sources.tables.mapping import (
    FORBIDDEN,
    BadValue,
    Descriptions,
    Observations,
    ResultColumn,
    TimeColumn,
    ValueColumn,
    fields,
    has_name,
    iri,
)
from r4.time.unix_time import UNIX_FORMATS
from rif.errors.nearest import nearest_word
from rif.errors.report import shorten
from rif.syntax.iri import is_absolute
from rif.syntax.terms import XSD
from temporal.intervals.calendar import UnknownZone, zone_of

TableMapping: TypeAlias = Descriptions | Observations
"""What a mapping file says."""

_LONGEST: Final = 1 << 20
"""Bytes of a mapping file."""
_LONGEST_NUMBER: Final = 60
"""Characters of a factor."""
_FARTHEST: Final = 99
_LARGE: Final = re.compile(r"[eE][+-]?0*[1-9][0-9]{2}")
"""An exponent beyond that."""
_MOST_DIGITS: Final = 30
_SOME_TIME: Final = datetime(2020, 2, 9, 16, 5, 7, 8, tzinfo=UTC)
_ZONE: Final = re.compile(r"Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00")
_Value = TypeVar("_Value")


class BadMapping(Exception):
    """A mapping that says nothing of a table; the message says where."""


def read_mapping(path: str) -> TableMapping:
    """The mapping in a file; raises `InputError` if it cannot be read, or is none."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            message = f"{path}: a mapping of more than {_LONGEST} bytes"
            raise InputError(message)
        return _read_text(text)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
    except (BadMapping, ValueError, RecursionError) as error:
        message = f"{path}: {error}"
    raise InputError(message) from None


@lru_cache(maxsize=16)
def _read_text(text: bytes) -> TableMapping:
    """The mapping that a file says; one file is often that of many tables."""
    return mapping_of(read_toml(text.decode()))


def mapping_of(found: Mapping[str, object]) -> TableMapping:
    """The mapping that the tables of a file are; raises `BadMapping` if they are none."""
    file = _Keys("", found, PREFIXES)
    own = {name: str(iri) for name, iri in (file.table("prefixes") or {}).items()}
    names = {**PREFIXES, **own}
    rows, observations = file.table("rows"), file.table("observations")
    file.end()
    if (rows is None) == (observations is None):
        message = "write either [rows] or [observations]"
        raise BadMapping(message)
    if rows is not None:
        return _rows(_Keys("rows.", rows, names))
    assert observations is not None
    return _observations(_Keys("observations.", observations, names))


def _rows(keys: _Keys) -> Descriptions:
    made = Descriptions(
        subject=keys.template("subject"),
        types=tuple(keys.expanded(each) for each in keys.texts("types", ())),
        values=tuple(_value(each) for each in keys.tables("values")),
        missing=frozenset({"", *keys.texts("missing", ("NA",))}),
        delimiter=keys.delimiter(),
        time=keys.time("time"),
        until=keys.time("until"),
        order="time" if keys.choice("order", "file", "time") == "time" else "file",
        decimal="," if keys.choice("decimal", ".", ",") == "," else ".",
        encoding=keys.checked("encoding", _encoding, keys.text("encoding", "utf-8")),
        each=keys.text("each", ""),
    )
    keys.end()
    if made.until is not None and made.time is None:
        keys.refuse("until", "a row has an end, but no time")
    return made


def _value(keys: _Keys) -> ValueColumn:
    template = keys.template("iri", "")
    factor = keys.text("factor", "")
    made = ValueColumn(
        column=keys.text("column", "") if template else keys.text("column"),
        predicate=keys.iri_or_template("predicate"),
        datatype=keys.iri("datatype", XSD + ("decimal" if factor else "string")),
        template=template,
        factor=keys.checked("factor", _factor, factor) if factor else None,
        digits=keys.checked("digits", _digits, keys.text("digits", "2")),
        missing=frozenset(keys.texts("missing", ())),
    )
    if template and factor:
        keys.refuse("factor", "an IRI cannot be multiplied")
    keys.end()
    return made


def _observations(keys: _Keys) -> Observations:
    time = keys.time("time")
    if time is None:
        keys.refuse("time", "there is no such key")
    made = Observations(
        base=keys.iri("base"),
        time=time,
        results=_results(keys),
        sensor=keys.template("sensor"),
        feature=keys.template("feature", ""),
        missing=frozenset({"", *keys.texts("missing", ("NA",))}),
        graph="row" if keys.choice("graph", "row", "observation") == "row" else "observation",
        order="time" if keys.choice("order", "file", "time") == "time" else "file",
        decimal="," if keys.choice("decimal", ".", ",") == "," else ".",
        encoding=keys.checked("encoding", _encoding, keys.text("encoding", "utf-8")),
        each=keys.text("each", ""),
        delimiter=keys.delimiter(),
    )
    keys.end()
    return made


def _results(keys: _Keys) -> tuple[ResultColumn, ...]:
    found = tuple(_result(each) for each in keys.tables("results"))
    if not found:
        keys.refuse("results", "there are none, so that no row would be an observation")
    return found


def _result(keys: _Keys) -> ResultColumn:
    factor = keys.text("factor", "")
    made = ResultColumn(
        column=keys.text("column"),
        observes=keys.iri("observes"),
        unit=keys.iri("unit", ""),
        datatype=keys.iri("datatype", XSD + "decimal"),
        factor=keys.checked("factor", _factor, factor) if factor else None,
        digits=keys.checked("digits", _digits, keys.text("digits", "2")),
        missing=frozenset(keys.texts("missing", ())),
    )
    keys.end()
    return made


@dataclass(slots=True)
class _Keys:
    """The keys of a table that have not been read yet.

    Attributes:
        place: What messages put in front of a key.
        found: By key.
        names: The namespaces of prefixes.
    """

    place: str
    found: Mapping[str, object]
    names: Mapping[str, str]
    _read: list[str] = field(init=False, default_factory=list)

    def _take(self, key: str, kind: type[_Value]) -> _Value | None:
        self._read.append(key)
        value = self.found.get(key)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            self.refuse(key, f"{value!r} is no {_KINDS[kind]}")
        return value

    def end(self) -> None:
        """Raise `BadMapping` if there are keys that were not read."""
        for key in sorted(self.found.keys() - set(self._read)):
            near = nearest_word(key, self._read)
            hint = f"; did you mean {near}?" if near else f"; known are {', '.join(self._read)}"
            self.refuse(key, f"there is no such key{hint}")

    def refuse(self, key: str, why: str) -> NoReturn:
        """Raise `BadMapping` about a key."""
        message = f"{self.place}{key}: {why}"
        raise BadMapping(message)

    def table(self, key: str) -> dict[str, object] | None:
        """A table; None: there is none."""
        return self._take(key, dict)

    def tables(self, key: str) -> list[_Keys]:
        """An array of tables."""
        found = self._take(key, list) or []
        for number, each in enumerate(found, 1):
            if not isinstance(each, dict):
                self.refuse(key, f"item {number} is no table")
        return [
            _Keys(f"{self.place}{key}[{number}].", each, self.names)
            for number, each in enumerate(found, 1)
        ]

    def text(self, key: str, default: str | None = None) -> str:
        """A text, or a number as it may stand there."""
        found = self._take(key, str | int | float)  # type: ignore[arg-type]
        if found is None:
            found = default
        if found is None:
            self.refuse(key, "there is no such key")
        return str(found)

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """An array of texts."""
        found = self._take(key, list)
        return default if found is None else tuple(map(str, found))

    def choice(self, key: str, *choices: str) -> str:
        """One of some texts, the first by default."""
        found = self.text(key, choices[0])
        if found not in choices:
            self.refuse(key, f"{found!r} is none of {', '.join(choices)}")
        return found

    def checked(self, key: str, make: Callable[[str], _Value], text: str) -> _Value:
        """The value that ``make`` makes of a text."""
        try:
            return make(text)
        except BadMapping as error:
            why = str(error)
        except (ValueError, ZeroDivisionError):
            why = "no number"
        return self.refuse(key, f"{shorten(repr(text))} is {why}")

    def expanded(self, name: str) -> str:
        """An absolute IRI, which may have a prefix."""
        iri = expand(name, self.names)
        if not is_absolute(iri) or FORBIDDEN.search(iri):
            self.refuse("", f"{name!r} is no absolute IRI")
        return iri

    def iri(self, key: str, default: str | None = None) -> str:
        """The same at a key; the default is taken as it stands."""
        found = self.text(key, default)
        return found if found == default else self.expanded(found)

    def template(self, key: str, default: str | None = None) -> str:
        """A template, which may begin with a prefix."""
        found = self.text(key, default)
        try:
            parts = list(Formatter().parse(found))
        except ValueError as error:
            self.refuse(key, f"{found!r}: {error}")
        if any(spec or conversion for _, _, spec, conversion in parts) or "{}" in found:
            self.refuse(key, f"{found!r}: write {{column}}, or {{+column}} for an IRI")
        begins = parts[0][0] if parts else ""
        if found == default or (not begins and found.startswith("{+")):
            return found
        found = found.replace(begins, expand(begins, self.names), 1)
        try:
            iri(found, dict.fromkeys(fields(found), "a"))
        except BadValue as error:
            self.refuse(key, f"{found!r} makes no IRI, as {error}")
        return found

    def iri_or_template(self, key: str) -> str:
        """Either of both; an IRI has no braces."""
        return self.template(key) if "{" in str(self.found.get(key)) else self.iri(key)

    def time(self, key: str) -> TimeColumn | None:
        """The name of a column with times, or a table that says how they are written."""
        if isinstance(self.found.get(key), str):
            return TimeColumn(self.text(key))
        found = self.table(key)
        if found is None:
            return None
        keys = _Keys(f"{self.place}{key}.", found, self.names)
        fold = keys.choice("fold", "", "first", "second")
        made = TimeColumn(
            keys.text("column"),
            keys.checked("format", _time_format, keys.text("format", "iso")),
            keys.checked("zone", _zone, keys.text("zone", "Z")),
            "first" if fold == "first" else "second" if fold else "",
        )
        keys.end()
        if fold and not has_name(made.zone):
            keys.refuse("fold", "only a zone with a name, such as Europe/Berlin, has times twice")
        if made.format == "integer" and has_name(made.zone):
            keys.refuse("zone", "ticks have none")
        return made

    def delimiter(self) -> str:
        """The character between columns; "": that of the format."""
        found = self.text("delimiter", "")
        if len(found) > 1 or found in {'"', "\r", "\n"}:
            self.refuse("delimiter", f"{found!r} is no single character between columns")
        return found


def _factor(text: str) -> Fraction:
    if len(text) > _LONGEST_NUMBER or _LARGE.search(text):
        message = f"too long, or has an exponent beyond {_FARTHEST}"
        raise BadMapping(message)
    return Fraction(text)


def _digits(text: str) -> int:
    if (digits := int(text)) not in range(_MOST_DIGITS + 1):
        message = f"none of 0 to {_MOST_DIGITS}"
        raise BadMapping(message)
    return digits


def _encoding(text: str) -> str:
    """An encoding with a byte a character, by the name that Python has for it; "" for UTF-8."""
    name = text.lower().replace("_", "-")
    if name in {"utf-8", "utf8", "utf-8-sig"}:
        return ""
    if not SINGLE_BYTE.fullmatch(name):
        message = 'no encoding that is read: write "utf-8", "windows-1252" or "iso-8859-1"'
        raise BadMapping(message)
    return name


def _time_format(text: str) -> str:
    """A format of times that reads what it writes."""
    if text in {"iso", "integer", *UNIX_FORMATS}:
        return text
    try:
        read = datetime.strptime(_SOME_TIME.strftime(text), text)  # noqa: DTZ007 - for its year
    except (ValueError, re.error) as error:
        message = f"no format of times: {error}"
        raise BadMapping(message) from None
    if read.year != _SOME_TIME.year:
        known = ", ".join(f'"{each}"' for each in ("iso", "integer", *UNIX_FORMATS))
        message = f'no format of times, as it has no year: write {known}, or as "%d.%m.%Y"'
        raise BadMapping(message)
    return text


def _zone(text: str) -> str:
    if _ZONE.fullmatch(text):
        return text
    message = "no zone: write Z, +hh:mm, or a name such as Europe/Berlin"
    if not text or not has_name(text):
        raise BadMapping(message)
    try:
        zone_of(text)
    except UnknownZone:
        near = nearest_word(text, available_timezones())
        if near:
            message = f"{message}; did you mean {near}?"
        raise BadMapping(message) from None
    return text


_KINDS: Final[Mapping[object, str]] = {
    dict: "table",
    list: "array",
    str | int | float: "text",
}
