# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loop that reads lines of N-Quads, for other compiled kernels."""

from libc.stdint cimport int64_t, uint8_t

from rete.kernels.text._terms cimport Store

cdef enum:  # as in rete.arrays.term_columns
    DONE = 0
    SHORT = 1
    FULL = 2
    ODD = 3
    VALUED = 4

cdef enum:
    POSITION = 0
    END = 1
    ROWS = 2
    LINES = 3
    LINE_END = 4
    TOKENS = 5
    SPANS = 6


cdef int read_lines(
    Store* s, const uint8_t* text, int64_t* rows, int64_t room, int64_t* cursor,
    const uint8_t* prefix, int64_t before, bint triples,
) noexcept nogil
