"""SteMs: what they keep, what they forget, and that an index never knows better than the rows."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, columns
from rete.storage.stem import Stem

rows = st.lists(
    st.builds(
        lambda a, b, lo, length: (a, b, lo, lo + length),
        st.integers(1, 3),
        st.integers(1, 3),
        st.integers(0, 40),
        st.integers(1, 8),
    ),
    min_size=1,
    max_size=8,
)


def matrix(given_rows):
    return np.array(given_rows, np.int64).reshape(len(given_rows), -1)


def cells(*parts) -> set[tuple[int, ...]]:
    rows = [row for part in parts for row in part.tolist()]
    return {(*row[:-2], cell) for row in rows for cell in range(*row[-2:])}


def test_a_delta_gains_what_the_content_lacked() -> None:
    stem = Stem(1, instances=False)
    assert stem.absorb(matrix([(1, 0, 5)]), NEG_INF).tolist() == [[1, 0, 5]]
    assert stem.absorb(matrix([(1, 0, 5)]), NEG_INF).tolist() == []
    assert stem.absorb(matrix([(1, 3, 9)]), NEG_INF).tolist() == [[1, 5, 9]]
    assert stem.content().tolist() == [[1, 0, 9]]


steps = st.lists(st.tuples(st.sampled_from(["absorb", "remove", "probe"]), rows), max_size=10)


@given(steps=steps)
def test_a_stem_is_a_set_of_rows_at_cells(steps) -> None:
    """Build: `gains = Δ - S`, then `S + Δ`. Remove: `S - Δ`. Probe: `Δ ⋈ S`."""
    stem, held = Stem(2, instances=False), set[tuple[int, ...]]()
    for step, drawn in steps:
        delta = matrix(drawn)
        if step == "absorb":
            gains = stem.absorb(delta, NEG_INF)
            assert cells(gains) == cells(delta) - held
            held |= cells(delta)
        elif step == "remove":
            stem.remove(stem.meet(delta, NEG_INF), NEG_INF)
            held -= cells(delta)
        else:
            pairs = stem.probe(delta, columns([1]), stem.n, stem.index((0,)), columns([0, 1, ~1]))
            assert cells(pairs) == {
                (a, b, d, cell)
                for a, b, cell in cells(delta)
                for c, d, at in held
                if (b, cell) == (c, at)
            }
        assert cells(stem.content()) == held


@given(batches=st.lists(rows, max_size=12), bounds=st.lists(st.integers(0, 50), min_size=12))
def test_a_stem_holds_what_has_not_ended_and_every_index_finds_it(batches, bounds) -> None:
    stem = Stem(2, instances=False)
    stem.index((1,))
    bound = 0
    truth: set[tuple[int, int, int]] = set()
    for batch, raised in zip(batches, bounds, strict=False):
        stem.absorb(matrix(batch), bound)
        truth |= {(a, b, t) for a, b, lo, hi in batch for t in range(lo, hi)}
        bound = max(bound, raised)
        stem.expire(bound)
        held = {(a, b, t) for a, b, lo, hi in stem.content().tolist() for t in range(lo, hi)}
        assert {fact for fact in truth if fact[2] >= bound} <= held <= truth
        assert all(hi > bound for *_, hi in stem.content().tolist())
        for key in ((0, 1), (1,)):
            keep = columns([~0, ~1])
            everything = matrix([(a, b, -100, 100) for a in (1, 2, 3) for b in (1, 2, 3)])
            if key == (1,):
                everything = everything[:3]
            found = stem.probe(everything, columns(key), stem.n, stem.index(key), keep)
            assert sorted(found.tolist()) == sorted(stem.content().tolist())


def test_repeated_facts_stay_one_row_and_an_endless_stream_stays_small() -> None:
    stem = Stem(2, instances=False)
    for t in range(0, 20_000, 2):
        stem.absorb(matrix([(1, 1, t, t + 20), (2, 1 + t % 7, t, t + 20)]), t)
    assert stem.n < 100
    assert stem.nbytes < 50_000
    assert [0, 20_018] in stem.content()[:, 2:].tolist()


def test_what_a_delta_makes_hold_longer_again_and_again_is_one_gain() -> None:
    stem = Stem(1, instances=False)
    stem.absorb(matrix([(1, 0, 9), (2, 0, 9)]), 0)
    longer = [(term, t, t + 9) for t in range(1, 50) for term in (1, 2, 3)]
    gains = stem.absorb(matrix(longer), 0)
    assert sorted(gains.tolist()) == [[1, 9, 58], [2, 9, 58], [3, 1, 58]]


def test_a_gain_that_joins_a_new_row_to_an_older_one_has_no_level() -> None:
    stem = Stem(1, instances=False)
    stem.keep_levels()
    stem.absorb(matrix([(1, 0, 8)]), 0, level=1)
    gains = stem.absorb(matrix([(1, 10, 12), (1, 8, 10)]), -20, level=2)
    assert gains.tolist() == [[1, 8, 12]]
    assert stem.levels is not None
    assert stem.levels[stem.find(matrix([(1, 0, 8)])[:, :-1], kernels.COVERS)].tolist() == [
        UNKNOWN_LEVEL
    ]


def test_room_is_given_back() -> None:
    stem = Stem(1, instances=True)
    stem.absorb(np.array([[t, t, t + 10] for t in range(1, 5000)], np.int64), 0)
    large = stem.nbytes
    stem.expire(4990)
    assert stem.nbytes < large / 20


@pytest.mark.parametrize("instances", [False, True])
def test_what_was_cut_short_is_dropped_before_room_is_needed(instances: bool) -> None:
    stem = Stem(1, instances=instances)
    stem.absorb(np.array([[term, 0, POS_INF] for term in range(1000)], np.int64), 0)
    room = len(stem.rows)
    for now in range(2, 1000, 2):
        stem.remove(np.array([[now, 0 if instances else now, POS_INF]], np.int64), now)
        stem.absorb(np.array([[now, now + 2, POS_INF]], np.int64), now)
        assert stem.n < 1400 < room
        assert np.count_nonzero(stem.rows[: stem.n, -1] == POS_INF) == 1000


@pytest.mark.parametrize("instances", [False, True])
def test_what_is_removed_is_swept_once_rows_come(instances: bool) -> None:
    stem = Stem(1, instances=instances)
    stem.absorb(matrix([(term, 0, POS_INF) for term in range(1000)]), 0)
    for now in range(1, 900):
        stem.remove(matrix([(now, 0, POS_INF)]), 0)
        assert stem.n == 1000
    for term in range(1000, 1070):
        stem.absorb(matrix([(term, 0, POS_INF)]), 0)
    assert stem.n == 171


def test_rows_that_come_and_go_are_swept_once_they_are_as_many_as_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    swept: list[int] = []
    compact = kernels.compact

    def compacting(rows, indexes, levels, begin, end, to, alive):
        swept.append(end - begin)
        return compact(rows, indexes, levels, begin, end, to, alive)

    monkeypatch.setattr(kernels, "compact", compacting)
    stem = Stem(1, instances=False)
    stem.absorb(matrix([(term, 0, 9) for term in range(10_000)]), NEG_INF)
    some = matrix(
        [*((term, 0, 9) for term in range(300)), *((term, 3, 5) for term in range(300, 600))]
    )
    for _ in range(200):  # 300 are dropped, 300 are split; 300 rows come, 300 are united
        stem.remove(some, NEG_INF)
        assert stem.absorb(some, NEG_INF).tolist() == some.tolist()
        assert stem.n < 22_000
    assert len(stem.content()) == 10_000
    assert 0 < len(swept) <= 200 * 600 // 10_000


def test_a_removal_of_many_rows_by_one_does_not_put_off_a_sweep() -> None:
    stem, forever = Stem(1, instances=False), POS_INF
    stem.absorb(matrix([(term, 0, forever) for term in range(10, 20_010)]), 0)
    for now in range(0, 6000, 2):
        stem.absorb(matrix([(1, now + 2 * piece, now + 2 * piece + 1) for piece in range(20)]), now)
        stem.remove(matrix([(1, now, now + 40)]), now)
        stem.absorb(matrix([(2, now, forever)]), now)
        stem.remove(matrix([(2, now + 1, forever)]), now + 1)  # cut short: chains have it yet
        assert stem.n < 40_000


CLEARED = """
import ctypes
import gc
import numpy as np
from rete.storage.stem import Stem
stem = Stem(1, instances=False)
stem.absorb(np.array([(term, 0, 5) for term in range(400)], np.int64), 0)
stem.absorb(np.array([(term, 3, 9) for term in range(400)], np.int64), 0)  # rows grow
(out,) = [each for each in gc.get_objects() if type(each).__name__ == "Out"]
TP_CLEAR = 192  # the place of this slot in a type object
slot = ctypes.c_void_p.from_address(id(type(out)) + TP_CLEAR).value
ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(slot)(out)
del stem, out
gc.collect()
"""
"""What the collector of cycles does: it clears an object before it is freed."""


@pytest.mark.skipif(kernels.BACKEND == "pure", reason="plain Python frees nothing itself")
def test_the_positions_of_changed_rows_may_be_cleared_before_they_are_freed() -> None:
    settings = {**os.environ, "MALLOC_CHECK_": "3"}
    done = subprocess.run(
        [sys.executable, "-c", CLEARED], env=settings, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("instances", [False, True])
def test_a_sweep_goes_in_small_steps_and_keeps_rows_in_their_order(
    instances: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    compact = kernels.compact

    def compacting(rows, indexes, levels, begin, end, to, alive):
        steps.append(end - begin)
        assert (rows[to:begin, -1] < rows[to:begin, -2]).all()
        return compact(rows, indexes, levels, begin, end, to, alive)

    monkeypatch.setattr(kernels, "compact", compacting)
    draw, stem = np.random.default_rng(1), Stem(2, instances=instances)
    by_first, by_second = stem.index((0,)), stem.index((1,))
    stem.keep_levels()
    keep = columns([~0, ~1])
    for t in range(6000):
        life = POS_INF if t % 500 == 0 else t + 1 + int(draw.integers(0, 900))
        stem.absorb(matrix([(t, t % 7, t, life)]), t, level=t)
        if t % 97 == 0 and t > 1000:  # one index is entered now and then, the other one never
            content = stem.content()
            living = content[content[:, -1] > t]
            assert {*range(0, t, 500)} <= {*living[:, 0].tolist()}
            assert (np.diff(content[:, 0]) > 0).all()
            if not instances and stem.levels is not None:
                found = stem.find(np.ascontiguousarray(living[:, :-1]), kernels.COVERS)
                assert stem.levels[found].tolist() == living[:, 0].tolist()
            asked = matrix([(0, key, t, POS_INF) for key in range(7)])
            found = stem.probe(asked, columns([1]), stem.n, by_second, keep)
            assert sorted(found[:, 0].tolist()) == living[:, 0].tolist()
            stem.remove(living[living[:, -1] < POS_INF][5:6], t)
    asked = matrix([(t, 0, 5999, POS_INF) for t in range(6000)])
    found = stem.probe(asked, columns([0]), stem.n, by_first, keep)
    content = stem.content()
    assert found[:, 0].tolist() == content[content[:, -1] > 5999, 0].tolist()
    assert max(steps) < 200
    assert 400 < np.count_nonzero(content[:, -1] > 5999) < 600
    assert stem.n < len(stem.rows) < 4 * 600


def test_what_lives_is_handed_out_uncopied_where_nothing_is_dead() -> None:
    stem = Stem(1, instances=False)
    stem.absorb(np.array([[1, 0, 5], [1, 9, 12], [2, 0, 5]], np.int64), 0)
    assert np.shares_memory(stem.living(), stem.rows)
    stem.absorb(np.array([[1, 4, 10]], np.int64), 0)  # makes two rows one
    assert not np.shares_memory(stem.living(), stem.rows)
    assert sorted(stem.living().tolist()) == [[1, 0, 12], [2, 0, 5]]


@pytest.mark.parametrize("instances", [False, True])
def test_rows_are_found_however_many_of_those_that_come_are_new(instances: bool) -> None:
    draw, stem = np.random.default_rng(0), Stem(1, instances=instances)
    held: set[int] = set()
    for terms in (
        draw.integers(0, 3000, 9000),  # ever fewer are new
        np.concatenate([draw.integers(0, 3000, 4000), np.arange(2500, 9000)]),  # first none is
    ):
        rows = np.column_stack([terms, np.zeros_like(terms), np.full_like(terms, 9)])
        gains = stem.absorb(rows, NEG_INF)
        assert sorted(gains[:, 0].tolist()) == sorted({*terms.tolist()} - held)
        held |= {*terms.tolist()}
        content = stem.content()
        assert sorted(content[:, 0].tolist()) == sorted(held)
        found = stem.find(np.ascontiguousarray(content[:, :2]), kernels.BEGINS_AT)
        assert found.tolist() == list(range(len(held)))


@pytest.mark.parametrize("instances", [False, True])
@given(batches=st.lists(rows, max_size=8), asked=rows, entered=st.integers(0, 8))
def test_an_index_misses_no_row_whose_end_has_moved(instances, batches, asked, entered) -> None:
    """Chains are left early where all is over: so what goes on must come before that."""
    stem = Stem(2, instances=instances)
    index = stem.index((1,))
    for number, batch in enumerate(batches):
        if number == entered:  # rows that come or go on from here are not in it yet
            stem.ready(index)
        stem.absorb(matrix(batch), NEG_INF)
    found = stem.probe(matrix(asked), columns([1]), stem.n, index, columns([0, 1, ~0]))
    wanted = [
        [a, b, c, max(lo, begin), min(hi, end)]
        for a, b, lo, hi in asked
        for c, d, begin, end in stem.content().tolist()
        if b == d and max(lo, begin) < min(hi, end)
    ]
    assert sorted(found.tolist()) == sorted(wanted)


@pytest.mark.skipif(kernels.BACKEND == "pure", reason="has no chains")
def test_a_fact_that_is_repeated_among_others_makes_no_probe_walk_through_these() -> None:
    stem = Stem(2, instances=False)
    index: Any = stem.index((1,))
    window = 500
    for tick in range(2 * window):
        end = tick + window
        stem.absorb(matrix([(tick + 2, 1, tick, end), (1, 1, tick, end)]), tick)
        stem.ready(index)
    longest = 0
    for head in index.heads:
        row, walked = int(head), 0
        while row >= 0 and index.reach[row] > end - 1:
            row, walked = int(index.older[row]), walked + 1
        longest = max(longest, walked)
    assert longest == 2


def test_rows_that_someone_takes_are_dropped_by_expire_alone() -> None:
    stem = Stem(1, instances=False)
    stem.hands_over = True
    for t in range(2000):
        stem.absorb(matrix([(t, t, t + 1)]), t)
    assert len(stem.ended(2000)) == len(stem.living()) == 2000
    stem.expire(2000)
    assert not stem.n
