"""SteMs: what they keep, what they forget, and that an index never knows better than the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Rows, columns
from rete.kernels import clip
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
            pairs = stem.probe(delta, columns([1]), stem.end, stem.index((0,)), columns([0, 1, ~1]))
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
            found = stem.probe(everything, columns(key), stem.end, stem.index(key), keep)
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
    found = stem.find(matrix([(1, 0, 8)])[:, :-1], kernels.COVERS)
    assert stem.store.levels_at(found).tolist() == [UNKNOWN_LEVEL]


@given(held=rows, ended=st.integers(0, 50), marked=st.sets(st.integers(0, 9)))
def test_rows_are_found_by_any_of_some_terms(held, ended, marked) -> None:
    stem = Stem(2, instances=True)
    stem.absorb(matrix(held), 0)
    stem.expire(ended)
    marks = np.zeros(max(marked, default=-1) + 1, np.uint8)
    marks[[*marked]] = 1
    places = stem.store.mentioning(marks)
    assert (np.diff(places) > 0).all()
    wanted = [row for row in stem.content().tolist() if marked & {*row[:2]}]
    assert stem.store.at(places).tolist() == wanted


def test_of_few_rows_those_stay_that_have_not_ended() -> None:
    for count, ended in ((n, m) for n in range(1, 9) for m in range(n + 1)):
        for first in range(ended + 1):  # so many are in front of those that stay, others behind
            stays = range(first, first + count - ended)
            stem = Stem(1, instances=False)
            stem.absorb(matrix([(t, 0, 9 if t in stays else 5) for t in range(count)]), 0)
            stem.expire(5)
            assert sorted(stem.content()[:, 0].tolist()) == [*stays]
            assert stem.n == count - ended
            stem.absorb(matrix([(t, 7, 12) for t in range(count)]), 5)
            held = {t: (0 if t in stays else 7) for t in range(count)}
            assert dict(stem.content()[:, :2].tolist()) == held


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
    for now in range(2, 1000, 2):
        stem.remove(np.array([[now, 0 if instances else now, POS_INF]], np.int64), now)
        stem.absorb(np.array([[now, now + 2, POS_INF]], np.int64), now)
        assert stem.n < 2200
        assert np.count_nonzero(stem.content()[:, -1] == POS_INF) == 1000


@pytest.mark.parametrize("instances", [False, True])
def test_what_is_removed_is_swept_once_rows_come(instances: bool) -> None:
    stem = Stem(1, instances=instances)
    stem.absorb(matrix([(term, 0, POS_INF) for term in range(1000)]), 0)
    for now in range(1, 900):
        stem.remove(matrix([(now, 0, POS_INF)]), 0)
        assert stem.n == 1000
    for term in range(1000, 1070):
        stem.absorb(matrix([(term, 0, POS_INF)]), 0)
    assert 171 <= stem.n <= 171 + 64


def test_rows_that_come_and_go_are_dropped_at_a_constant_cost() -> None:
    stem = Stem(1, instances=False)
    stem.absorb(matrix([(term, 0, 9) for term in range(10_000)]), NEG_INF)
    some = matrix(
        [*((term, 0, 9) for term in range(300)), *((term, 3, 5) for term in range(300, 600))]
    )
    for _ in range(200):  # 300 are dropped, 300 are split; 300 rows come, 300 are united
        stem.remove(some, NEG_INF)
        assert stem.absorb(some, NEG_INF).tolist() == some.tolist()
        assert stem.n < 24_000
    assert len(stem.content()) == 10_000
    assert stem.came < 10_000 + 200 * 900 * 3  # what stays comes again


def test_a_removal_of_many_rows_by_one_does_not_put_off_a_sweep() -> None:
    stem, forever = Stem(1, instances=False), POS_INF
    stem.absorb(matrix([(term, 0, forever) for term in range(10, 20_010)]), 0)
    for now in range(0, 6000, 2):
        stem.absorb(matrix([(1, now + 2 * piece, now + 2 * piece + 1) for piece in range(20)]), now)
        stem.remove(matrix([(1, now, now + 40)]), now)
        stem.absorb(matrix([(2, now, forever)]), now)
        stem.remove(matrix([(2, now + 1, forever)]), now + 1)  # cut short: chains have it yet
        assert stem.n < 45_000


@pytest.mark.parametrize("instances", [False, True])
def test_rows_leave_a_few_at_a_time(instances: bool) -> None:
    draw, stem = np.random.default_rng(1), Stem(2, instances=instances)
    by_first, by_second = stem.index((0,)), stem.index((1,))
    stem.keep_levels()
    keep, most = columns([~0, ~1]), 0
    for t in range(6000):
        life = POS_INF if t % 500 == 0 else t + 1 + int(draw.integers(0, 900))
        came = stem.came
        stem.absorb(matrix([(t, t % 7, t, life)]), t, level=t)
        most = max(most, stem.came - came)
        if t % 97 == 0 and t > 1000:  # one index is entered now and then, the other one never
            content = stem.content()
            living = content[content[:, -1] > t]
            assert {*range(0, t, 500)} <= {*living[:, 0].tolist()}
            if not instances:
                found = stem.find(np.ascontiguousarray(living[:, :-1]), kernels.COVERS)
                assert stem.store.levels_at(found).tolist() == living[:, 0].tolist()
            asked = matrix([(0, key, t, POS_INF) for key in range(7)])
            found = stem.probe(asked, columns([1]), stem.end, by_second, keep)
            assert sorted(found[:, 0].tolist()) == sorted(living[:, 0].tolist())
            stem.remove(living[living[:, -1] < POS_INF][5:6], t)
    asked = matrix([(t, 0, 5999, POS_INF) for t in range(6000)])
    found = stem.probe(asked, columns([0]), stem.end, by_first, keep)
    content = stem.content()
    living = content[content[:, -1] > 5999, 0]
    assert found[:, 0].tolist() == sorted(living.tolist())
    assert most <= 65
    assert 400 < len(living) < 600
    assert stem.n < 4 * 600


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
            index.ready()
        stem.absorb(matrix(batch), NEG_INF)
    found = stem.probe(matrix(asked), columns([1]), stem.end, index, columns([0, 1, ~0]))
    wanted = [
        [a, b, c, max(lo, begin), min(hi, end)]
        for a, b, lo, hi in asked
        for c, d, begin, end in stem.content().tolist()
        if b == d and max(lo, begin) < min(hi, end)
    ]
    assert sorted(found.tolist()) == sorted(wanted)


@pytest.mark.skipif(kernels.BACKEND == "pure", reason="has no chains")
def test_an_index_learns_how_far_chains_reach_where_probes_meet_what_has_ended() -> None:
    stem = Stem(2, instances=False)
    index: Any = stem.index((1,))
    stem.absorb(matrix([(t, 1, t, t + 2) for t in range(1000)]), NEG_INF)
    asked, key, keep = matrix([(1, 998, 1000)]), columns([0]), columns([~0])
    for _ in range(4):
        assert len(stem.probe(asked, key, stem.end, index, keep)) == 3
    assert index.reaches
    stem.absorb(matrix([(0, 1, 2, 5000)]), NEG_INF)  # it grows, far behind all others
    assert not index.reaches
    assert len(stem.probe(asked, key, stem.end, index, keep)) == 4


def test_rows_that_someone_takes_are_dropped_by_expire_alone() -> None:
    stem = Stem(1, instances=False)
    stem.hands_over = True
    for t in range(2000):
        stem.absorb(matrix([(t, t, t + 1)]), t)
    assert len(stem.ended(2000)) == len(stem.content()) == 2000
    stem.expire(2000)
    assert stem.is_empty


def test_what_many_rows_took_is_given_back_once_they_ended() -> None:
    stem = Stem(2, instances=False)
    stem.index((1,)).ready()
    for begin in range(0, 20_000, 1000):
        stem.absorb(matrix([(t, t % 7, 0, 10) for t in range(begin, begin + 1000)]), 0)
    most = stem.nbytes
    for t in range(400):
        stem.absorb(matrix([(term, 1, 100 + t, 110 + t) for term in range(40)]), 100 + t)
    assert stem.nbytes < most / 5


@pytest.mark.parametrize("tick", [1, 1 << 20, 1 << 28])
def test_a_window_that_moves_on_for_ever_has_its_rows_and_little_more(tick: int) -> None:
    """The times of one window have room in 32 bits, those of all do not; the longest never have."""
    stem, most = Stem(2, instances=False), 0
    index = stem.index((1,))
    batches = [
        matrix([(5000 * t + i, i % 1250, t * tick, (t + 4) * tick) for i in range(5000)])
        for t in range(60)
    ]
    for t, batch in enumerate(batches):
        stem.absorb(batch, t * tick)
        asked = matrix([(7, t * tick, (t + 1) * tick)])
        found = stem.probe(asked, columns([0]), stem.end, index, columns([~0]))
        held = np.concatenate(batches[max(t - 3, 0) : t + 1])
        wanted = held[held[:, 1] == 7, 0]
        assert sorted(found[:, 0].tolist()) == wanted.tolist()
        most = max(most, stem.nbytes) if t > 20 else stem.nbytes
    assert most <= 1.5 * stem.nbytes < 500 * 20_000
    content = stem.content()
    content = content[content[:, -1] > 59 * tick]
    assert content[np.argsort(content[:, 0])].tolist() == np.concatenate(batches[-4:]).tolist()


class Model:
    """What a SteM has, as a list of rows: one for each maximal interval, or each start."""

    def __init__(self, *, instances: bool) -> None:
        self.instances = instances
        self.rows: dict[tuple[int, ...], list[tuple[int, int]]] = {}

    def absorb(self, given_rows: list[list[int]]) -> None:
        for *terms, lo, hi in given_rows:
            held = self.rows.setdefault(tuple(terms), [])
            if self.instances:
                met = [each for each in held if each[0] == lo]
            else:
                met = [each for each in held if each[0] <= hi and each[1] >= lo]
            for each in met:
                held.remove(each)
            met.append((lo, hi))
            held.append((min(begin for begin, _ in met), max(end for _, end in met)))

    def remove(self, given_rows: list[list[int]], bound: int) -> None:
        for *terms, lo, hi in given_rows:
            held = self.rows[tuple(terms)]
            for begin, end in tuple(held):
                if self.instances and begin == lo:
                    held.remove((begin, end))
                    held += [(begin, bound)] if begin < bound else []
                elif not self.instances and begin < hi and lo < end:
                    held.remove((begin, end))
                    held += [(begin, lo)] if begin < lo else []
                    held += [(hi, end)] if hi < end else []

    def content(self, since: int) -> list[list[int]]:
        """The rows that end after ``since``; where they are intervals, from there on."""
        return sorted(
            [*terms, lo if self.instances else max(lo, since), hi]
            for terms, held in self.rows.items()
            for lo, hi in held
            if hi > since
        )


def expected_pairs(asked: Rows, rows: list[list[int]], on: int) -> list[list[int]]:
    """The pairs of a question (term, lo, hi) and a row that has the term in that column."""
    return sorted(
        [*row[:-2], max(lo, row[-2]), min(hi, row[-1])]
        for term, lo, hi in asked.tolist()
        for row in rows
        if row[on] == term and max(lo, row[-2]) < min(hi, row[-1])
    )


@pytest.mark.parametrize("instances", [False, True])
@pytest.mark.parametrize("unit", [1, 1 << 21, 1 << 27, 1 << 40])
@pytest.mark.parametrize("seed", range(2))
def test_a_long_history_leaves_what_a_list_of_rows_has(  # noqa: PLR0915 - a story
    seed: int, unit: int, instances: bool
) -> None:
    """Times have 32 bits where they are near each other: in some histories they are not."""
    draw = np.random.default_rng(seed)
    stem, model = Stem(3, instances=instances), Model(instances=instances)
    stem.retention = 20 * unit * (seed % 2)
    index, late = stem.index((1,)), stem.index((2, 0))
    every = columns([~0, ~1, ~2])
    kinds, longest = int(draw.integers(2, 400)), int(draw.integers(2, 300))
    now = 0
    for step in range(250):
        now += unit * int(draw.integers(0, 9))
        count = int(draw.integers(1, 400 if step % 50 == 10 else 30))
        rows = np.empty((count, 5), np.int64)
        rows[:, 0] = draw.integers(0, kinds, count)
        rows[:, 1] = rows[:, 0] % 5
        rows[:, 2] = draw.integers(0, 2, count)
        rows[:, 3] = now + unit * draw.integers(-10, 40, count)
        rows[:, 4] = rows[:, 3] + unit * draw.integers(1, longest, count)
        rows[draw.random(count) < 0.03, 4] = POS_INF
        rows[draw.random(count) < 0.01, 3] = NEG_INF
        since = now - stem.retention
        before = model.content(since)
        gains = stem.absorb(rows, now)
        model.absorb(rows.tolist())
        after = model.content(since)
        if not instances:
            wider = clip(gains, since, POS_INF).tolist()
            again = Model(instances=False)
            again.absorb(before)
            again.absorb(wider)
            assert again.content(since) == after
        if step % 7 == 3:
            content = stem.content()
            gone = content[draw.random(len(content)) < draw.choice([0.02, 0.9])]
            gone = gone[gone[:, -1] > now]
            if not instances:
                gone[:, -2] = np.maximum(gone[:, -2], now)
            stem.remove(gone, now)
            model.remove(gone.tolist(), now)
            after = model.content(since)
        if step % 60 == 59 or draw.random() < 0.1:
            stem.expire(now)
        held = stem.content()
        held = held[held[:, -1] > since]
        if not instances:
            held = clip(held, since, POS_INF)
        assert sorted(held.tolist()) == after
        asked = np.array([[term, now, now + 50 * unit] for term in range(5)], np.int64)
        pairs = stem.probe(asked, columns([0]), stem.end, index, every)
        assert sorted(pairs.tolist()) == expected_pairs(asked, after, 1)
        if step % 20 == 0:
            asked = np.array([[1, term, now, POS_INF] for term in range(kinds)], np.int64)
            pairs = stem.probe(asked, columns([0, 1]), stem.end, late, every)
            of_one = [row for row in after if row[2] == 1 and row[4] > now]
            assert sorted(pairs.tolist()) == sorted(
                [*row[:3], max(row[3], now), row[4]] for row in of_one
            )
            covered = stem.find(np.array([row[:-1] for row in after], np.int64), kernels.BEGINS_AT)
            assert instances is False or (covered >= 0).all()
    assert stem.n < 3 * len(stem.content()) + 600


def test_an_index_that_nobody_asked_for_long_is_made_again() -> None:
    """Its memory may have ended before the first row that is there; others keep theirs."""
    stem, count = Stem(2, instances=False), 20_000
    index, key = stem.index((0,)), columns([0])

    def rows(count: int, t: int) -> Rows:
        terms, begins = np.arange(count) % 50, np.arange(t, t + count)
        return np.column_stack((terms, begins, begins, begins + 100))

    stem.absorb(rows(count, 0), 0)
    asked = matrix([(term, count - 50, count) for term in range(50)])
    for _ in range(10):  # until it knows how far chains reach
        stem.probe(asked, key, stem.end, index, key)
    others = [np.full(1 << 15, 7, np.int64) for _ in range(50)]
    for t in range(count, 8 * count, 1000):
        stem.absorb(rows(1000, t), t - 200)
    assert all((each == 7).all() for each in others)
    last = 8 * count
    found = stem.probe(matrix([(7, last - 1, last)]), key, stem.end, index, key)
    assert found.tolist() == [[7, last - 1, last], [7, last - 1, last]]


def test_an_instance_that_begins_again_is_in_every_index() -> None:
    stem = Stem(2, instances=True)
    index = stem.index((0,))
    stem.absorb(matrix([(1, 2, 10, 1000)]), 0)
    index.ready()
    again = matrix([(1, 3, 10, 200)])
    stem.absorb(again, 0)
    stem.remove(again, 50)
    stem.absorb(matrix([(5, 5, 60, 200)]), 60)
    index.ready()
    stem.absorb(again, 60)
    found = stem.probe(matrix([(1, 70, 200)]), columns([0]), stem.end, index, columns([~1]))
    assert sorted(found.tolist()) == [[2, 70, 200], [3, 70, 200]]


def test_an_instance_that_is_gone_covers_nothing() -> None:
    stem = Stem(1, instances=True)
    stem.absorb(matrix([(1, 5, 9), (2, 0, 3)]), 0)
    stem.remove(matrix([(1, 5, 9)]), 5)
    asked = matrix([(1, 0, 20)])
    assert stem.uncovered(asked, columns([0]), stem.index((0,))).tolist() == asked.tolist()
