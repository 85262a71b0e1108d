# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What stored rows do not cover of a row, for other compiled kernels."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport realloc

from rete.kernels.rows._matrix cimport NEG_INF, Time
from rete.kernels.rows._metric cimport operated
from rete.kernels.rows._probes cimport Operator
from rete.kernels.rows._store cimport Keyed, Store, agrees_in, older_in, row_of, time_in


# What is left of a row: from ``at`` to ``hi``, but for some times, which are pairs of cells in the
# order of their begins.
cdef struct Rest:
    int64_t at
    int64_t hi
    int64_t* cells
    Py_ssize_t n
    Py_ssize_t cap


cdef inline int cover(Rest* rest, Time time) except -1:
    """What is left gets shorter, or has a gap."""
    cdef Py_ssize_t x = rest.n
    cdef int64_t* cells = rest.cells
    if time.lo <= rest.at:
        rest.at = max(rest.at, time.hi)
        return 0
    if time.hi >= rest.hi:
        rest.hi = min(rest.hi, time.lo)
        return 0
    if x == rest.cap:
        rest.cap = 2 * rest.cap + 8
        cells = <int64_t*>realloc(cells, 2 * rest.cap * sizeof(int64_t))
        if cells == NULL:
            raise MemoryError
        rest.cells = cells
    while x > 0 and cells[2 * x - 2] > time.lo:
        cells[2 * x] = cells[2 * x - 2]
        cells[2 * x + 1] = cells[2 * x - 1]
        x -= 1
    cells[2 * x] = time.lo
    cells[2 * x + 1] = time.hi
    rest.n += 1
    return 0


cdef inline int uncover(Rest* rest, const Store* s, Keyed* keyed, int64_t r, int64_t limit,
                        const int64_t* row, const int64_t* key, const Operator* how,
                        bint is_box) except -1:
    """Take from what is left of ``row`` what those of a chain cover, from ``r`` on before ``limit``.

    They agree with it on ``key``; with ``how`` a box or diamond of them covers it.
    """
    cdef const int32_t* kept
    cdef int64_t reach
    cdef Time theirs
    while r >= s.first:
        kept = row_of(s, r)
        theirs = time_in(s, kept)
        if how != NULL and theirs.lo < theirs.hi:
            theirs = operated(theirs, how, is_box)
        if theirs.lo >= theirs.hi or theirs.lo >= rest.hi or theirs.hi <= rest.at:
            keyed.useless += theirs.hi <= rest.at
        elif r < limit and agrees_in(s, keyed, kept, row, key):
            cover(rest, theirs)
            if rest.at >= rest.hi:
                break
        if keyed.reach != NULL:
            reach = keyed.reach[r]
            if how != NULL:
                reach = operated(Time(NEG_INF, reach), how, is_box).hi
            if reach <= rest.at:
                break
        r = older_in(keyed, kept)
    return 0
