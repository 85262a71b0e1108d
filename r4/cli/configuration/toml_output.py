"""The options in effect as a table of TOML, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from rif.errors.report import printable

Value: TypeAlias = str | int | bool | list[str]


def toml_lines(table: str, values: Mapping[str, tuple[Value, str]]) -> Iterator[str]:
    """The lines of a table, of keys with their values and origins; they control no terminal."""
    yield f"[{table}]"
    for name, (value, origin) in values.items():
        yield f"{name} = {_written(value)}  # {printable(origin)}"


def _written(value: Value) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return f'"{"".join(map(_escaped, value))}"'
    return f"[{', '.join(map(_written, value))}]"


def _escaped(char: str) -> str:
    if char in {'"', "\\"}:
        return f"\\{char}"
    if char.isprintable():
        return char
    if "\ud800" <= char <= "\udfff":  # a byte of the name of a file, which no text of TOML has
        return "\N{REPLACEMENT CHARACTER}"
    return f"\\U{ord(char):08x}"
