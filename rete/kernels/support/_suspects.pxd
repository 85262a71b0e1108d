# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The suspects of one table, as the kernel uses them that goes up the levels."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint64_t

from rete.kernels.support._search cimport SUSPECT_LEVEL, _Search
from rete.kernels.rows._matrix cimport AHEAD, Out
from rete.kernels.rows._store cimport UNKNOWN_LEVEL, FactStore, Store

cdef enum:
    EXAMINED = 2
    # So many bits of a level are below its round.
    ROUND_BITS = 20


cdef inline int64_t known(int64_t level) noexcept:
    """The level at which a fact is examined: one of unknown level first."""
    return 0 if level == UNKNOWN_LEVEL else level


cdef inline int note(Out out, int64_t first, int64_t second) except -1:
    cdef int64_t* made = out.push()
    made[0] = first
    made[1] = second
    return 0


@cython.final
cdef class SuspectTable:
    # Per row its level, of a suspect `SUSPECT_LEVEL` and one more for each derivation that it has
    # left; and its mark: 1 when it is due, from `EXAMINED` on its place among those just examined.
    cdef FactStore stored
    cdef const Store* store
    cdef uint8_t[::1] marks
    # Rows: due now; waiting for this round; once suspects; and those of them that have a derivation
    # which does not count.
    cdef Out due, waiting, suspects, undecided
    # What is due or waits in later rounds, by round; a heap of these; and the one used last.
    cdef dict to_come
    cdef list rounds
    cdef int64_t last_round
    cdef Out last
    cdef _Search search, dependents
    cdef const int64_t[::1] code, begins, dependents_code, dependents_begins, heads
    cdef int64_t[:, ::1] facts, costs
    cdef int64_t[AHEAD] asked, found, later, unsure, counts
    # Per program the hash of a first key for which there is no row, or 0.
    cdef uint64_t[::1] no_rows, no_dependents
    cdef (const int64_t*)[AHEAD] tops
    cdef Py_ssize_t k, number

    cdef inline int64_t* level(self, int64_t r) noexcept:
        """Where the level of a row stands."""
        return &self.store.levels[r]

    cdef inline uint8_t* mark(self, int64_t r) noexcept:
        """Where the mark of a row stands."""
        return &self.marks[r - self.store.first]

    cdef Out at_round(self, int64_t level)
    cdef int put(self, int64_t r, int64_t level, int64_t end) except -1
    cdef int wait(self, int64_t r, int64_t level, const int64_t* top, int64_t end) except -1
    cdef object lost(self)
    cdef int go_on(self, int64_t round) except -1
    cdef int ask(self, Py_ssize_t n, int64_t bound, int64_t end) except -1
