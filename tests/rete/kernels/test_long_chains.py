"""Many rows of one key: what rows meet does not depend on the order in which they came or ask.

The compiled kernels pass what is later than a row for many rows at once; the pure ones look at all.
"""

from __future__ import annotations

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import Operator, load

RANGES = [(0, 3), (1, 6), (4, POS_INF)]


def rows_of(seed: int, count: int, order: str) -> Rows:
    """Intervals of three keys, some of which overlap, in an order of time."""
    draw = np.random.default_rng(seed)
    found = np.empty((count, 4), np.int64)
    found[:, 0] = draw.integers(0, 3, count)
    found[:, 1] = draw.integers(0, 2, count)
    found[:, 2] = np.sort(draw.integers(0, 5 * count, count))
    found[:, 3] = found[:, 2] + draw.integers(1, 12, count)
    found[::50, 3] += draw.integers(0, 400)
    found[0, 2], found[-1, 3] = NEG_INF, POS_INF
    return {"on": found, "back": found[::-1].copy(), "any": draw.permutation(found)}[order]


@pytest.mark.parametrize("asked_in", ["on", "back", "any"])
@pytest.mark.parametrize("stored_in", ["on", "back", "any"])
def test_what_rows_meet_in_long_chains_does_not_depend_on_order(
    stored_in: str, asked_in: str
) -> None:
    try:
        back_ends = load("compiled"), load("pure")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    coming, asked = rows_of(1, 150, stored_in), rows_of(2, 90, asked_in)
    key, keep = np.array([0], np.int64), np.array([0, 1, ~1], np.int64)
    answers = []
    for modules in back_ends:
        store = modules["rows._store"].FactStore(2)
        whole, index = store.index(np.array([0, 1])), store.index(key)
        modules["rows._intervals"].absorb(whole, coming)
        modules["rows._intervals"].remove(whole, rows_of(3, 20, "any"))
        where = key, index, store.end, keep
        probes, metric = modules["rows._probes"], modules["rows._metric"]
        found = [probes.probe(asked, *where)[0], modules["rows._intervals"].united(coming)]
        coverage = modules["rows._coverage"]
        shared = np.array([0, ~1], np.int64)
        operators: list[Operator | None] = [None]
        for rho in RANGES:
            for future in (False, True):
                operators += [Operator(is_box, *rho, future) for is_box in (False, True)]
                found.append(metric.probe_eroded(asked, *where, *rho, future)[0])
                found += [
                    metric.probe_since(asked, asked[:, 2:].copy(), *where, *rho, future, is_psi)[0]
                    for is_psi in (False, True)
                ]
        found += [
            coverage.Lookups([(key, index, operator)]).uncovered(asked) for operator in operators
        ]
        found.append(coverage.unpaired(asked, *where[:-1], shared, whole, store.end))
        queries = np.ascontiguousarray(asked[:, :3])
        places = modules["rows._intervals"].find(queries, whole, 2)
        found.append(np.where(places < 0, -1, store.at(places)[:, 2])[:, None])
        answers.append([sorted(each.tolist()) for each in found])
    assert answers[0] == answers[1]
    assert sum(len(each) > 5 for each in answers[0]) > 2 * len(answers[0]) // 3
