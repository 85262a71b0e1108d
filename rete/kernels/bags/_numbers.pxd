# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Texts of computed numbers, as other kernels use them."""

from libc.stdint cimport int64_t

cpdef object integer_text(int64_t number)
cpdef object decimal_text(int64_t number, int64_t places)
cpdef object quotient_text(int64_t number, int64_t places, int64_t divisor)
cpdef object double_text(double number)


cdef inline int64_t power(int64_t n) noexcept nogil:
    """10^n, n from 0 to 18."""
    cdef int64_t found = 1
    while n > 0:
        found *= 10
        n -= 1
    return found
