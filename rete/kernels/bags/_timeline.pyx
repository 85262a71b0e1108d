# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Changes that are to come, compiled: as `rete.kernels.bags.pure_timeline`.

What comes waits in one queue, what goes in another: mostly each change is behind all others of its
queue. What is not waits in a heap.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport Matrix, Out, matrix, new_out, new_rows, row_at

VERSION = 30

cnp.import_array()

cdef enum:
    FEWEST = 64
    SIZE = 100   # changes in a chunk
    GROUP = 1
    SIGN = 4
    WIDTH = 5


cdef struct Change:
    int64_t cell
    int64_t turn   # its place among those at its cell: `GOES` and more of what goes
    int64_t group
    int64_t value
    int64_t order


cdef struct Chunk:
    Chunk* next
    Change[SIZE] changes


cdef int64_t GOES = <int64_t>1 << 62


cdef inline bint before(const Change* a, const Change* b) noexcept nogil:
    return a.cell < b.cell or a.cell == b.cell and a.turn < b.turn


@cython.final
cdef class Queue:
    """Changes in their order, which come in at the end; in chunks, so that none is ever moved."""
    cdef Chunk* head
    cdef Chunk* tail
    cdef Py_ssize_t begin, end   # of the changes, in the first chunk and in the last one

    def __dealloc__(self):
        while self.head != NULL:
            self.drop_chunk()

    cdef void drop_chunk(self) noexcept:
        cdef Chunk* chunk = self.head
        self.head = chunk.next
        self.begin = 0
        free(chunk)

    cdef inline Change* first(self) noexcept:
        return NULL if self.head == NULL else &self.head.changes[self.begin]

    cdef inline Change* last(self) noexcept:
        return NULL if self.head == NULL else &self.tail.changes[self.end - 1]

    cdef inline int push(self, const Change* change) except -1:
        cdef Chunk* chunk
        if self.head == NULL or self.end == SIZE:
            chunk = <Chunk*>malloc(sizeof(Chunk))
            if chunk == NULL:
                raise MemoryError
            chunk.next = NULL
            if self.head == NULL:
                self.head = chunk
            else:
                self.tail.next = chunk
            self.tail = chunk
            self.end = 0
        self.tail.changes[self.end] = change[0]
        self.end += 1
        return 0

    cdef inline void pop(self) noexcept:
        self.begin += 1
        if self.begin == (self.end if self.head == self.tail else SIZE):
            self.drop_chunk()


