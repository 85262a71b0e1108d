"""Faults in how probable answers are, and in what is dropped."""

from __future__ import annotations

from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import POS_INF
from temporal.hypothetical.arrival import chances
from temporal.hypothetical.arrival.chances import Chance
from temporal.hypothetical.evidence.confidence import ArrivalProspects, EntryConfidences
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.output import competing_entries
from temporal.hypothetical.output.answer_state import AnswerState, HypothesisSet
from temporal.hypothetical.output.entry_schema import AnswerValues
from temporal.hypothetical.output.single_top_k import SingleTopK
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
    return now_was_not_read(chances)


def in_columns_the_slice_of_now_was_not_read() -> AbstractContextManager[object]:
    """The same where answers have one entry at a time."""
    right = EntryConfidences.of

    def of(here: EntryConfidences, entries: EntryStates) -> Any:
        return right(here, entries._replace(at=entries.at - 1))

    return patch.object(EntryConfidences, "of", of)


def what_did_not_come_teaches_nothing() -> AbstractContextManager[object]:
    """What is left of a chance is not compared with what else was left."""
    right = chances._prospect

    def prospect(chance: Chance | None, delay: int) -> StepFunction:
        found = right(chance, delay)
        if chance is None:
            return found
        left = tuple(chance[: delay + 1][-1] - p for p in chance[: delay + 1])
        return StepFunction(found.starts, (found.values[0], *left))

    return patch.object(chances, "_prospect", prospect)


def chances_go_on_after_the_last_delay() -> AbstractContextManager[object]:
    """An instance that is never so late has all numbers of its predicate."""
    right = chances._prospect

    def prospect(chance: Chance | None, delay: int) -> StepFunction:
        return right(chance, delay if chance is None else delay + len(chance))

    return patch.object(chances, "_prospect", prospect)


def one_instance_is_as_probable_as_another() -> AbstractContextManager[object]:
    """Of the instances of an atom the one without a pattern counts."""
    return patch.object(chances, "combine_pointwise", lambda _, some: next(iter(some)))


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
    right = AnswerState.drop

    def drop(here: AnswerState, hypotheses: HypothesisSet) -> None:
        right(here, hypotheses)
        for some in [some for some in here.dropped if hypotheses.makes_redundant(some)]:
            here.alive[some] = here.dropped.pop(some)

    return patch.object(AnswerState, "drop", drop)


def dropped_without_a_word() -> AbstractContextManager[object]:
    """An answer whose entries are dropped is open for ever."""
    right = competing_entries.CompetingEntries._closed

    def closed(here: competing_entries.CompetingEntries, tau: int, answer: AnswerValues) -> Any:
        known = here._states.get(answer)
        return iter(()) if known is not None and known.dropped else right(here, tau, answer)

    return patch.object(competing_entries.CompetingEntries, "_closed", closed)


def the_certain_is_dropped_too() -> AbstractContextManager[object]:
    """What was dropped is not reported when it is certain."""
    right = SingleTopK.cut

    def cut(here: SingleTopK, turns: Any, texts: Any, lacking: Any) -> Any:
        before = here.best.dropped
        kept, out = right(here, turns, texts, lacking)
        if here.best.dropped > before:
            certain = [not each for each in lacking]
            some = turns.begun.values[certain].tolist()
            stay = [values not in some for values in kept.begun.values.tolist()]
            kept = kept._replace(begun=kept.begun.only(np.array(stay, np.bool_)))
        return kept, out

    return patch.object(SingleTopK, "cut", cut)


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
