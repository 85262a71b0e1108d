"""Joins in orders of chance, which change all the time: whatever is counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from rete.network.adaptive_order import AdaptiveOrder
from rete.planning.join_graph import JOIN, Postfix
from tests.generators.draw import Draw, from_seed


@contextmanager
def shuffled_orders(seed: int, changes: int = 50) -> Iterator[list[Postfix]]:
    """Before a run, each join tree gets another order in ``changes`` of a hundred cases.

    Gives the list to which the orders are added.
    """
    draw = from_seed(seed)
    used: list[Postfix] = []

    def another(_self: AdaptiveOrder, _network: object, tree: Any, *_: object) -> Postfix | None:
        if not draw.chance(changes):
            return None
        used.append(random_order(len(tree.leaves), draw))
        return used[-1]

    look = AdaptiveOrder.look

    def look_again(self: AdaptiveOrder, rows: int, bound: int) -> bool:
        changed = look(self, rows, bound)
        self.next_look = rows + 1
        return changed

    with (
        patch("rete.network.adaptive_order._FIRST", 0),
        patch.object(AdaptiveOrder, "_better_order", another),
        patch.object(AdaptiveOrder, "look", look_again),
        patch("r4.run.single_elements._LOOK", 1),
    ):
        yield used


def random_order(leaves: int, draw: Draw) -> Postfix:
    """Some order of so many leaves; parts without a common variable may come together, too."""
    parts: list[Postfix] = [(number,) for number in range(leaves)]
    while len(parts) > 1:
        left, right = (parts.pop(draw.integer(0, len(parts) - 1)) for _ in range(2))
        parts.append((*left, *right, JOIN))
    return parts[0]
