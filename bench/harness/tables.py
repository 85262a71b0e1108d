"""Tables in plain text, and what JSON holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import TypeAlias

Json: TypeAlias = str | float | bool | Mapping[str, "Json"] | Sequence["Json"] | None


@dataclass(frozen=True, slots=True)
class TextTable:
    """A title, the heads of the columns, and the rows.

    The first ``texts`` columns stand left, all others right. Without heads there are none.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1

    def __str__(self) -> str:
        above = (self.heads,) if any(self.heads) else ()
        widths = [max(map(len, column)) for column in zip(*above, *self.rows, strict=True)]
        rules = (tuple("-" * width for width in widths),) if above else ()
        lines = [self.title]
        for row in (*above, *rules, *self.rows):
            cells = [
                cell.ljust(width) if place < self.texts else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines) + "\n"


def tabled(
    title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], texts: int = 1
) -> Iterator[TextTable]:
    """A table, if there are rows."""
    if found := tuple(rows):
        yield TextTable(title, heads, found, texts)


def format_megabytes(size: float) -> str:
    """Bytes as megabytes."""
    return f"{size / 1e6:.0f}"


def format_milliseconds(seconds: float) -> str:
    """Seconds as milliseconds, to a tenth."""
    return f"{1000 * seconds:.1f}"


def fields_of(value: object) -> dict[str, Json]:
    """A named tuple or a dataclass as JSON; anything else is a name."""
    fields = getattr(value, "_asdict", None)
    if fields is not None:
        return dict(fields())
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else {"name": value}  # type: ignore[dict-item]
