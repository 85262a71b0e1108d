# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices, compiled: `Index` as that of `rete.kernels.pure_rows_index`, and one that grows."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

VERSION = 10

cdef enum:
    SMALLEST = 16
    # Positions have 32 bits.
    MOST = 0x7FFFFFFF


cdef class Out:
    """A row matrix that grows."""

    def __cinit__(self, Py_ssize_t cap, Py_ssize_t w):
        self.array = np.empty((cap, w), np.int64)
        self.rows = self.array
        self.n = 0
        self.cap = cap
        self.w = w

    cdef int grow(self) except -1:
        self.cap *= 2
        grown = np.empty((self.cap, self.w), np.int64)
        grown[: self.n] = self.array
        self.array = grown
        self.rows = grown
        return 0

    cdef object done(self):
        # Whoever keeps a few rows must not keep the room of many.
        rows = self.array[: self.n]
        return rows.copy() if 2 * self.n + 64 < self.cap else rows


cdef int bound(Py_ssize_t total) except -1:
    """Refuse so many rows that positions would not tell them apart."""
    if total > MOST:
        raise MemoryError(f"an index has at most {MOST:,} rows")
    return 0


cdef class Index:
    """A hash index from the key of a row to its positions, newest first: heads and chains.

    There are two heads or more for a row: most chains are of one row then, and what is not there
    mostly ends at a head. Positions have 32 bits, so all that takes no more room than one head of
    64 would, and half as much of it is fetched.

    ``reach`` of a row is the greatest end of it and all older rows of its chain, or more, unless a
    row has ``grown`` in place since: then nothing may be concluded from it. `absorb` keeps it so in
    the index that it is given.
    """

    def __cinit__(self, cols):
        self.cols = cols
        self.key = cols
        self.n = 0
        self.grown = False
        cdef int32_t[::1] room = np.empty(3 * SMALLEST, np.int32)
        memset(&room[0], 255, 2 * SMALLEST * sizeof(int32_t))  # all -1
        self.heads = room[: 2 * SMALLEST]
        self.links = room[2 * SMALLEST :]
        self.reach = np.empty(SMALLEST, np.int64)

    cdef int reserve(self, const int64_t[:, ::1] store, Py_ssize_t total) except -1:
        """Room for ``total`` rows; the chains are made anew when the heads are too few."""
        cdef Py_ssize_t size
        bound(total)
        if total > self.links.shape[0]:
            room = max(total + total // 8, 2 * self.links.shape[0])  # there will be some more
            links, reach = np.empty(room, np.int32), np.empty(room, np.int64)
            links[: self.n] = self.links[: self.n]
            reach[: self.n] = self.reach[: self.n]
            self.links, self.reach = links, reach
        if 2 * total > self.heads.shape[0]:
            size = self.heads.shape[0]
            while size < 2 * total:
                size *= 2
            self.heads = np.full(size, -1, np.int32)
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

    def extend(self, const int64_t[:, ::1] store, Py_ssize_t stop):
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        self.reserve(store, stop)
        self.enter(store, stop)

    def rebuild(self, const int64_t[:, ::1] store, Py_ssize_t n):
        """Index the first ``n`` rows of ``store``, and nothing else; gives back memory."""
        cdef Py_ssize_t size = SMALLEST
        bound(n)
        while size < n:
            size *= 2
        if 2 * size <= self.heads.shape[0] <= 16 * size and n <= self.links.shape[0]:
            memset(&self.heads[0], 255, self.heads.shape[0] * sizeof(int32_t))  # all -1
        else:
            self.heads = np.full(2 * size, -1, np.int32)
            self.links = np.empty(size, np.int32)
            self.reach = np.empty(size, np.int64)
        self.n = 0
        self.grown = False
        self.enter(store, n)

    @property
    def nbytes(self):
        """Bytes of the arrays."""
        return 4 * self.heads.shape[0] + (4 + 8) * self.links.shape[0]
