"""Row kernels: each against its definition, and the two back ends against each other."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, Rows
from rete.kernels.rows import pure_coverage, pure_metric

Row = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def kernels(modules: dict[str, ModuleType]) -> SimpleNamespace:
    names = ("rows._store", "rows._intervals", "rows._coverage", "rows._probes")
    return SimpleNamespace(**{k: v for name in names for k, v in vars(modules[name]).items()})


def rows(*, least: int = 0, terms: int = 3) -> st.SearchStrategy[list[Row]]:
    term = st.integers(1, terms)
    return st.lists(
        st.builds(
            lambda a, b, lo, length: (a, b, lo, lo + length),
            term,
            term,
            st.integers(-6, 12),
            st.integers(1, 8),
        ),
        min_size=least,
        max_size=12,
    )


def matrix(given_rows: list[Row]) -> Rows:
    return np.array(given_rows, np.int64).reshape(len(given_rows), 4)


def instants(given_rows: list[list[int]] | list[Row]) -> set[tuple[int, int, int]]:
    return {(a, b, t) for a, b, lo, hi in given_rows for t in range(lo, hi)}


def store_of(kernels: SimpleNamespace, batches: list[list[Row]], name: str, key: list[int]):
    """An index on all terms of a store that has absorbed batches, and what each gained."""
    index = kernels.FactStore(2).index(np.array(key, np.int64))
    gains = [getattr(kernels, name)(index, matrix(batch)).tolist() for batch in batches]
    return index, gains


def index_of(kernels: SimpleNamespace, stored: list[Row], key: list[int]):
    """An index on some columns of a store of rows as they are."""
    store = kernels.FactStore(2)
    store.fill(matrix(stored))
    return store.index(np.array(key, np.int64))


def living(index) -> list[list[int]]:
    """The rows of its store that live."""
    rows: list[list[int]] = index.store.rows(0, index.store.end, living=True).tolist()
    return rows


@given(batches=st.lists(rows(), max_size=5))
def test_absorb_gains_what_the_union_gains_and_keeps_maximal_intervals(kernels, batches) -> None:
    index, gains = store_of(kernels, batches, "absorb", [0, 1])
    held: set[tuple[int, int, int]] = set()
    for batch, gained in zip(batches, gains, strict=True):
        pieces = instants(gained)
        assert len(pieces) == sum(hi - lo for *_, lo, hi in gained), "pieces are disjoint"
        assert pieces == instants(batch) - held
        held |= pieces
    alive = living(index)
    assert instants(alive) == held
    for a, b, lo, hi in alive:
        assert (a, b, lo - 1) not in held
        assert (a, b, hi) not in held


@given(some=rows())
def test_united_gives_maximal_intervals_and_the_rows_themselves_if_they_are_that(
    kernels, some
) -> None:
    coming = matrix(some)
    united = kernels.united(coming)
    index, _ = store_of(kernels, [some], "absorb", [0, 1])
    assert united.tolist() == living(index)
    assert (united is coming) == (index.store.end == len(some))


@given(batches=st.lists(rows(), max_size=5))
def test_absorb_starts_keeps_the_greatest_end_of_each_start(kernels, batches) -> None:
    index, gains = store_of(kernels, batches, "absorb_starts", [0, 1, 2])
    greatest: dict[tuple[int, int, int], int] = {}
    for batch, gained in zip(batches, gains, strict=True):
        expected = []
        for a, b, lo, hi in batch:
            if hi > greatest.get((a, b, lo), lo):
                greatest[a, b, lo] = hi
                expected.append([a, b, lo, hi])
        assert gained == expected
    assert {tuple(row[:3]): row[3] for row in living(index)} == greatest


@given(
    stored=rows(),
    delta=rows(),
    key=st.sampled_from([([], []), ([0], [0]), ([0], [1]), ([0, 1], [1, 0])]),
    limit=st.integers(0, 12),
    keep=st.lists(st.sampled_from([0, 1, ~0, ~1]), max_size=4),
    most=st.integers(1, 20),
)
def test_probe_pairs_what_agrees_and_overlaps(
    kernels, stored, delta, key, limit, keep, most
) -> None:
    mine, theirs = key
    where = (
        np.array(mine, np.int64),
        index_of(kernels, stored, theirs),
        min(limit, len(stored)),
        np.array(keep, np.int64),
    )
    got, met = kernels.probe(matrix(delta), *where, most)
    rest, others = kernels.probe(matrix(delta[met:]), *where)
    assert met + others == len(delta)
    assert met == len(delta) or len(got) >= most
    assert met == 0 or len(kernels.probe(matrix(delta[: met - 1]), *where)[0]) < most
    expected = [
        [
            *(left[c] if c >= 0 else right[~c] for c in keep),
            max(left[2], right[2]),
            min(left[3], right[3]),
        ]
        for left in delta
        for right in stored[: where[2]]
        if all(left[a] == right[b] for a, b in zip(mine, theirs, strict=True))
        and max(left[2], right[2]) < min(left[3], right[3])
    ]
    assert sorted(got.tolist() + rest.tolist()) == sorted(expected)


@given(batches=st.lists(rows(), max_size=4), taken=rows(), again=rows())
def test_remove_takes_instants_out_and_leaves_maximal_intervals(
    kernels, batches, taken, again
) -> None:
    index, _ = store_of(kernels, batches, "absorb", [0, 1])
    held = {instant for batch in batches for instant in instants(batch)} - instants(taken)
    kernels.remove(index, matrix(taken))
    alive = living(index)
    assert instants(alive) == held
    assert sum(hi - lo for *_, lo, hi in alive) == len(held), "rows are disjoint"
    for a, b, lo, hi in alive:
        assert (a, b, lo - 1) not in held
        assert (a, b, hi) not in held
    gained = kernels.absorb(index, matrix(again))
    assert instants(gained.tolist()) == instants(again) - held


@given(
    delta=rows(),
    stored=rows(),
    limit=st.integers(0, 12),
    key=st.sampled_from([([0], [0]), ([0, 1], [0, 1]), ([1], [0]), ([], [])]),
)
def test_uncovered_gives_what_no_stored_row_covers(kernels, delta, stored, limit, key) -> None:
    mine, theirs = key
    index, limit = index_of(kernels, stored, theirs), min(limit, len(stored))
    coming = matrix(delta)
    got = kernels.uncovered(coming, np.array(mine, np.int64), index, limit)
    expected = [
        (*row[:2], t)
        for row in delta
        for t in range(row[2], row[3])
        if not any(
            kept[2] <= t < kept[3]
            and all(row[a] == kept[b] for a, b in zip(mine, theirs, strict=True))
            for kept in stored[:limit]
        )
    ]
    assert [(a, b, t) for a, b, lo, hi in got.tolist() for t in range(lo, hi)] == expected
    assert (got is coming) == (len(expected) == sum(hi - lo for *_, lo, hi in delta))


@given(
    delta=rows(terms=2),
    first=rows(terms=2),
    second=rows(terms=2),
    limits=st.tuples(st.integers(0, 12), st.integers(0, 12)),
    keys=st.sampled_from(
        [
            # Columns of delta = of the first; columns of delta, or ~ of the first, = of the second.
            ([0], [0], [~1, 1], [0, 1]),  # P(x, y) of Q(x, z) and R(z, y)
            ([0, 1], [1, 0], [~0], [0]),
            ([0], [0], [~0, ~1], [1, 0]),
            ([], [], [0, 1], [0, 1]),
            ([], [], [], []),
        ]
    ),
)
def test_unpaired_gives_what_no_pair_of_rows_covers(
    kernels, delta, first, second, limits, keys
) -> None:
    own, of_first, others, of_second = keys
    pairs = [(one, two) for one in first[: limits[0]] for two in second[: limits[1]]]
    where = []
    for store, limit, key, there in (
        (first, limits[0], own, of_first),
        (second, limits[1], others, of_second),
    ):
        index = index_of(kernels, store, there)
        where += [np.array(key, np.int64), index, min(limit, len(store))]
    coming = matrix(delta)
    got = kernels.unpaired(coming, *where)

    def is_covered(row: Row, t: int) -> bool:
        return any(
            all(row[a] == one[b] for a, b in zip(own, of_first, strict=True))
            and all(
                (row[a] if a >= 0 else one[~a]) == two[b]
                for a, b in zip(others, of_second, strict=True)
            )
            and max(one[2], two[2]) <= t < min(one[3], two[3])
            for one, two in pairs
        )

    expected = [(*row[:2], t) for row in delta for t in range(*row[2:]) if not is_covered(row, t)]
    assert [(a, b, t) for a, b, lo, hi in got.tolist() for t in range(lo, hi)] == expected
    assert (got is coming) == (len(expected) == sum(hi - lo for *_, lo, hi in delta))


operators = st.none() | st.builds(
    lambda is_box, lo, length, future: pure_coverage.Operator(is_box, lo, lo + length, future),
    st.booleans(),
    st.integers(0, 3),
    st.integers(1, 4) | st.just(POS_INF),
    st.booleans(),
)


@given(
    delta=rows(), parts=st.lists(st.tuples(rows(), rows(), st.booleans(), operators), max_size=3)
)
def test_look_ups_leave_what_no_store_covers_as_it_is_by_then(kernels, delta, parts) -> None:
    found = []
    for _, _, by_both, operator in parts:
        key, own = ([0, 1], [0, 1]) if by_both else ([1], [0])
        index = kernels.FactStore(2).index(np.array(key, np.int64))
        found.append((np.array(own, np.int64), index, operator))
    wholes = [index.store.index(np.array([0, 1], np.int64)) for _, index, _ in found]
    lookups = kernels.Lookups(found)
    for turn in range(2):  # then rows come
        for whole, part in zip(wholes, parts, strict=True):
            kernels.absorb(whole, matrix(part[turn]))
        got = lookups.uncovered(matrix(delta))
        covers = [
            (kept, by_both)
            for whole, (_, _, by_both, operator) in zip(wholes, parts, strict=True)
            for kept in covering(living(whole), operator)
        ]
        expected = [
            (*row[:2], t)
            for row in delta
            for t in range(row[2], row[3])
            if not any(
                kept[2] <= t < kept[3] and (row[:2] == kept[:2] if by_both else row[0] == kept[1])
                for kept, by_both in covers
            )
        ]
        assert [(a, b, t) for a, b, lo, hi in got.tolist() for t in range(lo, hi)] == expected


def covering(stored: list[list[int]], operator: pure_coverage.Operator | None) -> list[Row]:
    """What of stored rows, or of an operator of each, covers others."""
    alive = np.array(stored, np.int64).reshape(len(stored), 4)
    if operator is not None:
        is_box, r_lo, r_hi, future = operator
        apply = pure_metric.erode if is_box else pure_metric.dilate
        alive = apply(alive, r_lo, r_hi, future)
    return [(a, b, lo, hi) for a, b, lo, hi in alive.tolist()]


@given(delta=rows(), others=rows(), terms=st.integers(0, 2))
def test_difference_gives_what_no_other_row_covers(kernels, delta, others, terms) -> None:
    kept = [0, 1][:terms]
    given_rows = matrix(delta)
    got = kernels.difference(given_rows, np.ascontiguousarray(matrix(others)[:, [*kept, 2, 3]]))
    covered = {(*(row[c] for c in kept), t) for row in others for t in range(row[2], row[3])}
    expected = [
        (*row[:2], t)
        for row in delta
        for t in range(row[2], row[3])
        if (*(row[c] for c in kept), t) not in covered
    ]
    assert [(a, b, t) for a, b, lo, hi in got.tolist() for t in range(lo, hi)] == expected
    assert (got is given_rows) == (len(expected) == sum(hi - lo for *_, lo, hi in delta))


@given(batches=st.lists(rows(), max_size=4), queries=rows(least=1))
def test_find_says_which_interval_begins_ends_or_covers(kernels, batches, queries) -> None:
    index, _ = store_of(kernels, batches, "absorb", [0, 1])
    stored = index.store.rows(0, index.store.end).tolist()
    asked = matrix(queries)[:, :3].copy()
    conditions = [
        lambda row, t: row[2] == t,
        lambda row, t: row[3] == t,
        lambda row, t: row[2] <= t < row[3],
    ]
    for mode, condition in enumerate(conditions):
        found = kernels.find(asked, index, mode)
        for (a, b, t), position in zip(asked.tolist(), found.tolist(), strict=True):
            right = [
                i
                for i, row in enumerate(stored)
                if row[2] < row[3] and row[:2] == [a, b] and condition(row, t)
            ]
            assert position in right if right else position == -1


@given(
    facts=st.lists(st.tuples(*[st.integers(1, 3)] * 3), max_size=10),
    classes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=6),
)
def test_route_finds_every_class_of_every_row(kernels, facts, classes) -> None:
    keys = np.array(classes, np.int64).reshape(len(classes), 2)
    masks = 0
    for a, b in classes:
        masks |= 1 << ((a > 0) + 2 * (b > 0))
    given_rows = np.array([[*fact, 0, 2] for fact in facts], np.int64).reshape(len(facts), 5)
    counts = np.zeros(len(classes), np.int64)
    table = kernels.route_table(keys)
    touched, starts, order = kernels.route(given_rows, 1, 2, table, masks, counts)
    got = {
        classes[cls]: order[starts[i] : starts[i + 1]].tolist()
        for i, cls in enumerate(touched.tolist())
    }
    expected = {
        (a, b): hits
        for a, b in classes
        if (hits := [i for i, f in enumerate(facts) if a in {0, f[1]} and b in {0, f[2]}])
    }
    assert got == expected
    assert not counts.any()


@given(given_rows=rows(), same=st.booleans())
def test_select_checks_equal_columns(kernels, given_rows, same) -> None:
    order = np.arange(len(given_rows), dtype=np.int64)[::-1].copy()
    equal = np.array([[0, 1]] if same else [], np.int64).reshape(-1, 2)
    keep = np.array([1], np.int64)
    selection = kernels.Selection(equal, keep)
    got = kernels.select(matrix(given_rows), order, 0, len(order), selection)
    expected = [[b, lo, hi] for a, b, lo, hi in reversed(given_rows) if a == b or not same]
    assert got.tolist() == expected


@given(given_rows=rows(), copies=st.integers(1, 40), seed=st.integers(0, 9))
def test_select_leaves_out_rows_that_repeat(kernels, given_rows, copies, seed) -> None:
    """All of them that are near each other; none is left out that does not repeat."""
    many = np.repeat(matrix(given_rows), copies, axis=0)
    order = np.random.default_rng(seed).permutation(len(many))
    selection = kernels.Selection(np.empty((0, 2), np.int64), np.array([1], np.int64), repeats=True)
    got = [*map(tuple, kernels.select(many, order, 0, len(order), selection).tolist())]
    each = dict.fromkeys((b, lo, hi) for _, b, lo, hi in many[order].tolist())
    assert [*dict.fromkeys(got)] == [*each]
    if len(order) >= 64 and len(each) == 1:
        assert len(got) == 1


@given(batches=st.lists(rows(), min_size=2, max_size=5))
def test_what_was_held_stays_ahead_of_what_comes_later(kernels, batches) -> None:
    index, _ = store_of(kernels, batches[:-1], "absorb", [0, 1])
    before, held = index.store.end, instants(living(index))
    kernels.absorb(index, matrix(batches[-1]))
    assert held <= instants(index.store.rows(0, before, living=True).tolist())
