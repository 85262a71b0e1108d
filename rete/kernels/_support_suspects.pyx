# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What is doubtful of one table, compiled: the same as in `rete.kernels.pure_support_suspects`."""

import numpy as np

cimport cython
from libc.stdint cimport int64_t

from rete.kernels._support_search cimport _Search
from rete.kernels._rows_index cimport AHEAD, Out

VERSION = 9


@cython.final
cdef class Doubtful:
    """A table of the component, the questions to it, and what of it is due, waits or is in doubt."""

    def __init__(self, number, rows, Py_ssize_t n, levels, asks, rests):
        self.number, self.n = number, n
        code, begins, sources, self.costs = asks
        self.rows, self.levels = rows, levels
        self.k = self.rows.shape[1] - 2
        self.marks = np.zeros(len(rows), np.uint8)
        self.due, self.later_due, self.waiting = Out(64, 1), Out(64, 2), Out(64, 3)
        self.stalled = Out(64, 1)
        self.doubted = Out(64, 2)
        self.code, self.begins = code, begins
        self.asks = _Search(sources, code[0])
        self.facts = np.empty((AHEAD, self.k + 3), np.int64)
        self.asked, self.found = np.empty(AHEAD, np.int64), np.empty(AHEAD, np.int64)
        self.later, self.unsure = np.empty(AHEAD, np.int64), np.empty(AHEAD, np.int64)
        self.counts = np.empty(AHEAD, np.int64)
        self.nothing = np.zeros(len(begins) + 1, np.uint64)
        self.asks.begin(self.facts, self.code, self.found, self.later, self.unsure, UNKNOWN)
        self.asks.all_counts = &self.counts[0]
        self.asks.all_tops = &self.tops[0]
        self.rests_code, self.rests_begins, sources, self.heads = rests
        self.rests_on_nothing = np.zeros(len(self.rests_begins) + 1, np.uint64)
        self.rests = _Search(sources, self.rests_code[0])
        self.rests.begin(self.facts, self.rests_code, self.found, self.later, self.unsure, UNKNOWN)
        self.rests.limit = END
        self.rests.own_levels = &self.levels[0]
        self.rests.unknown = IN_DOUBT

    cdef int put(self, int64_t r, int64_t level, int64_t end) except -1:
        """A row is due now, or later."""
        if level < end:
            self.due.push()[0] = r
        else:
            note(self.later_due, r, level)
        return 0

    cdef object undo(self):
        """Give all that was in doubt the level that it had."""
        cdef Py_ssize_t i
        for i in range(self.doubted.n - 1, -1, -1):
            self.levels[self.doubted.rows[i, 0]] = self.doubted.rows[i, 1]

    cdef object lost(self):
        """The rows that are in doubt still; their level is not known now."""
        found = np.empty(self.doubted.n, np.int64)
        cdef int64_t[::1] out = found
        cdef Py_ssize_t i, n = 0
        cdef int64_t r
        for i in range(self.doubted.n):
            r = self.doubted.rows[i, 0]
            if self.levels[r] >= IN_DOUBT:
                self.levels[r] = UNKNOWN
                out[n] = r
                n += 1
        return found[:n]

    cdef int go_on(self, int64_t end) except -1:
        """What is below a level is due now."""
        cdef Out later = self.later_due
        cdef Py_ssize_t i
        self.later_due = Out(64, 2)
        for i in range(later.n):
            self.put(later.rows[i, 0], later.rows[i, 1], end)
        return 0

    cdef int ask(self, Py_ssize_t n, int64_t bound, int64_t end) except -1:
        """Ask about the first facts of `asked`, with their own levels or ``end``.

        Where none is below, `counts` has how many derivations there are.
        """
        cdef Py_ssize_t i, c, p
        cdef const int64_t* row
        cdef int64_t seen
        for i in range(n):
            row = &self.rows[self.asked[i], 0]
            for c in range(self.k):
                self.facts[i, c] = row[c]
            self.facts[i, self.k] = end if end >= 0 else known(self.levels[self.asked[i]])
            self.facts[i, self.k + 1] = row[self.k] if row[self.k] > bound else bound
            self.facts[i, self.k + 2] = row[self.k + 1]
            self.found[i] = -1
            self.later[i] = UNKNOWN
            self.unsure[i] = self.counts[i] = 0
        for p in range(self.begins.shape[0]):
            seen = self.asks.seen
            self.costs[p, 1] += self.asks.run(&self.code[self.begins[p]], n, &self.nothing[p])
            self.costs[p, 0] += self.asks.seen - seen
        return 0
