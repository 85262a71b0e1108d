"""Faults in columns are those that were added; malformed lines are remembered up to a bound."""

from __future__ import annotations

import numpy as np
import pytest

from rete.terms.faults import LONGEST_TEXT, MOST_TEXTS, FaultCache, FaultColumns, FaultLog
from rete.terms.nquads import LineFault


def test_what_is_remembered_is_bounded_in_number_and_length() -> None:
    cache: FaultCache[str, int] = FaultCache()
    cache.remember("x" * LONGEST_TEXT, -1)
    cache.remember("x" * (LONGEST_TEXT + 1), -2)
    for number in range(2 * MOST_TEXTS):
        cache.remember(f"{number}", number)
    assert len(cache) == MOST_TEXTS
    assert cache.get("x" * LONGEST_TEXT) == -1
    assert cache.get(f"{MOST_TEXTS - 2}") == MOST_TEXTS - 2
    assert "x" * (LONGEST_TEXT + 1) not in cache


def test_the_first_of_many_texts_are_found_up_to_one_that_is_not_known() -> None:
    cache: FaultCache[str, int] = FaultCache()
    cache.remember("a", 0)
    cache.remember("b", 1)
    assert cache.of_first(["a", "b", "a"]) == [0, 1, 0]
    assert cache.of_first(["b", "c", "a"]) == [1]
    assert cache.of_first(["c", "a"]) == []


def faults() -> FaultColumns[LineFault]:
    log = FaultLog()
    log.add(0, 1, 2, log.number_of("bad"))
    log.add_many(np.array([[3, 4, 5], [6, 7, 8]]), [log.number_of("worse"), log.number_of("bad")])
    assert len(log) == 3
    return log.columns(LineFault)


def test_faults_share_messages_and_are_made_when_asked_for() -> None:
    assert list(faults()) == [
        LineFault(0, 1, 2, "bad"),
        LineFault(3, 4, 5, "worse"),
        LineFault(6, 7, 8, "bad"),
    ]
    assert list(faults().messages) == ["bad", "worse"]


def test_faults_have_places_as_those_of_a_sequence() -> None:
    found = faults()
    assert found[-1] == LineFault(6, 7, 8, "bad")
    assert list(found[1:]) == list(found)[1:]
    with pytest.raises(IndexError):
        found[3]


def test_no_faults_are_an_empty_sequence() -> None:
    none = FaultLog().columns(LineFault)
    assert not none
    assert none.cells.shape == (0, 3)
