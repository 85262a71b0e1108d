# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The suspects of one table, compiled: as `rete.kernels.support.pure_suspects`."""

from heapq import heappop, heappush

import numpy as np

cimport cython
from libc.stdint cimport int32_t, int64_t

from rete.kernels.support._search cimport _Search
from rete.kernels.rows._matrix cimport AHEAD, Out, Time, new_out
from rete.kernels.rows._store cimport FactStore, row_of, time_in

VERSION = 30

cdef enum:
    # Of a row that is due in a later round; one that waits has the address of a level there, or 0.
    IS_DUE = -1


@cython.final
cdef class SuspectTable:
    """A table of the component, the searches that concern it, its suspects, and what is due or waits."""

    def __init__(self, number, FactStore stored not None, search, dependents):
        self.number, self.stored, self.store = number, stored, &stored.s
        stored.keep_levels()
        code, begins, sources, self.costs = search
        self.k = stored.s.w
        self.marks = np.zeros(stored.s.n - stored.s.first, np.uint8)
        self.to_come, self.rounds, self.last_round = {}, [], -1
        self.due, self.waiting = new_out(64, 1), new_out(64, 2)
        self.suspects, self.undecided = new_out(64, 1), new_out(64, 1)
        self.code, self.begins = code, begins
        self.search = _Search(sources, code[0])
        self.facts = np.empty((AHEAD, self.k + 3), np.int64)
        self.no_rows = np.zeros(len(begins) + 1, np.uint64)
        self.search.begin(self.facts, self.code, self.found, self.later, self.unsure, self.counts,
                          self.tops)
        self.search.unknown = UNKNOWN_LEVEL
        self.dependents_code, self.dependents_begins, sources, self.heads = dependents
        self.no_dependents = np.zeros(len(self.dependents_begins) + 1, np.uint64)
        self.dependents = _Search(sources, self.dependents_code[0])
        self.dependents.begin(self.facts, self.dependents_code, self.found, self.later, self.unsure,
                              self.counts, self.tops)
        self.dependents.own_store = self.store
        self.dependents.unknown = SUSPECT_LEVEL

    cdef Out at_round(self, int64_t level):
        """What is due or waits in the round of a level that is to come."""
        if level >> ROUND_BITS != self.last_round:
            self.last_round = level >> ROUND_BITS
            self.last = self.to_come.get(self.last_round)
            if self.last is None:
                self.last = self.to_come[self.last_round] = new_out(16, 2)
                heappush(self.rounds, self.last_round)
        return self.last

    cdef int put(self, int64_t r, int64_t level, int64_t end) except -1:
        """A row is due now, or from the level ``end`` on later."""
        if level < end:
            self.due.push()[0] = r
        else:
            note(self.at_round(level), r, IS_DUE)
        return 0

    cdef int wait(self, int64_t r, int64_t level, const int64_t* top, int64_t end) except -1:
        """A suspect waits for a level; ``top`` is where the row with that level has it, or NULL."""
        return note(self.waiting if level < end else self.at_round(level), r, <int64_t>top)

    cdef object lost(self):
        """The rows that are still suspects, and the undecided ones; their level is unknown now."""
        undecided = self.undecided.done()[:, 0]
        if self.undecided.n:
            undecided = np.unique(undecided)
            undecided = undecided[self.stored.levels_at(undecided) >= SUSPECT_LEVEL]
        found = np.empty(self.suspects.n, np.int64)
        cdef int64_t[::1] out = found
        cdef Py_ssize_t i, n = 0
        cdef int64_t r
        for i in range(self.suspects.n):
            r = self.suspects.row(i)[0]
            if self.level(r)[0] >= SUSPECT_LEVEL:
                self.level(r)[0] = UNKNOWN_LEVEL
                out[n] = r
                n += 1
        return found[:n], undecided

    cdef int go_on(self, int64_t round) except -1:
        """Go on to a round; what was left for it is due, or waits, now."""
        cdef Out later = self.to_come.pop(round, None)
        cdef Py_ssize_t i
        if later is None:
            return 0
        heappop(self.rounds)
        self.last_round = -1
        for i in range(later.n):
            if later.row(i)[1] == IS_DUE:
                self.due.push()[0] = later.row(i)[0]
            else:
                note(self.waiting, later.row(i)[0], later.row(i)[1])
        return 0

    cdef int ask(self, Py_ssize_t n, int64_t bound, int64_t end) except -1:
        """Search for derivations of the first facts of `asked`, below their own levels or ``end``.

        Where none is below, `counts` has how many derivations there are.
        """
        cdef Py_ssize_t i, c, p
        cdef const int32_t* row
        cdef Time time
        cdef int64_t seen
        for i in range(n):
            row = row_of(self.store, self.asked[i])
            time = time_in(self.store, row)
            for c in range(self.k):
                self.facts[i, c] = row[c]
            self.facts[i, self.k] = end if end >= 0 else known(self.level(self.asked[i])[0])
            self.facts[i, self.k + 1] = max(time.lo, bound)
            self.facts[i, self.k + 2] = time.hi
            self.found[i] = -1
            self.later[i] = UNKNOWN_LEVEL
            self.unsure[i] = self.counts[i] = 0
        for p in range(self.begins.shape[0]):
            seen = self.search.seen
            self.costs[p, 1] += self.search.run(&self.code[self.begins[p]], n, &self.no_rows[p])
            self.costs[p, 0] += self.search.seen - seen
        return 0
