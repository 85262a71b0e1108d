"""The tails of single atoms: with what period each of them repeats, and from which cell on.

All content repeats with some period from some cell on. Then each atom does so as well, but it may
have a lesser period and begin earlier. The period of all content is the least common multiple of
those of the atoms, and its first cell is the last one of theirs. So one that knows the tails of
unchanged atoms needs to examine the changed ones only.

All here looks to the right of the data; rows have the number of an atom as their only term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows
from rete.kernels import clip
from rete.storage.row_algebra import subtract


@dataclass(frozen=True, slots=True)
class AtomTails:
    """The tails of atoms.

    Attributes:
        period: (n,) the least one, in cells, so even; 0: nothing changes.
        onset: (n,) The first cell from which on it has the period.
        holds: (n,) Does it hold at some time from there on?
    """

    period: Column
    onset: Column
    holds: npt.NDArray[np.bool_]


def split_tail(rows: Rows, count: int, first: int, onset: int, period: int) -> AtomTails:
    """The tails of ``count`` atoms, all of which repeat with ``period`` from ``onset`` on.

    Args:
        rows: (n, 3) maximal rows. What they say from ``first`` to a period after ``onset`` counts.
        count: atoms are numbered from 0 to that.
        first: tails begin there at the earliest.
        onset: From here on they repeat.
        period: In cells; 0: nothing changes.

    Cost: O(n log n) for each prime factor of a number of changes.
    """
    if not period:
        return _constant_tails(rows, count, first, onset)
    cycle = clip(rows, onset, onset + period)
    holds = np.zeros(count, np.bool_)
    holds[cycle[:, 0]] = True
    return AtomTails(
        _least_periods(cycle, count, onset, period),
        _onsets(rows, count, first, onset, period),
        holds,
    )


def _constant_tails(rows: Rows, count: int, first: int, onset: int) -> AtomTails:
    """The tails of atoms of which nothing changes behind ``onset``: from the last change on."""
    onsets = np.full(count, first, np.int64)
    for ends in (rows[:, 1], rows[:, 2]):
        inside = (ends > first) & (ends <= onset)
        np.maximum.at(onsets, rows[inside, 0], ends[inside])
    holds = np.zeros(count, np.bool_)
    holds[rows[(rows[:, 1] <= onset) & (rows[:, 2] > onset), 0]] = True
    return AtomTails(np.zeros(count, np.int64), onsets, holds)


def split_constant_tail(parts: Sequence[Rows], first: int, onset: int) -> tuple[list[int], int]:
    """The onsets of atoms of which nothing changes behind ``onset``, and how many hold there.

    One row after the other: for a few, in any number of predicates, that are not numbered. Tails
    begin at ``first`` at the earliest; the onset of atoms whose do is left out.
    """
    last: dict[tuple[int, ...], int] = {}
    holding = 0
    for place, rows in enumerate(parts):
        for *terms, lo, hi in rows.tolist():
            if lo > onset:
                continue
            holding += hi > onset
            change = lo if hi > onset else hi
            atom = (place, *terms)
            if change > last.get(atom, first):
                last[atom] = change
    return list(last.values()), holding


def _onsets(rows: Rows, count: int, first: int, onset: int, turn: int) -> Column:
    """Behind the last cell that differs from the one a turn later."""
    found = np.full(count, first, np.int64)
    if first >= onset:
        return found
    before = clip(rows, first, onset)
    after = clip(rows, first + turn, onset + turn) - (0, turn, turn)
    for different in (subtract(before, after), subtract(after, before)):
        np.maximum.at(found, different[:, 0], different[:, 2])
    return found


def _least_periods(cycle: Rows, count: int, begin: int, turn: int) -> Column:
    """The least period of each atom of which ``cycle`` has the rows of one turn."""
    atom, offset, what = _changes(cycle, count, begin, turn)
    begun = np.bincount(atom[what > 0], minlength=count)
    period = np.where(begun > 0, turn, 0)
    for prime in _primes(np.unique(begun[begun > 1]).tolist()):
        while True:
            # It begins equally often in each repetition; shifts are by whole instants.
            lesser = period // prime
            mine = (period > 0) & (lesser * prime == period) & (lesser % 2 == 0)
            mine &= begun % (turn // np.maximum(lesser, 1)) == 0
            if not mine.any():
                break
            chosen = mine[atom]
            one, other = atom[chosen], what[chosen]
            at = offset[chosen]
            moved = (at + lesser[one]) % turn
            here, there = (np.lexsort((other, times, one)) for times in (at, moved))
            differs = (at[here] != moved[there]) | (other[here] != other[there])
            mine[one[here][differs]] = False
            if not mine.any():
                break
            period = np.where(mine, lesser, period)
    return period


def _changes(cycle: Rows, count: int, begin: int, turn: int) -> tuple[Column, Column, Column]:
    """When atoms begin (1) and cease (0) on the circle of a turn; none if nothing changes."""
    atom, lo, hi = cycle[:, 0], cycle[:, 1] - begin, cycle[:, 2] - begin
    at_begin, at_end = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    at_begin[atom[lo == 0]] = True
    at_end[atom[hi == turn]] = True
    wraps = at_begin & at_end
    begins = ~((lo == 0) & wraps[atom])
    ends = ~((hi == turn) & wraps[atom])
    return (
        np.concatenate([atom[begins], atom[ends]]),
        np.concatenate([lo[begins], hi[ends] % turn]),
        np.repeat(np.array([1, 0]), [np.count_nonzero(begins), np.count_nonzero(ends)]),
    )


def _primes(numbers: list[int]) -> list[int]:
    """The prime factors of some numbers."""
    found: set[int] = set()
    for number in numbers:
        rest, prime = number, 2
        while prime * prime <= rest:
            while rest % prime == 0:
                found.add(prime)
                rest //= prime
            prime += 1
        if rest > 1:
            found.add(rest)
    return sorted(found)


def common_period(periods: list[int]) -> int:
    """The least common multiple of periods, of which 0 is that of constant content."""
    changing = [period for period in periods if period]
    return lcm(*changing) if changing else 0
