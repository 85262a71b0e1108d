# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What rows do not cover of others, compiled: as `rete.kernels.rows.pure_coverage`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from rete.kernels.rows._index cimport (
    AHEAD, SEED, Columns, Index, Matrix, Out, columns, find_firsts, matrix, mix, new_out, room_for,
    row_at, same_terms,
)
from rete.kernels.rows._intervals cimport piece
from rete.kernels.rows._metric cimport NEG_INF, operated, total
from rete.kernels.rows._probes cimport Operator, Time, met, time_of

cnp.import_array()

VERSION = 27

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


# What is left of a row: from ``at`` to ``hi``, but for some times, which are pairs of cells in the
# order of their begins.
cdef struct Rest:
    int64_t at
    int64_t hi
    int64_t* cells
    Py_ssize_t n
    Py_ssize_t cap


cdef int cover(Rest* rest, Time time) except -1:
    """What is left gets shorter, or has a gap."""
    cdef Py_ssize_t x = rest.n
    cdef int64_t* cells = rest.cells
    if time.lo <= rest.at:
        rest.at = max(rest.at, time.hi)
        return 0
    if time.hi >= rest.hi:
        rest.hi = min(rest.hi, time.lo)
        return 0
    if x == rest.cap:
        rest.cap = 2 * rest.cap + 8
        cells = <int64_t*>realloc(cells, 2 * rest.cap * sizeof(int64_t))
        if cells == NULL:
            raise MemoryError
        rest.cells = cells
    while x > 0 and cells[2 * x - 2] > time.lo:
        cells[2 * x] = cells[2 * x - 2]
        cells[2 * x + 1] = cells[2 * x - 1]
        x -= 1
    cells[2 * x] = time.lo
    cells[2 * x + 1] = time.hi
    rest.n += 1
    return 0


cdef Out give_rest(Out out, Rest* rest, Matrix delta, Py_ssize_t i):
    """What is left of row ``i`` of ``delta``; ``out`` is None while all is of each row so far."""
    cdef Py_ssize_t k = delta.w - 2, j
    cdef const int64_t* row = row_at(delta, i)
    cdef int64_t lo
    if out is None:
        if row[k] == rest.at < rest.hi == row[k + 1] and not rest.n:
            return None
        out = new_out(delta.n + 8, delta.w)
        out.n = i
        memcpy(out.cells, delta.cells, i * delta.w * sizeof(int64_t))
    for j in range(rest.n):
        lo = rest.cells[2 * j]
        if lo >= rest.hi or rest.at >= rest.hi:
            break
        if lo > rest.at:
            piece(out, row, k, rest.at, lo)
        rest.at = max(rest.at, rest.cells[2 * j + 1])
    if rest.at < rest.hi:
        piece(out, row, k, rest.at, rest.hi)
    return out


