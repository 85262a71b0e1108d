"""Faults to be planted in how probable possible answers are, and in what is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import POS_INF, Rows
from temporal.hypothetical.ranking import arrival_probability
from temporal.hypothetical.ranking.arrival_probability import (
    AwaitedArrivals,
    StepFunction,
    combine_pointwise,
)
from temporal.hypothetical.ranking.top_k import TopK
from temporal.hypothetical.rif_rules import arrival_chances
from temporal.hypothetical.rif_rules.arrival_chances import UnitProspects
from temporal.hypothetical.rif_rules.entries.evidence_reader import ShapeColumns
from temporal.hypothetical.rif_rules.entries.fact_entries import (
    EntryRanking,
    FactEntries,
    RankedEntry,
)
from temporal.hypothetical.rif_rules.reports.report_writer import ReportWriter
from temporal.hypothetical.rif_rules.reports.status_reports import TEXT, StatusReports
from tests.faults.detection import Fault
from tests.faults.hypothetical.possible import first_rows
from tests.faults.ranking import (
    now_was_not_read,
    only_the_least_probable_counts,
    the_best_is_dropped,
)


def what_did_not_come_teaches_nothing() -> AbstractContextManager[object]:
    """What is left of a chance is not compared with what else was left."""

    def prospect(histogram: StepFunction, latest: int) -> StepFunction:
        count = histogram.step(latest)
        last = histogram.at(latest)
        left = tuple(last - p for p in histogram.values[: count + 1])
        return StepFunction(histogram.starts[:count], left)

    return patch.object(arrival_chances, "conditional_arrival", prospect)


def the_stamp_of_now_was_not_read() -> AbstractContextManager[object]:
    """What might have come with the largest stamp may still."""
    return now_was_not_read(arrival_chances)


def chances_go_on_after_the_last_delay() -> AbstractContextManager[object]:
    """A unit that is never so late has all numbers of its predicate."""

    def prospect(histogram: StepFunction, latest: int) -> StepFunction:
        return arrival_probability.conditional_arrival(histogram, latest + 20)

    return patch.object(arrival_chances, "conditional_arrival", prospect)


def the_greatest_of_a_unit() -> AbstractContextManager[object]:
    """What comes together is as probable as the most probable of it."""
    return patch.object(
        arrival_chances, "combine_pointwise", lambda _, some: combine_pointwise(max, some)
    )


def only_what_is_named_has_a_chance() -> AbstractContextManager[object]:
    """The chance of all others is that of none."""
    right = UnitProspects.__init__

    def begin(
        here: UnitProspects, given: arrival_chances.ArrivalChances | None, delays: Any
    ) -> None:
        named = None if given is None else arrival_chances.ArrivalChances(None, given.given)
        right(here, named, delays)

    return patch.object(UnitProspects, "__init__", begin)


def due_when_it_can_come_no_more() -> AbstractContextManager[object]:
    """A unit is due two ticks after its last stamp of use."""
    right = EntryRanking.awaited

    def lacking(here: EntryRanking, rows: Rows) -> list[AwaitedArrivals]:
        return [
            tuple((number, None if due is None else due + 2) for number, due in found)
            for found in right(here, rows)
        ]

    return patch.object(EntryRanking, "awaited", lacking)


def equal_units_count_twice() -> AbstractContextManager[object]:
    """Two units that are the same, as evidence made their variables equal, are two."""

    def lacking(here: EntryRanking, rows: Rows) -> list[AwaitedArrivals]:
        out: list[AwaitedArrivals] = []
        for row, last in zip(rows.tolist(), here._store.last(rows), strict=True):
            units = here._store.readers[row[0]].awaited
            untils = (ShapeColumns.until(last, unit.reach[0]) for unit in units)
            due = (None if last >= POS_INF else int(until) >> 1 for until in untils)
            out.append(tuple((unit.prospect, each) for unit, each in zip(units, due, strict=True)))
        return out

    return patch.object(EntryRanking, "awaited", lacking)


def the_first_evidence_counts() -> AbstractContextManager[object]:
    """Of several rows of evidence the first one says how probable an entry is."""
    return patch.object(ReportWriter, "_rivals", lambda _, changes, __: first_rows(changes))


def of_equal_ones_the_first_stays() -> AbstractContextManager[object]:
    """Of equal ones that stay which came first."""
    right = ReportWriter.ranked

    def ranked(*given: Any) -> list[RankedEntry]:
        return [each._replace(text=()) for each in right(*given)]

    return patch.object(ReportWriter, "ranked", ranked)


def confidences_stay_as_they_were() -> AbstractContextManager[object]:
    """What has become less probable is held as if it had not."""
    right = EntryRanking.grade
    return patch.object(EntryRanking, "grade", lambda *given: (right(*given)[0], POS_INF))


def what_was_dropped_comes_back() -> AbstractContextManager[object]:
    """What was dropped is held as soon as there is room."""
    return patch.object(FactEntries, "eligible", property(lambda found: found.minimal))


def what_was_held_is_new() -> AbstractContextManager[object]:
    """What is possible still, by other evidence, is held no longer."""
    new = property(lambda found: found.minimal & ~found.was_minimal)
    return patch.object(FactEntries, "eligible", new)


def dropped_without_a_word() -> AbstractContextManager[object]:
    """A fact whose entries are dropped is open for ever."""
    right = ReportWriter.reports

    def reports(here: ReportWriter, *given: Any) -> StatusReports:
        found = right(here, *given)
        return found.take(np.flatnonzero(found.reasons[:, 0] != TEXT))

    return patch.object(ReportWriter, "reports", reports)


def dropped_without_a_count() -> AbstractContextManager[object]:
    """What never was among the best is not counted."""
    right = TopK.settle

    def settle(here: TopK[Any, Any], *given: Any) -> Any:
        before = here.dropped
        found = right(here, *given)
        here.dropped = before + len(found.dropped)
        return found

    return patch.object(TopK, "settle", settle)


def what_left_keeps_its_place() -> AbstractContextManager[object]:
    """An entry that ended is among the best as long as it would be if it had not."""
    right = EntryRanking.settle

    def settle(
        here: EntryRanking, offered: Sequence[RankedEntry], _: Iterable[int], at: int
    ) -> list[Rows]:
        return right(here, offered, (), at)

    return patch.object(EntryRanking, "settle", settle)


def only_what_changes_is_dropped() -> AbstractContextManager[object]:
    """An entry that is dropped for one of another fact stays reported."""
    right = EntryRanking.settle

    def settle(here: EntryRanking, *given: Any) -> list[Rows]:
        right(here, *given)
        return []

    return patch.object(EntryRanking, "settle", settle)


RANKED: Final[tuple[Fault, ...]] = (
    what_did_not_come_teaches_nothing,
    the_stamp_of_now_was_not_read,
    chances_go_on_after_the_last_delay,
    the_greatest_of_a_unit,
    only_what_is_named_has_a_chance,
    due_when_it_can_come_no_more,
    equal_units_count_twice,
    the_first_evidence_counts,
    only_the_least_probable_counts,
    the_best_is_dropped,
    of_equal_ones_the_first_stays,
    confidences_stay_as_they_were,
    what_was_dropped_comes_back,
    what_was_held_is_new,
    dropped_without_a_word,
    dropped_without_a_count,
    what_left_keeps_its_place,
    only_what_changes_is_dropped,
)
