# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Pairs of rows, compiled: the same functions as `rete.kernels.rows.pure_probes`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from rete.kernels.rows._matrix cimport (
    Columns, Matrix, Time, columns, matrix, mix, new_column, new_rows, row_at,
)
from rete.kernels.rows._store cimport Index

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

VERSION = 28

cnp.import_array()


cdef enum:
    # So many cells are not allocated: hits of few rows.
    AT_ONCE = 256


cdef Time as_stored(Time own, Time stored, const Operator* how) noexcept nogil:
    return stored


cdef int64_t ended(Time asked, Time own, const Operator* how) noexcept nogil:
    return asked.lo


cdef int64_t to_come(Time asked, Time own, const Operator* how) noexcept nogil:
    return asked.hi


def probe(delta, delta_key, Index index not None, int64_t limit, keep,
          Py_ssize_t most=PY_SSIZE_T_MAX):
    """Pairs of a delta row and one of the stored rows before ``limit`` that agree and overlap."""
    return pairs(delta, delta, delta_key, index, limit, keep,
                 as_stored, ended, to_come, NULL, most)


def route(given, Py_ssize_t first, Py_ssize_t second, table_rows, Py_ssize_t masks, counted):
    """The classes that rows belong to: touched classes, where each begins, and the rows of each."""
    cdef Matrix rows = matrix(given), table = matrix(table_rows)
    cdef int64_t* counts = <int64_t*>columns(counted).at
    cdef Py_ssize_t n = rows.n, i, c, used = 0, touched = 0, at, all = columns(counted).n
    cdef uint64_t mask = <uint64_t>table.n - 1, slot
    cdef int64_t a, b, cls
    cdef const int64_t* row
    cdef const int64_t* entry
    cdef int64_t* starts
    cdef int64_t* order
    classes_array = new_column(min(4 * n, all))
    cdef int64_t* classes = <int64_t*>columns(classes_array).at
    cdef int64_t[AT_ONCE] some
    cdef int64_t* hits = some  # pairs of a class and a row
    if 8 * n > AT_ONCE:
        hits = <int64_t*>malloc(8 * n * sizeof(int64_t))
        if hits == NULL:
            raise MemoryError
    try:
        for i in range(n):
            row = row_at(rows, i)
            for c in range(4):
                if not (masks >> c) & 1:
                    continue
                a = row[first] if c & 1 else 0
                b = row[second] if c & 2 else 0
                slot = mix(mix(0, a), b) & mask
                entry = row_at(table, slot)
                while entry[2] >= 0:
                    if entry[0] == a and entry[1] == b:
                        cls = entry[2]
                        hits[2 * used] = cls
                        hits[2 * used + 1] = i
                        used += 1
                        if counts[cls] == 0:
                            classes[touched] = cls
                            touched += 1
                        counts[cls] += 1
                        break
                    slot = (slot + 1) & mask
                    entry = row_at(table, slot)
        starts_array, order_array = new_column(touched + 1), new_column(used)
        starts = <int64_t*>columns(starts_array).at
        order = <int64_t*>columns(order_array).at
        at = 0
        for i in range(touched):
            cls = classes[i]
            starts[i] = at
            at += counts[cls]
            counts[cls] = starts[i]
        starts[touched] = at
        for i in range(used):
            cls = hits[2 * i]
            order[counts[cls]] = hits[2 * i + 1]
            counts[cls] += 1
        for i in range(touched):
            counts[classes[i]] = 0
    finally:
        if hits != some:
            free(hits)
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

    cdef object equal_array, keep_array
    cdef Matrix equal
    cdef Columns keep

    def __cinit__(self, equal, keep):
        self.equal_array, self.keep_array = equal, keep
        self.equal, self.keep = matrix(equal), columns(keep)


def select(given, given_order, Py_ssize_t start, Py_ssize_t stop, Selection selection not None):
    """Rows ``given_order[start:stop]`` that have equal columns, projected."""
    cdef Matrix rows = matrix(given), equal = selection.equal
    cdef Columns order = columns(given_order)
    cdef const int64_t* keep = selection.keep.at
    cdef Py_ssize_t i, c, width = selection.keep.n, k = rows.w - 2, n = 0
    cdef const int64_t* row
    cdef int64_t* made
    cdef bint ok
    array = new_rows(stop - start, width + 2)
    cdef Matrix out = matrix(array)
    for i in range(start, stop):
        row = row_at(rows, order.at[i])
        ok = True
        for c in range(equal.n):
            if row[row_at(equal, c)[0]] != row[row_at(equal, c)[1]]:
                ok = False
        if not ok:
            continue
        made = row_at(out, n)
        for c in range(width):
            made[c] = row[keep[c]]
        made[width] = row[k]
        made[width + 1] = row[k + 1]
        n += 1
    return array if n == stop - start else array[:n]
