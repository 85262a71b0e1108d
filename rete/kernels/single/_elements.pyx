# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Single elements as ids: read from a short text, and kept as they were asserted."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcpy

from rete.kernels.rows._block cimport clear, leave, make_room
from rete.kernels.rows._matrix cimport POS_INF, Matrix, matrix, new_rows
from rete.kernels.text._nquads cimport DONE, END, POSITION, ROWS, SPANS, read_lines

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cnp.import_array()

VERSION = 30

cdef enum:
    # Bytes of a text at most.
    LONGEST = 1 << 15


cdef class ElementReader:
    """Reads the triples of an element into ``rows``, of which there are ``n``.

    What is read is N-Triples that are Turtle as well, without a blank node, and of which each token
    is certain.
    """

    def __cinit__(self, TermView terms not None):
        self.terms = terms

    def read(self, str text not None):
        """Read a text whole; False: another reader has to."""
        cdef Py_ssize_t size
        cdef const uint8_t* at = <const uint8_t*>PyUnicode_AsUTF8AndSize(text, &size)
        cdef const uint8_t* found = at
        cdef int64_t[SPANS + 8] cursor
        cdef int i
        self.n = 0
        if size > LONGEST:
            return False
        while True:  # a blank node has another name in Turtle
            found = <const uint8_t*>memchr(found, c'_', at + size - found)
            if found == NULL:
                break
            found += 1
            if found < at + size and found[0] == c':':
                return False
        for i in range(SPANS + 8):
            cursor[i] = 0
        cursor[END] = size
        self.terms.look()
        if read_lines(&self.terms.s, at, self.rows, MOST_TRIPLES, cursor, at, 0, True) != DONE:
            return False
        for i in range(cursor[ROWS]):
            if self.rows[4 * i] >= 0:  # no empty line
                memcpy(&self.rows[4 * self.n], &self.rows[4 * i], 4 * sizeof(int64_t))
                self.n += 1
        return True


cdef class AssertedQueue:
    """Facts as they were asserted, the oldest first; those that ended leave at its front.

    Attributes:
        kept: how many cells after its end a fact is kept.
    """

    def __cinit__(self):
        self.block.size = ASSERTED * sizeof(int64_t)

    def __dealloc__(self):
        clear(&self.block)

    def __len__(self):
        return self.n - self.first

    cdef int64_t* push(self, int64_t bound) except NULL:
        """Room for one more fact; what ended before ``bound`` leaves."""
        cdef int64_t* fact
        while self.first < self.n:
            fact = <int64_t*>self.block.zero + ASSERTED * self.first
            if fact[ASSERTED - 1] > bound - self.kept or fact[ASSERTED - 1] == POS_INF:
                break
            self.first += 1
        leave(&self.block, self.first)
        if self.n >= self.block.room:
            make_room(&self.block, self.first, self.n, 2 * self.n - self.first + 64)
        self.n += 1
        return <int64_t*>self.block.zero + ASSERTED * (self.n - 1)

    def take(self):
        """Take out all, (n, 6): the triple, the name of its element, and the time."""
        cdef Py_ssize_t count = self.n - self.first
        facts = new_rows(count, ASSERTED)
        cdef Matrix out = matrix(facts)
        if count:
            memcpy(out.cells, <int64_t*>self.block.zero + ASSERTED * self.first,
                   count * ASSERTED * sizeof(int64_t))
        self.first = self.n
        return facts
