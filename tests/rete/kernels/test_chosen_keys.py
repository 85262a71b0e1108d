"""Nobody can choose terms whose rows share a chain: the hash of a key starts at a random number."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from rete.arrays.delta import Rows
from rete.kernels import load

SLOTS = 1 << 13


def mixed(h: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """One step of the hash of a key, as the compiled index computes it."""
    product: np.ndarray = (h ^ terms) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> np.uint64(29))  # type: ignore[no-any-return]


def colliding(start: int) -> Rows:
    """Rows whose keys share a chain in an index whose hash begins with ``start``, (n, 4)."""
    first = np.arange(1, 4_000, dtype=np.uint64)
    second = np.arange(1, 2_001, dtype=np.uint64)
    h = mixed(mixed(np.full(1, start, np.uint64), first)[:, None], second[None, :])
    i, j = np.nonzero((h ^ (h >> np.uint64(32))) % np.uint64(SLOTS) == 0)
    rows = np.zeros((len(i), 4), np.int64)
    rows[:, 0], rows[:, 1], rows[:, 3] = first[i], second[j], 9
    return rows


def test_rows_chosen_to_share_a_chain_are_spread() -> None:
    try:
        compiled = load("compiled")["rows._store"]
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    rows = colliding(0)
    assert len(rows) > 900
    store = compiled.FactStore(2)
    store.fill(rows)
    index = store.index(np.array([0, 1]))
    index.ready()
    assert max(map(len, index.chains())) < 20


def test_chains_are_others_in_each_process() -> None:
    """A number of the text would be known to whoever chooses the terms."""
    try:
        load("compiled")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    script = """
import numpy as np
from rete.kernels import load
rows = np.arange(40_000, dtype=np.int64).reshape(-1, 4)
store = load("compiled")["rows._store"].FactStore(2)
store.fill(rows)
index = store.index(np.array([0, 1]))
index.ready()
print(sorted(map(len, index.chains())), index.chains()[:50])
"""
    told = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert len(told[0].stdout) > 100
    assert told[0].stdout != told[1].stdout
