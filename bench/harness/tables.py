"""Tables in plain text, and what JSON holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


def format_bound(most: float, *, kept: bool) -> str:
    """A bound, and whether it is kept."""
    return f"{most:.2f} {'kept' if kept else 'missed'}"


def format_megabytes(size: int) -> str:
    """Bytes as megabytes."""
    return f"{size / 1e6:.0f}"
