"""Segmentation into elements agrees with a state machine, however the stream is cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from r4.stream.elements.segmentation import (
    NOTHING_OPEN,
    Elements,
    OpenElement,
    StampVocabulary,
    segment,
)

START, END, RETRACTS, OTHER, ENDS = 1, 2, 3, 4, 5
NAMES = (11, 12, 13)
EMPTY = (-1, -1, -1, -1)
Row = tuple[int, int, int, int]
Triple = tuple[int, int, int]
Plain = tuple[str, Triple]
Element = tuple[str, int, set[int], set[int], list[int], list[Row], list[Triple]]


def rows() -> st.SearchStrategy[list[Row]]:
    row = st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from((START, START, END, RETRACTS, OTHER, OTHER, ENDS)),
        st.sampled_from((21, 22, 23)),
        st.sampled_from((0, 0, *NAMES)),
    )
    return st.lists(st.one_of(row, row, row, row, st.just(EMPTY)), max_size=14)


def path_of(*, inside: bool) -> tuple[int, ...]:
    return (START,) if inside else ()


def oracle(stream: Sequence[Row], *, inside: bool) -> list[Plain | Element]:
    """Items in the order in which they are complete, one row at a time."""
    items: list[Plain | Element] = []
    current: list[Row] = []
    name = 0

    def complete() -> None:
        if current:
            starts = [r[2] for r in current if r[1] == START and (inside or r[3] == 0)]
            ends = [r[2] for r in current if r[3] == 0 and r[1] == END]
            retracts = [r[2] for r in current if r[3] == 0 and r[1] == RETRACTS]
            triples = [(s, p, o) for s, p, o, g in current if g > 0]
            others = [r[2] for r in current if r[3] == 0 and r[1] == ENDS]
            ended = [(*triple, other) for other in others for triple in triples]
            triples = [] if others else triples
            items.append(("element", name, set(starts), set(ends), retracts, ended, triples))
            current.clear()

    for row in stream:
        if row == EMPTY:
            complete()
            continue
        s, p, _, g = row
        about = g or (s if p in {START, END, RETRACTS, ENDS} else 0)
        if not about:
            items.append(("plain", row[:3]))
            continue
        if current and about != name:
            complete()
        name = about
        current.append(row)
    complete()
    return items


def items_of(found: Elements) -> list[Plain | Element]:
    items: list[tuple[int, Plain | Element]] = []
    for e in range(len(found)):
        clashes = [found.clashes[(found.clashes[:, :2] == (e, k)).all(1), 2] for k in (0, 1)]
        starts = set(clashes[0].tolist()) or ({int(found.start[e])} - {0})
        ends = set(clashes[1].tolist()) or ({int(found.end[e])} - {0})
        triples = [(s, p, o) for s, p, o in found.triples[found.owner == e].tolist()]
        rows = found.retracted[found.retractor == e].tolist()
        retracts = [row[3] for row in rows if not row[0]]
        ended = [(s, p, o, name) for s, p, o, name in rows if s]
        assert found.ending[e] or not ended
        described = ("element", int(found.name[e]), starts, ends, retracts, ended, triples)
        items.append((int(found.completed[e]), described))
    plain = zip(found.plain_at.tolist(), found.plain.tolist(), strict=True)
    items += [(at, ("plain", (s, p, o))) for at, (s, p, o) in plain]
    return [item for _, item in sorted(items, key=lambda entry: entry[0])]


def matrix(stream: Sequence[Row]) -> np.ndarray:
    return np.array(stream, np.int64).reshape(-1, 4)


def segmented(stream: list[Row], cuts: list[int], *, inside: bool) -> list[Plain | Element]:
    vocabulary = StampVocabulary(START, END, RETRACTS, ends=ENDS, start_path=path_of(inside=inside))
    carry: OpenElement = NOTHING_OPEN
    items: list[Plain | Element] = []
    bounds = [0, *sorted(min(c, len(stream)) for c in cuts), len(stream)]
    for begin, end in pairwise(bounds):
        found, carry = segment(matrix(stream[begin:end]), carry, vocabulary)
        items += items_of(found)
    found, carry = segment(matrix([]), carry, vocabulary, final=True)
    assert carry == NOTHING_OPEN
    return items + items_of(found)


@given(stream=rows(), cuts=st.lists(st.integers(0, 14), max_size=5), inside=st.booleans())
@example(stream=[(11, OTHER, 21, 11), EMPTY, (11, START, 21, 0)], cuts=[1, 2], inside=False)
def test_segments_are_those_of_the_state_machine(stream, cuts, inside) -> None:
    assert segmented(stream, cuts, inside=inside) == oracle(stream, inside=inside)


@given(stream=rows())
def test_a_cut_at_every_row_changes_nothing(stream) -> None:
    whole = segmented(stream, [], inside=False)
    assert segmented(stream, list(range(len(stream))), inside=False) == whole


@given(stream=rows(), inside=st.booleans())
def test_the_last_call_may_bring_rows(stream, inside) -> None:
    vocabulary = StampVocabulary(START, END, RETRACTS, ends=ENDS, start_path=path_of(inside=inside))
    found, carry = segment(matrix(stream), NOTHING_OPEN, vocabulary, final=True)
    assert carry == NOTHING_OPEN
    assert items_of(found) == oracle(stream, inside=inside)


def test_first_positions_point_at_the_first_event() -> None:
    stream = [(11, OTHER, 21, 0), (11, OTHER, 21, 12), (11, OTHER, 22, 12), (13, START, 21, 0)]
    vocabulary = StampVocabulary(START, END, RETRACTS)
    found, carry = segment(matrix(stream), NOTHING_OPEN, vocabulary)
    assert found.first.tolist() == [1]
    assert carry.name == 13
    found, _ = segment(matrix([(11, OTHER, 21, 11)]), carry, vocabulary)
    assert found.first.tolist() == [-1]
    assert found.completed.tolist() == [0]


def test_a_huge_element_is_carried_without_being_copied_again() -> None:
    vocabulary = StampVocabulary(START, END, RETRACTS)
    part = matrix([(11, OTHER, 21, 11)] * 100)
    carry: OpenElement = NOTHING_OPEN
    for _ in range(50):
        _, carry = segment(part, carry, vocabulary)
    assert [len(p) for p in carry.parts] == [100] * 50
