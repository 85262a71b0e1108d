"""The row executor: single elements through the network, on what the agenda remembers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rete import kernels
from rete.arrays.delta import Rows
from rete.graph.streams import FactTable, Stream
from rete.inference.row_plan import RowPlan
from rif.syntax.garbage_collection import collector_paused

if TYPE_CHECKING:
    from rete.inference.inference_engine import InferenceEngine
    from rete.kernels.single.interface import RowAnswer


class RowExecutor:
    """Takes in one element at a time, as fast as its rows are few.

    Attributes:
        reader: reads an element; it is what `assert_element` asserts.
    """

    __slots__ = (
        "_answers",
        "_inference",
        "_network",
        "_networks",
        "_nodes",
        "_widths",
        "reader",
    )

    @collector_paused()
    def __init__(self, inference: InferenceEngine, plan: RowPlan) -> None:
        """Begin with a plan that is not refused; nothing is pending."""
        single = kernels.single
        assert single is not None
        self._inference = inference
        self._networks = inference.layers.user_networks
        self._nodes = plan.nodes
        self._widths = plan.widths
        self.reader = single.element_reader(single.term_view(inference.terms.texts))
        self._answers = single.answer_queue(plan.width)
        base, asserted = inference.layers.base_table, None
        if base is not None:
            base.latest = asserted = base.latest or single.asserted_queue()
            asserted.kept = max(base.retention, base.kept)
        self._network = plan.build(single, self._answers, asserted)

    def assert_element(self, lo: int, hi: int, name: int) -> None:
        """Assert what was read, from the cell ``lo`` to ``hi``, by an element of that name.

        All that follows is derived. Costs what is derived, and a constant.
        """
        inference, network = self._inference, self._network
        network.stage = inference.stage
        is_done = network.take(self.reader, lo, hi, name, inference.bound)
        inference.stage = network.stage
        if not is_done:
            self._hand_over()
        if network.derived:
            inference.derived += network.derived
            network.derived = 0

    def pass_time(self, begin: int, clock: int) -> None:
        """Time is at the cell ``clock``, and began at ``begin``; what ended before is final."""
        self._inference.pass_time(clock)
        for network in self._networks:
            network.bound = clock
            network.begin = min(network.begin, begin)
            network.clock = max(network.clock, clock)

    def _hand_over(self) -> None:
        """Let columns go on with what is pending, and with what is lost."""
        inference = self._inference
        for number, rows in self._network.pending():
            node = self._nodes[number]
            inference.schedule(node)
            if isinstance(node, FactTable):
                for rule in dict.fromkeys(rows[:, -1].tolist()):
                    mine = rows[rows[:, -1] == rule]
                    node.pending.append((rule, np.ascontiguousarray(mine[:, :-1])))
            else:
                node.pending.append(rows)
        for number, rows in self._network.losses():
            stream = self._nodes[number]
            assert isinstance(stream, Stream)
            inference.deliver_losses(stream, rows)
        inference.go_on()

    def close(self, limit: int) -> Sequence[RowAnswer] | None:
        """The answers up to the cell ``limit``, which are final, in order; None: columns give them.

        See `rete.kernels.single`.
        """
        return self._network.close(limit)

    def take(self, *, ends: bool, limit: int) -> Iterator[tuple[FactTable, Rows]]:
        """Take out the answers that are pending until their begins, or ends, up to ``limit``."""
        for number, rows in self._answers.take(ends, limit, self._widths).items():
            node = self._nodes[number]
            assert isinstance(node, FactTable)
            yield node, rows

    def count(self) -> bool:
        """Let nodes know how many rows came; whether any did."""
        some = False
        for number, rows in self._network.received():
            node = self._nodes[number]
            if not isinstance(node, FactTable):
                some = node.is_matched = True
                node.received += rows
        self._inference.note_asserted(self._network.asserted)
        self._network.asserted = 0
        return some
