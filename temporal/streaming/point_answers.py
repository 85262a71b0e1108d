"""Answers at output points: from rows that hold for intervals to facts with one time each.

They come in the order of time, then of their arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_writer import lexical
from temporal.intervals.notation import Notation
from temporal.streaming.output_points import PointWindow
from temporal.text.writer import write_atom, write_constant

_AT_ONCE: Final = 1 << 17
"""So many answers are made at a time, about."""


@dataclass(frozen=True, slots=True)
class PointAnswers:
    """Some answers, in order.

    Attributes:
        ticks: (n,) when each holds.
        facts: (n,) the number of its fact.
        terms: (m, arity) the arguments of the facts, by number.
    """

    ticks: Column
    facts: Column
    terms: Rows

    def arguments(self, terms: Dictionary) -> list[tuple[str, ...]]:
        """The arguments of each fact, as constants."""
        ids, places = np.unique(self.terms, return_inverse=True)
        words = [lexical(text) for text in terms.decode_many(ids)]
        places = places.reshape(self.terms.shape)
        return [tuple(words[place] for place in row.tolist()) for row in places]

    def times(self, scale: int) -> tuple[list[Fraction], list[int]]:
        """The distinct times, ascending, and of each answer which one it is."""
        ticks, places = np.unique(self.ticks, return_inverse=True)
        return [Fraction(tick, scale) for tick in ticks.tolist()], places.ravel().tolist()

    def lines(self, predicate: str, terms: Dictionary, scale: int, notation: Notation) -> str:
        """``Q(c)@t``, one a line."""
        heads = [
            f"{write_atom(predicate, map(write_constant, args))}@" for args in self.arguments(terms)
        ]
        times, places = self.times(scale)
        tails = [f"{notation.text_of(at)}\n" for at in times]
        pairs = zip(self.facts.tolist(), places, strict=True)
        return "".join([heads[fact] + tails[place] for fact, place in pairs])


def answers_at(rows: Rows, window: PointWindow, terms: Dictionary) -> Iterator[PointAnswers]:
    """The answers of maximal rows, (n, arity + 2), at the points of a window, in parts.

    O(rows log points + answers log answers).
    """
    if not window.count or not len(rows):
        return
    first, end = window.before(rows[:, -2]), window.before(rows[:, -1])
    some = first < end
    rows, first, end = rows[some], first[some], end[some]
    if not len(rows):
        return
    order = _argument_order(rows[:, :-2], terms)
    rows, first, end = rows[order], first[order], end[order]
    terms_of_rows = np.ascontiguousarray(rows[:, :-2])
    parts = [(int(first.min()), int(end.max()))]
    while parts:
        lo, hi = parts.pop()
        begins = np.maximum(first, lo)
        counts = np.maximum(np.minimum(end, hi) - begins, 0)
        total = int(counts.sum())
        if total > _AT_ONCE and hi - lo > 1:
            middle = (lo + hi) // 2
            parts += [(middle, hi), (lo, middle)]
        elif total:
            facts = np.repeat(np.arange(len(rows)), counts)
            steps = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
            positions = begins[facts] + steps
            in_time = np.argsort(positions, kind="stable")  # rows are in the order of arguments
            yield PointAnswers(window.ticks(positions[in_time]), facts[in_time], terms_of_rows)


def _argument_order(terms_of_rows: Rows, terms: Dictionary) -> Column:
    """Rows in the order of their arguments, as texts."""
    width = terms_of_rows.shape[1]
    if not width:
        return np.arange(len(terms_of_rows))
    ids, places = np.unique(terms_of_rows, return_inverse=True)
    words = [lexical(text) for text in terms.decode_many(ids)]
    rank = np.empty(len(ids), np.int64)
    rank[sorted(range(len(ids)), key=words.__getitem__)] = np.arange(len(ids))
    ranks = rank[places.reshape(terms_of_rows.shape)]
    found: Column = np.lexsort(ranks.T[::-1])
    return found
