"""Faults where rules come and go."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from rete.arrays.delta import NEG_INF
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.network.network import Network
from tests.faults.detection import Fault

TICK = 2
"""Cells."""


def forgotten_by_rule() -> AbstractContextManager[object]:
    """A rule goes on to be said to give what it gave."""
    return patch.object(FactTable, "drop", lambda *_: None)


def dropped_rules_gave_nothing() -> AbstractContextManager[object]:
    """What a dropped rule gave stays."""
    return patch.object(InferenceEngine, "disown", lambda *_, **__: None)


def added_rules_were_always_there() -> AbstractContextManager[object]:
    """What added rules need no fact for holds from the beginning."""
    right = InferenceEngine.admit

    def admit(engine: InferenceEngine, network: Network, _: int = NEG_INF) -> None:
        right(engine, network)

    return patch.object(InferenceEngine, "admit", admit)


def added_rules_see_nothing() -> AbstractContextManager[object]:
    """Added rules do not see what holds already."""
    return patch.object(InferenceEngine, "repeat", lambda *_: None)


def added_rules_see_the_past() -> AbstractContextManager[object]:
    """What added rules derive from facts holds from the start of these."""
    return patch.object(Network, "seen", lambda _, rows: rows)


FAULTS: Final[tuple[Fault, ...]] = (
    forgotten_by_rule,
    dropped_rules_gave_nothing,
    added_rules_were_always_there,
    added_rules_see_nothing,
    added_rules_see_the_past,
)
