# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lists of triples, compiled: the same functions as `rete.kernels.rows.pure_lists`."""

import numpy as np

from libc.stdint cimport int64_t

VERSION = 30

cdef enum:
    # Terms and times of a triple.
    WIDTH = 5

cdef int[2][WIDTH] ORDERS = [[0, 1, 2, 3, 4], [3, 0, 1, 2, 4]]
"""The columns by which triples are in order: by terms, or by first times."""


cdef inline Py_ssize_t difference(const int64_t* a, const int64_t* b, const int* order) noexcept nogil:
    """How many columns are equal, ahead of the first that is not."""
    cdef Py_ssize_t c = 0
    while c < WIDTH and a[order[c]] == b[order[c]]:
        c += 1
    return c


def sorted_lists(const int64_t[:, :] values, const int64_t[:, :, ::1] places,
                 const int64_t[:, :, ::1] times, *, bint by_time):
    """The triples that each row lists, in the order of their terms, or of their first times."""
    cdef Py_ssize_t n = places.shape[0], k = places.shape[1], i, j, at, c, equal, count
    cdef const int* order = ORDERS[by_time]
    cdef Py_ssize_t same = WIDTH - by_time
    cdef int64_t[WIDTH] triple
    cdef int64_t* row
    listed_array = np.zeros((n, k, WIDTH), np.int64)
    counts_array = np.zeros(n, np.int64)
    cdef int64_t[:, :, ::1] listed = listed_array
    cdef int64_t[::1] counts = counts_array
    for i in range(n):
        count = 0
        row = &listed[i, 0, 0] if k else NULL
        for j in range(k):
            triple[0] = values[i, places[i, j, 0]]
            if triple[0] == 0:
                continue
            triple[1] = values[i, places[i, j, 1]]
            triple[2] = values[i, places[i, j, 2]]
            triple[3] = times[i, j, 0]
            triple[4] = times[i, j, 1]
            # It goes behind the last that is not greater.
            at = count
            equal = 0
            while at:
                equal = difference(&row[WIDTH * (at - 1)], triple, order)
                if equal == WIDTH or row[WIDTH * (at - 1) + order[equal]] < triple[order[equal]]:
                    break
                at -= 1
            if at and equal >= same:
                continue
            # Of those that count as equal the first stays.
            if at < count and difference(&row[WIDTH * at], triple, order) >= same:
                for c in range(WIDTH):
                    row[WIDTH * at + c] = triple[c]
                continue
            for c in range(WIDTH * count - 1, WIDTH * at - 1, -1):
                row[c + WIDTH] = row[c]
            for c in range(WIDTH):
                row[WIDTH * at + c] = triple[c]
            count += 1
        counts[i] = count
    return listed_array, counts_array
