# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How rows that arrive meet stored ones that agree with them: one loop for all that look up."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free

from rete.kernels.rows._index cimport (
    AHEAD, Columns, Index, Matrix, Out, columns, find_firsts, matrix, new_out, new_rows, prefetch,
    room_for, row_at,
)


cdef struct Time:
    int64_t lo
    int64_t hi


cdef struct Operator:
    int64_t r_lo
    int64_t r_hi
    bint future


# The time of a pair, of the own time of a row and that of a stored one: empty where that is.
ctypedef Time (*Common)(Time own, Time stored, const Operator* how) noexcept nogil

# Stored rows that end then or before, or that begin then or later, meet nothing.
ctypedef int64_t (*Latest)(Time asked, Time own, const Operator* how) noexcept nogil
ctypedef int64_t (*Soonest)(Time asked, Time own, const Operator* how) noexcept nogil


cdef inline Time time_of(const int64_t* ends) noexcept nogil:
    return Time(ends[0], ends[1])


cdef inline Time met(Time a, Time b) noexcept nogil:
    cdef Time found
    found.lo = a.lo if a.lo > b.lo else b.lo
    found.hi = a.hi if a.hi < b.hi else b.hi
    return found


cdef inline object pairs(object given, object given_times, object given_key, object kept_rows,
                         Py_ssize_t limit, Index index, object kept_columns, Common common,
                         Latest latest, Soonest soonest, const Operator* how, Py_ssize_t most):
    """Pairs of a delta row and one of the first ``limit`` stored rows that agree.

    And how many delta rows were met: those up to one with which there are ``most`` pairs or more.
    Their times are ``common``, within that of the delta row; ``times`` end with those of its own.
    Rows of one chain that come in the order of time pass what is later in it together, and end
    where all is earlier: so each costs what it meets, not what the chain holds.
    """
    cdef Matrix delta = matrix(given), times = matrix(given_times), store = matrix(kept_rows)
    cdef Columns mine_key = columns(given_key), columns_kept = columns(kept_columns)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, sk = store.w - 2
    cdef Py_ssize_t i, c, nk = mine_key.n, width = columns_kept.n, own = times.w - 2
    cdef const int64_t* key = mine_key.at
    cdef const int64_t* other = index.key.at
    cdef const int64_t* keep = columns_kept.at
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef int64_t* made
    cdef int64_t r, older, least
    cdef Time time, asked, mine, theirs
    cdef bint same, early = not index.grown
    cdef Out out = None
    cdef Py_ssize_t taken = m
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = room_for(m, some)
    try:
        for i in range(m):
            asked = time_of(row_at(delta, i) + k)
            mine = time_of(row_at(times, i) + own)
            firsts[i] = soonest(asked, mine, how)
        find_firsts(index, delta, key, store, firsts)
        for i in range(m):
            row = row_at(delta, i)
            asked = time_of(row + k)
            mine = time_of(row_at(times, i) + own)
            least = latest(asked, mine, how)
            r = firsts[i]
            while r >= 0:
                if early and index.links[r].reach <= least:
                    break
                kept = row_at(store, r)
                older = index.links[r].older
                if older >= 0:
                    prefetch(row_at(store, older))
                theirs = time_of(kept + sk)
                time = met(asked, common(mine, theirs, how))
                if time.lo < time.hi and r < limit:
                    same = True
                    for c in range(nk):
                        if row[key[c]] != kept[other[c]]:
                            same = False
                            break
                    if same:
                        if out is None:
                            out = new_out(m + 8, width + 2)
                        made = out.push()
                        for c in range(width):
                            made[c] = row[keep[c]] if keep[c] >= 0 else kept[~keep[c]]
                        made[width] = time.lo
                        made[width + 1] = time.hi
                r = older
            if out is not None and out.n >= most:
                taken = i + 1
                break
    finally:
        if firsts != some:
            free(firsts)
    return new_rows(0, width + 2) if out is None else out.done(), taken
