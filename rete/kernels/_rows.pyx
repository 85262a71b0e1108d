# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row kernels, compiled: the same functions as `rete.kernels.pure_rows`, on the same arrays."""

import numpy as np

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define r4_prefetch(address) __builtin_prefetch(address)
    #else
    #define r4_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "r4_prefetch"(const void* address) noexcept nogil

VERSION = 3

# So many rows are looked up at a time: their memory is fetched while others are compared.
cdef enum:
    AHEAD = 32


cdef inline uint64_t mix(uint64_t h, int64_t x) noexcept nogil:
    h = (h ^ <uint64_t>x) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef inline uint64_t key_hash(const int64_t* row, const int64_t* cols, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = 0
    cdef Py_ssize_t i
    for i in range(n):
        h = mix(h, row[cols[i]])
    return h ^ (h >> 32)


cdef inline bint same_terms(const int64_t* a, const int64_t* b, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t c
    for c in range(k):
        if a[c] != b[c]:
            return False
    return True


cdef int64_t DEAD = -(<int64_t>1 << 62) - 1
"""The end of a row that another took in: before every begin, so nothing meets it."""


cdef class _Out:
    """A row matrix that grows."""

    cdef object array
    cdef int64_t[:, ::1] rows
    cdef Py_ssize_t n, cap, w

    def __cinit__(self, Py_ssize_t cap, Py_ssize_t w):
        self.array = np.empty((cap, w), np.int64)
        self.rows = self.array
        self.n = 0
        self.cap = cap
        self.w = w

    cdef int64_t* push(self):
        if self.n == self.cap:
            self.cap *= 2
            grown = np.empty((self.cap, self.w), np.int64)
            grown[: self.n] = self.array
            self.array = grown
            self.rows = grown
        self.n += 1
        return &self.rows[self.n - 1, 0]

    cdef object done(self):
        # Whoever keeps a few rows must not keep the room of many.
        rows = self.array[: self.n]
        return rows.copy() if 2 * self.n + 64 < self.cap else rows


cdef class Index:
    """A hash index from the key of a row to its positions, newest first: heads and chains.

    ``reach`` of a row is the greatest end of it and all older rows of its chain, or more, unless a
    row has ``grown`` in place since: then nothing may be concluded from it. `absorb` keeps it so in
    the index that it is given.
    """

    cdef readonly object cols
    cdef const int64_t[::1] key
    cdef readonly int64_t[::1] heads, links, reach
    cdef readonly Py_ssize_t n
    cdef public bint grown

    def __cinit__(self, cols):
        self.cols = cols
        self.key = cols
        self.n = 0
        self.grown = False
        self.heads = np.full(16, -1, np.int64)
        self.links = np.empty(16, np.int64)
        self.reach = np.empty(16, np.int64)

    cdef int reserve(self, const int64_t[:, ::1] store, Py_ssize_t total) except -1:
        """Room for ``total`` rows; the chains are made anew when the heads are too few."""
        cdef Py_ssize_t size
        if total > self.links.shape[0]:
            room = max(total, 2 * self.links.shape[0])
            links, reach = np.empty(room, np.int64), np.empty(room, np.int64)
            links[: self.n] = self.links[: self.n]
            reach[: self.n] = self.reach[: self.n]
            self.links, self.reach = links, reach
        if total > self.heads.shape[0]:
            size = self.heads.shape[0]
            while size < total:
                size *= 2
            self.heads = np.full(size, -1, np.int64)
            size = self.n
            self.n = 0
            self.enter(store, size)
        return 0

    cdef int enter(self, const int64_t[:, ::1] store, Py_ssize_t stop) except -1:
        cdef Py_ssize_t i, k = self.key.shape[0]
        cdef uint64_t mask = <uint64_t>self.heads.shape[0] - 1, slot
        cdef const int64_t* key = &self.key[0] if k else NULL
        cdef uint64_t[AHEAD] slots
        cdef Py_ssize_t begin, end
        for begin in range(self.n, stop, AHEAD):
            end = min(begin + AHEAD, stop)
            for i in range(begin, end):
                slot = key_hash(&store[i, 0], key, k) & mask
                slots[i - begin] = slot
                prefetch(&self.heads[slot])
            for i in range(begin, end):
                self.chain(i, slots[i - begin], store[i, store.shape[1] - 1])
        self.n = stop
        return 0

    cdef inline void chain(self, Py_ssize_t i, uint64_t slot, int64_t hi) noexcept:
        cdef int64_t older = self.heads[slot]
        self.links[i] = older
        self.reach[i] = self.reach[older] if older >= 0 and self.reach[older] > hi else hi
        self.heads[slot] = i

    cdef void look_up(self, const int64_t[:, ::1] delta, Py_ssize_t begin, const int64_t* key,
                      const int64_t[:, ::1] store, int64_t* firsts) noexcept:
        """The newest row of the chain of each delta row from ``begin`` on, `AHEAD` at most."""
        cdef Py_ssize_t i, n = min(AHEAD, delta.shape[0] - begin), nk = self.key.shape[0]
        cdef uint64_t mask = <uint64_t>self.heads.shape[0] - 1
        for i in range(n):
            firsts[i] = key_hash(&delta[begin + i, 0], key, nk) & mask
            prefetch(&self.heads[firsts[i]])
        for i in range(n):
            firsts[i] = self.heads[firsts[i]]
            if firsts[i] >= 0:
                prefetch(&store[firsts[i], 0])
                prefetch(&self.links[firsts[i]])
                prefetch(&self.reach[firsts[i]])

    def extend(self, const int64_t[:, ::1] store, Py_ssize_t stop):
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        self.reserve(store, stop)
        self.enter(store, stop)

    def rebuild(self, const int64_t[:, ::1] store, Py_ssize_t n):
        """Index the first ``n`` rows of ``store``, and nothing else; gives back memory."""
        cdef Py_ssize_t size = 16
        while size < n:
            size *= 2
        if size <= self.heads.shape[0] <= 8 * size and n <= self.links.shape[0]:
            memset(&self.heads[0], 255, self.heads.shape[0] * sizeof(int64_t))  # all -1
        else:
            self.heads = np.full(size, -1, np.int64)
            self.links = np.empty(size, np.int64)
            self.reach = np.empty(size, np.int64)
        self.n = 0
        self.grown = False
        self.enter(store, n)

    @property
    def nbytes(self):
        """Bytes of the arrays."""
        return 8 * (self.heads.shape[0] + 2 * self.links.shape[0])


def absorb(int64_t[:, ::1] store, Py_ssize_t n, Index index, const int64_t[:, ::1] delta):
    """Unite ``delta`` with a store of maximal intervals; what the union gains."""
    cdef Py_ssize_t m = delta.shape[0], w = delta.shape[1], k = w - 2
    cdef Py_ssize_t i, j, x, met_n, met_cap = 0, nk = index.key.shape[0]
    cdef int64_t r, lo, hi, at, oldest
    cdef int64_t* met = NULL
    cdef int64_t* kept
    cdef int64_t* gain
    cdef uint64_t mask, slot
    cdef const int64_t* row
    cdef const int64_t* key = &index.key[0] if nk else NULL
    cdef int64_t[AHEAD] firsts
    cdef _Out out = _Out(m + 8, w)
    index.reserve(store, n + m)
    mask = <uint64_t>index.heads.shape[0] - 1
    try:
        for i in range(m):
            row = &delta[i, 0]
            if i % AHEAD == 0:
                index.look_up(delta, i, key, store, firsts)
            lo = row[k]
            hi = row[k + 1]
            slot = key_hash(row, key, nk) & mask
            met_n = 0
            r = index.heads[slot]
            while r >= 0:
                kept = &store[r, 0]
                if kept[k] <= hi and kept[k + 1] >= lo and same_terms(kept, row, k):
                    if met_n == met_cap:
                        met_cap = 2 * met_cap + 8
                        met = <int64_t*>realloc(met, met_cap * sizeof(int64_t))
                        if met == NULL:
                            raise MemoryError
                    met[met_n] = r
                    met_n += 1
                r = index.links[r]
                if r >= 0 and index.reach[r] < lo:
                    break
            if met_n == 0:
                memcpy(&store[n, 0], row, w * sizeof(int64_t))
                index.chain(n, slot, hi)
                n += 1
                memcpy(out.push(), row, w * sizeof(int64_t))
                continue
            for j in range(1, met_n):
                r = met[j]
                x = j
                while x > 0 and store[met[x - 1], k] > store[r, k]:
                    met[x] = met[x - 1]
                    x -= 1
                met[x] = r
            at = lo
            oldest = met[0]
            for j in range(1, met_n):
                if met[j] < oldest:
                    oldest = met[j]
            if store[met[0], k] < lo:
                lo = store[met[0], k]
            for j in range(met_n):
                kept = &store[met[j], 0]
                if kept[k] > at:
                    gain = out.push()
                    memcpy(gain, row, k * sizeof(int64_t))
                    gain[k] = at
                    gain[k + 1] = kept[k]
                if kept[k + 1] > at:
                    at = kept[k + 1]
                if met[j] != oldest:
                    kept[k] = 0
                    kept[k + 1] = DEAD
            if at < hi:
                gain = out.push()
                memcpy(gain, row, k * sizeof(int64_t))
                gain[k] = at
                gain[k + 1] = hi
                at = hi
            kept = &store[oldest, 0]
            kept[k] = lo
            if at > kept[k + 1]:
                kept[k + 1] = at
                index.grown = True
                r = index.heads[slot]  # here it is known of which rows the reach is more now
                while r >= oldest:
                    if index.reach[r] < at:
                        index.reach[r] = at
                    r = index.links[r]
    finally:
        free(met)
    index.n = n
    return out.done(), n


def absorb_starts(int64_t[:, ::1] store, Py_ssize_t n, Index index,
                  const int64_t[:, ::1] delta):
    """Unite ``delta`` with a store of one row per (terms, start), its end the greatest."""
    cdef Py_ssize_t m = delta.shape[0], w = delta.shape[1], k = w - 2, i
    cdef Py_ssize_t nk = index.key.shape[0]
    cdef int64_t r
    cdef int64_t* kept
    cdef uint64_t mask, slot
    cdef const int64_t* row
    cdef const int64_t* key = &index.key[0] if nk else NULL
    cdef int64_t[AHEAD] firsts
    cdef _Out out = _Out(m + 8, w)
    index.reserve(store, n + m)
    mask = <uint64_t>index.heads.shape[0] - 1
    for i in range(m):
        row = &delta[i, 0]
        if i % AHEAD == 0:
            index.look_up(delta, i, key, store, firsts)
        slot = key_hash(row, key, nk) & mask
        r = index.heads[slot]
        while r >= 0 and not same_terms(&store[r, 0], row, k + 1):
            r = index.links[r]
        if r < 0:
            memcpy(&store[n, 0], row, w * sizeof(int64_t))
            index.chain(n, slot, row[k + 1])
            n += 1
        else:
            kept = &store[r, 0]
            if kept[k + 1] >= row[k + 1]:
                continue
            kept[k + 1] = row[k + 1]
            index.grown = True
        memcpy(out.push(), row, w * sizeof(int64_t))
    index.n = n
    return out.done(), n


def remove(int64_t[:, ::1] store, Py_ssize_t n, Index index, const int64_t[:, ::1] delta):
    """Take the intervals of ``delta`` out of a store of maximal intervals; how many rows it has."""
    cdef Py_ssize_t m = delta.shape[0], w = delta.shape[1], k = w - 2, i
    cdef Py_ssize_t nk = index.key.shape[0]
    cdef int64_t r, lo, hi, end
    cdef int64_t* kept
    cdef uint64_t mask, slot
    cdef const int64_t* row
    cdef const int64_t* key = &index.key[0] if nk else NULL
    cdef int64_t[AHEAD] firsts
    index.reserve(store, n + m)
    mask = <uint64_t>index.heads.shape[0] - 1
    for i in range(m):
        row = &delta[i, 0]
        if i % AHEAD == 0:
            index.look_up(delta, i, key, store, firsts)
        lo = row[k]
        hi = row[k + 1]
        slot = key_hash(row, key, nk) & mask
        r = index.heads[slot]
        while r >= 0:
            kept = &store[r, 0]
            if kept[k] < hi and kept[k + 1] > lo and same_terms(kept, row, k):
                if kept[k] < lo:
                    end = kept[k + 1]
                    kept[k + 1] = lo
                    if end > hi:
                        kept = &store[n, 0]
                        memcpy(kept, row, w * sizeof(int64_t))
                        kept[k] = hi
                        kept[k + 1] = end
                        index.chain(n, slot, end)
                        n += 1
                elif kept[k + 1] > hi:
                    kept[k] = hi
                else:
                    kept[k] = 0
                    kept[k + 1] = DEAD
            r = index.links[r]
            if r >= 0 and index.reach[r] <= lo:
                break
    index.n = n
    return n


def uncovered(const int64_t[:, ::1] delta, const int64_t[::1] delta_key,
              const int64_t[:, ::1] store, Py_ssize_t limit, Index index):
    """The pieces of ``delta`` that none of the first ``limit`` stored rows covers."""
    cdef Py_ssize_t m = delta.shape[0], w = delta.shape[1], k = w - 2, sk = store.shape[1] - 2
    cdef Py_ssize_t i, j, x, c, met_n, met_cap = 0, nk = delta_key.shape[0]
    cdef int64_t r, at, hi
    cdef int64_t* met = NULL
    cdef int64_t* gap
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = &delta_key[0] if nk else NULL
    cdef const int64_t* other = &index.key[0] if nk else NULL
    cdef bint same
    cdef int64_t[AHEAD] firsts
    cdef _Out out = _Out(m + 8, w)
    try:
        for i in range(m):
            row = &delta[i, 0]
            if i % AHEAD == 0:
                index.look_up(delta, i, key, store, firsts)
            at = row[k]
            hi = row[k + 1]
            met_n = 0
            r = firsts[i % AHEAD]
            while r >= 0:
                kept = &store[r, 0]
                if r < limit and kept[sk] < hi and kept[sk + 1] > at:
                    same = True
                    for c in range(nk):
                        if row[key[c]] != kept[other[c]]:
                            same = False
                            break
                    if same:
                        if met_n == met_cap:
                            met_cap = 2 * met_cap + 8
                            met = <int64_t*>realloc(met, met_cap * sizeof(int64_t))
                            if met == NULL:
                                raise MemoryError
                        x = met_n
                        while x > 0 and store[met[x - 1], sk] > kept[sk]:
                            met[x] = met[x - 1]
                            x -= 1
                        met[x] = r
                        met_n += 1
                r = index.links[r]
            for j in range(met_n):
                kept = &store[met[j], 0]
                if kept[sk] > at:
                    gap = out.push()
                    memcpy(gap, row, k * sizeof(int64_t))
                    gap[k] = at
                    gap[k + 1] = kept[sk]
                if kept[sk + 1] > at:
                    at = kept[sk + 1]
            if at < hi:
                gap = out.push()
                memcpy(gap, row, k * sizeof(int64_t))
                gap[k] = at
                gap[k + 1] = hi
    finally:
        free(met)
    return out.done()


def probe(const int64_t[:, ::1] delta, const int64_t[::1] delta_key,
          const int64_t[:, ::1] store, Py_ssize_t limit, Index index, const int64_t[::1] keep):
    """Pairs of a delta row and one of the first ``limit`` stored rows that agree and overlap."""
    cdef Py_ssize_t m = delta.shape[0], k = delta.shape[1] - 2, sk = store.shape[1] - 2
    cdef Py_ssize_t i, c, nk = delta_key.shape[0], width = keep.shape[0]
    cdef int64_t r, older, lo, hi
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = &delta_key[0] if nk else NULL
    cdef const int64_t* other = &index.key[0] if nk else NULL
    cdef int64_t* made
    cdef bint same, early = not index.grown
    cdef int64_t[AHEAD] firsts
    cdef _Out out = _Out(m + 8, width + 2)
    for i in range(m):
        row = &delta[i, 0]
        if i % AHEAD == 0:
            index.look_up(delta, i, key, store, firsts)
        r = firsts[i % AHEAD]
        while r >= 0:
            if early and index.reach[r] <= row[k]:
                break
            kept = &store[r, 0]
            older = index.links[r]
            if older >= 0:
                prefetch(&store[older, 0])
            lo = row[k] if row[k] > kept[sk] else kept[sk]
            hi = row[k + 1] if row[k + 1] < kept[sk + 1] else kept[sk + 1]
            if lo < hi and r < limit:
                same = True
                for c in range(nk):
                    if row[key[c]] != kept[other[c]]:
                        same = False
                        break
                if same:
                    made = out.push()
                    for c in range(width):
                        made[c] = row[keep[c]] if keep[c] >= 0 else kept[~keep[c]]
                    made[width] = lo
                    made[width + 1] = hi
            r = older
    return out.done()


def find(const int64_t[:, ::1] queries, const int64_t[:, ::1] store, Index index, Py_ssize_t mode):
    """Per query (terms, time) a row of these terms that begins at, ends at or covers the time."""
    cdef Py_ssize_t m = queries.shape[0], nk = queries.shape[1] - 1, i
    cdef Py_ssize_t k = store.shape[1] - 2, ik = index.key.shape[0], c
    cdef int64_t r, t
    cdef uint64_t mask = <uint64_t>index.heads.shape[0] - 1, h
    cdef const int64_t* query
    cdef const int64_t* kept
    answer = np.empty(m, np.int64)
    cdef int64_t[::1] found = answer
    cdef int64_t[AHEAD] firsts
    cdef Py_ssize_t x, stop
    cdef bint early = not index.grown
    for i in range(m):
        query = &queries[i, 0]
        t = query[nk]
        if i % AHEAD == 0:
            stop = min(AHEAD, m - i)
            for x in range(stop):
                h = 0
                for c in range(ik):  # the time of a query stands in for the start, if in the key
                    h = mix(h, queries[i + x, nk if index.key[c] == k else index.key[c]])
                firsts[x] = (h ^ (h >> 32)) & mask
                prefetch(&index.heads[firsts[x]])
            for x in range(stop):
                firsts[x] = index.heads[firsts[x]]
                if firsts[x] >= 0:
                    prefetch(&store[firsts[x], 0])
        r = firsts[i % AHEAD]
        while r >= 0:
            kept = &store[r, 0]
            if kept[k] < kept[k + 1] and same_terms(kept, query, nk):
                if mode == 0 and kept[k] == t or mode == 1 and kept[k + 1] == t or (
                        mode == 2 and kept[k] <= t < kept[k + 1]):
                    break
            r = index.links[r]
            if early and r >= 0 and index.reach[r] < t:
                r = -1
        found[i] = r
    return answer


def route(const int64_t[:, ::1] rows, Py_ssize_t first, Py_ssize_t second,
          const int64_t[:, ::1] table, Py_ssize_t masks, int64_t[::1] counts):
    """The classes that rows belong to: touched classes, where each begins, and the rows of each."""
    cdef Py_ssize_t n = rows.shape[0], i, c, used = 0, touched = 0, at
    cdef uint64_t mask = <uint64_t>table.shape[0] - 1, slot
    cdef int64_t a, b, cls
    hits_array = np.empty((2, 4 * n + 1), np.int64)
    cdef int64_t[:, ::1] hits = hits_array
    classes_array = np.empty(min(4 * n, counts.shape[0]) + 1, np.int64)
    cdef int64_t[::1] classes = classes_array
    for i in range(n):
        for c in range(4):
            if not (masks >> c) & 1:
                continue
            a = rows[i, first] if c & 1 else 0
            b = rows[i, second] if c & 2 else 0
            slot = mix(mix(0, a), b) & mask
            while table[slot, 2] >= 0:
                if table[slot, 0] == a and table[slot, 1] == b:
                    cls = table[slot, 2]
                    hits[0, used] = cls
                    hits[1, used] = i
                    used += 1
                    if counts[cls] == 0:
                        classes[touched] = cls
                        touched += 1
                    counts[cls] += 1
                    break
                slot = (slot + 1) & mask
    starts_array = np.empty(touched + 1, np.int64)
    order_array = np.empty(used, np.int64)
    cdef int64_t[::1] starts = starts_array, order = order_array
    at = 0
    for i in range(touched):
        cls = classes[i]
        starts[i] = at
        at += counts[cls]
        counts[cls] = starts[i]
    starts[touched] = at
    for i in range(used):
        cls = hits[0, i]
        order[counts[cls]] = hits[1, i]
        counts[cls] += 1
    for i in range(touched):
        counts[classes[i]] = 0
    return classes_array[:touched], starts_array, order_array


def route_table(const int64_t[:, ::1] keys):
    """The hash table of `route`: rows (first, second, class), class -1 where free."""
    cdef Py_ssize_t size = 8, i
    cdef uint64_t mask, slot
    while size < 2 * keys.shape[0]:
        size *= 2
    table_array = np.full((size, 3), -1, np.int64)
    cdef int64_t[:, ::1] table = table_array
    mask = <uint64_t>size - 1
    for i in range(keys.shape[0]):
        slot = mix(mix(0, keys[i, 0]), keys[i, 1]) & mask
        while table[slot, 2] >= 0:
            slot = (slot + 1) & mask
        table[slot, 0] = keys[i, 0]
        table[slot, 1] = keys[i, 1]
        table[slot, 2] = i
    return table_array


def select(const int64_t[:, ::1] rows, const int64_t[::1] order, Py_ssize_t start, Py_ssize_t stop,
           const int64_t[:, ::1] constants, const int64_t[:, ::1] equal, const int64_t[::1] keep):
    """Rows ``order[start:stop]`` with the constants at their positions and equal columns, projected."""
    cdef Py_ssize_t i, c, width = keep.shape[0], k = rows.shape[1] - 2
    cdef const int64_t* row
    cdef int64_t* made
    cdef bint ok
    cdef Py_ssize_t n = 0
    array = np.empty((stop - start, width + 2), np.int64)
    cdef int64_t[:, ::1] out = array
    for i in range(start, stop):
        row = &rows[order[i], 0]
        ok = True
        for c in range(constants.shape[0]):
            if row[constants[c, 0]] != constants[c, 1]:
                ok = False
        for c in range(equal.shape[0]):
            if row[equal[c, 0]] != row[equal[c, 1]]:
                ok = False
        if not ok:
            continue
        made = &out[n, 0]
        for c in range(width):
            made[c] = row[keep[c]]
        made[width] = row[k]
        made[width + 1] = row[k + 1]
        n += 1
    return array[:n]
