"""The columns of a join of two sources, as columns of one of them."""

from __future__ import annotations

from collections.abc import Sequence

from rete.graph.plan import Plan


def join_keys(plan: Plan) -> list[tuple[int, int]]:
    """The columns of the two sources of a join that are equal."""
    begin = plan.begins[1]
    return [(mine, place - begin) for mine, place in plan.equated if mine < begin <= place]


def known_sides(plan: Plan, known: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """The columns of the left and of the right source of a join that are known, with their places.

    ``known``: columns of the join.
    """
    lefts: dict[int, int] = {}
    rights: dict[int, int] = {}
    begin = plan.begins[1]
    for place, column in enumerate(known):
        at = plan.columns[column]
        (lefts if at < begin else rights).setdefault(at if at < begin else at - begin, place)
    for mine, theirs in join_keys(plan):
        if theirs in rights:
            lefts.setdefault(mine, rights[theirs])
        elif mine in lefts:
            rights[theirs] = lefts[mine]
    return lefts, rights


def column_at(plan: Plan, place: int, number: int) -> int | None:
    """The column of a source of a join that has the value of an input; None: it has not."""
    begin = plan.begins[1]
    same = [place, *(b for pair in plan.equated for a, b in (pair, pair[::-1]) if a == place)]
    return next((each - begin * number for each in same if (each >= begin) == number), None)
