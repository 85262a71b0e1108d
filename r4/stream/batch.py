"""A batch: what an engine takes in at once, encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from r4.rdf.chunks import NO_ROWS
from r4.stream.input_events import ChangeReferences
from r4.time.ticks import POS_INF, Tick
from rete.arrays.delta import Column, Rows


class NeededIds:
    """Ids in arrays of any shape that a sweep of the dictionary must keep.

    They are collected when they are iterated over, as most batches are followed by no sweep.
    """

    __slots__ = ("_collect",)

    def __init__(self, collect: Callable[[], Iterable[Rows | Column]]) -> None:
        self._collect = collect

    def __iter__(self) -> Iterator[Rows | Column]:
        return iter(self._collect())


@dataclass(frozen=True, slots=True)
class Batch:
    """What arrived, encoded: either static triples alone, or timed ones alone.

    Where something is retracted, time moves to ``frontier`` first; then it is retracted, from there
    on; then the rows are asserted. So an element that retracts stands alone in its batch; only
    retracting elements without triples share one, if they have the same frontier.

    Attributes:
        rows: (n, 3) int64: s, p, o.
        start: (n,) ticks; `NEG_INF` in a batch of static triples, which precede all others.
        end: (n,) ticks, exclusive; `NO_END` where the element gave none, `POS_INF` for ever.
        frontier: Largest tick that no later element in time can lie before; `NEG_INF` while there
            is none.
        last: Largest stamp read so far; `NEG_INF` before the first.
        needed_ids: Ids that the intake needs and no row mentions yet, in arrays of any shape: a
            sweep of the dictionary must keep them.
        names: (n,) the name of the element of each row, 0 for none; (0,) unless asked for.
        retracted_names: (r,) names of which all elements of earlier batches are retracted.
        retracted_rows: (t, 4) s, p, o and name: of the elements of that name in earlier batches
            this one triple is retracted.
        ended_rows: (t, 5) s, p, o, name and tick: what elements of that name in earlier batches say
            of this triple ends there.
        completes: Whether an element ends with it; what else there is belongs to the next one.
        late_before, late_after: If the options ask for late bounds, those before the first element
            of the batch and after the last: for each delay of a predicate, ascending, the tick
            below which its elements are late. The last is the frontier; see
            `r4.stream.watermark`.
        more: Whether another batch was read with it, and follows at once.
        first: The least stamp so far that moved time; `POS_INF` before there is one.
        references: How static documents and rules change, from the frontier on; there is nothing
            else in the batch then. None: they do not.
    """

    rows: Rows
    start: Column
    end: Column
    frontier: Tick
    last: Tick
    needed_ids: Iterable[Rows | Column] = ()
    names: Column = field(default_factory=lambda: NO_ROWS[:, 0])
    retracted_names: Column = field(default_factory=lambda: NO_ROWS[:, 0])
    retracted_rows: Rows = field(default_factory=lambda: NO_ROWS)
    ended_rows: Rows = field(default_factory=lambda: NO_ROWS)
    completes: bool = True
    late_before: tuple[Tick, ...] = ()
    late_after: tuple[Tick, ...] = ()
    more: bool = False
    first: Tick = POS_INF
    references: ChangeReferences | None = None

    @property
    def is_retraction(self) -> bool:
        """Whether it retracts or ends anything."""
        parts = (self.retracted_names, self.retracted_rows, self.ended_rows)
        return any(len(part) > 0 for part in parts)
