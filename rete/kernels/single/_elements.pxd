# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A short text as ids, and what was asserted last, for other compiled kernels."""

from libc.stdint cimport int64_t, uint8_t

from rete.kernels.rows._block cimport Block
from rete.kernels.text._terms cimport TermView


cdef enum:
    # Triples of an element at most.
    MOST_TRIPLES = 256
    # Cells of a fact that was asserted: its triple, the name of its element, its time.
    ASSERTED = 6


cdef class ElementReader:
    cdef TermView terms
    cdef int64_t[4 * MOST_TRIPLES] rows
    cdef readonly Py_ssize_t n

    cdef bint read_lines(self, const uint8_t* at, Py_ssize_t size) except -1
    cdef bint read_terms(self, list texts) except -1


cdef class AssertedQueue:
    cdef Block block
    cdef int64_t first, n
    cdef public int64_t kept

    cdef int64_t* push(self, int64_t bound) except NULL
