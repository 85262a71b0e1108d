"""Facts of an inference engine that come and go by number; what follows is derived at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.inference.inference_engine import InferenceEngine
from rete.terms.relations import Relation


def add(engine: InferenceEngine, number: int, relation: Relation, *rows: Sequence[int]) -> None:
    """Assert facts, each its terms and two cells, by the name ``number``."""
    found = np.array(rows, np.int64)
    engine.assert_facts(relation, found, np.full(len(found), number))
    engine.run()


def take(engine: InferenceEngine, *numbers: int) -> None:
    """What has these names is asserted no longer, from the frontier on."""
    base_table = engine.layers.base_table
    assert base_table is not None
    for relation, lost in base_table.retract(np.array(numbers, np.int64), engine.bound):
        if len(lost):
            engine.withdraw(relation, lost)
    engine.run()
