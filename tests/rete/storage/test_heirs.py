"""Heirs: small names for frontiers, which a saved state has as it ever had."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import NEG_INF, Rows
from rete.storage.heirs import Heirs


def facts(*names: int) -> Rows:
    return np.array([(7, name, 0, 9) for name in names], np.int64)


def test_a_name_fits_32_bits_and_a_state_says_the_frontier() -> None:
    heirs, far = Heirs(), 2**60
    first, second = heirs.name(far), heirs.name(-far)
    assert -(2**31) < second < first < -(2**30)
    assert heirs.name(far) == first
    saved = heirs.saved(facts(first, 3, second, -1))
    assert saved[:, 1].tolist() == [NEG_INF // 2 - far, 3, NEG_INF // 2 + far, -1]
    other = Heirs()
    again = other.restored(saved)
    assert again[:, 1].tolist() == [other.name(far), 3, other.name(-far), -1]
    assert heirs.take(far) == first
    assert heirs.name(far) not in {first, second}


def test_facts_of_other_shards_in_older_states_keep_their_names() -> None:
    assert Heirs().restored(facts(-(2**40) - 5))[:, 1].tolist() == [-(2**30) - 5]
