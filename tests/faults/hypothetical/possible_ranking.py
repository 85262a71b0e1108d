"""Faults to be planted in how probable possible answers are, and in what is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

from r4.possible import arrival_chances
from r4.possible.arrival_chances import UnitProspects
from r4.possible.tracking import top_k, tracker
from r4.possible.tracking.evidence_reader import EvidenceReader
from r4.possible.tracking.live_entries import EntryGroup, EvidenceRow, LiveEntry
from r4.possible.tracking.possible_answers import StatusReport
from r4.possible.tracking.top_k import EntryTopK
from r4.possible.tracking.tracker import PossibleAnswerTracker
from rete.arrays.delta import POS_INF
from temporal.ranking import arrival_probability
from temporal.ranking.arrival_probability import AwaitedArrivals, StepFunction, combine_pointwise
from temporal.ranking.top_k import TopK
from tests.faults.detection import Fault
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
    right = EvidenceReader.awaited_arrivals

    def lacking(here: EvidenceReader, *given: Any) -> AwaitedArrivals:
        found = right(here, *given)
        return tuple((number, None if due is None else due + 2) for number, due in found)

    return patch.object(EvidenceReader, "awaited_arrivals", lacking)


def equal_units_count_twice() -> AbstractContextManager[object]:
    """Two units that are the same, as evidence made their variables equal, are two."""

    def lacking(here: EvidenceReader, _: object, last: int) -> AwaitedArrivals:
        due = (None if last >= POS_INF else unit.until(last) >> 1 for unit in here.awaited)
        return tuple((unit.prospect, each) for unit, each in zip(here.awaited, due, strict=True))

    return patch.object(EvidenceReader, "awaited_arrivals", lacking)


def the_first_evidence_counts() -> AbstractContextManager[object]:
    """Of several rows of evidence the first one says how probable an entry is."""
    right = top_k.likeliest

    def likeliest(here: UnitProspects, rows: Mapping[EvidenceRow, int], at: int) -> Any:
        row, last = next(iter(rows.items()))
        return right(here, {row: last}, at)

    return patch.object(tracker, "likeliest", likeliest)


def of_equal_ones_the_first_stays() -> AbstractContextManager[object]:
    """Of equal ones that stay which came first."""
    right = EntryTopK._text
    return patch.object(EntryTopK, "_text", lambda *given: right(*given)[-1:])


def confidences_stay_as_they_were() -> AbstractContextManager[object]:
    """What has become less probable is held as if it had not."""
    right = EntryTopK._grade
    return patch.object(EntryTopK, "_grade", lambda *given: (right(*given)[0], POS_INF))


def what_was_dropped_comes_back() -> AbstractContextManager[object]:
    """What was dropped is held as soon as there is room."""

    def eligible(_: EntryGroup, minimal: Iterable[LiveEntry]) -> list[LiveEntry]:
        return list(minimal)

    return patch.object(EntryTopK, "_eligible", staticmethod(eligible))


def what_was_held_is_new() -> AbstractContextManager[object]:
    """What is possible still, by other evidence, is held no longer."""

    def eligible(group: EntryGroup, minimal: Iterable[LiveEntry]) -> list[LiveEntry]:
        return [each for each in minimal if each not in group.minimal]

    return patch.object(EntryTopK, "_eligible", staticmethod(eligible))


def dropped_without_a_word() -> AbstractContextManager[object]:
    """A fact whose entries are dropped is open for ever."""
    right = PossibleAnswerTracker._report

    def tell(here: PossibleAnswerTracker, *given: Any) -> Iterator[StatusReport]:
        for each in right(here, *given):
            if not str(each.reason).startswith("dropped"):
                yield each

    return patch.object(PossibleAnswerTracker, "_report", tell)


def dropped_without_a_count() -> AbstractContextManager[object]:
    """What never was among the best is not counted."""
    right = TopK.settle

    def settle(here: TopK[Any, Any]) -> list[Any]:
        before = here.dropped
        lost = right(here)
        here.dropped = before + (len(lost) > 1)
        return lost

    return patch.object(TopK, "settle", settle)


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
)
