# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Pairs of rows, compiled: the same functions as `rete.kernels.rows.pure_probes`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rete.kernels.rows._matrix cimport (
    Columns, Matrix, Time, columns, key_hash, matrix, mix, new_column, new_rows, row_at,
)
from rete.kernels.rows._store cimport Index

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

VERSION = 30

cnp.import_array()


cdef enum:
    # So many cells are not allocated: hits of few rows.
    AT_ONCE = 256
    # Repeats are looked for among so many rows at least, each by one of so many hashes.
    FEW = 64
    SLOTS = 4096


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
    cdef bint repeats

    def __cinit__(self, equal, keep, *, bint repeats=False):
        self.equal_array, self.keep_array = equal, keep
        self.equal, self.keep = matrix(equal), columns(keep)
        self.repeats = repeats


cdef inline bint is_projected(const int64_t* row, Py_ssize_t k, const int64_t* keep, Py_ssize_t width,
                              const int64_t* made) noexcept nogil:
    """Whether the columns of a row that are kept, and its time, are those of another row."""
    cdef Py_ssize_t c
    for c in range(width):
        if made[c] != row[keep[c]]:
            return False
    return made[width] == row[k] and made[width + 1] == row[k + 1]


def select(given, given_order, Py_ssize_t start, Py_ssize_t stop, Selection selection not None):
    """Rows ``given_order[start:stop]`` that have equal columns, projected; see the twin.

    A row is left out if it is the last one that came with the same of `SLOTS` hashes.
    """
    cdef Matrix rows = matrix(given), equal = selection.equal
    cdef Columns order = columns(given_order)
    cdef const int64_t* keep = selection.keep.at
    cdef Py_ssize_t i, c, width = selection.keep.n, k = rows.w - 2, n = 0
    cdef const int64_t* row
    cdef int64_t* made
    cdef bint ok, looks = selection.repeats and stop - start >= FEW
    cdef int32_t[SLOTS] last
    cdef int32_t* place
    array = new_rows(stop - start, width + 2)
    cdef Matrix out = matrix(array)
    if looks:
        memset(last, 255, sizeof(last))  # all -1
    for i in range(start, stop):
        row = row_at(rows, order.at[i])
        ok = True
        for c in range(equal.n):
            if row[row_at(equal, c)[0]] != row[row_at(equal, c)[1]]:
                ok = False
        if not ok:
            continue
        if looks:
            place = &last[key_hash(row, keep, width) & (SLOTS - 1)]
            if place[0] >= 0 and is_projected(row, k, keep, width, row_at(out, place[0])):
                continue
            place[0] = <int32_t>n
        made = row_at(out, n)
        for c in range(width):
            made[c] = row[keep[c]]
        made[width] = row[k]
        made[width + 1] = row[k + 1]
        n += 1
    return array if n == stop - start else array[:n]
