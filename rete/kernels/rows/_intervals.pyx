# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sets of intervals, compiled: the same functions as `rete.kernels.rows.pure_intervals`."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rete.kernels.rows._known cimport unknown_rows
from rete.kernels.rows._matrix cimport (
    AHEAD, SEED, VACANT, Matrix, Out, Time, columns, key_hash, matrix, mix, new_column, new_out,
    row_at, same_terms,
)
from rete.kernels.rows._store cimport (
    FactStore, Index, Keyed, Passed, Store, begun_before, end_passing,
    look_up, older_in, older_than, row_of, slot_of, time_at, time_in,
)

cnp.import_array()

VERSION = 30


cdef enum:
    # Where of so many rows one in so many is new, others are likely to repeat them, too.
    REPEATED = 1024
    REPEATS = 2


cdef Matrix rows_for(FactStore store, object given) except *:
    """Rows as wide as those of a store."""
    cdef Matrix rows = matrix(given)
    if rows.w != store.s.w + 2:
        raise ValueError(f"rows of {rows.w} columns, not of {store.s.w + 2}")
    return rows


def absorb(Index index not None, given):
    """Unite ``given`` with a store of maximal intervals; what the union gains."""
    cdef FactStore store = index.store
    cdef const Store* s = &store.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix delta = rows_for(store, given)
    cdef Py_ssize_t m = delta.n, asked = m, w = delta.w, i
    cdef int64_t begun
    cdef Met met = Met(NULL, 0, 0)
    cdef uint64_t h
    cdef const int64_t* row
    cdef const int64_t* key = keyed.key
    cdef int64_t[AHEAD] firsts
    cdef Out out = None  # while each row of ``delta`` is a gain
    if store.knows():
        given = unknown_rows(&store.known, delta, new_out(8, w)).done()
        store.known.n = -1  # should not all come in
        delta = matrix(given)
        m = delta.n
    store.catch_up(keyed)
    begun = s.n
    try:
        for i in range(m):
            row = row_at(delta, i)
            if i % AHEAD == 0:
                store.expect(keyed, s.n - begun, i, m)
                look_up(s, keyed, delta, i, key, firsts)
            h = key_hash(row, key, keyed.nk)
            find_touching(store, keyed, row, h, &met)
            if met.n == 0:
                store.push(row)
                store.chain_new(keyed, h)
                if out is not None:
                    memcpy(out.push(), row, w * sizeof(int64_t))
                continue
            if out is None:
                out = new_out(m + 8, w)
                out.n = i
                memcpy(out.cells, delta.cells, i * w * sizeof(int64_t))
            unite(store, keyed, row, &met, out)
    finally:
        free(met.rows)
    store.look_again(keyed, m)
    if store.known.n < 0:
        store.known.n = s.n
    if asked >= REPEATED and REPEATS * (s.n - begun) <= asked:
        store.look_for_repeats()
    return given if out is None else out.done()


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


