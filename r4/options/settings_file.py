"""The options of the table of a TOML file, which is not trusted.

What it names lies in its folder: what lies elsewhere stands on the command line, or in the
environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from r4.extras import scheme_of
from r4.options.option import Option, Places
from rif.errors.nearest import nearest_word


class BadSettings(ValueError):
    """Options that cannot be read, with the place where they stand."""


class Setting(NamedTuple):
    """The values of an option.

    Attributes:
        values: as on the command line; of a flag none.
        origin: where it stands, for messages.
        is_on: whether a flag is set, or there are values.
    """

    values: tuple[str, ...]
    origin: str
    is_on: bool = True

    def arguments(self, key: str) -> Iterable[str]:
        """The setting as arguments of the command line."""
        if not self.is_on:
            return ()
        return [f"--{key}={value}" for value in self.values] or [f"--{key}"]


def nearest(asked: str, names: Sequence[str]) -> str:
    """A hint at the name that was probably meant, "" if there is none."""
    near = nearest_word(asked, names)
    return "" if near is None else f"; did you mean {near}?"


_LONGEST: Final = 1 << 20
"""Bytes of a file."""
_LONGEST_KEY: Final = 1000
"""Characters by which a key is found again in a file."""


def read_settings(path: str, table: str, options: Mapping[str, Option]) -> dict[str, Setting]:
    """The settings in the ``table`` of a file, by the keys of ``options``.

    Raises:
        BadSettings: the file cannot be read, a key is no option, a value is not of its type,
            or a path leads out of the folder of the file.
    """
    text, found = _read(path)
    place = _Places(path, text, table)
    for name in found:
        if name != table:
            message = f"{place.header(name)}: there is no table {name}{nearest(name, [table])}"
            raise BadSettings(message)
    values = found.get(table, {})
    if not isinstance(values, dict):
        message = f"{path}: {table} is no table: write [{table}]"
        raise BadSettings(message)
    tables = {each.table: key for key, each in options.items() if each.table}
    settings: dict[str, Setting] = {}
    for name, value in values.items():
        if (key := tables.get(name)) is not None:
            found_there = _keyed(value, place.inner(name), f"{table}.{name}")
            if found_there.is_on:
                settings[key] = _united(settings.get(key), found_there)
        elif name in options:
            setting = _setting(options[name], value, place.key(name))
            settings[name] = _united(settings.get(name), setting)
        else:
            known = [*options, *tables]
            message = f"{place.key(name)}: there is no option {name}{nearest(name, known)}"
            raise BadSettings(message)
    static = settings.get("static")
    inside = _Inside(Path(path).parent, frozenset() if static is None else {*static.values})
    return {name: inside.resolved(options[name], each) for name, each in settings.items()}


def _read(path: str) -> tuple[str, dict[str, object]]:
    import tomllib  # noqa: PLC0415 - for those who have a file

    from r4.limited_toml import read_toml  # noqa: PLC0415

    try:
        with Path(path).open("rb") as file:
            data = file.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            message = f"{path}: a configuration of more than {_LONGEST} bytes"
            raise BadSettings(message)
        text = data.decode()
        return text, read_toml(text)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
        where = path if place is None else f"{path}:{place[1]}:{place[2]}"
        message = f"{where}: {str(error).partition(' (at ')[0]}"
    except (ValueError, RecursionError) as error:
        message = f"{path}: {error}"
    raise BadSettings(message)


def _keyed(value: object, origin: str, table: str) -> Setting:
    """The values of a table, each with its key."""
    if not isinstance(value, dict):
        message = f"{origin}: {table} is no table: write [{table}]"
        raise BadSettings(message)
    if any(isinstance(each, bool) or not isinstance(each, str | int) for each in value.values()):
        message = f"{origin}: write a text or an integer for each key"
        raise BadSettings(message)
    return Setting(tuple(f"{key}={each}" for key, each in value.items()), origin, bool(value))


def _united(one: Setting | None, other: Setting) -> Setting:
    """The setting of an option that stands in two places of a file."""
    return other if one is None else one._replace(values=(*one.values, *other.values))


def _setting(option: Option, value: object, origin: str) -> Setting:
    if option.is_flag:
        if isinstance(value, bool):
            return Setting((), origin, value)
        message = f"{origin}: write true or false"
        raise BadSettings(message)
    if option.bare is not None and isinstance(value, bool):
        return Setting((option.bare,), origin, value)
    several = value if isinstance(value, list) and option.is_multiple else [value]
    if all(isinstance(each, str | int) and not isinstance(each, bool) for each in several):
        return Setting(tuple(map(str, several)), origin, bool(several))
    kinds = (
        "a text, an integer, or an array of these" if option.is_multiple else "a text or an integer"
    )
    message = f"{origin}: write {kinds}"
    raise BadSettings(message)


class _Places:
    """Where keys stand in a text, by lines: a reader of TOML does not tell."""

    def __init__(self, path: str, text: str, table: str) -> None:
        self._path = path
        self._lines = text.split("\n")
        self._table = table

    def header(self, name: str) -> str:
        """Where a table, or a key outside of all tables, begins."""
        key = _spelled(name)
        return self._first(rf"\s*(\[+\s*)?{key}\s*[].=]", self._lines)

    def key(self, name: str) -> str:
        table, key = _spelled(self._table), _spelled(name)
        return self._first(rf"\s*({table}\s*\.\s*)?{key}\s*[.=]|.*[{{,]\s*{key}\s*=", self._lines)

    def inner(self, name: str) -> str:
        """Where a table inside of the table begins."""
        table, key = _spelled(self._table), _spelled(name)
        header = rf"\s*\[\s*{table}\s*\.\s*{key}\s*\]"
        return self._first(rf"{header}|\s*({table}\s*\.\s*)?{key}\s*[.=]", self._lines)

    def _first(self, pattern: str, lines: Iterable[str]) -> str:
        found: Callable[[str], object] = re.compile(pattern).match
        number = next((n for n, line in enumerate(lines, 1) if found(line)), None)
        return self._path if number is None else f"{self._path}:{number}"


def _spelled(name: str) -> str:
    """A pattern of a key, or of the begin of a long one, as patterns take time to compile."""
    more = r"[^].=]*" if len(name) > _LONGEST_KEY else ""
    return rf"[\"']?{re.escape(name[:_LONGEST_KEY])}{more}[\"']?"


class _Inside:
    """Resolves paths against a folder that they do not leave."""

    def __init__(self, folder: Path, static: Iterable[str]) -> None:
        self._folder = folder
        self._static = frozenset(static)

    def resolved(self, option: Option, setting: Setting) -> Setting:
        """The setting of an option with paths as they are from here."""
        values = tuple(
            self._value(option.places, value, setting.origin) for value in setting.values
        )
        return setting._replace(values=values)

    def _value(self, places: Places, value: str, origin: str) -> str:
        if places is Places.WHOLE:
            return self._path(value, origin)
        before, equals, behind = value.partition("=")
        if places is Places.BACK:
            before, equals, behind = value.rpartition("=")
            return f"{before}{equals}{self._path(behind, origin)}"
        if places is Places.FRONT:
            before = self._path(before, origin)
        if places in {Places.FRONT, Places.INPUT} and behind in self._static:
            behind = self._path(behind, origin)
        return f"{before}{equals}{behind}"

    def _path(self, text: str, origin: str) -> str:
        if text == "-":
            return text
        path = self._folder / text
        try:
            within = path.resolve().is_relative_to(self._folder.resolve())
        except (OSError, ValueError, RuntimeError):
            within = False
        if not within or scheme_of(text) is not None:
            message = (
                f"{origin}: {text} is not in the folder of this file; "
                "give it on the command line or in the environment"
            )
            raise BadSettings(message)
        return str(path)
