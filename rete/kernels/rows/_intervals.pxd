# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Stored rows that a row meets, and pieces of it: what kernels on sets of intervals share."""

from libc.stdint cimport int64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport Out
from rete.kernels.rows._store cimport Store, time_at


cdef struct Met:
    int64_t* rows
    Py_ssize_t n
    Py_ssize_t cap


cdef inline int note(Met* met, int64_t r, const Store* store) except -1:
    """Put row ``r`` among those met, which are in the order of their begins."""
    cdef Py_ssize_t x = met.n
    cdef int64_t begin = time_at(store, r).lo
    cdef int64_t* rows
    if met.n == met.cap:
        met.cap = 2 * met.cap + 8
        rows = <int64_t*>realloc(met.rows, met.cap * sizeof(int64_t))
        if rows == NULL:
            raise MemoryError
        met.rows = rows
    while x > 0 and time_at(store, met.rows[x - 1]).lo > begin:
        met.rows[x] = met.rows[x - 1]
        x -= 1
    met.rows[x] = r
    met.n += 1
    return 0


cdef inline int piece(Out out, const int64_t* row, Py_ssize_t k, int64_t lo, int64_t hi) except -1:
    """Give out the terms of ``row`` with this time."""
    cdef int64_t* given = out.push()
    memcpy(given, row, k * sizeof(int64_t))
    given[k] = lo
    given[k + 1] = hi
    return 0
