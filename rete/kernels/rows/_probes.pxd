# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How rows that arrive meet stored ones that agree with them: one loop for all that look up."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free

from rete.kernels.rows._matrix cimport (
    AHEAD, Columns, Matrix, Out, Time, columns, matrix, new_out, new_rows, row_at, time_of,
)
from rete.kernels.rows._store cimport (
    FactStore, Index, Keyed, Store, after_in, agrees_in, fetch_row, find_firsts, older_in,
    room_for, row_of, time_in,
)


cdef struct Operator:
    int64_t r_lo
    int64_t r_hi
    bint future


# The time of a pair, of the own time of a row and that of a stored one: empty where that is.
ctypedef Time (*Common)(Time own, Time stored, const Operator* how) noexcept nogil

# Stored rows that end then or before, or that begin then or later, meet nothing.
ctypedef int64_t (*Latest)(Time asked, Time own, const Operator* how) noexcept nogil
ctypedef int64_t (*Soonest)(Time asked, Time own, const Operator* how) noexcept nogil


cdef inline Time met(Time a, Time b) noexcept nogil:
    cdef Time found
    found.lo = a.lo if a.lo > b.lo else b.lo
    found.hi = a.hi if a.hi < b.hi else b.hi
    return found


cdef inline Out meet(Out out, Py_ssize_t room, const Store* s, Keyed* keyed, int64_t r,
                     int64_t limit, const int64_t* row, const int64_t* key, Time asked, Time own,
                     Common common, int64_t least, const Operator* how, const int64_t* keep,
                     Py_ssize_t width):
    """Pairs of ``row`` with those of the chain from ``r`` on that stand before ``limit``.

    ``out`` is None while there is no pair; then it is made with ``room``.
    """
    cdef const int32_t* kept
    cdef int64_t* made
    cdef int64_t older
    cdef Py_ssize_t c
    cdef Time time, theirs
    while r >= s.first:
        kept = row_of(s, r)
        older = after_in(keyed, r, kept, least)
        if older >= s.first:
            fetch_row(s, older)
        theirs = time_in(s, kept)
        time.lo = time.hi = 0
        if theirs.lo < theirs.hi:
            time = met(asked, common(own, theirs, how))
        if time.lo >= time.hi:
            keyed.useless += theirs.hi <= least
        elif r < limit and agrees_in(s, keyed, kept, row, key):
            if out is None:
                out = new_out(room, width + 2)
            made = out.push()
            for c in range(width):
                if keep[c] >= 0:
                    made[c] = row[keep[c]]
                elif ~keep[c] < s.w:
                    made[c] = kept[~keep[c]]
                else:
                    made[c] = theirs.lo if ~keep[c] == s.w else theirs.hi
            made[width] = time.lo
            made[width + 1] = time.hi
        r = older
    return out


cdef inline object pairs(object given, object given_times, object given_key, Index index,
                         int64_t limit, object kept_columns, Common common, Latest latest,
                         Soonest soonest, const Operator* how, Py_ssize_t most):
    """Pairs of a delta row and one of the stored rows before ``limit`` that agree.

    And how many delta rows were met: those up to one with which there are ``most`` pairs or more.
    Their times are ``common``, within that of the delta row; ``times`` end with those of its own.
    Rows of one chain that come in the order of time pass what is later in it together, and end
    where all is earlier, if the index knows: so each costs what it meets, not what the chain holds.
    """
    cdef FactStore stored = index.store
    cdef const Store* s = &stored.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix delta = matrix(given), times = matrix(given_times)
    cdef Columns mine_key = columns(given_key), columns_kept = columns(kept_columns)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, i, width = columns_kept.n, own = times.w - 2
    cdef const int64_t* key = mine_key.at
    cdef const int64_t* keep = columns_kept.at
    cdef const int64_t* row
    cdef Store log  # a copy, which nothing else may change
    cdef Keyed chains
    cdef int64_t least
    cdef Time asked, mine
    cdef Out out = None
    cdef Py_ssize_t taken = m
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = NULL
    if mine_key.n != keyed.nk:
        raise ValueError(f"a key of {mine_key.n} columns, not of {keyed.nk}")
    stored.catch_up(keyed)
    firsts = room_for(m, some)
    try:
        for i in range(m):
            asked = time_of(row_at(delta, i) + k)
            mine = time_of(row_at(times, i) + own)
            firsts[i] = soonest(asked, mine, how)
        find_firsts(s, keyed, delta, key, firsts)
        log, chains = s[0], keyed[0]
        for i in range(m):
            row = row_at(delta, i)
            asked = time_of(row + k)
            mine = time_of(row_at(times, i) + own)
            least = latest(asked, mine, how)
            out = meet(out, m + 8, &log, &chains, firsts[i], limit, row, key, asked, mine,
                       common, least, how, keep, width)
            if out is not None and out.n >= most:
                taken = i + 1
                break
    finally:
        if firsts != some:
            free(firsts)
    if m:
        keyed.useless = chains.useless
    stored.look_again(keyed, m)
    return new_rows(0, width + 2) if out is None else out.done(), taken
