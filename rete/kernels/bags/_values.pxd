# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bags of groups, as the compiled kernels see them."""

from libc.stdint cimport int8_t, int64_t, uint8_t

from rete.kernels.rows._matrix cimport Matrix

cdef enum:
    TEXT = -1   # as in the pure twin


cdef class Bags:
    """The bags of all groups; a subclass says what is in one."""
    cdef object members, terms
    # What terms are, while changes are applied: numbers, their classes, and texts.
    cdef const double[::1] numbers
    cdef const int8_t[::1] classes
    cdef const uint8_t[::1] arena
    cdef const int64_t[:, ::1] entries

    cdef int open_terms(self) except -1
    cdef int close_terms(self) except -1
    cdef int look_at(self, Matrix rows) except -1
    cdef int read(self, Bags other) except -1
    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1
    cdef void fetch(self, Py_ssize_t group) noexcept
    cdef void fetch_member(self, Py_ssize_t group, int64_t value, int64_t order) noexcept
    cdef int64_t value(self, Py_ssize_t group, list texts) except -2
    cdef bint is_outside(self, Py_ssize_t group) except -1
    cpdef clear(self, Py_ssize_t group)
    cpdef int64_t size(self, Py_ssize_t group)