@cython.final
cdef class Heap:
    """Changes of which the first comes first."""
    cdef Out changes

    def __cinit__(self):
        self.changes = new_out(FEWEST, sizeof(Change) // sizeof(int64_t))

    cdef inline Change* at(self, Py_ssize_t i) noexcept:
        return <Change*>self.changes.row(i)

    cdef int push(self, const Change* change) except -1:
        cdef Py_ssize_t i = self.changes.n, parent
        self.changes.push()
        while i:
            parent = (i - 1) >> 1
            if not before(change, self.at(parent)):
                break
            self.at(i)[0] = self.at(parent)[0]
            i = parent
        self.at(i)[0] = change[0]
        return 0

    cdef int pop(self) except -1:
        cdef Py_ssize_t i = 0, child, n
        cdef Change last
        self.changes.n -= 1
        n = self.changes.n
        if n == 0:
            if self.changes.cap > FEWEST:   # whoever was many must not keep the room
                self.changes = new_out(FEWEST, self.changes.w)
            return 0
        last = self.at(n)[0]
        while True:
            child = 2 * i + 1
            if child >= n:
                break
            if child + 1 < n and before(self.at(child + 1), self.at(child)):
                child += 1
            if not before(self.at(child), &last):
                break
            self.at(i)[0] = self.at(child)[0]
            i = child
        self.at(i)[0] = last
        return 0


@cython.final
cdef class Timeline:
    """Changes of groups, by cell; and the numbers of groups, given out here."""
    cdef Queue coming, going
    cdef Heap others
    cdef int64_t turns
    cdef Out waits   # per group how many changes wait, and whether it is closed
    cdef list unused

    def __init__(self):
        self.coming, self.going, self.others = Queue(), Queue(), Heap()
        self.turns = 0
        self.waits = new_out(FEWEST, 2)
        self.unused = []

    def open(self):
        """The number of a new group: the one that became free last, or else the next."""
        cdef int64_t* waits
        if self.unused:
            return self.unused.pop()
        waits = self.waits.push()
        waits[0] = waits[1] = 0
        return self.waits.n - 1

    cdef int64_t* known(self, Py_ssize_t group) except NULL:
        if not 0 <= group < self.waits.n:
            raise IndexError(f"{group} is no group")
        return self.waits.row(group)

    def close(self, Py_ssize_t group):
        """What waits of the group does not come any more; then its number is free."""
        cdef int64_t* waits = self.known(group)
        if waits[0]:
            waits[1] = 1
        else:
            self.unused.append(group)

    def waiting(self, Py_ssize_t group):
        """How many changes of the group wait."""
        return self.known(group)[0]

    def add(self, given):
        """Let changes wait; see the pure twin."""
        cdef Matrix rows = matrix(given)
        cdef Py_ssize_t i
        cdef const int64_t* row
        cdef Queue queue
        cdef Change* last
        cdef Change change
        if rows.w != WIDTH:
            raise ValueError("a change has five columns")
        for i in range(1, rows.n):
            if row_at(rows, i)[0] < row_at(rows, i - 1)[0]:
                given = given[np.argsort(given[:, 0], kind="stable")]
                rows = matrix(given)
                break
        for i in range(rows.n):
            row = row_at(rows, i)
            self.known(row[GROUP])[0] += 1
            change.cell, change.group = row[0], row[GROUP]
            change.value, change.order = row[2], row[3]
            # What comes at a cell is before what goes, each in the order in which it was added.
            change.turn = self.turns + (0 if row[SIGN] > 0 else GOES)
            self.turns += 1
            queue = self.coming if row[SIGN] > 0 else self.going
            last = queue.last()
            if last != NULL and change.cell < last.cell:
                self.others.push(&change)
            else:
                queue.push(&change)

    def take(self, int64_t until):
        """The changes before the cell ``until``, by group and cell; see the pure twin."""
        cdef Out out = new_out(FEWEST, WIDTH)
        cdef Change* first
        cdef Change* other
        cdef Change change
        cdef int64_t* waits
        cdef int64_t* row
        cdef Py_ssize_t i
        cdef bint by_group = True
        cdef int which
        while True:
            first, which = self.coming.first(), 1
            other = self.going.first()
            if other != NULL and (first == NULL or before(other, first)):
                first, which = other, 2
            if self.others.changes.n and (first == NULL or before(self.others.at(0), first)):
                first, which = self.others.at(0), 3
            if first == NULL or first.cell >= until:
                break
            change = first[0]
            if which == 1:
                self.coming.pop()
            elif which == 2:
                self.going.pop()
            else:
                self.others.pop()
            waits = self.waits.row(change.group)
            waits[0] -= 1
            if waits[1]:
                if waits[0] == 0:
                    waits[1] = 0
                    self.unused.append(change.group)
                continue
            if out.n and out.row(out.n - 1)[GROUP] > change.group:
                by_group = False
            row = out.push()
            row[0], row[GROUP], row[2] = change.cell, change.group, change.value
            row[3], row[SIGN] = change.order, 1 if change.turn < GOES else -1
        found = out.done()
        return found if by_group else in_groups(found, self.waits.n)


cdef object in_groups(found, Py_ssize_t groups):
    """Rows by group, each in their order. O(rows + groups), or O(rows log rows) of few."""
    cdef Matrix rows = matrix(found)
    cdef Py_ssize_t i, begin = 0, size
    cdef int64_t* begins
    if rows.n < groups // 16:
        return found[np.argsort(found[:, GROUP], kind="stable")]
    array = new_rows(rows.n, WIDTH)
    cdef Matrix out = matrix(array)
    begins = <int64_t*>calloc(groups, sizeof(int64_t))
    if begins == NULL:
        raise MemoryError
    for i in range(rows.n):
        begins[row_at(rows, i)[GROUP]] += 1
    for i in range(groups):
        size = begins[i]
        begins[i] = begin
        begin += size
    for i in range(rows.n):
        size = row_at(rows, i)[GROUP]
        memcpy(row_at(out, begins[size]), row_at(rows, i), WIDTH * sizeof(int64_t))
        begins[size] += 1
    free(begins)
    return array
