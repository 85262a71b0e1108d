# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The suspects of one table, as the kernel uses them that goes up the levels."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint64_t

from rete.kernels._support_search cimport _Search
from rete.kernels._rows_index cimport AHEAD, Out

cdef extern from *:
    """
    #define R4_UNKNOWN_LEVEL ((int64_t)1 << 62)
    #define R4_SUSPECT_LEVEL (R4_UNKNOWN_LEVEL + 1)
    """
    const int64_t UNKNOWN_LEVEL "R4_UNKNOWN_LEVEL"
    const int64_t SUSPECT_LEVEL "R4_SUSPECT_LEVEL"

cdef enum:
    EXAMINED = 2


cdef inline int64_t known(int64_t level) noexcept:
    """The level at which a fact is examined: one of unknown level first."""
    return 0 if level == UNKNOWN_LEVEL else level


cdef inline int note(Out out, int64_t first, int64_t second) except -1:
    cdef int64_t* made = out.push()
    made[0] = first
    made[1] = second
    return 0


cdef inline int wait(Out out, int64_t r, int64_t level, const int64_t* top) except -1:
    """A suspect waits for a level; ``top`` is where the row with that level has it, or NULL."""
    cdef int64_t* made = out.push()
    made[0] = r
    made[1] = level
    made[2] = <int64_t>top
    return 0


@cython.final
cdef class SuspectTable:
    # Per row its level, of a suspect `SUSPECT_LEVEL` and one more for each derivation that it has
    # left; and its mark: 1 when it is due, from `EXAMINED` on its place among those just examined.
    cdef int64_t[:, ::1] rows
    cdef int64_t[::1] levels
    cdef uint8_t[::1] marks
    # Rows: due now; with a level: due later, or waiting; stalled until all else is settled; once
    # suspects; and those of them that have a derivation which does not count.
    cdef Out due, later_due, waiting, stalled, suspects, undecided
    cdef _Search search, dependents
    cdef const int64_t[::1] code, begins, dependents_code, dependents_begins, heads
    cdef int64_t[:, ::1] facts, costs
    cdef int64_t[::1] asked, found, later, unsure, counts
    # Per program the hash of a first key for which there is no row, or 0.
    cdef uint64_t[::1] no_rows, no_dependents
    cdef (const int64_t*)[AHEAD] tops
    cdef Py_ssize_t k, n, number

    cdef int put(self, int64_t r, int64_t level, int64_t end) except -1
    cdef object lost(self)
    cdef int go_on(self, int64_t end) except -1
    cdef int ask(self, Py_ssize_t n, int64_t bound, int64_t end) except -1
