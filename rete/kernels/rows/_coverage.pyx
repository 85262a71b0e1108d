# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What rows do not cover of others, compiled: as `rete.kernels.rows.pure_coverage`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from rete.kernels.rows._index cimport (
    AHEAD, Columns, Index, Matrix, Out, Passed, begin_passing, columns, end_passing, matrix, mix,
    new_out, pass_later, row_at, same_terms,
)
from rete.kernels.rows._intervals cimport Met, note, piece
from rete.kernels.rows._metric cimport NEG_INF, operated, total
from rete.kernels.rows._probes cimport Operator, Time, time_of

cnp.import_array()

VERSION = 21

cdef enum:
    # So many pairs of rows are compared sooner than an index is made.
    FEW_PAIRS = 512


def uncovered(given, given_key, kept_rows, Py_ssize_t limit, Index index not None):
    """The pieces of ``given`` that none of the first ``limit`` stored rows covers: it, if that is all."""
    return left(given, columns(given_key), matrix(kept_rows), limit, index, NULL, False)


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
    return left(given, key, store, store.n, index, NULL, False)


cdef int64_t* firsts_of(Matrix delta, const int64_t* key, Matrix store, Index index,
                        const Operator* how, bint is_box, int64_t* some) except NULL:
    """Per row of ``delta`` the first row of its chain that begins early enough to cover some of it.

    In ``some``, of `AHEAD`, if that is room enough; else to be freed.
    """
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, begin = (m - 1) // AHEAD * AHEAD, i
    cdef int64_t[AHEAD] bounds
    cdef int64_t* firsts = some
    cdef int64_t bound
    cdef Passed passed
    begin_passing(&passed, m)
    if m > AHEAD:
        firsts = <int64_t*>malloc(m * sizeof(int64_t))
        if firsts == NULL:
            end_passing(&passed)
            raise MemoryError
    while begin >= 0:
        index.look_up(delta, begin, key, store, firsts + begin)
        for i in range(begin, min(begin + AHEAD, m)):
            bound = row_at(delta, i)[k + 1]
            if how != NULL and how.future:  # it leads back in time, no further than that
                bound = total(bound, how.r_lo if is_box else how.r_hi, -3)
            bounds[i - begin] = bound
        pass_later(index, store, min(AHEAD, m - begin), bounds, firsts + begin, &passed)
        begin -= AHEAD
    end_passing(&passed)
    return firsts


cdef object left(object given, Columns mine, Matrix store, Py_ssize_t limit, Index index,
                 const Operator* how, bint is_box):
    """The pieces that none of the first ``limit`` stored rows covers, or a box or diamond of it.

    Without an ``index``, as many terms agree, from the first, as there are in the key.
    """
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, sk = store.w - 2
    cdef Py_ssize_t i, j, c, nk = mine.n
    cdef int64_t r, at, hi, reach
    cdef Time theirs
    cdef Met met = Met(NULL, 0, 0)
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = mine.at
    cdef const int64_t* other = NULL
    cdef bint same, early = index is not None and not index.grown
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = some
    cdef Out out = None  # while all is left of each row
    if index is not None:
        other = index.key.at
        firsts = firsts_of(delta, key, store, index, how, is_box, some)
    try:
        for i in range(m):
            row = row_at(delta, i)
            at = row[k]
            hi = row[k + 1]
            met.n = 0
            r = limit - 1 if index is None else firsts[i]
            while r >= 0:
                kept = row_at(store, r)
                theirs = time_of(kept + sk)
                if how != NULL and theirs.lo < theirs.hi:
                    theirs = operated(theirs, how, is_box)
                if r < limit and theirs.lo < hi and theirs.hi > at and theirs.lo < theirs.hi:
                    if index is None:
                        same = same_terms(row, kept, nk)
                    else:
                        same = True
                        for c in range(nk):
                            if row[key[c]] != kept[other[c]]:
                                same = False
                                break
                    if same:  # what is left of the row is shorter, or has a gap
                        if theirs.lo <= at:
                            at = theirs.hi
                        elif theirs.hi >= hi:
                            hi = theirs.lo
                        else:
                            note(&met, r, store)
                        if at >= hi:
                            break
                if index is None:
                    r -= 1
                    continue
                r = index.links[r].older
                if early and r >= 0:
                    reach = index.links[r].reach
                    if how != NULL:
                        reach = operated(Time(NEG_INF, reach), how, is_box).hi
                    if reach <= at:
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
                theirs = time_of(row_at(store, met.rows[j]) + sk)
                if how != NULL:
                    theirs = operated(theirs, how, is_box)
                if theirs.lo >= hi:
                    break
                if theirs.lo > at:
                    piece(out, row, k, at, theirs.lo)
                if theirs.hi > at:
                    at = theirs.hi
            if at < hi:
                piece(out, row, k, at, hi)
    finally:
        free(met.rows)
        if firsts != some:
            free(firsts)
    return given if out is None else out.done()


cdef struct Times:
    int64_t* cells  # pairs, in the order of their begins
    Py_ssize_t n
    Py_ssize_t cap


