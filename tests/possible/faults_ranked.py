"""Faults to be planted in how probable possible answers are, and in what is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

from r4.possible import chances, confidence, foresight
from r4.possible.chances import Prospects
from r4.possible.entries import Entry, Group, Row
from r4.possible.foresight import Foresight
from r4.possible.most import Most
from r4.possible.reading import Reader
from r4.possible.told import Told
from rete.delta import POS_INF
from temporal import prospects
from temporal.cap import Cap
from temporal.prospects import Lacking, Steps, pointwise
from tests.faults_of_rank import (
    now_was_not_read,
    only_the_least_probable_counts,
    the_best_is_dropped,
)
from tests.planted import Fault


def what_did_not_come_teaches_nothing() -> AbstractContextManager[object]:
    """What is left of a chance is not compared with what else was left."""

    def prospect(histogram: Steps, latest: int) -> Steps:
        count = histogram.step(latest)
        last = histogram.at(latest)
        left = tuple(last - p for p in histogram.values[: count + 1])
        return Steps(histogram.starts[:count], left)

    return patch.object(chances, "prospect", prospect)


def the_stamp_of_now_was_not_read() -> AbstractContextManager[object]:
    """What might have come with the largest stamp may still."""
    return now_was_not_read(chances)


def chances_go_on_after_the_last_delay() -> AbstractContextManager[object]:
    """A unit that is never so late has all numbers of its predicate."""

    def prospect(histogram: Steps, latest: int) -> Steps:
        return prospects.prospect(histogram, latest + 20)

    return patch.object(chances, "prospect", prospect)


def the_greatest_of_a_unit() -> AbstractContextManager[object]:
    """What comes together is as probable as the most probable of it."""
    return patch.object(chances, "pointwise", lambda _, some: pointwise(max, some))


def only_what_is_named_has_a_chance() -> AbstractContextManager[object]:
    """The chance of all others is that of none."""
    right = Prospects.__init__

    def begin(here: Prospects, given: chances.Chances | None, delays: Any) -> None:
        named = None if given is None else chances.Chances(None, given.given)
        right(here, named, delays)

    return patch.object(Prospects, "__init__", begin)


def due_when_it_can_come_no_more() -> AbstractContextManager[object]:
    """A unit is due two ticks after its last stamp of use."""
    right = Reader.lacking

    def lacking(here: Reader, *given: Any) -> Lacking:
        found = right(here, *given)
        return tuple((number, None if due is None else due + 2) for number, due in found)

    return patch.object(Reader, "lacking", lacking)


def equal_units_count_twice() -> AbstractContextManager[object]:
    """Two units that are the same, as evidence made their variables equal, are two."""

    def lacking(here: Reader, _: object, last: int) -> Lacking:
        due = (None if last >= POS_INF else unit.until(last) >> 1 for unit in here.wanted)
        return tuple((unit.prospect, each) for unit, each in zip(here.wanted, due, strict=True))

    return patch.object(Reader, "lacking", lacking)


def the_first_evidence_counts() -> AbstractContextManager[object]:
    """Of several rows of evidence the first one says how probable an entry is."""
    right = confidence.likeliest

    def likeliest(here: Prospects, rows: Mapping[Row, int], at: int) -> Any:
        row, last = next(iter(rows.items()))
        return right(here, {row: last}, at)

    return patch.object(foresight, "likeliest", likeliest)


def of_equal_ones_the_first_stays() -> AbstractContextManager[object]:
    """Of equal ones that stay which came first."""
    right = Most._text
    return patch.object(Most, "_text", lambda *given: right(*given)[-1:])


def confidences_stay_as_they_were() -> AbstractContextManager[object]:
    """What has become less probable is held as if it had not."""
    right = Most._grade
    return patch.object(Most, "_grade", lambda *given: (right(*given)[0], POS_INF))


def what_was_dropped_comes_back() -> AbstractContextManager[object]:
    """What was dropped is held as soon as there is room."""

    def eligible(_: Group, minimal: Iterable[Entry]) -> list[Entry]:
        return list(minimal)

    return patch.object(Most, "_eligible", staticmethod(eligible))


def what_was_held_is_new() -> AbstractContextManager[object]:
    """What is possible still, by other evidence, is held no longer."""

    def eligible(group: Group, minimal: Iterable[Entry]) -> list[Entry]:
        return [each for each in minimal if each not in group.minimal]

    return patch.object(Most, "_eligible", staticmethod(eligible))


def dropped_without_a_word() -> AbstractContextManager[object]:
    """A fact whose entries are dropped is open for ever."""
    right = Foresight._tell

    def tell(here: Foresight, *given: Any) -> Iterator[Told]:
        for each in right(here, *given):
            if not str(each.because).startswith("dropped"):
                yield each

    return patch.object(Foresight, "_tell", tell)


def dropped_without_a_count() -> AbstractContextManager[object]:
    """What never was among the best is not counted."""
    right = Cap.settle

    def settle(here: Cap[Any, Any]) -> list[Any]:
        before = here.dropped
        lost = right(here)
        here.dropped = before + (len(lost) > 1)
        return lost

    return patch.object(Cap, "settle", settle)


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
