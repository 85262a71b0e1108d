# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Metric kernels, compiled: the same functions as `rete.kernels.pure_metric`, on the same arrays."""

import numpy as np

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

VERSION = 3

cdef int64_t NEG_INF = -(<int64_t>1 << 62)
cdef int64_t POS_INF = <int64_t>1 << 62


cdef struct Time:
    int64_t lo
    int64_t hi


cdef inline uint64_t mix(uint64_t h, int64_t x) noexcept nogil:
    h = (h ^ <uint64_t>x) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef inline uint64_t key_hash(const int64_t* row, const int64_t* cols, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = 0
    cdef Py_ssize_t i
    for i in range(n):
        h = mix(h, row[cols[i]])
    return h ^ (h >> 32)


cdef inline int64_t total(int64_t end, int64_t shift, int64_t excess) noexcept nogil:
    if shift >= POS_INF:
        return POS_INF
    if end <= NEG_INF:
        return NEG_INF
    if end >= POS_INF:
        return POS_INF
    end = end + shift - excess
    if end <= NEG_INF:
        return NEG_INF
    return POS_INF if end >= POS_INF else end


cdef inline Time turned(int64_t lo, int64_t hi, bint future) noexcept nogil:
    cdef Time time
    if future:
        time.lo = NEG_INF if hi >= POS_INF else 1 - hi
        time.hi = POS_INF if lo <= NEG_INF else 1 - lo
    else:
        time.lo = lo
        time.hi = hi
    return time


cdef inline Time dilated(Time time, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time found
    found.lo = total(time.lo, r_lo, time.lo & r_lo & 1)
    found.hi = total(time.hi, r_hi, (time.hi | r_hi) & 1)
    return found


cdef inline Time eroded(Time time, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time found
    if r_hi >= POS_INF:
        found.lo = NEG_INF if time.lo <= NEG_INF else POS_INF
    else:
        found.lo = total(time.lo, r_hi, (time.lo | r_hi) & 1)
    found.hi = total(time.hi, r_lo, time.hi & r_lo & 1)
    if found.lo >= found.hi:
        found.lo = found.hi = 0
    return found


cdef inline Time met(Time a, Time b) noexcept nogil:
    cdef Time found
    found.lo = a.lo if a.lo > b.lo else b.lo
    found.hi = a.hi if a.hi < b.hi else b.hi
    return found


cdef inline Time chained(Time phi, Time psi, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time closed, found
    closed.lo = phi.lo if phi.lo <= NEG_INF else phi.lo & ~<int64_t>1
    closed.hi = phi.hi if phi.hi >= POS_INF else phi.hi | 1
    found = met(closed, psi)
    if found.lo < found.hi:
        found = met(closed, dilated(found, r_lo, r_hi))
    if found.lo >= found.hi:
        found.lo = found.hi = 0
    return found


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


def dilate(const int64_t[:, ::1] rows, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at some distance in the range before, or after, now: a Minkowski sum."""
    cdef Py_ssize_t n = rows.shape[0], w = rows.shape[1], i
    cdef Time time
    array = np.empty((n, w), np.int64)
    cdef int64_t[:, ::1] out = array
    for i in range(n):
        memcpy(&out[i, 0], &rows[i, 0], (w - 2) * sizeof(int64_t))
        time = turned(rows[i, w - 2], rows[i, w - 1], future)
        time = dilated(time, r_lo, r_hi)
        time = turned(time.lo, time.hi, future)
        out[i, w - 2] = time.lo
        out[i, w - 1] = time.hi
    return array


def erode(const int64_t[:, ::1] rows, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at every distance in the range before, or after, now; only rows that did."""
    cdef Py_ssize_t n = rows.shape[0], w = rows.shape[1], i, found = 0
    cdef Time time
    array = np.empty((n, w), np.int64)
    cdef int64_t[:, ::1] out = array
    for i in range(n):
        time = turned(rows[i, w - 2], rows[i, w - 1], future)
        time = eroded(time, r_lo, r_hi)
        time = turned(time.lo, time.hi, future)
        if time.lo < time.hi:
            memcpy(&out[found, 0], &rows[i, 0], (w - 2) * sizeof(int64_t))
            out[found, w - 2] = time.lo
            out[found, w - 1] = time.hi
            found += 1
    return array[:found]


def probe_eroded(const int64_t[:, ::1] delta, const int64_t[::1] delta_key,
                 const int64_t[:, ::1] store, Py_ssize_t limit, object index,
                 const int64_t[::1] keep, int64_t r_lo, int64_t r_hi, bint future):
    """As `rete.kernels._rows.probe`, the stored rows being eroded; they must be maximal."""
    cdef Py_ssize_t m = delta.shape[0], k = delta.shape[1] - 2, sk = store.shape[1] - 2
    cdef Py_ssize_t i, c, nk = delta_key.shape[0], width = keep.shape[0]
    cdef const int64_t[::1] heads = index.heads, links = index.links, reach = index.reach
    cdef const int64_t[::1] cols = index.cols
    cdef uint64_t mask = <uint64_t>heads.shape[0] - 1
    cdef const int64_t* key = &delta_key[0] if nk else NULL
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef int64_t* made
    cdef int64_t r, least
    cdef Time time, asked
    cdef bint same, early = not index.grown
    cdef _Out out = _Out(m + 8, width + 2)
    for i in range(m):
        row = &delta[i, 0]
        asked.lo = row[k]
        asked.hi = row[k + 1]
        # What holds of the box then ends there at the earliest.
        least = total(asked.lo, -r_lo, 2)
        r = heads[key_hash(row, key, nk) & mask]
        while r >= 0:
            if early and reach[r] < least:
                break
            kept = &store[r, 0]
            if r < limit and kept[sk] < kept[sk + 1]:
                same = True
                for c in range(nk):
                    if row[key[c]] != kept[cols[c]]:
                        same = False
                        break
                if same:
                    time = eroded(turned(kept[sk], kept[sk + 1], future), r_lo, r_hi)
                    time = met(turned(time.lo, time.hi, future), asked)
                    if time.lo < time.hi:
                        made = out.push()
                        for c in range(width):
                            made[c] = row[keep[c]] if keep[c] >= 0 else kept[~keep[c]]
                        made[width] = time.lo
                        made[width + 1] = time.hi
            r = links[r]
    return out.done()


def probe_since(const int64_t[:, ::1] delta, const int64_t[:, ::1] times,
                const int64_t[::1] delta_key, const int64_t[:, ::1] store, Py_ssize_t limit,
                object index, const int64_t[::1] keep, int64_t r_lo, int64_t r_hi, bint future,
                bint psi_is_stored):
    """When psi held at a distance in the range, and a maximal interval of phi ever since."""
    cdef Py_ssize_t m = delta.shape[0], k = delta.shape[1] - 2, sk = store.shape[1] - 2
    cdef Py_ssize_t i, c, nk = delta_key.shape[0], width = keep.shape[0]
    cdef const int64_t[::1] heads = index.heads, links = index.links, reach = index.reach
    cdef const int64_t[::1] cols = index.cols
    cdef uint64_t mask = <uint64_t>heads.shape[0] - 1
    cdef const int64_t* key = &delta_key[0] if nk else NULL
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef int64_t* made
    cdef int64_t r, least, far
    cdef Time time, asked, mine, theirs
    cdef bint same, early = not index.grown
    cdef _Out out = _Out(m + 8, width + 2)
    for i in range(m):
        row = &delta[i, 0]
        asked.lo = row[k]
        asked.hi = row[k + 1]
        mine = turned(times[i, 0], times[i, 1], future)
        # The closures of both touch, so what is stored does not end before that.
        least = times[i, 0] if times[i, 0] <= NEG_INF else times[i, 0] - 1
        if psi_is_stored and not future and r_hi < POS_INF:
            far = total(asked.lo, -r_hi, 1)
            least = far if far > least else least
        r = heads[key_hash(row, key, nk) & mask]
        while r >= 0:
            if early and reach[r] < least:
                break
            kept = &store[r, 0]
            if r < limit and kept[sk] < kept[sk + 1]:
                same = True
                for c in range(nk):
                    if row[key[c]] != kept[cols[c]]:
                        same = False
                        break
                if same:
                    theirs = turned(kept[sk], kept[sk + 1], future)
                    if psi_is_stored:
                        time = chained(mine, theirs, r_lo, r_hi)
                    else:
                        time = chained(theirs, mine, r_lo, r_hi)
                    time = met(turned(time.lo, time.hi, future), asked)
                    if time.lo < time.hi:
                        made = out.push()
                        for c in range(width):
                            made[c] = row[keep[c]] if keep[c] >= 0 else kept[~keep[c]]
                        made[width] = time.lo
                        made[width + 1] = time.hi
            r = links[r]
    return out.done()
