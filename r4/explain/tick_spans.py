"""Intervals of ticks, made of cells, and the maximal ones of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from rete.arrays.delta import NEG_INF, POS_INF
from rete.storage.interval_sets import CellInterval


@dataclass(frozen=True, slots=True)
class TickSpan:
    """An interval in ticks: the first in it, and the first after it; `NEG_INF`, `POS_INF`.

    Attributes:
        after: whether it begins right after the tick before ``since``.
        through: whether it ends with the tick before ``until``.
    """

    since: int
    until: int
    after: bool = False
    through: bool = False

    @property
    def cells(self) -> CellInterval:
        """The cells that it was made of."""
        lo = self.since if self.since <= NEG_INF else 2 * self.since - self.after
        return lo, self.until if self.until >= POS_INF else 2 * self.until - self.through

    def same_ticks(self, other: TickSpan) -> bool:
        """Whether ``other`` has the same ticks."""
        return (self.since, self.until) == (other.since, other.until)


def to_ticks(lo: int, hi: int) -> TickSpan:
    """Cells as ticks: the first tick in, and the first no longer in."""
    return TickSpan(
        lo if lo == NEG_INF else (lo + 1) >> 1,
        hi if hi == POS_INF else (hi + 1) >> 1,
        after=lo > NEG_INF and bool(lo & 1),
        through=hi < POS_INF and bool(hi & 1),
    )


def span_at(cells: Iterable[tuple[int, int]], tick: int) -> TickSpan | None:
    """The maximal interval around a tick, of intervals in cells: no tick lies between its parts.

    It ends as the part that ends last; of several such parts as all of them agree.
    """
    spans = (to_ticks(lo, hi) for lo, hi in sorted(cells))
    for run in _merge((span for span in spans if span.since < span.until), _extend):
        if tick < run.until:
            return run if run.since <= tick else None
    return None


def coalesce_spans(spans: Iterable[TickSpan]) -> tuple[TickSpan, ...]:
    """The maximal intervals of some, in order of time; what is merged has plain ends."""
    ordered = sorted(spans, key=lambda each: (each.since, each.until))
    return tuple(_merge(ordered, lambda run, span: TickSpan(run.since, max(run.until, span.until))))


def _merge(
    spans: Iterable[TickSpan], join: Callable[[TickSpan, TickSpan], TickSpan]
) -> Iterator[TickSpan]:
    """Intervals in order of their beginnings, those joined that overlap or touch."""
    run: TickSpan | None = None
    for span in spans:
        if run is not None and span.since <= run.until:
            run = join(run, span)
        elif span.since < min(span.until, POS_INF):
            if run is not None:
                yield run
            run = span
    if run is not None:
        yield run


def _extend(run: TickSpan, span: TickSpan) -> TickSpan:
    if span.until < run.until:
        return run
    through = span.through and (span.until > run.until or run.through)
    return replace(run, until=span.until, through=through)
