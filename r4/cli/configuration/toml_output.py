"""The options in effect as a table of TOML, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Value: TypeAlias = str | int | bool | list[str]


def toml_lines(table: str, values: Mapping[str, tuple[Value, str]]) -> Iterator[str]:
    """The lines of a table, of keys with their values and origins."""
    yield f"[{table}]"
    for name, (value, origin) in values.items():
        yield f"{name} = {_written(value)}  # {origin}"


def _written(value: Value) -> str:
    """A value of TOML, whose texts are those of JSON but for DEL and what is beyond 16 bits."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
