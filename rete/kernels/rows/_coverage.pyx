# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What rows do not cover of others, compiled: as `rete.kernels.rows.pure_coverage`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from rete.kernels.rows._index cimport (
    AHEAD, Columns, Index, Matrix, Out, columns, matrix, new_out, row_at, same_terms,
)
from rete.kernels.rows._intervals cimport Met, note, piece

cnp.import_array()

VERSION = 21

cdef enum:
    # So many pairs of rows are compared sooner than an index is made.
    FEW_PAIRS = 512


def uncovered(given, given_key, kept_rows, Py_ssize_t limit, Index index not None):
    """The pieces of ``given`` that none of the first ``limit`` stored rows covers: it, if that is all."""
    return left(given, columns(given_key), matrix(kept_rows), limit, index)


def difference(given, others):
    """The pieces of ``given`` that no row of ``others`` covers, as far as terms agree."""
    cdef Matrix delta = matrix(given), store = matrix(others)
    cdef Columns key = Columns(NULL, store.w - 2)
    cdef Index index = None
    if not delta.n or not store.n:
        return given
    if delta.n * store.n > FEW_PAIRS:
        positions = np.arange(key.n)
        key = columns(positions)
        index = Index(positions)
        index.reserve(store, store.n)
        index.enter(store, store.n)
    return left(given, key, store, store.n, index)


cdef object left(object given, Columns mine, Matrix store, Py_ssize_t limit, Index index):
    """The pieces that none of the first ``limit`` stored rows covers.

    Without an ``index``, as many terms agree, from the first, as there are in the key.
    """
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, sk = store.w - 2
    cdef Py_ssize_t i, j, c, nk = mine.n
    cdef int64_t r, at, hi
    cdef Met met = Met(NULL, 0, 0)
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = mine.at
    cdef const int64_t* other = NULL
    cdef bint same, early = index is not None and not index.grown
    cdef int64_t[AHEAD] firsts
    cdef Out out = None  # while all is left of each row
    if index is not None:
        other = index.key.at
    try:
        for i in range(m):
            row = row_at(delta, i)
            at = row[k]
            hi = row[k + 1]
            met.n = 0
            if index is None:
                r = limit - 1
            else:
                if i % AHEAD == 0:
                    index.look_up(delta, i, key, store, firsts)
                r = firsts[i % AHEAD]
            while r >= 0:
                kept = row_at(store, r)
                if r < limit and kept[sk] < hi and kept[sk + 1] > at:
                    if index is None:
                        same = same_terms(row, kept, nk)
                    else:
                        same = True
                        for c in range(nk):
                            if row[key[c]] != kept[other[c]]:
                                same = False
                                break
                    if same:  # what is left of the row is shorter, or has a gap
                        if kept[sk] <= at:
                            at = kept[sk + 1]
                        elif kept[sk + 1] >= hi:
                            hi = kept[sk]
                        else:
                            note(&met, r, store)
                        if at >= hi:
                            break
                if index is None:
                    r -= 1
                    continue
                r = index.links[r].older
                if early and r >= 0 and index.links[r].reach <= at:
                    break
            if out is None:
                if row[k] == at < hi == row[k + 1] and not met.n:
                    continue
                out = new_out(m + 8, w)
                out.n = i
                memcpy(out.cells, delta.cells, i * w * sizeof(int64_t))
            if at >= hi:
                continue
            for j in range(met.n):
                kept = row_at(store, met.rows[j])
                if kept[sk] >= hi:
                    break
                if kept[sk] > at:
                    piece(out, row, k, at, kept[sk])
                if kept[sk + 1] > at:
                    at = kept[sk + 1]
            if at < hi:
                piece(out, row, k, at, hi)
    finally:
        free(met.rows)
    return given if out is None else out.done()


cdef class Lookups:
    """Where rows are looked up, one store after the other; as the twin."""

    cdef list stems, keys, indexes

    def __cinit__(self, found):
        self.stems = [stem for stem, _, _ in found]
        self.keys = [key for _, key, _ in found]
        self.indexes = [index for _, _, index in found]

    def uncovered(self, asked):
        """The pieces of ``asked`` that no row of any store covers."""
        cdef Index index
        cdef Py_ssize_t i, n
        for i in range(len(self.stems)):
            if not matrix(asked).n:
                break
            stem = self.stems[i]
            n = stem.n
            if not n:
                continue
            rows, index = stem.rows, self.indexes[i]
            if index.n < n:
                index.extend(rows, n)
            asked = left(asked, columns(self.keys[i]), matrix(rows), n, index)
        return asked
