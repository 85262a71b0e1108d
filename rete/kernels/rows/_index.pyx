# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices, compiled: `Index` as that of `rete.kernels.rows.pure_index`, and one that grows."""

import os

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

VERSION = 27

cdef enum:
    SMALLEST = 16
    # Positions have 32 bits.
    MOST = 0x7FFFFFFF
    # So many cells are copied sooner than a view of an array is made.
    FEW = 1024
    # Empty matrices of so many columns are made anew.
    WIDE = 16

cnp.import_array()

SEED = <uint64_t>int.from_bytes(os.urandom(8), "little")

cdef list EMPTY = [None] * WIDE
"""Matrices without rows, by their width: many results are one, and nothing can be written to it."""


cdef object new_rows(Py_ssize_t n, Py_ssize_t width):
    """A row matrix without content."""
    cdef cnp.npy_intp[2] shape
    if n == 0 and width < WIDE:
        if EMPTY[width] is None:
            EMPTY[width] = np.empty((0, width), np.int64)
        return EMPTY[width]
    shape[0], shape[1] = n, width
    return cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT64)


cdef object new_column(Py_ssize_t n):
    """A column without content."""
    cdef cnp.npy_intp[1] shape
    shape[0] = n
    return cnp.PyArray_SimpleNew(1, shape, cnp.NPY_INT64)


cdef int refuse(object array) except -1:
    """Kernels take arrays as they are."""
    kind = type(array).__name__
    if cnp.PyArray_Check(array):
        kind = f"{array.ndim} dimensions of {array.dtype}, {array.flags}"
    raise ValueError(f"a kernel takes C-contiguous int64 that it may write to, not {kind}")


cdef class Out:
    """A row matrix that grows: in memory of its own while it has few cells, then in an array."""

    def __dealloc__(self):
        if self.owns:
            free(self.cells)

    cdef int grow(self) except -1:
        grown = new_rows(2 * self.cap, self.w)
        cdef int64_t* cells = matrix(grown).cells
        memcpy(cells, self.cells, self.n * self.w * sizeof(int64_t))
        if self.owns:
            free(self.cells)
        self.owns = False
        self.cap *= 2
        self.array = grown
        self.cells = cells
        return 0

    cdef object done(self):
        if self.n == self.cap and self.array is not None:
            return self.array
        # Whoever keeps a few rows must not keep the room of many.
        if self.array is not None and 2 * self.n + 64 >= self.cap:
            return self.array[: self.n]
        rows = new_rows(self.n, self.w)
        memcpy(matrix(rows).cells, self.cells, self.n * self.w * sizeof(int64_t))
        return rows


