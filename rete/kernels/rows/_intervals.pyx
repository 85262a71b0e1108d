# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sets of intervals, compiled: the same functions as `rete.kernels.rows.pure_intervals`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from rete.kernels.rows._index cimport (
    AHEAD, Columns, Index, Matrix, Out, Passed, begin_passing, columns, end_passing, key_hash, matrix,
    mix, new_column, new_out, pass_later, prefetch, row_at, same_terms, store_of,
)

cnp.import_array()

VERSION = 19

cdef enum:
    # An index has room for so many more rows at least.
    SOME = 1024
    # So many pairs of rows are compared sooner than an index is made.
    FEW_PAIRS = 512

cdef int64_t DEAD = -(<int64_t>1 << 62) - 1
"""The end of a row that another took in: before every begin, so nothing meets it."""


cdef struct Met:
    int64_t* rows
    Py_ssize_t n
    Py_ssize_t cap


cdef inline int note(Met* met, int64_t r, Matrix store) except -1:
    """Put row ``r`` among those met, which are in the order of their begins."""
    cdef Py_ssize_t x = met.n, k = store.w - 2
    cdef int64_t* rows
    if met.n == met.cap:
        met.cap = 2 * met.cap + 8
        rows = <int64_t*>realloc(met.rows, met.cap * sizeof(int64_t))
        if rows == NULL:
            raise MemoryError
        met.rows = rows
    while x > 0 and row_at(store, met.rows[x - 1])[k] > row_at(store, r)[k]:
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
                    kept[k] = 0
                    kept[k + 1] = DEAD
            if at < hi:
                piece(out, row, k, at, hi)
                at = hi
            kept = row_at(store, oldest)
            kept[k] = lo
            if at > kept[k + 1]:
                kept[k + 1] = at
                index.chain_anew(oldest, slot, at)
                index.moved.append(oldest)
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
            h = 0
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
                    kept[k + 1] = DEAD
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
        if out.row(r)[k + 1] != DEAD:
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
            index.moved.append(r)
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
                    kept[k] = 0
                    kept[k + 1] = DEAD
                if alone:  # no other row has any of it
                    break
            r = index.links[r].older
            if r >= 0 and index.links[r].reach <= lo:
                break
    index.n = n
    return n


def uncovered(given, given_key, kept_rows, Py_ssize_t limit, Index index not None):
    """The pieces of ``given`` that none of the first ``limit`` stored rows covers: it, if that is all."""
    return left(given, columns(given_key), matrix(kept_rows), limit, index)


def difference(given, others):
    """The pieces of ``given`` that no row of ``others`` covers, as far as terms agree."""
    cdef Matrix delta = matrix(given), store = matrix(others)
    cdef Columns key = Columns(NULL, store.w - 2)
    cdef Index index = None
    if not delta.n or not store.n:
        return given
    if delta.n * store.n > FEW_PAIRS:
        positions = np.arange(key.n)
        key = columns(positions)
        index = Index(positions)
        index.reserve(store, store.n)
        index.enter(store, store.n)
    return left(given, key, store, store.n, index)


cdef object left(object given, Columns mine, Matrix store, Py_ssize_t limit, Index index):
    """The pieces that none of the first ``limit`` stored rows covers.

    Without an ``index``, as many terms agree, from the first, as there are in the key.
    """
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, sk = store.w - 2
    cdef Py_ssize_t i, j, c, nk = mine.n
    cdef int64_t r, at, hi
    cdef Met met = Met(NULL, 0, 0)
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = mine.at
    cdef const int64_t* other = NULL
    cdef bint same, early = index is not None and not index.grown
    cdef int64_t[AHEAD] firsts
    cdef Out out = None  # while all is left of each row
    if index is not None:
        other = index.key.at
    try:
        for i in range(m):
            row = row_at(delta, i)
            at = row[k]
            hi = row[k + 1]
            met.n = 0
            if index is None:
                r = limit - 1
            else:
                if i % AHEAD == 0:
                    index.look_up(delta, i, key, store, firsts)
                r = firsts[i % AHEAD]
            while r >= 0:
                kept = row_at(store, r)
                if r < limit and kept[sk] < hi and kept[sk + 1] > at:
                    if index is None:
                        same = same_terms(row, kept, nk)
                    else:
                        same = True
                        for c in range(nk):
                            if row[key[c]] != kept[other[c]]:
                                same = False
                                break
                    if same:  # what is left of the row is shorter, or has a gap
                        if kept[sk] <= at:
                            at = kept[sk + 1]
                        elif kept[sk + 1] >= hi:
                            hi = kept[sk]
                        else:
                            note(&met, r, store)
                        if at >= hi:
                            break
                if index is None:
                    r -= 1
                    continue
                r = index.links[r].older
                if early and r >= 0 and index.links[r].reach <= at:
                    break
            if out is None:
                if row[k] == at < hi == row[k + 1] and not met.n:
                    continue
                out = new_out(m + 8, w)
                out.n = i
                memcpy(out.cells, delta.cells, i * w * sizeof(int64_t))
            if at >= hi:
                continue
            for j in range(met.n):
                kept = row_at(store, met.rows[j])
                if kept[sk] >= hi:
                    break
                if kept[sk] > at:
                    piece(out, row, k, at, kept[sk])
                if kept[sk + 1] > at:
                    at = kept[sk + 1]
            if at < hi:
                piece(out, row, k, at, hi)
    finally:
        free(met.rows)
    return given if out is None else out.done()


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
            h = 0
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