cdef object left(object given, Columns mine, Matrix store, Py_ssize_t limit, Index index,
                 const Operator* how, bint is_box):
    """The pieces that none of the first ``limit`` stored rows covers, or a box or diamond of it.

    Without an ``index``, as many terms agree, from the first, as there are in the key.
    """
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, sk = store.w - 2, i, c, nk = mine.n
    cdef int64_t r, reach
    cdef Time theirs
    cdef Rest rest = Rest(0, 0, NULL, 0, 0)
    cdef const int64_t* row
    cdef const int64_t* kept
    cdef const int64_t* key = mine.at
    cdef bint same, early = index is not None and not index.grown
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = room_for(m, some)
    cdef Out out = None
    try:
        for i in range(m):
            firsts[i] = limit - 1
            if index is not None:
                firsts[i] = row_at(delta, i)[k + 1]
                if how != NULL and how.future:  # it leads back in time, no further than that
                    firsts[i] = total(firsts[i], how.r_lo if is_box else how.r_hi, -3)
        if index is not None:
            find_firsts(index, delta, key, store, firsts)
        for i in range(m):
            row = row_at(delta, i)
            rest.at, rest.hi, rest.n = row[k], row[k + 1], 0
            r = firsts[i]
            while r >= 0:
                kept = row_at(store, r)
                theirs = time_of(kept + sk)
                if how != NULL and theirs.lo < theirs.hi:
                    theirs = operated(theirs, how, is_box)
                if r < limit and theirs.lo < theirs.hi and (
                        theirs.lo < rest.hi and theirs.hi > rest.at):
                    if index is None:
                        same = same_terms(row, kept, nk)
                    else:
                        same = True
                        for c in range(nk):
                            if row[key[c]] != kept[index.key.at[c]]:
                                same = False
                                break
                    if same:
                        cover(&rest, theirs)
                        if rest.at >= rest.hi:
                            break
                if index is None:
                    r -= 1
                    continue
                r = index.links[r].older
                if early and r >= 0:
                    reach = index.links[r].reach
                    if how != NULL:
                        reach = operated(Time(NEG_INF, reach), how, is_box).hi
                    if reach <= rest.at:
                        break
            out = give_rest(out, &rest, delta, i)
    finally:
        free(rest.cells)
        if firsts != some:
            free(firsts)
    return given if out is None else out.done()


cdef inline int64_t cell_of(const int64_t* row, const int64_t* one, int64_t c) noexcept nogil:
    """Column ``c`` of ``row``; of the other one, if it is ~ of that."""
    return row[c] if c >= 0 else one[~c]


def unpaired(given, first_key, first_rows, Py_ssize_t first_limit, Index first not None,
             second_key, second_rows, Py_ssize_t second_limit, Index second not None):
    """The pieces of ``given`` that no pair of stored rows covers: it, if that is all."""
    cdef Matrix delta = matrix(given), left = matrix(first_rows), right = matrix(second_rows)
    cdef Columns mine = columns(first_key), others = columns(second_key)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, lk = left.w - 2, rk = right.w - 2, i, c
    cdef const int64_t* row
    cdef const int64_t* one
    cdef const int64_t* two
    cdef int64_t p, q
    cdef uint64_t h, mask = <uint64_t>second.size - 1
    cdef bint same
    cdef Time asked, time
    cdef Rest rest = Rest(0, 0, NULL, 0, 0)
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = room_for(m, some)
    cdef Out out = None
    try:
        for i in range(m):
            firsts[i] = row_at(delta, i)[k + 1]
        find_firsts(first, delta, mine.at, left, firsts)
        for i in range(m):
            row = row_at(delta, i)
            rest.at, rest.hi, rest.n = row[k], row[k + 1], 0
            p = firsts[i]
            while p >= 0 and rest.at < rest.hi:
                one = row_at(left, p)
                asked = met(Time(rest.at, rest.hi), time_of(one + lk))
                same = p < first_limit and asked.lo < asked.hi
                for c in range(mine.n if same else 0):
                    same &= row[mine.at[c]] == one[first.key.at[c]]
                q = -1
                if same:
                    h = SEED
                    for c in range(others.n):
                        h = mix(h, cell_of(row, one, others.at[c]))
                    q = second.head[(h ^ (h >> 32)) & mask]
                while q >= 0 and rest.at < rest.hi:
                    two = row_at(right, q)
                    time = met(asked, time_of(two + rk))
                    same = q < second_limit and time.lo < time.hi
                    for c in range(others.n if same else 0):
                        same &= cell_of(row, one, others.at[c]) == two[second.key.at[c]]
                    if same:
                        cover(&rest, time)
                    q = second.links[q].older
                    if q >= 0 and not second.grown and second.links[q].reach <= asked.lo:
                        break
                p = first.links[p].older
                if p >= 0 and not first.grown and first.links[p].reach <= rest.at:
                    break
            out = give_rest(out, &rest, delta, i)
    finally:
        free(rest.cells)
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
