"""Faults of scans that share a store, and of joins with them, found by rules above a regime."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from rete.arrays.delta import Rows, columns
from rete.kernels import Index
from rete.network.layers import Layers
from rete.network.network import Network
from rete.storage.semijoin import Semijoin
from rete.storage.view import View
from tests.faults.detection import Fault, FaultArea
from tests.generators.draw import from_seed
from tests.generators.ontologies.rules_above import layered
from tests.generators.stories.retraction import story
from tests.simulation.background_rules import disagreement
from tests.simulation.retraction.seeds import disagreement_of


def types_are_all_facts() -> AbstractContextManager[object]:
    """A view of types has all facts."""

    def index(view: View, key: tuple[int, ...]) -> Index:
        return view.shared.index(tuple(view._keep[column] for column in key))

    return patch.multiple(View, constants=property(lambda _: columns([])), _index=index)


def what_waits_hides_all() -> AbstractContextManager[object]:
    """While facts wait for a view, it has none."""
    end = property(lambda view: 0 if view.waits else view.store.end)
    return patch.object(View, "end", end)


def equal_terms_are_not_told() -> AbstractContextManager[object]:
    """What the store has with a term is not asserted with its representative."""
    return patch("rete.terms.equality_classes.StaticTriples._stored", lambda _: iter(()))


def rows_are_lost() -> AbstractContextManager[object]:
    """Nodes that get SteMs of their own begin with no rows."""

    def content(view: View) -> Rows:
        return view.store.rows(0, 0)[:, [*view._keep, -2, -1]]

    return patch.object(View, "content", content)


def joins_stay_at_the_store() -> AbstractContextManager[object]:
    """Joins go on to look into the store, once nodes have SteMs of their own."""

    def unshare(layers: Layers) -> None:
        for network in layers.networks:
            joins = {node: list(node.sides) for node in network.streams.values()}
            Network.unshare(network)
            for stream, sides in joins.items():
                stream.sides = sides
        if layers.statics is not None:
            layers.statics.unshare()

    return patch.object(Layers, "unshare", unshare)


def rows_of_one_term_meet() -> AbstractContextManager[object]:
    """Of the terms that few rows of a join have, only the first is looked for."""

    def select(rows: Semijoin, column: int, terms: Sequence[int]) -> Rows:
        met: Rows = rows.rows[rows.rows[:, column] == terms[0]]
        return met

    return patch.object(Semijoin, "select", select)


FAULTS: Final[tuple[Fault, ...]] = (
    types_are_all_facts,
    what_waits_hides_all,
    equal_terms_are_not_told,
    rows_are_lost,
    joins_stay_at_the_store,
    rows_of_one_term_meet,
)


def _detects(seed: int, fault: Fault) -> bool:
    draw = from_seed(seed)
    with fault():
        if seed % 2 == 0:
            return disagreement(layered(draw), forget=seed % 4 == 0) is not None
        return disagreement_of(story(draw, kind="regime"))[1] is not None


AREA: Final = FaultArea(FAULTS, _detects, cases=200)
