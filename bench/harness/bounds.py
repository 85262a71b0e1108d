"""Figures and ratios of them, the bounds that R4 means to keep on these, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from bench.harness.tables import Json, TextTable, fields_of, tabled

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure, and the bound that R4 means to keep on it."""

    name: str  # whose figure it is
    description: str  # what the figure is
    figure: float  # the figure, from all rounds
    limit: float  # the bound
    # whether the figure is to be at most ``limit``; else it is to be at least that
    most: bool = True

    @property
    def kept(self) -> bool:
        """Whether the bound is kept."""
        return self.figure <= self.limit if self.most else self.figure >= self.limit

    @property
    def limit_text(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.most else 'at least'} {self.limit:,g}"

    @property
    def verdict(self) -> str:
        """Whether it is kept, in a word."""
        return "kept" if self.kept else "missed"


@dataclass(frozen=True, slots=True)
class Ratio(Generic[K]):
    """The time of one contestant over that of another."""

    over: K  # whose time is divided
    of: K  # by whose
    net: float  # the ratio without the start of processes; an upper bound where ``of`` was stopped
    gross: float  # that of whole processes
    most: float | None  # the bound R4 means to keep, on `net`; None: none
    # as `net`, of processor time, which a busy machine, or one with idle cores, does not change;
    # None: it is not measured apart
    work: float | None = None
    counts: bool = True  # whether the result of ``of`` is right

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where there is none."""
        return self.most is None or self.net <= self.most


def verdict(figure: float, most: float | None) -> str:
    """A bound, and whether a figure keeps it; empty where there is none."""
    return "" if most is None else f"{most:.2f} {'kept' if figure <= most else 'missed'}"


def bounds_table(title: str, bounds: Iterable[Bound]) -> Iterator[TextTable]:
    """A bound a row."""
    rows = (
        (
            bound.name,
            bound.description,
            f"{bound.figure:,.{2 if bound.most else 0}f}",
            bound.limit_text,
            bound.verdict,
        )
        for bound in bounds
    )
    yield from tabled(title, ("", "", "", "bound", ""), rows, texts=2)


def bounds_json(bounds: Iterable[Bound]) -> list[Mapping[str, Json]]:
    """The same, complete."""
    return [
        {
            "name": bound.name,
            "of": bound.description,
            "figure": bound.figure,
            "at_most" if bound.most else "at_least": bound.limit,
            "kept": bound.kept,
        }
        for bound in bounds
    ]


def ratios_json(ratios: Iterable[Ratio[K]]) -> list[Mapping[str, Json]]:
    """A ratio each, of contestants by their fields."""
    return [
        {
            "over": fields_of(ratio.over),
            "of": fields_of(ratio.of),
            "ratio": ratio.net,
            "of_whole": ratio.gross,
            "of_cpu_time": ratio.work,
            "bound": ratio.most,
            "kept": ratio.kept,
            "counts": ratio.counts,
        }
        for ratio in ratios
    ]