cdef Out new_out(Py_ssize_t cap, Py_ssize_t w):
    """Room for so many rows; no constructor, whose arguments would be Python's."""
    cdef Out out = Out.__new__(Out)
    out.n = 0
    out.cap = cap
    out.w = w
    if cap * w > FEW:
        out.array = new_rows(cap, w)
        out.cells = matrix(out.array).cells
        return out
    out.cells = <int64_t*>malloc(cap * w * sizeof(int64_t))
    if out.cells == NULL:
        raise MemoryError
    out.owns = True
    return out


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
    whose end it moves the newest of its chain, so it stays right in the index that it is given. Rows
    that it unites with others, or `remove` takes away, become vacant: they leave that index at once.
    By `notify` the other indexes follow all these.
    """

    def __cinit__(self, cols):
        self.cols = cols
        self.key = columns(cols)
        self.n = 0
        self.grown = False
        self.vacancies = 0
        self.make_heads(2 * SMALLEST)
        self.make_links(SMALLEST)

    cdef int make_heads(self, Py_ssize_t count) except -1:
        """So many heads, a power of 2, of no chain."""
        cdef cnp.npy_intp[1] shape
        shape[0] = count
        self.heads = cnp.PyArray_SimpleNew(1, shape, cnp.NPY_INT32)
        self.head = <int32_t*>cnp.PyArray_DATA(self.heads)
        self.size = count
        memset(self.head, 255, count * sizeof(int32_t))  # all -1
        return 0

    cdef int make_links(self, Py_ssize_t count) except -1:
        """Room for the links of ``count`` rows, without content."""
        self.room = new_rows(count, sizeof(Link) // sizeof(int64_t))
        self.links = <Link*>matrix(self.room).cells
        self.capacity = count
        return 0

    cdef int reserve(self, Matrix store, Py_ssize_t total) except -1:
        """Room for ``total`` rows; the chains are made anew when the heads are too few."""
        cdef Py_ssize_t size
        cdef const Link* links
        bound(total)
        if total > self.capacity:
            room, links = self.room, self.links  # which are kept until they are copied
            self.make_links(max(total + total // 8, 2 * self.capacity))  # there will be some more
            memcpy(self.links, links, self.n * sizeof(Link))
        if 2 * total > self.size:
            size = self.size
            while size < 2 * total:
                size *= 2
            self.make_heads(size)
            size = self.n
            self.n = 0
            self.enter(store, size)
        return 0

    cdef int enter(self, Matrix store, Py_ssize_t stop) except -1:
        cdef Py_ssize_t i, k = self.key.n, last = store.w - 1
        cdef uint64_t mask = <uint64_t>self.size - 1, slot
        cdef const int64_t* key = self.key.at
        cdef uint64_t[AHEAD] slots
        cdef Py_ssize_t begin, end
        cdef int64_t older
        for begin in range(self.n, stop, AHEAD):
            end = min(begin + AHEAD, stop)
            for i in range(begin, end):
                slot = key_hash(row_at(store, i), key, k) & mask
                slots[i - begin] = slot
                prefetch(&self.head[slot])
            for i in range(begin, end):
                older = self.head[slots[i - begin]]
                if older >= 0:
                    prefetch(&self.links[older])
            for i in range(begin, end):
                if row_at(store, i)[last] == VACANT:
                    self.links[i].newer = IS_LOOSE
                else:
                    self.chain(i, slots[i - begin], row_at(store, i)[last])
        self.n = stop
        return 0

    def extend(self, rows, Py_ssize_t stop):
        """Enter the rows of ``rows`` from where the index ends up to ``stop``."""
        cdef Matrix store = matrix(rows)
        self.reserve(store, stop)
        self.enter(store, stop)

    def notify(self, rows, others):
        """Let other indexes follow which rows became vacant, and whose ends moved, since."""
        cdef Out changed = self.changed
        cdef Index other
        if changed is None or not changed.n:
            return
        for other in others:
            if other is not self:
                other.renew(matrix(rows), changed)
        if changed.cap > FEW:
            self.changed = None
        else:
            changed.n = 0

    cdef int renew(self, Matrix store, Out changed) except -1:
        """Follow what became of the rows at some positions."""
        cdef Py_ssize_t i
        cdef uint64_t mask = <uint64_t>self.size - 1
        cdef int64_t r
        cdef const int64_t* row
        for i in range(changed.n):
            r = changed.cells[i]
            if r >= self.n:
                continue
            row = row_at(store, r)
            if row[store.w - 1] == VACANT:
                self.leave(r, row)
            else:
                self.chain_anew(r, key_hash(row, self.key.at, self.key.n) & mask, row[store.w - 1])
        return 0

    def rebuild(self, rows, Py_ssize_t n):
        """Index the first ``n`` rows of ``rows``, and nothing else; gives back memory."""
        cdef Matrix store = matrix(rows)
        cdef Py_ssize_t size = SMALLEST
        bound(n)
        while size < n:
            size *= 2
        if 2 * size <= self.size <= 16 * size and n <= self.capacity:
            memset(self.head, 255, self.size * sizeof(int32_t))  # all -1
        else:
            self.make_heads(2 * size)
            self.make_links(size)
        self.n = 0
        self.grown = False
        self.enter(store, n)

    cdef void close_up(self, Matrix store, Py_ssize_t begin, Py_ssize_t end,
                       Py_ssize_t to, const uint8_t[::1] alive) noexcept:
        """Follow `compact`, ahead of it."""
        cdef Py_ssize_t stop = min(end, self.n), hi = store.w - 1, r, some, nk = self.key.n
        cdef uint64_t mask = <uint64_t>self.size - 1
        cdef const int64_t* key = self.key.at
        if self.n < begin:
            return
        for some in range(begin, stop, AHEAD):
            for r in range(some, min(some + AHEAD, stop)):
                if self.links[r].newer >= 0:
                    prefetch(&self.links[self.links[r].newer])
                elif self.links[r].newer == IS_HEAD:
                    prefetch(&self.head[key_hash(row_at(store, r), key, nk) & mask])
            for r in range(some, min(some + AHEAD, stop)):
                if not alive[r - begin]:
                    self.leave(r, row_at(store, r))
                    continue
                if to != r:
                    self.move(r, to, row_at(store, r), row_at(store, r)[hi])
                to += 1
        if self.n <= end:  # what comes behind has not been entered
            self.n = to

    @property
    def older(self):
        """The next older row of the chain of each row; -1: none."""
        return self.room.view(np.int32)[:, 0]

    @property
    def reach(self):
        """How far each row and the older ones of its chain reach."""
        return self.room[:, 1]

    @property
    def nbytes(self):
        """Bytes of the arrays."""
        return sizeof(int32_t) * self.size + sizeof(Link) * self.capacity


def compact(rows, indexes, levels, Py_ssize_t begin, Py_ssize_t end,
            Py_ssize_t to, alive):
    """Move the rows from ``begin`` to ``end`` that are alive to ``to`` and on; where that ends."""
    cdef Matrix store = store_of(rows)
    cdef Py_ssize_t w = store.w, r
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
            memcpy(row_at(store, to), row_at(store, r), w * sizeof(int64_t))
            if levels is not None:
                kept[to] = kept[r]
            to += 1
        row_at(store, r)[w - 2] = 0
        row_at(store, r)[w - 1] = VACANT
    for index in indexes:
        if not begin and index.n <= end:  # all at once: what is dropped need not be looked up
            index.rebuild(rows, to if index.n else 0)
    return to