cdef int note_time(Times* times, int64_t lo, int64_t hi) except -1:
    cdef Py_ssize_t x = times.n
    cdef int64_t* cells
    if x == times.cap:
        times.cap = 2 * times.cap + 8
        cells = <int64_t*>realloc(times.cells, 2 * times.cap * sizeof(int64_t))
        if cells == NULL:
            raise MemoryError
        times.cells = cells
    cells = times.cells
    while x > 0 and cells[2 * x - 2] > lo:
        cells[2 * x] = cells[2 * x - 2]
        cells[2 * x + 1] = cells[2 * x - 1]
        x -= 1
    cells[2 * x] = lo
    cells[2 * x + 1] = hi
    times.n += 1
    return 0


def unpaired(given, first_key, first_rows, Py_ssize_t first_limit, Index first not None,
             second_key, second_rows, Py_ssize_t second_limit, Index second not None):
    """The pieces of ``given`` that no pair of stored rows covers: it, if that is all."""
    cdef Matrix delta = matrix(given), left = matrix(first_rows), right = matrix(second_rows)
    cdef Columns first_columns = columns(first_key), second_columns = columns(second_key)
    cdef Py_ssize_t m = delta.n, w = delta.w, k = w - 2, i, j, c
    cdef Py_ssize_t nk = first_columns.n, mk = second_columns.n, lk = left.w - 2, rk = right.w - 2
    cdef const int64_t* key = first_columns.at
    cdef const int64_t* other = second_columns.at
    cdef const int64_t* row
    cdef const int64_t* one
    cdef const int64_t* two
    cdef int64_t p, q, at, hi, lo_of_one, hi_of_one, lo, end
    cdef uint64_t h, mask = <uint64_t>second.size - 1
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = firsts_of(delta, key, left, first, NULL, False, some)
    cdef bint same, early = not first.grown, early_too = not second.grown
    cdef Times times = Times(NULL, 0, 0)
    cdef Out out = None  # while all is left of each row
    try:
        for i in range(m):
            row = row_at(delta, i)
            at = row[k]
            hi = row[k + 1]
            times.n = 0
            p = firsts[i]
            while p >= 0 and at < hi:
                one = row_at(left, p)
                if p < first_limit and one[lk] < hi and one[lk + 1] > at:
                    same = True
                    for c in range(nk):
                        if row[key[c]] != one[first.key.at[c]]:
                            same = False
                            break
                    if same:
                        lo_of_one = max(at, one[lk])
                        hi_of_one = min(hi, one[lk + 1])
                        h = 0
                        for c in range(mk):
                            h = mix(h, row[other[c]] if other[c] >= 0 else one[~other[c]])
                        q = second.head[(h ^ (h >> 32)) & mask]
                        while q >= 0:
                            two = row_at(right, q)
                            if q < second_limit and two[rk] < hi_of_one and two[rk + 1] > lo_of_one:
                                same = True
                                for c in range(mk):
                                    if two[second.key.at[c]] != (
                                            row[other[c]] if other[c] >= 0 else one[~other[c]]):
                                        same = False
                                        break
                                if same:  # what is left of the row is shorter, or has a gap
                                    lo = max(lo_of_one, two[rk])
                                    end = min(hi_of_one, two[rk + 1])
                                    if lo <= at:
                                        at = max(at, end)
                                    elif end >= hi:
                                        hi = min(hi, lo)
                                    else:
                                        note_time(&times, lo, end)
                                    if at >= hi:
                                        break
                            q = second.links[q].older
                            if early_too and q >= 0 and second.links[q].reach <= lo_of_one:
                                break
                p = first.links[p].older
                if early and p >= 0 and first.links[p].reach <= at:
                    break
            if out is None:
                if row[k] == at < hi == row[k + 1] and not times.n:
                    continue
                out = new_out(m + 8, w)
                out.n = i
                memcpy(out.cells, delta.cells, i * w * sizeof(int64_t))
            for j in range(times.n):
                lo = times.cells[2 * j]
                if lo >= hi or at >= hi:
                    break
                if lo > at:
                    piece(out, row, k, at, lo)
                at = max(at, times.cells[2 * j + 1])
            if at < hi:
                piece(out, row, k, at, hi)
    finally:
        free(times.cells)
        if firsts != some:
            free(firsts)
    return given if out is None else out.done()


cdef class Lookups:
    """Where rows are looked up, one store after the other; as the twin."""

    cdef list stems, keys, indexes, operators

    def __cinit__(self, found):
        self.stems = [stem for stem, _, _, _ in found]
        self.keys = [key for _, key, _, _ in found]
        self.indexes = [index for _, _, index, _ in found]
        self.operators = [operator for _, _, _, operator in found]

    def uncovered(self, asked):
        """The pieces of ``asked`` that no row of any store covers."""
        cdef Index index
        cdef Py_ssize_t i, n
        cdef Columns key
        cdef Operator how
        cdef bint is_box
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
            key = columns(self.keys[i])
            operator = self.operators[i]
            if operator is None:
                asked = left(asked, key, matrix(rows), n, index, NULL, False)
            else:
                is_box, how.r_lo, how.r_hi, how.future = operator
                asked = left(asked, key, matrix(rows), n, index, &how, is_box)
        return asked
