"""Faults while facts come, are forgotten and are taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from rete.asserted import Asserted
from rete.delta import Column, Rows
from rete.plan import Relation
from rete.stem import Stem
from tests.planted import Fault
from tests.retracting.faults.lost import (
    derived_facts_keep_what_they_gave,
    first_derivation_only,
    lost_sign,
)
from tests.retracting.faults.recursion import no_rederivation


def late_expiry() -> AbstractContextManager[object]:
    """What is taken back holds for a tick too long."""
    right = Asserted.take

    def take(asserted: Asserted, names: Column, since: int) -> Iterator[tuple[Relation, Rows]]:
        return right(asserted, names, since + 2)

    return patch.object(Asserted, "take", take)


def forgotten_while_operators_reach_it() -> AbstractContextManager[object]:
    """What ended is dropped, however far operators look back."""
    right = Stem.expire

    def expire(stem: Stem, bound: int) -> None:
        right(stem, bound + stem.slack)

    return patch.object(Stem, "expire", expire)


FAULTS: Final[tuple[Fault, ...]] = (
    late_expiry,
    forgotten_while_operators_reach_it,
    lost_sign,
    no_rederivation,
    first_derivation_only,
    derived_facts_keep_what_they_gave,
)
