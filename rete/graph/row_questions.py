"""Questions about rows: the values of the columns that are known, and a time.

They are rows themselves: of the known columns, in some order, and of times. A `RowSearch` of
`rete.graph.streams` answers them.
"""

from __future__ import annotations

from typing import TypeAlias

from rete.arrays.delta import Rows
from rete.graph.plan import Plan
from rete.storage.row_algebra import coalesce, project

KnownColumns: TypeAlias = tuple[int, ...]
"""The known columns of a stream, in the order of the columns of the questions."""


def questions_about_source(
    plan: Plan, asked: Rows, known: KnownColumns
) -> tuple[Rows, KnownColumns]:
    """Questions about the rows of ``plan`` as questions about those of its first source."""
    places: dict[int, int] = {}
    for place, column in enumerate(known):
        if column not in plan.computed:
            places.setdefault(plan.columns[column], place)
    return coalesce(project(asked, list(places.values()))), tuple(places)
