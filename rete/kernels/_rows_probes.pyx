# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Pairs of rows, compiled: the same functions as `rete.kernels.pure_rows_probes`."""

import numpy as np

from libc.stdint cimport int64_t, uint64_t

from rete.kernels._rows_index cimport Index, mix, new_rows, places

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

VERSION = 17


cdef Time as_stored(Time own, Time stored, const Operator* how) noexcept nogil:
    return stored


cdef int64_t ended(Time asked, Time own, const Operator* how) noexcept nogil:
    return asked.lo


cdef int64_t to_come(Time asked, Time own, const Operator* how) noexcept nogil:
    return asked.hi


def probe(const int64_t[:, ::1] delta, const int64_t[::1] delta_key,
          const int64_t[:, ::1] store, Py_ssize_t limit, Index index, const int64_t[::1] keep,
          Py_ssize_t most=PY_SSIZE_T_MAX):
    """Pairs of a delta row and one of the first ``limit`` stored rows that agree and overlap."""
    return pairs(delta, delta, delta_key, store, limit, index, keep,
                 as_stored, ended, to_come, NULL, most)


def route(const int64_t[:, ::1] rows, Py_ssize_t first, Py_ssize_t second,
          const int64_t[:, ::1] table, Py_ssize_t masks, int64_t[::1] counts):
    """The classes that rows belong to: touched classes, where each begins, and the rows of each."""
    cdef Py_ssize_t n = rows.shape[0], i, c, used = 0, touched = 0, at
    cdef uint64_t mask = <uint64_t>table.shape[0] - 1, slot
    cdef int64_t a, b, cls
    hits_array = np.empty((2, 4 * n + 1), np.int64)
    cdef int64_t[:, ::1] hits = hits_array
    classes_array = np.empty(min(4 * n, counts.shape[0]) + 1, np.int64)
    cdef int64_t[::1] classes = classes_array
    for i in range(n):
        for c in range(4):
            if not (masks >> c) & 1:
                continue
            a = rows[i, first] if c & 1 else 0
            b = rows[i, second] if c & 2 else 0
            slot = mix(mix(0, a), b) & mask
            while table[slot, 2] >= 0:
                if table[slot, 0] == a and table[slot, 1] == b:
                    cls = table[slot, 2]
                    hits[0, used] = cls
                    hits[1, used] = i
                    used += 1
                    if counts[cls] == 0:
                        classes[touched] = cls
                        touched += 1
                    counts[cls] += 1
                    break
                slot = (slot + 1) & mask
    starts_array = np.empty(touched + 1, np.int64)
    order_array = np.empty(used, np.int64)
    cdef int64_t[::1] starts = starts_array, order = order_array
    at = 0
    for i in range(touched):
        cls = classes[i]
        starts[i] = at
        at += counts[cls]
        counts[cls] = starts[i]
    starts[touched] = at
    for i in range(used):
        cls = hits[0, i]
        order[counts[cls]] = hits[1, i]
        counts[cls] += 1
    for i in range(touched):
        counts[classes[i]] = 0
    return classes_array[:touched], starts_array, order_array


def route_table(const int64_t[:, ::1] keys):
    """The hash table of `route`: rows (first, second, class), class -1 where free."""
    cdef Py_ssize_t size = 8, i
    cdef uint64_t mask, slot
    while size < 2 * keys.shape[0]:
        size *= 2
    table_array = np.full((size, 3), -1, np.int64)
    cdef int64_t[:, ::1] table = table_array
    mask = <uint64_t>size - 1
    for i in range(keys.shape[0]):
        slot = mix(mix(0, keys[i, 0]), keys[i, 1]) & mask
        while table[slot, 2] >= 0:
            slot = (slot + 1) & mask
        table[slot, 0] = keys[i, 0]
        table[slot, 1] = keys[i, 1]
        table[slot, 2] = i
    return table_array


cdef class Selection:
    """What a pattern asks of a fact, and keeps of it; as the twin."""

    cdef const int64_t[:, ::1] equal
    cdef const int64_t[::1] keep

    def __cinit__(self, equal, keep):
        self.equal, self.keep = equal, keep


def select(const int64_t[:, ::1] rows, const int64_t[::1] order, Py_ssize_t start, Py_ssize_t stop,
           Selection selection):
    """Rows ``order[start:stop]`` that have equal columns, projected."""
    cdef const int64_t[:, ::1] equal = selection.equal
    cdef const int64_t* keep = places(selection.keep)
    cdef Py_ssize_t i, c, width = selection.keep.shape[0], k = rows.shape[1] - 2, n = 0
    cdef const int64_t* row
    cdef int64_t* made
    cdef bint ok
    array = new_rows(stop - start, width + 2)
    cdef int64_t[:, ::1] out = array
    for i in range(start, stop):
        row = &rows[order[i], 0]
        ok = True
        for c in range(equal.shape[0]):
            if row[equal[c, 0]] != row[equal[c, 1]]:
                ok = False
        if not ok:
            continue
        made = &out[n, 0]
        for c in range(width):
            made[c] = row[keep[c]]
        made[width] = row[k]
        made[width + 1] = row[k + 1]
        n += 1
    return array if n == stop - start else array[:n]
