# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Stored rows that a row meets, and pieces of it: what kernels on sets of intervals share."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport VACANT, Out, Time, same_terms
from rete.kernels.rows._store cimport (
    FactStore, Keyed, Store, after_in, older_in, row_of, slot_of, time_at, time_in,
)


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


cdef inline int find_touching(FactStore store, Keyed* keyed, const int64_t* row, uint64_t h,
                              Met* met) except -1:
    """The stored rows with the terms of ``row`` whose time meets or touches its own.

    ``h`` is the hash of its terms; rows that are vacant leave the chain on the way.
    """
    cdef const Store* s = &store.s
    cdef Py_ssize_t k = s.w
    cdef int64_t lo = row[k], hi = row[k + 1], r, next
    cdef int32_t* link = &keyed.head[slot_of(keyed, h)]
    cdef const int32_t* kept
    cdef Time time
    met.n = 0
    r = link[0]
    while r >= s.first:
        kept = row_of(s, r)
        time = time_in(s, kept)
        next = older_in(keyed, kept)
        if time.hi == VACANT:
            link[0] = <int32_t>next
            r = next
            continue
        if time.lo > hi or time.hi < lo:
            keyed.useless += time.hi < lo
        elif same_terms(kept, row, k):
            note(met, r, s)
            if time.lo <= lo and time.hi >= hi:
                break  # no other row meets it
        if keyed.reach != NULL and keyed.reach[r] < lo:
            break
        link = &row_of(s, r)[keyed.link]
        r = next
    return 0


cdef inline int unite(FactStore store, Keyed* keyed, const int64_t* row, Met* met, Out out) except -1:
    """Let the oldest of the rows that ``row`` touches have all of their time; what that gains.

    Others of them become vacant.
    """
    cdef const Store* s = &store.s
    cdef Py_ssize_t k = s.w, j
    cdef int64_t at = row[k], hi = row[k + 1], oldest = met.rows[0]
    cdef int64_t lo = min(at, time_at(s, oldest).lo)
    cdef Time time
    for j in range(1, met.n):
        if met.rows[j] < oldest:
            oldest = met.rows[j]
    for j in range(met.n):
        time = time_at(s, met.rows[j])
        if time.lo > at:
            piece(out, row, k, at, time.lo)
        if time.hi > at:
            at = time.hi
        if met.rows[j] != oldest:
            store.vacate(met.rows[j])
    if at < hi:
        piece(out, row, k, at, hi)
        at = hi
    time = time_at(s, oldest)
    if lo < time.lo or at > time.hi:
        store.set_time(oldest, lo, max(at, time.hi))
        if at > time.hi:
            store.follow_growth(keyed, oldest, at)
    return 0


cdef enum:
    # How a row that is looked for has a time: it begins there, ends there, or holds there.
    BEGINS_AT = 0
    ENDS_AT = 1
    COVERS = 2


cdef inline int64_t sought(const Store* s, Keyed* keyed, int64_t r, const int64_t* query,
                           Py_ssize_t mode) noexcept nogil:
    """The newest row of a chain, from ``r`` on, with the terms and the time of a query; -1: none."""
    cdef Py_ssize_t nk = s.w
    cdef int64_t t = query[nk]
    cdef const int32_t* kept
    cdef Time time
    while r >= s.first:
        kept = row_of(s, r)
        time = time_in(s, kept)
        if time.hi < t:
            keyed.useless += 1
        elif time.lo < time.hi and same_terms(kept, query, nk):
            if mode == BEGINS_AT and time.lo == t or mode == ENDS_AT and time.hi == t or (
                    mode == COVERS and time.lo <= t < time.hi):
                return r
        r = after_in(keyed, r, kept, t - 1)
    return -1
