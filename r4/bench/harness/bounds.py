"""What R4 means to keep, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from r4.bench.harness.tables import Json, TextTable


@dataclass(frozen=True, slots=True)
class Bound:
    """What R4 means to keep, and what became of it.

    Attributes:
        name: of what.
        says: what the figure is.
        figure: the figure, from all rounds.
        most: whether the figure is to be at most ``limit``; else it is to be at least that.
    """

    name: str
    says: str
    figure: float
    limit: float
    most: bool = True

    @property
    def kept(self) -> bool:
        """Whether it is."""
        return self.figure <= self.limit if self.most else self.figure >= self.limit


def bounds_table(title: str, bounds: Iterable[Bound]) -> TextTable:
    """A bound a row."""
    return TextTable(title, ("", "", "", "bound", ""), tuple(map(_row, bounds)), texts=2)


def bounds_json(bounds: Iterable[Bound]) -> list[Mapping[str, Json]]:
    """The same, complete."""
    return [
        {
            "name": bound.name,
            "of": bound.says,
            "figure": bound.figure,
            "at_most" if bound.most else "at_least": bound.limit,
            "kept": bound.kept,
        }
        for bound in bounds
    ]


def _row(bound: Bound) -> tuple[str, ...]:
    digits = 2 if bound.most else 0
    return (
        bound.name,
        bound.says,
        f"{bound.figure:,.{digits}f}",
        f"{'at most' if bound.most else 'at least'} {bound.limit:,g}",
        "kept" if bound.kept else "missed",
    )