def absorb_starts(Index index not None, given):
    """Unite ``given`` with a store of one row per (terms, start), its end the greatest."""
    cdef FactStore store = index.store
    cdef const Store* s = &store.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix delta = rows_for(store, given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, i
    cdef int64_t r, begun
    cdef uint64_t h
    cdef Time time
    cdef const int64_t* row
    cdef const int64_t* key = keyed.key
    cdef int64_t[AHEAD] firsts
    cdef Out out = new_out(m + 8, w)
    store.catch_up(keyed)
    begun = s.n
    for i in range(m):
        row = row_at(delta, i)
        if i % AHEAD == 0:
            store.expect(keyed, s.n - begun, i, m)
            look_up(s, keyed, delta, i, key, firsts)
        h = key_hash(row, key, keyed.nk)
        r = keyed.head[slot_of(keyed, h)]
        while r >= s.first:
            time = time_at(s, r)
            if time.lo == row[k] and time.lo < time.hi and same_terms(row_of(s, r), row, k):
                break
            r = older_than(s, keyed, r)
        if r < s.first:
            store.push(row)
            store.chain_new(keyed, h)
        else:
            if time.hi >= row[k + 1]:
                continue
            store.set_time(r, time.lo, row[k + 1])
            store.follow_growth(keyed, r, row[k + 1])
        memcpy(out.push(), row, w * sizeof(int64_t))
    return out.done()


def remove(Index index not None, given):
    """Take the intervals of ``given`` out of a store of maximal intervals."""
    cdef FactStore store = index.store
    cdef const Store* s = &store.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix delta = rows_for(store, given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, i
    cdef int64_t r, lo, hi
    cdef int32_t* link
    cdef const int32_t* kept
    cdef Time time
    cdef uint64_t h
    cdef const int64_t* row
    cdef const int64_t* key = keyed.key
    cdef bint alone
    cdef int64_t[AHEAD] firsts
    store.catch_up(keyed)
    for i in range(m):
        row = row_at(delta, i)
        if i % AHEAD == 0:
            look_up(s, keyed, delta, i, key, firsts)
        lo = row[k]
        hi = row[k + 1]
        h = key_hash(row, key, keyed.nk)
        link = &keyed.head[slot_of(keyed, h)]
        r = link[0]
        while r >= s.first:
            kept = row_of(s, r)
            time = time_in(s, kept)
            if time.hi == VACANT:  # it leaves the chain
                r = older_in(keyed, kept)
                link[0] = <int32_t>r
                continue
            if time.lo >= hi or time.hi <= lo:
                keyed.useless += time.hi <= lo
            elif same_terms(kept, row, k):
                alone = time.lo <= lo and time.hi >= hi
                if time.lo < lo:
                    store.cut(r, time.lo, lo)
                    if time.hi > hi:
                        memcpy(store.scratch, row, k * sizeof(int64_t))
                        store.scratch[k], store.scratch[k + 1] = hi, time.hi
                        store.push(store.scratch)
                        store.chain_new(keyed, h)
                elif time.hi > hi:
                    store.set_time(r, hi, time.hi)
                else:
                    link[0] = <int32_t>older_in(keyed, kept)
                    store.vacate(r)
                    if not alone:
                        r = link[0]
                        continue
                if alone:  # no other row has any of it
                    break
            if keyed.reach != NULL and keyed.reach[r] <= lo:
                break
            link = &row_of(s, r)[keyed.link]  # which may have moved
            r = link[0]
    store.look_again(keyed, m)


def find(asked, Index index not None, Py_ssize_t mode):
    """Per query (terms, time) a row of these terms that begins at, ends at or covers the time."""
    cdef FactStore store = index.store
    cdef const Store* s = &store.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix queries = matrix(asked)
    cdef Py_ssize_t m = queries.n, nk = queries.w - 1, i
    cdef int64_t r, t
    cdef const int64_t* query
    cdef const int64_t* key = keyed.key
    cdef Time time
    cdef Store log  # a copy, which nothing else may change
    cdef Keyed chains
    cdef const int32_t* kept
    answer = new_column(m)
    cdef int64_t* found = <int64_t*>columns(answer).at
    cdef Passed passed = Passed(NULL, 0)
    cdef Py_ssize_t begin
    if nk != s.w:
        raise ValueError(f"questions of {queries.w} columns, not of {s.w + 1}")
    store.catch_up(keyed)
    log, chains = s[0], keyed[0]
    try:
        for i in range(m - 1, -1, -1):
            if i == m - 1 or i % AHEAD == AHEAD - 1:
                begin = i // AHEAD * AHEAD
                # The time of a query stands in for the start, if in the key.
                look_up(s, keyed, queries, begin, key, &found[begin])
            query = row_at(queries, i)
            t = query[nk]
            r = found[i]
            if r >= log.first:
                kept = row_of(&log, r)
                time = time_in(&log, kept)
                if time.lo > t or time.lo >= time.hi:
                    r = begun_before(s, keyed, r, t + 1, m, &passed)
            found[i] = sought(&log, &chains, r, query, mode)
    finally:
        end_passing(&passed)
    keyed.useless = chains.useless
    store.look_again(keyed, m)
    return answer
