"""Faults while facts come, are forgotten and are taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from rete.arrays.delta import Column, Rows
from rete.storage.base_table import BaseTable
from rete.storage.stem import Stem
from rete.terms.relations import Relation
from tests.faults.detection import Fault
from tests.faults.retraction.recursion import no_rederivation
from tests.faults.retraction.view_maintenance import (
    derived_facts_keep_what_they_gave,
    first_derivation_only,
    lost_sign,
)


def late_expiry() -> AbstractContextManager[object]:
    """What is taken back holds for a tick too long."""
    right = BaseTable.retract

    def take(asserted: BaseTable, names: Column, since: int) -> Iterator[tuple[Relation, Rows]]:
        return right(asserted, names, since + 2)

    return patch.object(BaseTable, "retract", take)


def forgotten_while_operators_reach_it() -> AbstractContextManager[object]:
    """What ended is dropped, however far operators look back."""
    right = Stem.expire

    def expire(stem: Stem, bound: int) -> None:
        right(stem, bound + stem.retention)

    return patch.object(Stem, "expire", expire)


FAULTS: Final[tuple[Fault, ...]] = (
    late_expiry,
    forgotten_while_operators_reach_it,
    lost_sign,
    no_rederivation,
    first_derivation_only,
    derived_facts_keep_what_they_gave,
)
