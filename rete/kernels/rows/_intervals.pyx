# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sets of intervals, compiled: the same functions as `rete.kernels.rows.pure_intervals`."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rete.kernels.rows._index cimport (
    AHEAD, SEED, VACANT, Index, Matrix, Out, Passed, begin_passing, columns, end_passing, key_hash,
    matrix, mix, new_column, new_out, pass_later, prefetch, row_at, same_terms, store_of,
)

cnp.import_array()

VERSION = 27

cdef enum:
    # An index has room for so many more rows at least.
    SOME = 1024

cdef Py_ssize_t make_room(Index index, Matrix store, Py_ssize_t n, Py_ssize_t new,
                          Py_ssize_t seen, Py_ssize_t m) except -1:
    """Room for the rows after ``m``, if as many are new as of those that were seen: for how many.

    Most of what is derived may be known already: an index with room for all would be mostly empty,
    and each look into it one at memory that is far away.
    """
    cdef Py_ssize_t more = max(SOME, (m - seen) * new // seen if seen else 0)
    cdef Py_ssize_t room = n + min(m - seen, more) + AHEAD
    index.n = n
    index.reserve(store, room)
    return room


def absorb(kept_rows, Py_ssize_t n, Index index not None, given):
    """Unite ``given`` with a store of maximal intervals; what the union gains."""
    cdef Matrix store = store_of(kept_rows), delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2
    cdef Py_ssize_t i, j, nk = index.key.n
    cdef int64_t r, lo, hi, at, oldest
    cdef Met met = Met(NULL, 0, 0)
    cdef int64_t* kept
    cdef uint64_t mask, slot
    cdef const int64_t* row
    cdef const int64_t* key = index.key.at
    cdef int64_t[AHEAD] firsts
    cdef Out out = None  # while each row of ``delta`` is a gain
    cdef Py_ssize_t begun = n, room = 0
    try:
        for i in range(m):
            row = row_at(delta, i)
            if i % AHEAD == 0:
                if n + AHEAD > room:
                    room = make_room(index, store, n, n - begun, i, m)
                    mask = <uint64_t>index.size - 1
                index.look_up(delta, i, key, store, firsts)
            lo = row[k]
            hi = row[k + 1]
            slot = key_hash(row, key, nk) & mask
            met.n = 0
            r = index.head[slot]
            while r >= 0:
                kept = row_at(store, r)
                if kept[k] <= hi and kept[k + 1] >= lo and same_terms(kept, row, k):
                    note(&met, r, store)
                r = index.links[r].older
                if r >= 0 and index.links[r].reach < lo:
                    break
            if met.n == 0:
                memcpy(row_at(store, n), row, w * sizeof(int64_t))
                index.chain(n, slot, hi)
                n += 1
                if out is not None:
                    memcpy(out.push(), row, w * sizeof(int64_t))
                continue
            if out is None:
                out = new_out(m + 8, w)
                out.n = i
                memcpy(out.cells, delta.cells, i * w * sizeof(int64_t))
            at = lo
            oldest = met.rows[0]
            for j in range(1, met.n):
                if met.rows[j] < oldest:
                    oldest = met.rows[j]
            lo = min(lo, row_at(store, met.rows[0])[k])
            for j in range(met.n):
                kept = row_at(store, met.rows[j])
                if kept[k] > at:
                    piece(out, row, k, at, kept[k])
                if kept[k + 1] > at:
                    at = kept[k + 1]
                if met.rows[j] != oldest:
                    index.vacate(store, met.rows[j])
            if at < hi:
                piece(out, row, k, at, hi)
                at = hi
            kept = row_at(store, oldest)
            kept[k] = lo
            if at > kept[k + 1]:
                kept[k + 1] = at
                index.chain_anew(oldest, slot, at)
                index.note(oldest)
    finally:
        free(met.rows)
    index.n = n
    return given if out is None else out.done(), n


def united(given):
    """The maximal intervals of ``given``, in the order of the oldest of each; it, if it is that."""
    cdef Matrix rows = matrix(given)
    cdef Py_ssize_t m = rows.n, w = rows.w, k = w - 2, n = 0, i, c
    cdef uint64_t mask = 15, h, slot
    cdef const int64_t* row
    cdef const int64_t* store = rows.cells
    cdef int64_t* kept
    cdef int64_t* heads
    cdef int64_t* links
    cdef int64_t* reach
    cdef int64_t r, lo, hi, begin, oldest
    cdef Out out = None
    if m < 2:
        return given
    while mask < <uint64_t>m:
        mask = 2 * mask + 1
    heads = <int64_t*>malloc((mask + 1 + 2 * m) * sizeof(int64_t))
    if heads == NULL:
        raise MemoryError
    links = heads + mask + 1
    reach = links + m  # as in an `Index`
    memset(heads, 255, (mask + 1) * sizeof(int64_t))  # all -1
    try:
        for i in range(m):
            row = row_at(rows, i)
            begin = lo = row[k]
            hi = row[k + 1]
            h = SEED
            for c in range(k):
                h = mix(h, row[c])
            slot = (h ^ (h >> 32)) & mask
            oldest = -1
            r = heads[slot]
            while r >= 0 and reach[r] >= begin:
                if store[r * w + k] <= hi and store[r * w + k + 1] >= lo and same_terms(
                        store + r * w, row, k):
                    if out is None:  # up to here they were that
                        out = new_out(m, w)
                        store = out.cells
                        memcpy(out.cells, rows.cells, i * w * sizeof(int64_t))
                    oldest = r if oldest < 0 else min(oldest, r)
                    kept = out.row(r)
                    lo = min(lo, kept[k])
                    hi = max(hi, kept[k + 1])
                    kept[k + 1] = VACANT
                r = links[r]
            if oldest < 0:
                if out is not None:
                    memcpy(out.row(n), row, w * sizeof(int64_t))
                r = heads[slot]
                links[n] = r
                reach[n] = max(hi, reach[r]) if r >= 0 else hi
                heads[slot] = n
                n += 1
            else:
                out.row(oldest)[k] = lo
                out.row(oldest)[k + 1] = hi
                r = heads[slot]
                while r >= oldest:
                    reach[r] = max(hi, reach[r])
                    r = links[r]
    finally:
        free(heads)
    if out is None:
        return given
    for r in range(n):
        if out.row(r)[k + 1] != VACANT:
            if out.n != r:
                memcpy(out.row(out.n), out.row(r), w * sizeof(int64_t))
            out.n += 1
    return out.done()


def absorb_starts(kept_rows, Py_ssize_t n, Index index not None, given):
    """Unite ``given`` with a store of one row per (terms, start), its end the greatest."""
    cdef Matrix store = store_of(kept_rows), delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, i
    cdef Py_ssize_t nk = index.key.n
    cdef int64_t r
    cdef int64_t* kept
    cdef uint64_t mask, slot
    cdef const int64_t* row
    cdef const int64_t* key = index.key.at
    cdef int64_t[AHEAD] firsts
    cdef Out out = new_out(m + 8, w)
    cdef Py_ssize_t begun = n, room = 0
    for i in range(m):
        row = row_at(delta, i)
        if i % AHEAD == 0:
            if n + AHEAD > room:
                room = make_room(index, store, n, n - begun, i, m)
                mask = <uint64_t>index.size - 1
            index.look_up(delta, i, key, store, firsts)
        slot = key_hash(row, key, nk) & mask
        r = index.head[slot]
        while r >= 0 and not same_terms(row_at(store, r), row, k + 1):
            r = index.links[r].older
        if r < 0:
            memcpy(row_at(store, n), row, w * sizeof(int64_t))
            index.chain(n, slot, row[k + 1])
            n += 1
        else:
            kept = row_at(store, r)
            if kept[k + 1] >= row[k + 1]:
                continue
            kept[k + 1] = row[k + 1]
            index.chain_anew(r, slot, row[k + 1])
            index.note(r)
        memcpy(out.push(), row, w * sizeof(int64_t))
    index.n = n
    return out.done(), n


def remove(kept_rows, Py_ssize_t n, Index index not None, given):
    """Take the intervals of ``given`` out of a store of maximal intervals; how many rows it has."""
    cdef Matrix store = store_of(kept_rows), delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, i
    cdef Py_ssize_t nk = index.key.n
    cdef int64_t r, lo, hi, end
    cdef int64_t* kept
    cdef uint64_t mask
    cdef const int64_t* row
    cdef const int64_t* key = index.key.at
    cdef bint alone
    cdef int64_t[AHEAD] firsts
    index.reserve(store, n)
    mask = <uint64_t>index.size - 1
    for i in range(m):
        row = row_at(delta, i)
        if i % AHEAD == 0:
            index.look_up(delta, i, key, store, firsts)
        lo = row[k]
        hi = row[k + 1]
        r = index.head[key_hash(row, key, nk) & mask]
        while r >= 0:
            kept = row_at(store, r)
            if kept[k] < hi and kept[k + 1] > lo and same_terms(kept, row, k):
                alone = kept[k] <= lo and kept[k + 1] >= hi
                if kept[k] < lo:
                    end = kept[k + 1]
                    kept[k + 1] = lo
                    if end > hi:
                        kept = row_at(store, n)
                        memcpy(kept, row, w * sizeof(int64_t))
                        kept[k] = hi
                        kept[k + 1] = end
                        index.n = n
                        index.reserve(store, n + 1)  # few rows keep both ends: it grows for those
                        mask = <uint64_t>index.size - 1
                        index.chain(n, key_hash(row, key, nk) & mask, end)
                        n += 1
                elif kept[k + 1] > hi:
                    kept[k] = hi
                else:
                    index.vacate(store, r)
                if alone:  # no other row has any of it
                    break
            r = index.links[r].older
            if r >= 0 and index.links[r].reach <= lo:
                break
    index.n = n
    return n


def find(asked, kept_rows, Index index not None, Py_ssize_t mode):
    """Per query (terms, time) a row of these terms that begins at, ends at or covers the time."""
    cdef Matrix queries = matrix(asked), store = matrix(kept_rows)
    cdef Py_ssize_t m = queries.n, nk = queries.w - 1, i
    cdef Py_ssize_t k = store.w - 2, ik = index.key.n, c
    cdef int64_t r, t
    cdef uint64_t mask = <uint64_t>index.size - 1, h
    cdef const int64_t* query
    cdef const int64_t* kept
    answer = new_column(m)
    cdef int64_t* found = <int64_t*>columns(answer).at
    cdef int64_t[AHEAD] bounds
    cdef Passed passed
    cdef Py_ssize_t begin = (m - 1) // AHEAD * AHEAD, end
    cdef bint early = not index.grown
    begin_passing(&passed, m)
    while begin >= 0:
        end = min(begin + AHEAD, m)
        for i in range(begin, end):
            h = SEED
            query = row_at(queries, i)
            for c in range(ik):  # the time of a query stands in for the start, if in the key
                h = mix(h, query[nk if index.key.at[c] == k else index.key.at[c]])
            found[i] = (h ^ (h >> 32)) & mask
            prefetch(&index.head[found[i]])
        for i in range(begin, end):
            found[i] = index.head[found[i]]
            if found[i] >= 0:
                prefetch(row_at(store, found[i]))
            bounds[i - begin] = row_at(queries, i)[nk] + 1
        pass_later(index, store, end - begin, bounds, &found[begin], &passed)
        begin -= AHEAD
    end_passing(&passed)
    for i in range(m):
        query = row_at(queries, i)
        t = query[nk]
        r = found[i]
        while r >= 0:
            kept = row_at(store, r)
            if kept[k] < kept[k + 1] and same_terms(kept, query, nk):
                if mode == 0 and kept[k] == t or mode == 1 and kept[k + 1] == t or (
                        mode == 2 and kept[k] <= t < kept[k + 1]):
                    break
            r = index.links[r].older
            if early and r >= 0 and index.links[r].reach < t:
                r = -1
        found[i] = r
    return answer
