# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Answers that are pending until a time, for other compiled kernels."""

from libc.stdint cimport int64_t


# What is pending: until when, of which node, and where its row is.
cdef struct Pending:
    int64_t time
    int64_t node
    int64_t place


cdef struct Heap:
    Pending* items
    int64_t n, room


cdef class AnswerQueue:
    cdef Heap starts, ends
    cdef readonly Py_ssize_t width
    cdef int64_t* rows
    cdef int64_t* free_places
    cdef int64_t free_count, room

    cdef int make_room(self) except -1
    cdef inline bint is_due(self, bint ends, int64_t limit) noexcept:
        """Whether anything is pending until a time up to ``limit``."""
        cdef Heap* heap = &self.ends if ends else &self.starts
        return heap.n > 0 and heap.items[0].time <= limit

    cdef int64_t* row(self, int64_t place) noexcept
    cdef int push(self, bint ends, int64_t time, int64_t node, const int64_t* row, Py_ssize_t cells) except -1
    cdef Pending pop(self, bint ends) noexcept
    cdef void release(self, int64_t place) noexcept
