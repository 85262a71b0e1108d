"""A rule that negates needs no further arrangement, wherever rules of DatalogMTL run."""

from __future__ import annotations

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import clip
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.intervals.interval import Interval
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.update_method import Method
from temporal.model.materialisation import materialise
from temporal.mtl.validation import arities
from temporal.periods.unfolding import coalesce
from temporal.streaming.stream_evaluation import StreamEvaluation
from temporal.streaming.stream_query import StreamQuery
from temporal.text.program_parser import parse_program

RULES = parse_program("C(X) :- Diamondminus[0,2]A(X), not Excluded(X)\nD(X) :- Boxminus[0,1]C(X)")
FACTS = ["A(a)@[0,4]", "Excluded(a)@3", "Excluded(a)@5"]
MODEL = {"C": ["[0,3)", "(3,5)", "(5,6]"], "D": ["[1,3)", "(4,5)"]}


def loaded(terms: Dictionary, *facts: str) -> Dataset:
    loader = BulkLoader(terms, arities(RULES))
    loader.text(["\n".join(facts).encode()])
    assert not loader.faults
    return loader.data()


def times(rows: Rows | None) -> list[str]:
    ends = [] if rows is None else sorted(rows[:, -2:].tolist())
    return [str(Interval.of_cells(*each)) for each in ends]


def test_a_model_has_what_nothing_excludes() -> None:
    terms = Dictionary()
    found = materialise(RULES, loaded(terms, *FACTS), terms).periodic.facts
    assert {name: times(found[name, 1]) for name in MODEL} == MODEL


def test_a_live_model_follows_what_excludes() -> None:
    terms = Dictionary()
    live = LiveModel(RULES, loaded(terms, *FACTS), terms)
    for gone, come in ((FACTS[1], "Excluded(a)@1"), ("Excluded(a)@1", FACTS[1])):
        live.update(loaded(terms, gone), loaded(terms, come), Method.DRED)
        wanted = LiveModel(RULES, Dataset(1, live.explicit), terms).model().periodic.facts
        found = live.model().periodic.facts
        assert {key: times(rows) for key, rows in found.items()} == {
            key: times(rows) for key, rows in wanted.items()
        }
    assert {name: times(found[name, 1]) for name in MODEL} == MODEL


@pytest.mark.parametrize("step", [1, 4, 100])
def test_a_stream_has_what_nothing_excludes(step: int) -> None:
    """What excludes comes after the begin of what it excludes, but before that is certain."""
    terms = Dictionary()
    stream = StreamEvaluation(StreamQuery.of(RULES, "D"), terms, 1)
    for key, rows in loaded(terms, *FACTS).rows.items():
        stream.add(key, rows)
    parts, since = [], NEG_INF
    for frontier in (*range(0, 20, step), POS_INF):
        stream.advance(frontier, 20)
        parts.append(clip(stream.answers(), since, stream.certain))
        since = stream.certain
        stream.release()
    assert times(coalesce(np.concatenate(parts))) == MODEL["D"]
