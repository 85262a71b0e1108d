# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices, compiled: `Index` as that of `rete.kernels.pure_rows`, and one that grows."""

import numpy as np

from libc.string cimport memset

VERSION = 6

cdef enum:
    SMALLEST = 16


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


cdef class Index:
    """A hash index from the key of a row to its positions, newest first: heads and chains.

    ``reach`` of a row is the greatest end of it and all older rows of its chain, or more, unless a
    row has ``grown`` in place since: then nothing may be concluded from it. `absorb` keeps it so in
    the index that it is given.
    """

    def __cinit__(self, cols):
        self.cols = cols
        self.key = cols
        self.n = 0
        self.grown = False
        cdef int64_t[::1] room = np.empty(3 * SMALLEST, np.int64)
        memset(&room[0], 255, SMALLEST * sizeof(int64_t))  # all -1
        self.heads = room[:SMALLEST]
        self.links = room[SMALLEST : 2 * SMALLEST]
        self.reach = room[2 * SMALLEST :]

    cdef int reserve(self, const int64_t[:, ::1] store, Py_ssize_t total) except -1:
        """Room for ``total`` rows; the chains are made anew when the heads are too few."""
        cdef Py_ssize_t size
        if total > self.links.shape[0]:
            room = max(total + total // 8, 2 * self.links.shape[0])  # there will be some more
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

    def extend(self, const int64_t[:, ::1] store, Py_ssize_t stop):
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        self.reserve(store, stop)
        self.enter(store, stop)

    def rebuild(self, const int64_t[:, ::1] store, Py_ssize_t n):
        """Index the first ``n`` rows of ``store``, and nothing else; gives back memory."""
        cdef Py_ssize_t size = SMALLEST
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
