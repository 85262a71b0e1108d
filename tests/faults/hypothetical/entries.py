"""Faults in what entries there are, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Any, Final
from unittest.mock import patch

from rete.arrays.delta import NEG_INF, Column, Rows
from rete.nodes.metric.shift import ShiftNode
from temporal.hypothetical.evidence import hypothesis_masks
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.evidence.instance_lookup import Deadlines
from temporal.hypothetical.live_entries import LiveEntries
from tests.faults.detection import Fault


def deadlines_a_moment_late() -> AbstractContextManager[object]:
    """What can no longer come is waited for once more."""
    right = Deadlines.of

    def of(here: Deadlines, values: Rows) -> Rows:
        return right(here, values) + 1

    return patch.object(Deadlines, "of", of)


def delays_by_predicate_alone() -> AbstractContextManager[object]:
    """Instances have the delay of the widest of their predicate."""
    right = Deadlines.__init__

    def init(here: Deadlines, *args: Any) -> None:
        right(here, *args)
        for part in here._delays:
            part._columns = {}

    return patch.object(Deadlines, "__init__", init)


def facts_before_the_least_match() -> AbstractContextManager[object]:
    """A bound on a variable stays unread."""
    right = ShiftNode.__init__

    def init(here: ShiftNode, plan: Any, *rest: Any) -> None:
        right(here, plan, *rest)
        here._plan = replace(plan, least=NEG_INF)

    return patch.object(ShiftNode, "__init__", init)


def facts_are_forgotten_too_early() -> AbstractContextManager[object]:
    """A fact does not meet what may come at the very last moment."""
    right = hypothesis_masks._wait

    def wait(*args: Any) -> int | None:
        found = right(*args)
        return found and found - 1

    return patch.object(hypothesis_masks, "_wait", wait)


def one_way_to_bind_is_enough() -> AbstractContextManager[object]:
    """Of the sets of hypotheses that bind all, one is looked at."""
    right = hypothesis_masks._covers

    def covers(*args: Any) -> Iterator[int]:
        return islice(right(*args), 1)

    return patch.object(hypothesis_masks, "_covers", covers)


def only_smallest_sets_are_joined() -> AbstractContextManager[object]:
    """What comes after all is bound stays unseen."""
    right = hypothesis_masks._masks

    def some(names: Any, own: Sequence[Any]) -> tuple[int, ...]:
        found = right(names, own)
        return tuple(m for m in found if not any(o != m and o & m == o for o in found))

    return patch.object(hypothesis_masks, "_masks", some)


def what_is_complete_is_forgotten() -> AbstractContextManager[object]:
    """When all has arrived an entry is unknown again."""

    def last(_: EntryTable, values: Rows) -> Column:
        found: Column = values[:, :0].sum(axis=1) - 1
        return found

    return patch.object(EntryTable, "_last", last)


def one_that_ends_at_a_moment_is_enough() -> AbstractContextManager[object]:
    """Of all whose deadline is now one is found."""
    right = LiveEntries.due

    def due(here: LiveEntries, frontier: int) -> Column:
        return right(here, frontier)[:1]

    return patch.object(LiveEntries, "due", due)


FAULTS: Final[tuple[Fault, ...]] = (
    deadlines_a_moment_late,
    delays_by_predicate_alone,
    facts_before_the_least_match,
    facts_are_forgotten_too_early,
    one_way_to_bind_is_enough,
    only_smallest_sets_are_joined,
    what_is_complete_is_forgotten,
    one_that_ends_at_a_moment_is_enough,
)
