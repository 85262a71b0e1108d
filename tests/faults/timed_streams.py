"""Faults of runs in real time: the clock, silence, stamps that are ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

from r4.errors import Flaw
from r4.rdf.chunks import EMPTY_CHUNK
from r4.stream import source_buffer
from r4.stream.batch import Batch
from r4.stream.elements import transactions
from r4.stream.elements.judged_elements import (
    BAD,
    ELEMENT,
    FLAW,
    SIZE,
    TICK,
    VERDICT,
    JudgedElements,
)
from r4.stream.elements.segmentation import OpenElement
from r4.stream.elements.transactions import AheadBound
from r4.stream.input_events import InputEvent, MoveClock
from r4.stream.intake import Intake
from r4.stream.source_buffer import SourceBuffer
from r4.stream.watermark import Frontier
from r4.time.ticks import NEG_INF, Kind, Tick
from rete.arrays.delta import Column, Rows
from tests.faults.detection import Fault, FaultArea
from tests.generators.streams.timed_runs import timed_case
from tests.simulation.timed_comparison import difference


def clock_without_delay() -> AbstractContextManager[object]:
    """The clock closes instants as soon as it shows them."""
    right = Frontier.reach

    def reach(frontier: Frontier, tick: Tick, until: Column) -> None:
        right(frontier, tick + max(frontier._delays), until)

    return patch.object(Frontier, "reach", reach)


def clock_moves_nothing() -> AbstractContextManager[object]:
    """Time stands still while nothing arrives."""
    return patch.object(Frontier, "reach", lambda *_: None)


def clock_waits_for_idle_sources() -> AbstractContextManager[object]:
    """Where all sources are idle the clock does not move time."""
    right = Intake._move_clock

    def move(intake: Intake, to: Tick) -> Iterator[Batch]:
        if all(buffer.idle or buffer.exhausted for buffer in intake._buffers):
            return iter(())
        return right(intake, to)

    return patch.object(Intake, "_move_clock", move)


def clock_before_what_was_read() -> AbstractContextManager[object]:
    """What waits for other sources is taken after the move of the clock."""
    right = Intake._follow

    def follow(intake: Intake, event: InputEvent) -> Iterator[Batch]:
        if not isinstance(event, MoveClock):
            yield from right(intake, event)
            return
        yield from intake._move_clock(event.to)
        yield from intake._hand_over_all()

    return patch.object(Intake, "_follow", follow)


def clock_follows_the_slowest() -> AbstractContextManager[object]:
    """A source that is silent holds time back in spite of the clock."""

    def reach(frontier: Frontier, tick: Tick, until: Column) -> None:
        if (frontier._latest > NEG_INF).all():
            frontier.last = max(frontier.last, tick)
            return
        right(frontier, tick, until)

    right = Frontier.reach
    return patch.object(Frontier, "reach", reach)


def heartbeat_ignored() -> AbstractContextManager[object]:
    """An element without triples moves no time."""
    right = SourceBuffer.settle

    def settle(buffer: SourceBuffer, kind: Kind) -> None:
        right(buffer, kind)
        given = buffer._elements
        if given is not None:
            empty = given.table[:, SIZE] == 0
            given.table[empty, VERDICT], given.table[empty, TICK] = BAD, NEG_INF
            given.table[empty, FLAW] = Flaw.NO_STAMP

    return patch.object(SourceBuffer, "settle", settle)


def silence_completes_nothing() -> AbstractContextManager[object]:
    """An element stays open however long its source is quiet."""
    return patch.object(source_buffer, "EMPTY_LINE", EMPTY_CHUNK)


def silence_completes_twice() -> AbstractContextManager[object]:
    """What silence has completed stays open, and is completed once more."""
    right = SourceBuffer.complete

    def complete(buffer: SourceBuffer, at: Tick | None) -> None:
        carry: OpenElement = buffer._carry
        right(buffer, at)
        buffer._carry = carry

    return patch.object(SourceBuffer, "complete", complete)


def _wall_bound(change: Callable[[Tick], Tick]) -> AbstractContextManager[object]:
    right = transactions.refuse_ahead

    def refuse(elements: JudgedElements, most: Tick) -> None:
        right(elements, change(most))

    return patch.object(source_buffer, "refuse_ahead", refuse)


def stamps_at_the_bound_refused() -> AbstractContextManager[object]:
    """A stamp that is just as far ahead as allowed is refused."""
    return _wall_bound(lambda most: most - 1)


def ahead_of_the_wrong_side() -> AbstractContextManager[object]:
    """What is behind the bound is refused, what is ahead of it counts."""

    def refuse(elements: JudgedElements, most: Tick) -> None:
        table = elements.table
        behind = elements.where(ELEMENT) & (table[:, TICK] <= most)
        table[behind, VERDICT], table[behind, FLAW] = BAD, Flaw.AHEAD
        table[behind, TICK] = NEG_INF

    return patch.object(source_buffer, "refuse_ahead", refuse)


def ahead_moves_keys() -> AbstractContextManager[object]:
    """A stamp that is ahead is left out, but what follows it waits as if it counted."""
    right = transactions.judge_in_sequence

    def judge(
        elements: JudgedElements, blocks: Rows, kind: Kind, high: Tick, bound: AheadBound | None
    ) -> Column:
        largest = int(elements.table[:, TICK].max(initial=high))
        keys = right(elements, blocks, kind, high, bound)
        if bound is not None and len(keys):
            keys = keys.copy()
            keys[-1] = max(int(keys[-1]), largest)
        return keys

    return patch.object(source_buffer, "judge_in_sequence", judge)


def first_stamp_is_any() -> AbstractContextManager[object]:
    """Time begins with the first stamp, though the next ones do not agree with it."""
    return patch.object(SourceBuffer, "_begin", lambda *_: NEG_INF)


def held_at_a_stop() -> AbstractContextManager[object]:
    """What waits for stamps that agree is forgotten at a stop."""
    return patch.object(SourceBuffer, "is_held", property(lambda _: False))


def ahead_unbounded() -> AbstractContextManager[object]:
    """Nothing is too far ahead."""
    return patch.object(source_buffer, "refuse_ahead", lambda *_: None)


def open_element_counts_at_a_stop() -> AbstractContextManager[object]:
    """A stop completes what is open."""

    def end(buffer: SourceBuffer) -> bool:
        if not buffer.waiting:
            buffer.complete(None)
            buffer.settle(Kind.DATE_TIME)
        buffer.exhausted = True
        return False

    return patch.object(SourceBuffer, "end", end)


FAULTS: Final[tuple[Fault, ...]] = (
    clock_without_delay,
    clock_moves_nothing,
    clock_waits_for_idle_sources,
    clock_before_what_was_read,
    clock_follows_the_slowest,
    heartbeat_ignored,
    silence_completes_nothing,
    silence_completes_twice,
    stamps_at_the_bound_refused,
    ahead_of_the_wrong_side,
    ahead_moves_keys,
    first_stamp_is_any,
    held_at_a_stop,
    ahead_unbounded,
    open_element_counts_at_a_stop,
)


def _detects(seed: int, fault: Fault) -> bool:
    case = timed_case(seed)
    with TemporaryDirectory() as folder, fault():
        text, _ = difference(case, Path(folder))
    return text is not None and "\nexit 0\n" in text


AREA: Final = FaultArea(FAULTS, _detects)
"""What is told, and when, as events happen; where the run ends well."""
