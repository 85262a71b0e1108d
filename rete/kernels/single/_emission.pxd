# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The answers of a network for single rows, for other compiled kernels."""

from libc.stdint cimport int64_t

from rete.kernels.single._nodes cimport Kept, Node, RowNodes


# An answer: 1 that begins, 0 that ends.
cdef struct Answer:
    int64_t op, at, start, end, rule
    int64_t[3] terms


cdef class RowEmission(RowNodes):
    cdef bint is_too_much(self, int64_t limit) noexcept
    cdef Py_ssize_t count_due(self, bint ends, int64_t i, int64_t limit, Py_ssize_t most) noexcept
    cdef bint answer(self, Node* node, const int64_t* row, bint ends, Answer* made) except -1
    cdef int64_t find(self, Kept* kept, const int64_t* query, Py_ssize_t mode) except -2
    cdef bint is_before(self, const Answer* a, const Answer* b) noexcept
    cdef int order_of(self, int64_t a, int64_t b) noexcept
    cdef object text(self, int64_t term)
