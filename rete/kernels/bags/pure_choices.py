"""Bags of any aggregate, in Python: as `rete.kernels.bags._choices`, readable.

The compiled twin has bags of its own for those whose members are chosen by their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rete.kernels.bags.pure_values import Bags, Terms

if TYPE_CHECKING:
    from rete.aggregates.members import Member


def bags_of(
    function: str,
    share: str,
    part: str,
    size: int | None,
    members: Mapping[int, Member],
    terms: Terms,
) -> Bags:
    """Bags of an aggregate of `rif.syntax.aggregates`; ``members`` has what each id is in one."""
    from rete.aggregates.bags import bag_maker  # noqa: PLC0415 - most programs have no aggregate

    return Bags(bag_maker(function, share, part, size), members, terms)
