"""Faults in what follows from a loss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Final
from unittest.mock import patch

from rete.arrays.delta import Rows, empty
from rete.graph.streams import Stream
from rete.network.layers import Layers
from rete.nodes.anti_join import AntiJoinNode
from rete.retraction.loss_propagation import LossPropagation
from rete.storage.row_comparison import RowComparison
from tests.faults.detection import Fault


@contextmanager
def _both(*patches: AbstractContextManager[object]) -> Iterator[None]:
    with ExitStack() as stack:
        for one in patches:
            stack.enter_context(one)
        yield


def lost_sign() -> AbstractContextManager[object]:
    """What is asserted no longer is told to nobody."""
    return patch.object(LossPropagation, "withdraw", lambda *_: None)


def derived_facts_keep_what_they_gave() -> AbstractContextManager[object]:
    """Only what follows in one step from what is taken back goes with it."""
    return patch.object(Layers, "lost", lambda _, __, rows, *___: rows[:0])


def removed_before_its_partners_are_told() -> AbstractContextManager[object]:
    """A row is gone before it is joined with what goes with it."""
    right = LossPropagation.notify_readers

    def notify_readers(here: LossPropagation, stream: Stream, lost: Rows) -> None:
        assert stream.stem is not None
        stream.stem.remove(lost, here.bound)
        right(here, stream, lost)

    return patch.object(LossPropagation, "notify_readers", notify_readers)


def first_derivation_only() -> AbstractContextManager[object]:
    """Outside of recursion what loses one derivation is lost."""
    return patch.object(RowComparison, "unsupported", lambda _, rows, __: rows)


def gate_closes_nothing() -> AbstractContextManager[object]:
    """What begins to hold does not end what depended on its absence."""
    return patch.object(AntiJoinNode, "closed_by", lambda gate, _: empty(len(gate.keep)))


def gate_opens_nothing() -> AbstractContextManager[object]:
    """What holds no longer lets nothing pass."""
    return patch.object(AntiJoinNode, "opened_by", lambda gate, _: empty(gate.left.width))


def what_waits_rests_on_what_is_lost() -> AbstractContextManager[object]:
    """Rows that wait for their turn come in, though what they were made of is lost.

    Random stories hardly ever come to that; `test_conditions` of `retraction_examples` has
    one that does.
    """
    return _both(
        patch.object(LossPropagation, "retract_pending", lambda *_: False),
        patch.object(LossPropagation, "retract_pending_facts", lambda *_: False),
    )


FAULTS: Final[tuple[Fault, ...]] = (
    lost_sign,
    derived_facts_keep_what_they_gave,
    removed_before_its_partners_are_told,
    first_derivation_only,
    gate_closes_nothing,
    gate_opens_nothing,
)
