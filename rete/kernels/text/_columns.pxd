# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The value of a term as a number, for other compiled kernels."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t


cdef struct Store:
    const uint8_t* arena
    const int64_t* entries
    int64_t capacity
    uint64_t draw   # where random pivots begin


cdef int measure_one(const Store* s, int64_t term, double* value, int8_t* kind) except -1
