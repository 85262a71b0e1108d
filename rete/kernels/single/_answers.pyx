# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Answers that are pending until a time, one by one: two heaps over rows of one width."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport Out, new_out

VERSION = 30


cdef class AnswerQueue:
    """Gains of answers, until they begin and until they end.

    A row has the terms of a fact, then its time; ``width`` cells at most.
    """

    def __cinit__(self, Py_ssize_t width):
        self.width = width

    def __dealloc__(self):
        free(self.starts.items)
        free(self.ends.items)
        free(self.rows)
        free(self.free_places)

    def __len__(self):
        return self.starts.n + self.ends.n

    cdef int64_t* row(self, int64_t place) noexcept:
        return self.rows + place * self.width

    cdef int make_room(self) except -1:
        """Room for as many rows again."""
        cdef int64_t room = max(2 * self.room, 64), place
        cdef int64_t* rows = <int64_t*>realloc(self.rows, room * self.width * sizeof(int64_t))
        if rows == NULL:
            raise MemoryError
        self.rows = rows
        cdef int64_t* places = <int64_t*>realloc(self.free_places, room * sizeof(int64_t))
        if places == NULL:
            raise MemoryError
        self.free_places = places
        for place in range(room - 1, self.room - 1, -1):
            places[self.free_count] = place
            self.free_count += 1
        self.room = room
        return 0

    cdef int push(self, bint ends, int64_t time, int64_t node, const int64_t* row, Py_ssize_t cells) except -1:
        """Keep a row until ``time``."""
        cdef Heap* heap = &self.ends if ends else &self.starts
        cdef Pending* items
        cdef int64_t i, up
        if heap.n == heap.room:
            items = <Pending*>realloc(heap.items, max(2 * heap.room, 64) * sizeof(Pending))
            if items == NULL:
                raise MemoryError
            heap.items, heap.room = items, max(2 * heap.room, 64)
        if not self.free_count:
            self.make_room()
        self.free_count -= 1
        cdef Pending item = Pending(time, node, self.free_places[self.free_count])
        memcpy(self.row(item.place), row, cells * sizeof(int64_t))
        i = heap.n
        heap.n += 1
        while i > 0:
            up = (i - 1) >> 1
            if heap.items[up].time <= time:
                break
            heap.items[i] = heap.items[up]
            i = up
        heap.items[i] = item
        return 0

    cdef Pending pop(self, bint ends) noexcept:
        """Take out what is pending until the earliest time; its row stays until `release`."""
        cdef Heap* heap = &self.ends if ends else &self.starts
        cdef Pending least = heap.items[0], last = heap.items[heap.n - 1]
        cdef int64_t i = 0, down
        heap.n -= 1
        while True:
            down = 2 * i + 1
            if down >= heap.n:
                break
            if down + 1 < heap.n and heap.items[down + 1].time < heap.items[down].time:
                down += 1
            if heap.items[down].time >= last.time:
                break
            heap.items[i] = heap.items[down]
            i = down
        if heap.n:
            heap.items[i] = last
        return least

    cdef void release(self, int64_t place) noexcept:
        self.free_places[self.free_count] = place
        self.free_count += 1

    def take(self, bint ends, int64_t limit, widths):
        """Take out what is pending until a time up to ``limit``: by node the rows, in no order.

        ``widths`` are the terms of the facts of each node.
        """
        cdef Heap* heap = &self.ends if ends else &self.starts
        cdef Pending item
        cdef Out out
        found = {}
        while self.is_due(ends, limit):
            item = self.pop(ends)
            if item.node not in found:
                found[item.node] = new_out(16, widths[item.node] + 2)
            out = found[item.node]
            memcpy(out.push(), self.row(item.place), out.w * sizeof(int64_t))
            self.release(item.place)
        return {node: (<Out>rows).done() for node, rows in found.items()}
