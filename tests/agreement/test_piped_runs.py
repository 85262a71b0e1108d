"""Answers piped into another run: at every instant the states of both documents as one program."""

from __future__ import annotations

import numpy as np
import pytest

from r4.engine.assertions import Assertions
from rete.arrays.delta import Rows
from tests.seeds import parts
from tests.simulation.piped_runs import RULES, compare

pytestmark = pytest.mark.compared

PART = 15


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("first", parts(PART, check=0, pure=0, test=1, soak=16))
def test_a_pipe_of_two_runs_derives_what_one_program_does(
    first: int, kind: str, early: bool
) -> None:
    features, faults = compare(PART, first, kind, early=early)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert features["answers"] > features["runs"] / 3
    assert features["endings"] > features["runs"] / 5


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("nquads", "metric"),
        ("trig", "facts"),
        ("patch", "instances"),
        ("jsonld", "facts"),
        ("ndjsonld", "instances"),
    ],
)
@pytest.mark.parametrize("first", parts(4, check=0, pure=0, test=1, soak=2, first=100))
def test_answers_as_rdf_are_a_stream_with_the_same_law(first: int, form: str, kind: str) -> None:
    _, faults = compare(4, first, kind, form=form)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("form", ["nquads", "trig", "patch", "jsonld", "ndjsonld"])
@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("first", parts(PART, check=0, test=0, soak=4))
def test_answers_as_rdf_are_a_stream_with_the_same_law_on_many_seeds(
    first: int, form: str, kind: str
) -> None:
    features, faults = compare(PART, first, kind, form=form)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert features["answers"] > features["runs"] / 3
    assert features["endings"] > features["runs"] / 6


@pytest.mark.slow
def test_a_pipe_that_retracts_what_ended_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def retract(self: Assertions, rows: Rows) -> None:
        self.retract_rows(np.ascontiguousarray(rows[:, :-1]))

    monkeypatch.setattr(Assertions, "end_rows", retract)
    _, faults = compare(PART, 0, "metric")
    assert faults
