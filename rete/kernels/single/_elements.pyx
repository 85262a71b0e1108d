# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Single elements as ids: read from a short text, and kept as they were asserted."""

cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcpy

from rete.kernels.rows._block cimport clear, leave, make_room
from rete.kernels.rows._matrix cimport POS_INF, Matrix, matrix, new_rows
from rete.kernels.text._nquads cimport DONE, END, ROWS, SPANS, read_lines
from rete.kernels.text._terms cimport BY_VALUE, add_term

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cnp.import_array()

VERSION = 30

cdef enum:
    # Bytes of a text at most.
    LONGEST = 1 << 15


cdef class ElementReader:
    """Reads the triples of an element into ``rows``, of which there are ``n``."""

    def __cinit__(self, TermView terms not None):
        self.terms = terms

    def read(self, data):
        """Read an element whole; False: another reader has to.

        It is a text, or bytes of one: N-Triples that are Turtle as well, without a blank node, of
        which each token is certain; or a list of the canonical texts of terms, three for each triple.
        """
        cdef Py_ssize_t size
        cdef const uint8_t* at
        self.n = 0
        if isinstance(data, list):
            return self.read_terms(data)
        if len(data) > LONGEST:  # its bytes would stay as long as the text
            return False
        if isinstance(data, bytes):
            at, size = <const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        else:
            at = <const uint8_t*>PyUnicode_AsUTF8AndSize(<str?>data, &size)
        return size <= LONGEST and not has_blank_node(at, size) and self.read_lines(at, size)

    cdef bint read_lines(self, const uint8_t* at, Py_ssize_t size) except -1:
        cdef int64_t[SPANS + 8] cursor
        cdef int i
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

    cdef bint read_terms(self, list texts) except -1:
        cdef Py_ssize_t size, i, n = len(texts)
        cdef const char* at
        cdef int64_t term
        self.terms.look()
        if n > 3 * MOST_TRIPLES or n % 3 or self.terms.s.state[BY_VALUE]:
            return False
        for i in range(n):
            at = PyUnicode_AsUTF8AndSize(<str?>texts[i], &size)
            term = add_term(&self.terms.s, <const uint8_t*>at, size)
            if term < 0:
                return False
            self.rows[4 * (i // 3) + i % 3] = term
        self.n = n // 3
        return True


cdef bint has_blank_node(const uint8_t* at, Py_ssize_t size) noexcept:
    """Whether a text may have one: in Turtle it has another name."""
    cdef const uint8_t* found = at
    while True:
        found = <const uint8_t*>memchr(found, c'_', at + size - found)
        if found == NULL:
            return False
        found += 1
        if found < at + size and found[0] == c':':
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
