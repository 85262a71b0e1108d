# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices, compiled: `Index` as that of `rete.kernels.pure_rows_index`, and one that grows."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

VERSION = 17

cdef enum:
    SMALLEST = 16
    # Positions have 32 bits.
    MOST = 0x7FFFFFFF

cdef int64_t VACANT = -(<int64_t>1 << 62) - 2
"""The end of a row that was moved or dropped: no index enters it."""


cdef object made = np.empty, INT64 = np.dtype(np.int64)


cdef object new_rows(Py_ssize_t n, Py_ssize_t width):
    """A row matrix without content."""
    return made((n, width), INT64)


cdef class Out:
    """A row matrix that grows."""

    def __cinit__(self, Py_ssize_t cap, Py_ssize_t w):
        self.array = new_rows(cap, w)
        self.rows = self.array
        self.n = 0
        self.cap = cap
        self.w = w

    cdef int grow(self) except -1:
        self.cap *= 2
        grown = new_rows(self.cap, self.w)
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
    mostly ends at a head. Positions have 32 bits, so all that takes little room, and half as much
    of it is fetched. Chains are linked both ways: a row is moved, or leaves, at constant cost.

    ``reach`` of a row is the greatest end of it and all older rows of its chain, or more, unless a
    row has ``grown`` in place since: then nothing may be concluded from it. `absorb` makes a row
    whose end it moves the newest of its chain, so it stays right in the index that it is given; the
    positions of such rows are added to ``moved``, for `renew` of the others.
    """

    def __cinit__(self, cols):
        self.cols = cols
        self.key = cols
        self.n = 0
        self.grown = False
        self.moved = []
        self.heads = np.empty(2 * SMALLEST, np.int32)
        memset(&self.heads[0], 255, 2 * SMALLEST * sizeof(int32_t))  # all -1
        self.make_links(SMALLEST)

    cdef int make_links(self, Py_ssize_t count) except -1:
        """Room for the links of ``count`` rows, without content."""
        self.room = new_rows(count, sizeof(Link) // sizeof(int64_t))
        self.links = <Link*>&self.room[0, 0]
        return 0

    cdef int reserve(self, const int64_t[:, ::1] store, Py_ssize_t total) except -1:
        """Room for ``total`` rows; the chains are made anew when the heads are too few."""
        cdef Py_ssize_t size
        bound(total)
        cdef int64_t[:, ::1] room = self.room
        if total > room.shape[0]:
            self.make_links(max(total + total // 8, 2 * room.shape[0]))  # there will be some more
            memcpy(self.links, &room[0, 0], self.n * sizeof(Link))
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
        cdef int64_t older
        for begin in range(self.n, stop, AHEAD):
            end = min(begin + AHEAD, stop)
            for i in range(begin, end):
                slot = key_hash(&store[i, 0], key, k) & mask
                slots[i - begin] = slot
                prefetch(&self.heads[slot])
            for i in range(begin, end):
                older = self.heads[slots[i - begin]]
                if older >= 0:
                    prefetch(&self.links[older])
            for i in range(begin, end):
                if store[i, store.shape[1] - 1] == VACANT:
                    self.links[i].newer = IS_LOOSE
                else:
                    self.chain(i, slots[i - begin], store[i, store.shape[1] - 1])
        self.n = stop
        return 0

    def extend(self, const int64_t[:, ::1] store, Py_ssize_t stop):
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        self.reserve(store, stop)
        self.enter(store, stop)

    def renew(self, const int64_t[:, ::1] store, const int64_t[::1] moved):
        """Follow rows of ``store``, at positions ``moved``, whose ends have moved."""
        cdef Py_ssize_t i, k = self.key.shape[0], hi = store.shape[1] - 1
        cdef uint64_t mask = <uint64_t>self.heads.shape[0] - 1
        cdef int64_t r
        for i in range(moved.shape[0]):
            r = moved[i]
            if r < self.n:
                self.chain_anew(r, key_hash(&store[r, 0], places(self.key), k) & mask, store[r, hi])

    def rebuild(self, const int64_t[:, ::1] store, Py_ssize_t n):
        """Index the first ``n`` rows of ``store``, and nothing else; gives back memory."""
        cdef Py_ssize_t size = SMALLEST
        bound(n)
        while size < n:
            size *= 2
        if 2 * size <= self.heads.shape[0] <= 16 * size and n <= self.room.shape[0]:
            memset(&self.heads[0], 255, self.heads.shape[0] * sizeof(int32_t))  # all -1
        else:
            self.heads = np.full(2 * size, -1, np.int32)
            self.make_links(size)
        self.n = 0
        self.grown = False
        self.enter(store, n)

    cdef void close_up(self, const int64_t[:, ::1] store, Py_ssize_t begin, Py_ssize_t end,
                       Py_ssize_t to, const uint8_t[::1] alive) noexcept:
        """Follow `compact`, ahead of it."""
        cdef Py_ssize_t stop = min(end, self.n), hi = store.shape[1] - 1, r, some, nk
        cdef uint64_t mask = <uint64_t>self.heads.shape[0] - 1
        cdef const int64_t* key = places(self.key)
        if self.n < begin:
            return
        nk = self.key.shape[0]
        for some in range(begin, stop, AHEAD):
            for r in range(some, min(some + AHEAD, stop)):
                if self.links[r].newer >= 0:
                    prefetch(&self.links[self.links[r].newer])
                elif self.links[r].newer == IS_HEAD:
                    prefetch(&self.heads[key_hash(&store[r, 0], key, nk) & mask])
            for r in range(some, min(some + AHEAD, stop)):
                if not alive[r - begin]:
                    self.leave(r, &store[r, 0])
                    continue
                if to != r:
                    self.move(r, to, &store[r, 0], store[r, hi])
                to += 1
        if self.n <= end:  # what comes behind has not been entered
            self.n = to

    @property
    def older(self):
        """The next older row of the chain of each row; -1: none."""
        return np.asarray(self.room).view(np.int32)[:, 0]

    @property
    def reach(self):
        """How far each row and the older ones of its chain reach."""
        return np.asarray(self.room)[:, 1]

    @property
    def nbytes(self):
        """Bytes of the arrays."""
        return 4 * self.heads.shape[0] + sizeof(Link) * self.room.shape[0]


def compact(int64_t[:, ::1] store, indexes, levels, Py_ssize_t begin, Py_ssize_t end,
            Py_ssize_t to, alive):
    """Move the rows from ``begin`` to ``end`` that are alive to ``to`` and on; where that ends."""
    cdef Py_ssize_t w = store.shape[1], r
    cdef int64_t[::1] kept
    cdef const uint8_t[::1] lives = alive.view(np.uint8)
    cdef Index index
    for index in indexes:
        if begin or index.n > end:
            index.close_up(store, begin, end, to, lives)
    if levels is not None:
        kept = levels
    for r in range(begin, end):
        if lives[r - begin]:
            if to == r:
                to += 1
                continue
            memcpy(&store[to, 0], &store[r, 0], w * sizeof(int64_t))
            if levels is not None:
                kept[to] = kept[r]
            to += 1
        store[r, w - 2] = 0
        store[r, w - 1] = VACANT
    for index in indexes:
        if not begin and index.n <= end:  # all at once: what is dropped need not be looked up
            index.rebuild(store, to if index.n else 0)
    return to
