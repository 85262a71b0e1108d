"""One group of many members, of which one comes and one goes at a time, for each aggregate.

It checks the values and prints JSON. usage: follow_groups.py MEMBERS ROUNDS
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from time import process_time
from typing import Final

import numpy as np

from bench.suites.aggregates import MEMBER_AGGREGATES, GroupCost
from bench.workloads.stream_terms import XSD
from rete.aggregates.bags import bag_maker, value_of
from rete.aggregates.members import member
from rete.arrays.delta import Rows
from rete.nodes.group_values import GroupValues
from rete.terms.dictionary import Dictionary

BATCH: Final = 1000
"""So many come, and so many go, in a batch."""
_SEED: Final = 5


def main(members: int, rounds: int) -> list[GroupCost]:
    """The cost of a change under each aggregate: the best of ``rounds`` batches."""
    return [
        GroupCost(words, members, _measured(words, members, rounds)) for words in MEMBER_AGGREGATES
    ]


def _measured(words: str, members: int, rounds: int) -> float:
    """Microseconds that a member takes that comes, or goes, with the value after it."""
    function, part, size, share = _parts(words)
    terms = Dictionary()
    draw = np.random.default_rng(_SEED)
    count = members + rounds * BATCH
    numbers = [f'"{number / 100:.2f}"^^<{XSD}decimal>' for number in draw.integers(0, 10**7, count)]
    stamps = [f'"{number}"^^<{XSD}integer>' for number in range(count)]
    # Each member comes one cell after the other, and goes when so many others came.
    rows = np.empty((count, 4), np.int64)
    rows[:, 0], rows[:, 1] = terms.encode_many(numbers), terms.encode_many(stamps)
    rows[:, 2] = 2 * np.arange(count)
    rows[:, 3] = rows[:, 2] + 2 * members + 1
    groups = GroupValues(terms, (), 0, 1, (function, share, part, size))
    groups.schedule(rows[:members], 0)
    groups.follow(2 * members)
    best = float("inf")
    lost = found = rows[:0]
    for begin in range(members, count, BATCH):
        batch = np.ascontiguousarray(rows[begin : begin + BATCH])
        begun = process_time()
        groups.schedule(batch, 2 * begin)
        lost, found, _ = groups.follow(2 * (begin + BATCH))
        best = min(best, process_time() - begun)
    _check(terms, (function, share, part, size), rows[-members:], found if len(found) else lost)
    return best / (2 * BATCH) * 1e6


def _parts(words: str) -> tuple[str, str, int | None, str]:
    """Function, part, size and share of an aggregate as it is written."""
    function, *more = words.split()
    share = more.pop() if function == "quantile" else ""
    size = int(more.pop()) if more else None
    return function, more[0] if more else "", size, share


def _check(
    terms: Dictionary, words: tuple[str, str, str, int | None], rows: Rows, found: Rows
) -> None:
    """The last value is that of a bag of the same members, made afresh."""
    entries = [
        (member(terms.decode(row[0])), member(terms.decode(row[1]))) for row in rows.tolist()
    ]
    right = value_of(bag_maker(*words)(), entries)
    given = [terms.decode(term) for term in found[:, 0].tolist()][-1:]
    if given and given != [right]:
        message = f"{words}: {given} instead of {right}"
        raise ValueError(message)


if __name__ == "__main__":
    json.dump([asdict(cost) for cost in main(*map(int, sys.argv[1:]))], sys.stdout)
