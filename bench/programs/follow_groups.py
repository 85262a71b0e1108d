"""One group of many members, of which one comes and one goes at a time, for each aggregate.

It checks the last values and prints JSON. usage: follow_groups.py MEMBERS ROUNDS
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
    terms = Dictionary()
    rows = _rows(terms, members, members + rounds * BATCH)
    return [
        GroupCost(words, members, _measured(words, terms, rows, members))
        for words in MEMBER_AGGREGATES
    ]


def _rows(terms: Dictionary, members: int, count: int) -> Rows:
    """A decimal, the integer that orders it, and when it is there.

    Each comes one tick after the other, and goes when ``members`` others have come.
    """
    draw = np.random.default_rng(_SEED)
    numbers = [f'"{number / 100:.2f}"^^<{XSD}decimal>' for number in draw.integers(0, 10**7, count)]
    stamps = [f'"{number}"^^<{XSD}integer>' for number in range(count)]
    rows = np.empty((count, 4), np.int64)
    rows[:, 0], rows[:, 1] = terms.encode_many(numbers), terms.encode_many(stamps)
    rows[:, 2] = 2 * np.arange(count)
    rows[:, 3] = rows[:, 2] + 2 * members + 1
    return rows


def _measured(words: str, terms: Dictionary, rows: Rows, members: int) -> float:
    """Microseconds that a member takes that comes, or goes, with the value after it."""
    function, share, part, size = _parts(words)
    groups = GroupValues(terms, (), 0, 1, (function, share, part, size))
    groups.schedule(rows[:members], 0)
    groups.follow(2 * members)
    best = float("inf")
    for begin in range(members, len(rows), BATCH):
        batch = rows[begin : begin + BATCH]
        begun = process_time()
        groups.schedule(batch, 2 * begin)
        groups.follow(2 * (begin + BATCH) - 1)
        best = min(best, process_time() - begun)
    # At the end the one member more is there that goes at the last cell.
    last = rows[-members - 1 :]
    entries = [
        (member(terms.decode(row[0])), member(terms.decode(row[1]))) for row in last.tolist()
    ]
    right = value_of(bag_maker(function, share, part, size)(), entries)
    (given,) = (terms.decode(term) for term in groups.values_now().tolist())
    if given != right:
        message = f"{words}: {given} instead of {right}"
        raise ValueError(message)
    return best / (2 * BATCH) * 1e6


def _parts(words: str) -> tuple[str, str, str, int | None]:
    """Function, share, part and size of an aggregate as it is written."""
    function, *more = words.split()
    share = more.pop() if function == "quantile" else ""
    size = int(more.pop()) if more else None
    return function, share, more[0] if more else "", size


if __name__ == "__main__":
    json.dump([asdict(cost) for cost in main(*map(int, sys.argv[1:]))], sys.stdout)
