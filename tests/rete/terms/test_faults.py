"""Faults in columns are the faults that were added, in their order."""

from __future__ import annotations

import numpy as np
import pytest

from rete.terms.fault_columns import FaultColumns, FaultLog
from rete.terms.nquads import LineFault


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
