"""Faults in how probable answers are, and in what is dropped."""

from __future__ import annotations

from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import POS_INF
from temporal.hypothetical.arrival import lateness
from temporal.hypothetical.arrival.lateness import ArrivalProspects, Chance
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.output.answer_lines import TOO_MANY
from temporal.hypothetical.output.entry_columns import EntryColumns
from temporal.hypothetical.output.line_templates import AnswerStatus
from temporal.hypothetical.output.rival_entries import RivalEntries
from temporal.hypothetical.ranking.arrival_probability import StepFunction
from temporal.hypothetical.ranking.top_k import TopK
from tests.faults.detection import Fault
from tests.faults.ranking import (
    now_was_not_read,
    only_the_least_probable_counts,
    the_best_is_dropped,
)


def the_slice_of_now_was_not_read() -> AbstractContextManager[object]:
    """What might have come now may still come now."""
    return now_was_not_read(lateness)


def in_columns_the_slice_of_now_was_not_read() -> AbstractContextManager[object]:
    """The same in the confidences of lines."""
    right = EntryColumns.confidences

    def confidences(here: EntryColumns, rows: EntryStates) -> Any:
        return right(here, rows._replace(at=rows.at - 1))

    return patch.object(EntryColumns, "confidences", confidences)


def what_did_not_come_teaches_nothing() -> AbstractContextManager[object]:
    """What is left of a chance is not compared with what else was left."""
    right = lateness._prospect

    def prospect(chance: Chance | None, delay: int) -> StepFunction:
        found = right(chance, delay)
        if chance is None:
            return found
        left = tuple(chance[: delay + 1][-1] - p for p in chance[: delay + 1])
        return StepFunction(found.starts, (found.values[0], *left))

    return patch.object(lateness, "_prospect", prospect)


def chances_go_on_after_the_last_delay() -> AbstractContextManager[object]:
    """An instance that is never so late has all numbers of its predicate."""
    right = lateness._prospect

    def prospect(chance: Chance | None, delay: int) -> StepFunction:
        return right(chance, delay if chance is None else delay + len(chance))

    return patch.object(lateness, "_prospect", prospect)


def one_instance_is_as_probable_as_another() -> AbstractContextManager[object]:
    """Of the instances of an atom the one without a pattern counts."""
    return patch.object(lateness, "combine_pointwise", lambda _, some: next(iter(some)))


def of_equal_ones_the_first_is_dropped() -> AbstractContextManager[object]:
    """What comes first by text goes first, where answers have one entry at a time."""
    right = TopK.offer

    def offer(here: TopK[Any, Any], key: Any, text: Any, *args: Any) -> None:
        turned = "".join(chr(1000 - ord(letter)) for letter in text[0])
        right(here, key, (turned, *text[1:]), *args)

    return patch.object(TopK, "offer", offer)


def confidences_stay_as_they_were() -> AbstractContextManager[object]:
    """What has become less probable is held as if it had not."""
    right = ArrivalProspects.grade

    def grade(here: ArrivalProspects, *args: Any) -> tuple[Fraction, int]:
        return right(here, *args)[0], POS_INF

    return patch.object(ArrivalProspects, "grade", grade)


def what_was_dropped_makes_nothing_needless() -> AbstractContextManager[object]:
    """What needs more than something that was dropped is reported."""
    right = RivalEntries.settle

    def settle(here: RivalEntries, *args: Any) -> Any:
        found = right(here, *args)
        if here.kept is not None and here.kept.dropped:
            rows, kept = here._held.rows, here.live().rows.entries.tolist()
            gone = [row[: here._width] not in kept for row in rows.tolist()]
            here._held.kill(rows[np.array(gone, np.bool_), -3])
        return found

    return patch.object(RivalEntries, "settle", settle)


def dropped_without_a_word() -> AbstractContextManager[object]:
    """An answer whose entries are dropped is open for ever."""
    right = RivalEntries._withdrawn

    def withdrawn(here: RivalEntries, *args: Any) -> Any:
        rows, reason = right(here, *args)
        return rows.only(reason != TOO_MANY), reason[reason != TOO_MANY]

    return patch.object(RivalEntries, "_withdrawn", withdrawn)


def the_certain_is_dropped_too() -> AbstractContextManager[object]:
    """What was dropped is not reported when it is certain."""
    right = RivalEntries.settle

    def settle(here: RivalEntries, *args: Any) -> Any:
        before = here.kept and here.kept.dropped
        found = right(here, *args)
        if here.kept is None or here.kept.dropped == before:
            return found
        stays = found.status != AnswerStatus.ANSWER
        return found._replace(
            rows=found.rows.only(stays),
            **{name: getattr(found, name)[stays] for name in found._fields[1:]},
        )

    return patch.object(RivalEntries, "settle", settle)


FAULTS: Final[tuple[Fault, ...]] = (
    the_slice_of_now_was_not_read,
    in_columns_the_slice_of_now_was_not_read,
    what_did_not_come_teaches_nothing,
    chances_go_on_after_the_last_delay,
    one_instance_is_as_probable_as_another,
    only_the_least_probable_counts,
    the_best_is_dropped,
    of_equal_ones_the_first_is_dropped,
    confidences_stay_as_they_were,
    what_was_dropped_makes_nothing_needless,
    dropped_without_a_word,
    the_certain_is_dropped_too,
)
